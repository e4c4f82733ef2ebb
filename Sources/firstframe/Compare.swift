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

      --set acts on both sides, --base and --with on one. Every viewer's draws are the same on both \
      sides, so small differences show. Exit code 0 whatever the difference: firstframe gate judges.
      """)

  @Argument(help: "The scenario file of the baseline.")
  var file: String

  @Argument(help: "The scenario file to compare with it; the same file without one.")
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

  @Flag(help: "Print JSON instead of the report.")
  var json = false

  func validate() throws {
    if other == nil && base.isEmpty && with.isEmpty {
      throw ValidationError("expected a second file, --base or --with, got one configuration")
    }
  }

  func run() async throws {
    try await Failures.reported { try await compare() }
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
    let report = ComparisonReport(
      Comparison(
        metrics, baseline: records[0], candidate: records[1],
        isPaired: variants[0].scenario.seed == variants[1].scenario.seed,
        thresholds: ChangeThresholds(variants[1].scenario, relative: threshold)),
      baseline: "baseline", candidate: "candidate",
      changes: Variant.differences(variants[0].scenario, variants[1].scenario),
      parts: PartChange.between(records[0], records[1]))
    if json {
      try emit(report.json.text())
    } else {
      let isTerminal = Console.isTerminal(STDOUT_FILENO)
      let lines = report.lines(
        width: isTerminal ? Console.width(STDOUT_FILENO) : 100,
        color: Console.hasColor(STDOUT_FILENO))
      try emit(
        lines.joined(separator: "\n") + "\n"
          + known.text(color: Console.hasColor(STDOUT_FILENO)))
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
