import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies
import Telemetry

/// `firstframe capacity`
struct Capacity: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turn an audience into bandwidth, cache bytes, servers and money.",
    discussion: """
      Example: firstframe capacity scenarios/wifi-budget-gate.yaml --audience 2000000 \\
                 --prices scenarios/prices/cloudfront.yaml

      Simulates a few replications of the scenario to measure what a view takes, scales it to the \
      peak of the audience, and says what each tier carries, how many bytes an edge needs for the \
      target hit ratio, how many requests the ranker, the feed API and the ingest must work on at \
      a time, what is over its limit or gives way first as the audience grows, and what a month \
      costs. --assume KEY=VALUE changes what is taken for granted, such as --assume \
      ranker.limit="50 ms"; the report lists all of it. --assume calls.perUserDay=0.05 and \
      transcoder.uploadsPerUserDay=0.02 add the relay of calls and the transcoder.

      --audience with files, instead of a number, says what last week really took: views and \
      sessions a day, viewers at the peak, bytes a view, and with --logs of the edges bandwidth, \
      requests and hit ratios, beside what the plan says, and which limits would have been over. \
      What the files tell of the assumptions is taken from them; what they cannot tell is said. \
      They are read as calibrate reads them (docs/reference/telemetry.md).
      Example: firstframe capacity my-feed.yaml --audience week.csv --map columns.yaml \\
                 --logs edge*.log --log-format cloudfront

      The folder <output>/capacity-<scenario>-<digest>/ gets capacity.json, capacity.md, \
      capacity.html and capacity.ipynb. Same scenario, options and seed, same bytes.

      Of a scenario of the world services or pipeline: the load at which each of its budgets \
      breaks, found by search, with its interval (capacity.json and capacity.html).
      Example: firstframe capacity scenarios/feed-ranker-events.yaml --replications 8

      Exit codes: 0 done, 1 internal error, 64 usage, 65 bad data, 66 a file is missing, 73 cannot \
      write.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @OptionGroup var audience: AudienceOptions

  @Option(help: ArgumentHelp("A price file. Default: the scenario's, or none.", valueName: "file"))
  var prices: String?

  @Option(help: ArgumentHelp("A region of the price file. Default: its first.", valueName: "name"))
  var region: String?

  @Option(help: ArgumentHelp("A file of assumptions.", valueName: "file.yaml"))
  var assumptions: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Set one assumption; repeatable.", valueName: "key=value"))
  var assume: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Replications to measure in, 2...64. Default: 4.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 2...64) })
  var replications: Int64?

  @OptionGroup var seed: SeedOption
  @OptionGroup var threads: ThreadOption
  @OptionGroup var kept: PilotOptions
  @OptionGroup var options: ScenarioOptions
  @OptionGroup var credit: TrustOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder that gets the plan's folder.", valueName: "dir"))
  var output = "results"

  @Option(help: ArgumentHelp("Write the notebook here instead.", valueName: "file.ipynb"))
  var notebook: String?

  @Flag(help: "Print the plan as JSON.")
  var json = false

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
  }

  func run() async throws {
    try await Failures.reported { try await plan() }
  }

  private func plan() async throws {
    let scenario = try StudyScenario.load(
      file, overrides: options.overrides + seed.overrides, short: options.short)
    let known = try credit.credit(of: scenario, output: output)
    guard let feed = scenario.feed else { return try await knee(scenario, known) }
    let assumed = try load(taking: [])
    let prices = try priceList(scenario)
    let cdn = feed.configuration.cdn
    let observed = try audience.load().map {
      ObservedAudience($0, hasNextTier: cdn.shield != nil || cdn.regional != nil)
    }
    let said = assume.map { Override(set: $0).keyPath }
    let taken = (observed?.settings ?? []).filter { !said.contains($0.key) }
    var assumptions = try load(taking: taken)
    assumptions.credit(taken.map(\.key), to: "the files of --audience")
    let measures = try await CapacityMeasures.run(
      feed, replications: Int(replications ?? 4), threads: threads.count, pilots: kept.pilots)
    let users =
      audience.users.map { Double($0) }
      ?? observed?.users(
        sessionsPerUserDay: assumptions.sessionsPerUserDay,
        viewsPerSession: measures.viewsPerSession)
    let observation = observed.map {
      CapacityObservation(
        $0, assumed: assumed, taken: taken.map(\.key), isAudienceKnown: users != nil)
    }
    guard
      let plan = try CapacityPlan(
        feed, measures: measures, assumptions: assumptions, audience: users, prices: prices,
        seed: scenario.seed, observation: observation)
    else {
      Console.error("expected a scenario of full-screen items with caches, got \(scenario.name)")
      throw ExitCode(ExitStatus.badData)
    }
    try write(plan, known)
  }

  /// The assumptions of the file, then what was observed of them, then what somebody says.
  private func load(
    taking settings: [(key: String, value: String)]
  ) throws(ScenarioRejected) -> CapacityAssumptions {
    let observed = settings.map {
      Override(option: "--audience", keyPath: $0.key, value: $0.value)
    }
    return try CapacityAssumptions.load(
      assumptions, overrides: observed + assume.map { Override(set: $0, option: "--assume") })
  }

  private func knee(_ scenario: StudyScenario, _ known: Credit?) async throws {
    let others = [
      ("--audience", !audience.audience.isEmpty), ("--logs", !audience.field.logs.isEmpty),
      ("--prices", prices != nil), ("--region", region != nil),
      ("--assumptions", assumptions != nil), ("--assume", !assume.isEmpty),
      ("--notebook", notebook != nil),
    ]
    for (option, isGiven) in others where isGiven {
      throw ValidationError(
        "\(option): expected a scenario of the feed, got \(scenario.plan.title)")
    }
    let found = try await LoadKnee.run(
      scenario, replications: Int(replications ?? 4), threads: threads.count)
    guard let found else {
      Console.error(
        "expected a scenario of the feed, of services or of a pipeline, got "
          + scenario.plan.title)
      throw ExitCode(ExitStatus.badData)
    }
    let name = "capacity-\(scenario.name)-\(LoadKneeReport.digest(found))"
    let document = LoadKneeReport.json(found).text()
    let mark = "capacity.json"
    let folder = try RunFolder.writeFolder(
      [
        (name: mark, text: document),
        (name: "capacity.html", text: LoadKneePage.text(found, command: MadeBy.words)),
      ], name: name, mark: mark, parent: output)
    try show(document, in: folder, known) { LoadKneeReport.text(found, color: $0) }
  }

  private func show(
    _ document: String, in folder: String, _ known: Credit?, report: (_ color: Bool) -> String
  ) throws {
    if json {
      try emit(document)
      Console.note("results in \(folder)")
    } else {
      let color = Console.hasColor(STDOUT_FILENO)
      try emit(report(color) + known.text(color: color) + "results in \(folder)\n")
    }
  }

  private func priceList(
    _ scenario: StudyScenario
  ) throws -> (PriceList, PriceList.Region)? {
    guard let list = try prices.map({ try PriceList.load($0) }) ?? scenario.cost?.prices else {
      if region != nil {
        throw ValidationError("--region: expected --prices beside it, got none")
      }
      return nil
    }
    guard let region else {
      let first = prices == nil ? scenario.cost?.region : list.regions.first
      return first.map { (list, $0) }
    }
    guard let found = list.region(region) else {
      throw ValidationError(
        "--region: expected one of \(list.regions.map(\.name).joined(separator: ", ")), "
          + "got \(region)")
    }
    return (list, found)
  }

  private func write(_ plan: CapacityPlan, _ known: Credit?) throws {
    let name = "capacity-\(plan.scenario.name)-\(CapacityDocument.digest(plan))"
    let folder = RunFolder.path(of: name, in: output)
    let document = CapacityDocument.json(plan).text()
    let mark = "capacity.json"
    let own = "capacity.ipynb"
    let book = notebook ?? RunFolder.path(of: own, in: folder)
    let code = CapacityNotebook.text(
      plan, runDirectory: RunFolder.relative(folder, beside: book))
    var files = [
      (name: mark, text: document), (name: "capacity.md", text: CapacityReport.markdown(plan)),
      (name: "capacity.html", text: CapacityPage.text(plan, command: MadeBy.words)),
    ]
    if notebook == nil { files.append((name: own, text: code)) }
    _ = try RunFolder.writeFolder(files, name: name, mark: mark, parent: output)
    if notebook != nil { try RunFolder.writeFile(code, to: book) }
    try show(document, in: folder, known) { CapacityReport.text(plan, color: $0) }
  }
}
