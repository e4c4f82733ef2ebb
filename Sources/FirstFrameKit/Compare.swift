import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// `firstframe compare`
struct Compare: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run two configurations with the same random numbers and judge the differences.",
    discussion: """
      Two files: firstframe compare before.yaml after.yaml
      One file:  firstframe compare scenarios/wifi-budget-gate.yaml \\
                   --with policy.pool.size=1 --with network.access[0].roundTrip="40 ms"

      Two runs:  firstframe compare results/before-1a2b3c4d results/after-5e6f7a8b --page runs.html

      --set acts on both sides, --base and --with on one. Every viewer's draws are the same on both \
      sides, so small differences show. Exit code 0 whatever the difference: firstframe gate judges.

      Two run folders, or their result.json, are put side by side as they are; nothing is simulated. \
      Their replications are pairs where both have the same seed and number of replications; else \
      intervals are those of independent runs, which are wider, and it says why. Results of another \
      version or another world are refused (65).
      """)

  @Argument(help: "The scenario file of the baseline, or the folder of a finished run.")
  var file: String

  @Argument(
    help: "The scenario file, or the run folder, to compare with it; the same file without one.")
  var other: String?

  @Option(
    name: .customLong("base"), parsing: .singleValue,
    help: ArgumentHelp("Set one key on the baseline's side; repeatable.", valueName: "key=value"))
  var base: [String] = []

  @Option(
    name: .customLong("with"), parsing: .singleValue,
    help: ArgumentHelp("Set one key on the other side; repeatable.", valueName: "key=value"))
  var with: [String] = []

  @OptionGroup var options: ScenarioOptions
  @OptionGroup var study: VariantOptions
  @OptionGroup var credit: TrustOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Changes below this share of the baseline do not matter.",
      discussion: ChangeThresholdText.discussion, valueName: "ratio"),
    transform: { try Bounds.ratio($0) })
  var threshold: Double?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Compare this metric, instead of the headline ones; repeatable.", valueName: "metric"))
  var metric: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Tell which changed key did it, of each metric that is worse or better.",
      discussion: "Runs mixtures of the old and new values; up to five keys all of them."))
  var causes = false

  @Option(help: ArgumentHelp("Write the comparison as a page here.", valueName: "file.html"))
  var page: String?

  @Flag(help: "Print JSON instead of the report.")
  var json = false

  func validate() throws {
    if let page, !page.hasSuffix(".html") {
      throw ValidationError("--page: expected a name that ends in .html, got \(page)")
    }
    if FinishedRun.isOne(file) || other.map({ FinishedRun.isOne($0) }) == true {
      try validateRuns()
    } else if other == nil && base.isEmpty && with.isEmpty {
      throw ValidationError("expected a second file, --base or --with, got one configuration")
    }
  }

  /// What a comparison of finished runs takes.
  private func validateRuns() throws {
    guard let other else {
      throw ValidationError("expected a second run folder beside \(file), got none")
    }
    for (path, isOther) in [(file, false), (other, true)] where !FinishedRun.isOne(path) {
      throw ValidationError(
        "\(path): expected a run folder as \(isOther ? file : other) is one, got something else")
    }
    let simulated = [
      ("--base", !base.isEmpty), ("--with", !with.isEmpty),
      ("--set", !options.assignments.isEmpty), ("--short", options.short),
      ("--replications", study.replications != nil), ("--seed", study.flags.seed.seed != nil),
      ("--causes", causes),
    ]
    for (option, isGiven) in simulated where isGiven {
      throw ValidationError("\(option): expected scenario files beside it, got run folders")
    }
  }

  func run() async throws {
    try await Failures.reported {
      if let other, FinishedRun.isOne(file) {
        try putBeside(other)
      } else {
        try await compare()
      }
    }
  }

  /// Puts two finished runs side by side.
  private func putBeside(_ other: String) throws {
    let runs = [try FinishedRun(file), try FinishedRun(other)]
    let beside = try RunsBeside(
      runs[0], runs[1], metrics: try MetricArguments.read(metric, else: []), threshold: threshold)
    if let page {
      let reports = runs.map {
        "\(RunFolder.relative($0.folder, beside: page))/\(HTMLReport.fileName)"
      }
      try RunFolder.writeFile(
        beside.page(reports: (reports[0], reports[1]), command: MadeBy.words), to: page)
    }
    try show(beside.json) { beside.lines(width: $0, color: $1) }
  }

  /// Prints a report or its document, and where the page is.
  private func show(
    _ document: JSONText, after: String = "", lines: (_ width: Int, _ color: Bool) -> [String]
  ) throws {
    if json { return try emit(document.text()) }
    let text = lines(Console.reportWidth(otherwise: 100), Console.hasColor(STDOUT_FILENO))
    try emit(
      text.joined(separator: "\n") + "\n" + after + (page.map { "page in \($0)\n" } ?? ""))
  }

  private func compare() async throws {
    let sides = [(file, base), (other ?? file, with)]
    let variants = try sides.enumerated().map { index, side in
      try Variant.load(
        side.0, overrides: options.overrides + study.flags.seed.overrides,
        settings: side.1.map { try Settings.read($0) },
        label: index == 0 ? "baseline" : "candidate", short: options.short)
    }
    let metrics = try MetricArguments.read(
      metric, else: variants[0].scenario.plan.headline)
    // The side that is new is the one that may have left what was tested.
    let known = try credit.credit(of: variants[1].scenario, output: "results")
    let records = try await study.run(variants, metrics: metrics)
    var report = ComparisonReport(
      Comparison(
        metrics, baseline: records[0], candidate: records[1],
        isPaired: variants[0].scenario.seed == variants[1].scenario.seed,
        thresholds: ChangeThresholds(variants[1].scenario, relative: threshold)),
      baseline: "baseline", candidate: "candidate",
      changes: Variant.differences(variants[0].scenario, variants[1].scenario),
      parts: PartChange.between(records[0], records[1]))
    if causes { report.causes = try await tellCauses(report, variants[1].scenario) }
    if let page {
      let title =
        Set(variants.map(\.scenario.name)).count == 1
        ? variants[0].scenario.name
        : "\(variants[0].scenario.name) and \(variants[1].scenario.name)"
      let text = ComparisonPage.text(
        report, title: "\(title): comparison", records: (records[0], records[1]),
        command: MadeBy.words)
      try RunFolder.writeFile(text, to: page)
    }
    try show(report.json, after: known.text(color: Console.hasColor(STDOUT_FILENO))) {
      report.lines(width: $0, color: $1)
    }
  }

  private func tellCauses(
    _ report: ComparisonReport, _ candidate: StudyScenario
  ) async throws -> BaselineComparison {
    try await Watched.run(quiet: study.flags.quiet, isKept: false) { stop, _ in
      try await ComparisonCauses.find(
        report.comparison, changes: report.changes, parts: report.parts, candidate: candidate,
        threads: study.flags.threads.count, pilots: study.flags.kept.pilots, stop: stop)
    }
  }
}

/// What `--threshold` says of what a change must exceed (docs/reference/metrics.md).
enum ChangeThresholdText {
  static let discussion =
    "A ratio or a percentage; default 2 %. What matters is the larger of it and 10 ms of times, "
    + "0.1 point of ratios, half an event of counts; other numbers have no such floor. The "
    + "scenario's thresholds say otherwise for single metrics."
}

/// Metrics named on the command line.
enum MetricArguments {
  /// The metrics of the arguments, or `standard` without any.
  static func read(
    _ arguments: [String], else standard: [MetricReference]
  ) throws -> [MetricReference] {
    if arguments.isEmpty { return standard }
    return try arguments.map { text in
      switch MetricReference.parse(text) {
      case .success(let metric): return metric
      case .failure(let fault):
        throw ValidationError("--metric: expected \(fault.expected), got \(text)")
      }
    }
  }
}

/// Keys set on one side.
enum Settings {
  static func read(_ argument: String) throws -> Variant.Setting {
    let setting = Override(set: argument)
    guard let value = setting.value else {
      throw ValidationError("expected key.path=value, got \(argument)")
    }
    return Variant.Setting(key: setting.keyPath, value: value)
  }
}
