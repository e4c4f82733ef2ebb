import ArgumentParser
import Foundation
import MediaUnits
import Reports
import Scenario
import Studies
import Telemetry

/// `firstframe backtest`
struct BacktestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backtest",
    abstract: "Hold a scenario's predictions against what was observed.",
    discussion: """
      Example: firstframe backtest my-feed.yaml --observed week.csv --map columns.yaml
        fitted to other days:
               firstframe backtest my-feed.yaml --observed week.csv --map columns.yaml \\
                 --fit-on 1-5 --test-on 6-7 --by device
        a change of configuration:
               firstframe backtest my-feed.yaml --observed ab.csv --map columns.yaml \\
                 --with policy.pool.size=1 --before version=a --after version=b

      Both sides are read by the same arithmetic: percentiles of the time to the first frame by \
      clock, who left, stalls, watch time, bytes and hit ratios, each with its error, the interval \
      of both sides' noise and a verdict; docs/reference/backtest.md. Files are read as calibrate \
      reads them (docs/reference/telemetry.md); without --format and --map they are our own events.

      Days are counted from 1, the day (UTC) of the first view or request. With --fit-on what \
      calibrate finds in those days is set in the scenario first; what --set says holds.

      A change is a second file, or --with, which act on the predicted side after it. It was \
      observed in two periods or in two arms at the same time, --before and --after. Metrics are \
      held against the observation before, and differences against the difference.

      <output>/<scenario>-<digest>-backtest-<data>/ gets backtest.json, backtest.html and \
      trust.json; <output>/trust/<scenario>.json is what run, gate, compare and capacity tell \
      under their verdicts.

      Exit codes: 0 agrees, 10 disagrees, 13 too little data, which is no pass; 64 usage, 65 files \
      that cannot be used or a period without data, 66 a file is missing, 70 too many predicted \
      views, 73 cannot write.
      """)

  @Argument(help: "The scenario file that predicts.")
  var file: String

  @Argument(help: "The scenario file after a change; the same file without one.")
  var other: String?

  @Option(
    name: .customLong("with"), parsing: .singleValue,
    help: ArgumentHelp("Set one key after the change; repeatable.", valueName: "key=value"))
  var with: [String] = []

  @OptionGroup var files: ObservedOptions

  @Option(
    help: ArgumentHelp("Fit the scenario to these days first, such as 1-5.", valueName: "days"),
    transform: { try ObservedPart.period($0) })
  var fitOn: ObservedPart?

  @Option(
    help: ArgumentHelp("Compare these days only, such as 6-7.", valueName: "days"),
    transform: { try ObservedPart.period($0) })
  var testOn: ObservedPart?

  @Option(
    help: ArgumentHelp(
      "What was observed before the change: days, or a cohort such as version=a.",
      valueName: "part"),
    transform: { try ObservedPart.named($0) })
  var before: ObservedPart?

  @Option(
    help: ArgumentHelp("What was observed after it.", valueName: "part"),
    transform: { try ObservedPart.named($0) })
  var after: ObservedPart?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Also compare by device, network, region or version, or by each that both sides tell apart "
        + "(cohort); repeatable.", valueName: "key"))
  var by: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Replications that predict, 8...64. Default: 16.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 8...64) })
  var replications: Int64?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder that gets the folder of the backtest.", valueName: "dir"))
  var output = "results"

  @Flag(
    help: ArgumentHelp(
      "Also say which law would explain the errors, were it off: each of up to nine is scaled by a "
        + "quarter down and up and predicted anew, up to 18 predictions more."))
  var suspects = false

  @Flag(help: "Print backtest.json instead of the report.")
  var json = false

  @OptionGroup var options: ScenarioOptions
  @OptionGroup var flags: StudyFlags

  private var isChange: Bool { other != nil || !with.isEmpty }
  private static let everyKey = "cohort"

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
    let keys = ObservedViews.CohortKey.allCases.map(\.rawValue) + [Self.everyKey]
    for key in by where !keys.contains(key) {
      throw ValidationError("--by: expected one of \(keys.joined(separator: ", ")), got \(key)")
    }
    if (fitOn == nil) != (testOn == nil) && fitOn != nil {
      throw ValidationError("--fit-on: expected --test-on beside it, got none")
    }
    if let fitOn, let testOn, fitOn.overlaps(testOn) {
      throw ValidationError("--test-on: expected other days than --fit-on, got some of them")
    }
    if isChange != (before != nil && after != nil) || (before == nil) != (after == nil) {
      throw ValidationError(
        "expected a change (a second file or --with) with --before and --after, or none of them")
    }
    if let before, let after, before.overlaps(after) {
      throw ValidationError("--after: expected another part than --before, got some of it")
    }
    if isChange && testOn != nil {
      throw ValidationError("--test-on: expected it or a change, got both")
    }
    if fitOn != nil && files.observed.isEmpty {
      throw ValidationError("--fit-on: expected --observed with views, got logs alone")
    }
  }

  func run() async throws {
    try await Failures.reported { try await backtest() }
  }

  // MARK: Steps

  private func backtest() async throws {
    // A scenario that cannot be used is known before files are read.
    let window = try study(file).configuration.audience.window
    let whole = try files.read()
    // Parts without data are known before anything is fitted or predicted.
    var observed = whole
    if let testOn { observed = try testOn.of(whole, option: "--test-on") }
    if let before { observed = try before.of(whole, option: "--before") }
    let observedAfter = try after?.of(whole, option: "--after")
    let (fitted, fitNotes) = try fit(whole, window: window)
    let plan = try study(file, fitted: fitted)
    let later = isChange ? try changed(plan.scenario, fitted) : nil
    let predicted = try await predict(plan, whole)
    let asked = try keys(predicted, observed)
    let backtest = try Backtest(
      predicted: predicted, observed: observed, options: Backtest.Options(keys: asked))
    var notes = whole.notes
    notes.addNew(fitNotes)
    if let testOn { notes.append("observed: \(testOn.text)") }
    var (change, others): (ChangeBacktest?, [StudyScenario]) = (nil, [])
    if let before, let after, let observedAfter, let later {
      change = try ChangeBacktest(
        predicted: ChangeBacktest.Pair(
          before: predicted, after: try await predict(later, whole)),
        observed: ChangeBacktest.Pair(before: observed, after: observedAfter),
        sharesTitles: !before.isPeriod || !after.isPeriod)
      others = [later.scenario]
      notes.append(
        "observed before the change: \(before.text), after it: \(after.text); metrics: before")
      notes += Variant.differences(plan.scenario, later.scenario).map {
        "changed: \($0.key) \($0.before ?? "absent") to \($0.after ?? "absent")"
      }
    }
    // What was compared, and not only what was read.
    let count = Int(replications ?? 16)
    let parts =
      [testOn, before, after].map { $0?.text ?? "" } + others.map(\.digest)
      + asked.map(\.rawValue) + ["\(count)", try files.manner()]
    let data = Digest.digest8("\(whole.digest) \(parts.joined(separator: " "))")
    let report = BacktestReport(
      backtest, change: change,
      suspects: try await suspected(backtest, plan, predicted, observed, whole),
      scenario: plan.name, digest: plan.digest, dataDigest: data, replications: count,
      notes: notes)
    let trust = Trust(
      backtest, scenario: plan.scenario, others: others, dataDigest: data, replications: count,
      change: change?.verdict)
    let folder = try BacktestFolder.write(report, trust: trust, parent: output)
    if json {
      try emit(report.json())
      if !flags.quiet { Console.note("results in \(folder)") }
    } else {
      try emit(report.text(color: Console.hasColor(STDOUT_FILENO)) + "results in \(folder)\n")
    }
    if report.exitCode != 0 { throw ExitCode(report.exitCode) }
  }

  /// A scenario of full-screen items.
  private func study(
    _ path: String, fitted: [Variant.Setting] = [], changed: [Variant.Setting] = []
  ) throws -> FeedStudy {
    func overrides(_ settings: [Variant.Setting], _ option: String) -> [Override] {
      settings.map { Override(option: option, keyPath: $0.key, value: $0.value) }
    }
    // What was fitted first, so that what somebody says holds.
    let scenario = try StudyScenario.load(
      path,
      overrides: overrides(fitted, "--fit-on") + options.overrides + flags.seed.overrides
        + overrides(changed, "--with"), short: options.short)
    return try ObservedOptions.feed(of: scenario, file: path)
  }

  /// What calibrate finds in the days that are fitted to.
  ///
  /// - Parameter window: that the scenario measures.
  private func fit(
    _ observed: ObservedViews, window: TimeSpan
  ) throws -> ([Variant.Setting], notes: [String]) {
    guard let fitOn, var reader = try files.views() else { return ([], []) }
    _ = try fitOn.of(observed, option: "--fit-on")
    reader.period = fitOn.seconds(of: observed)
    let calibration = Calibration(
      try reader.read().reading, options: Calibration.Options())
    // A window of an hour begins at the trough of a day that is fitted, and is held against days.
    let isOfDays = window.nanoseconds % TimeSpan.hours(24).nanoseconds == 0
    let settings = calibration.settings.filter { isOfDays || $0.key != "audience.diurnal" }
    if settings.isEmpty {
      Console.error("--fit-on: expected data that carry a fit of some key, got none")
      throw ExitCode(ExitStatus.invalid)
    }
    let keys = settings.map(\.key).joined(separator: ", ")
    let refused = calibration.allLaws.compactMap { finding -> String? in
      guard let key = finding.key, case .refused(let reason) = finding.outcome else { return nil }
      return "not fitted: \(key): \(reason)"
    }
    let left = calibration.settings.count - settings.count
    let day =
      left == 0
      ? [] : ["not set: audience.diurnal: audience.window is no whole day, and days are compared"]
    let all = day + refused + calibration.field.refusals.map { "not fitted: \($0)" }
    return (settings, ["fitted on \(fitOn.text): \(keys)"] + all)
  }

  /// - Parameter name: of what is predicted; nil: the scenario's.
  private func predict(
    _ study: FeedStudy, _ observed: ObservedViews, name: String? = nil
  ) async throws -> ObservedViews {
    let count = Int(replications ?? 16)
    if !flags.quiet { Console.note("\(name ?? study.name): \(count) replications") }
    let predicted = try await BacktestPrediction.views(
      study, replications: count, parts: observed.parts, beginsWithPlay: observed.beginsWithPlay,
      threads: flags.threads.count, pilots: flags.kept.pilots)
    if Set(predicted.views.map(\.block)).count < count {
      Console.error("expected views in every replication, got some without: a longer window")
      throw ExitCode(ExitStatus.invalid)
    }
    return predicted
  }

  /// The laws that would explain the errors; nil where nobody asks.
  private func suspected(
    _ backtest: Backtest, _ study: FeedStudy, _ predicted: ObservedViews,
    _ observed: ObservedViews, _ whole: ObservedViews
  ) async throws -> Suspects? {
    if !suspects { return nil }
    return try await backtest.suspects(
      of: study.scenario, predicted: predicted, observed: observed
    ) { scaled, name in
      guard let feed = scaled.feed else { preconditionFailure("a feed stays one") }
      return try await predict(feed, whole, name: name)
    }
  }

  /// The scenario after the change.
  private func changed(
    _ scenario: StudyScenario, _ fitted: [Variant.Setting]
  ) throws -> FeedStudy {
    let later = try study(
      other ?? file, fitted: fitted, changed: try with.map { try Settings.read($0) })
    if Variant.differences(scenario, later.scenario).isEmpty {
      throw ValidationError("--with: expected a key that changes, got the same scenario twice")
    }
    return later
  }

  /// The keys that rows are asked for by.
  private func keys(
    _ predicted: ObservedViews, _ observed: ObservedViews
  ) throws -> [ObservedViews.CohortKey] {
    var keys: [ObservedViews.CohortKey] = []
    for key in ObservedViews.CohortKey.allCases {
      let isNamed = by.contains(key.rawValue)
      if !isNamed && !by.contains(Self.everyKey) { continue }
      let (ours, theirs) = (predicted.cohorts.map(key.value), observed.cohorts.map(key.value))
      if Set(ours).subtracting([""]).isDisjoint(with: theirs) {
        if !isNamed { continue }
        throw ObservedPart.rejection(
          "--by \(key.rawValue): expected a value that both sides have, got "
            + "\(ObservedPart.list(ours, "none")) in the scenario and "
            + "\(ObservedPart.list(theirs, "none")) in the files")
      }
      keys.append(key)
    }
    return keys
  }
}
