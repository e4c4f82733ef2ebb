import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// What is varied: the scenario's `sweep`, and flags on top of it.
struct SweepOptions: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Try these values of a key; repeatable. Replaces sweep.vary of the scenario.",
      discussion: "For example --vary 'policy.prefetch.headLength=[2 s, 4 s, 6 s]'.",
      valueName: "key=[v1, v2, …]"))
  var vary: [String] = []

  @Option(
    help: ArgumentHelp(
      "Which combinations: grid, one-at-a-time, latin-hypercube, sobol, morris, sobol-indices, or "
        + "a mapping such as '{kind: sobol, points: 64}'.", valueName: "design"))
  var design: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Replications of each point, 2...64.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 2...64) })
  var replications: Int64?

  @OptionGroup var flags: StudyFlags

  @OptionGroup var limits: LimitOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder that gets the result folder, and shards/ with what is finished.",
      valueName: "dir"))
  var output = "results"

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
  }

  /// The flags as keys of the scenario.
  func overrides() throws -> [Override] {
    var overrides: [Override] = []
    if !vary.isEmpty {
      let pairs = try vary.map { text -> String in
        let setting = try Settings.read(text)
        return "\"\(setting.key)\": \(setting.value)"
      }
      overrides.append(
        Override(
          option: "--vary", keyPath: "sweep.vary", value: "{\(pairs.joined(separator: ", "))}"))
    }
    if let design {
      let value = design.hasPrefix("{") ? design : "{kind: \(design)}"
      overrides.append(Override(option: "--design", keyPath: "sweep.design", value: value))
    }
    overrides += flags.seed.overrides
    if let replications {
      overrides.append(
        Override(
          option: "--replications", keyPath: "sweep.replications", value: "\(replications)"))
    }
    return overrides
  }

  /// Runs points of a scenario under the limits, with progress and signals; what is finished is
  /// kept.
  ///
  /// Points are variants of one scenario; the estimate is that of the base. Records of what is done
  /// keep no times.
  func watched<Value: Sendable>(
    _ scenario: StudyScenario,
    _ body: (StopRequest, @escaping @Sendable (VariantProgress) -> Void) async throws -> Value
  ) async throws -> Value {
    try limits.check(scenario, replications: flags.threads.count, threads: flags.threads.count)
    return try await Watched.run(quiet: flags.quiet, isKept: true, limits: limits, body)
  }

  /// Where finished replications are kept.
  var store: ShardStore {
    PlannedStudy.store ?? ShardStore(folder: "\(output)/shards", program: Program.digest)
  }
}

/// `firstframe sweep`
struct SweepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Run many configurations of a scenario with the same random numbers.",
    discussion: """
      Example: firstframe sweep scenarios/prefetch-frontier.yaml
               firstframe sweep scenarios/wifi-budget-gate.yaml --short \\
                 --vary 'policy.pool.size=[1, 2, 3, 5]' --design grid

      Every finished replication is kept in <output>/shards under a digest of all that it depends on; \
      a sweep that was killed goes on where it was when the same command is given again, and ends \
      with the same bytes. <output>/<scenario>-sweep-<digest>/ gets sweep.json, points.csv, \
      replications.csv, the resolved scenario, pictures: front.svg, effects.svg, and lines-N.svg of \
      a grid of two keys, and sweep.html, a page with all of it. A point whose run lies in <output> \
      is a link there.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @OptionGroup var options: ScenarioOptions
  @OptionGroup var sweep: SweepOptions

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A metric of the result; repeatable. Replaces sweep.metrics.", valueName: "metric"))
  var metric: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A metric of the Pareto front; give two or more. Replaces sweep.front.",
      valueName: "metric"))
  var front: [String] = []

  @Flag(
    name: .customLong("no-shared-prefix"),
    help: ArgumentHelp(
      "Simulate every point from its beginning; results are the same.",
      discussion: """
        Points that differ in cdn.origin.outages and cdn.purges alone are simulated once until the first \
        of these can make a difference, in processes of one thread that become several then.
        """))
  var hasNoSharedPrefix = false

  @OptionGroup var tabled: TableOptions

  @Flag(help: "Print sweep.json instead of the report.")
  var json = false

  func run() async throws {
    try await Failures.reported { try await explore() }
  }

  /// What the arguments ask for, not run yet.
  func prepared() throws -> Sweep {
    let overrides = try options.overrides + sweep.overrides()
    let scenario = try StudyScenario.load(file, overrides: overrides, short: options.short)
    var plan = scenario.sweep
    plan.metrics = try MetricArguments.read(metric, else: plan.metrics)
    plan.front = try MetricArguments.read(front, else: plan.front)
    var study = try Sweep(
      scenario, plan: plan, threads: sweep.flags.threads.count, store: sweep.store,
      pilots: sweep.flags.kept.pilots)
    if !hasNoSharedPrefix {
      study.study.workers = PrefixLauncher(
        scenario: scenario, points: study.design.count, threads: sweep.flags.threads.count,
        memoryLimit: sweep.limits.memoryLimit, isQuiet: sweep.flags.quiet)
    }
    return study
  }

  private func explore() async throws {
    let study = try prepared()
    try tabled.check()
    let scenario = study.scenario
    let result = try await sweep.watched(scenario) { stop, progress in
      try await study.run(stop: stop, progress: progress)
    }
    let text = SweepReport.json(result).text()
    let digest = SweepReport.digest(scenario: scenario.resolvedText, document: text)
    let mark = "sweep.json"
    let page = SweepPage.text(
      result, command: MadeBy.words, run: options.run(file, seed: sweep.flags.seed),
      folders: runs(of: study))
    var files = [
      (name: mark, text: text), (name: "points.csv", text: SweepReport.csv(result)),
      (name: "replications.csv", text: TableFolder.replications(result)),
      (name: "scenario.resolved.yaml", text: scenario.writtenText),
      (name: SweepPage.fileName, text: page),
    ]
    for (name, chart) in SweepCharts.files(result) { files.append((name: name, text: chart)) }
    let folder = try RunFolder.writeFolder(
      files, name: "\(scenario.name)-sweep-\(digest)", mark: mark, parent: sweep.output)
    try tabled.write(result)
    if json {
      try emit(text)
    } else {
      try emit(
        SweepReport.text(result, color: Console.hasColor(STDOUT_FILENO))
          + "results in \(folder)\n")
    }
  }

  /// By point, the page of a run of just that point that lies in the folder of results, from the
  /// folder of the sweep.
  private func runs(of study: Sweep) -> [Int: String] {
    var found: [Int: String] = [:]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sweep.output)) ?? []
    let own = "\(study.scenario.name)-"
    guard names.contains(where: { $0.hasPrefix(own) && !$0.hasPrefix("\(own)sweep-") }) else {
      return [:]
    }
    // As `run` has it: without what the options of a sweep have set.
    guard
      let base = try? StudyScenario.load(
        file, overrides: options.overrides + sweep.flags.seed.overrides, short: options.short)
    else { return [:] }
    let family = ScenarioFamily(base)
    for (point, variant) in study.study.variants.enumerated() {
      let settings = variant.settings.map {
        Override(option: "--set", keyPath: $0.key, value: $0.value)
      }
      guard let scenario = try? family.member(settings) else { continue }
      let run = RunIdentity(scenario, options: StudyOptions())
      guard let folder = RunFolder.earlier(run, parent: sweep.output),
        FileManager.default.fileExists(atPath: "\(folder)/\(HTMLReport.fileName)")
      else { continue }
      found[point] = "../\(run.folderName)/\(HTMLReport.fileName)"
    }
    return found
  }
}
