import Foundation
import Scenario
import Statistics
import Studies

/// The loads at which a world's budgets give way, as text and JSON.
public enum LoadKneeReport {
  /// The report as text ending in a line feed.
  public static func text(_ knee: LoadKnee, color: Bool) -> String {
    func heading(_ text: String) -> String { TextStyle.bold.applied(to: text, color: color) }
    var table = TextTable([.left, .left, .right, .right, .right, .right])
    table.heading(["budget", "limit", "now", "holds to", "95 % interval", knee.loadKey])
    for finding in knee.findings {
      table.add(
        ([finding.budget.metric.description, finding.budget.limitText, nominal(finding)]
          + cells(finding, knee)).map { TextCell($0) })
    }
    let lines =
      [
        heading("\(knee.scenario.name): what gives way first as the load grows"), "",
        "Times the load of the scenario, \(knee.loadKey) \(CapacityReport.number(knee.load)); "
          + "everything else stays as it is.",
      ] + table.lines(color: color)
      + remarks(knee).flatMap { BriefText(width: 96, color: false).wrapped($0, indent: "  ") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How to read the rows.
  static func remarks(_ knee: LoadKnee) -> [String] {
    [
      "\(knee.replications) replications, each searched by itself with the same random numbers at "
        + "every load, to 1.1 %.",
      "A budget without a knee holds up to 16 times the load, or fails down to a 16th of it; where "
        + "replications disagree, n says in how many it breaks.",
    ]
  }

  static func cells(_ finding: LoadKnee.Finding, _ knee: LoadKnee) -> [String] {
    guard let multiple = finding.multiple else {
      if finding.never == knee.replications { return ["holds", "", ""] }
      if finding.always == knee.replications { return ["fails", "", ""] }
      return ["n \(knee.replications - finding.never) of \(knee.replications)", "", ""]
    }
    let load = multiple.value * knee.load
    return [
      times(multiple.value),
      "\(times(max(0, multiple.interval.lower))) to \(times(multiple.interval.upper))",
      CapacityReport.number(load),
    ]
  }

  private static func times(_ value: Double) -> String { Figures.decimal(value, 2) + "×" }

  static func nominal(_ finding: LoadKnee.Finding) -> String {
    guard let value = finding.nominal else { return "no data" }
    switch finding.budget.metric.unit {
    case .milliseconds: return CapacityReport.number(value) + " ms"
    case .ratio: return Figures.percent(value)
    case .number: return CapacityReport.number(value)
    }
  }

  /// `capacity.json` of a world: a function of the search alone.
  public static func json(_ knee: LoadKnee) -> JSONText {
    [
      "schema": 1, "kind": "load-knee", "scenario": .string(knee.scenario.name),
      "digest": .string(digest(knee)), "seed": .integer(Int64(bitPattern: knee.scenario.seed)),
      "loadKey": .string(knee.loadKey), "load": .number(knee.load),
      "replications": .integer(Int64(knee.replications)),
      "breaks": .array(
        knee.findings.map { finding in
          [
            "metric": .string(finding.budget.metric.description),
            "limit": .string(finding.budget.limitText),
            "nominal": finding.nominal.map { .number($0) } ?? .null,
            "multiple": finding.multiple.map { .number($0.value) } ?? .null,
            "interval": finding.multiple.map {
              [.number($0.interval.lower), .number($0.interval.upper)]
            } ?? .null,
            "load": finding.multiple.map { .number($0.value * knee.load) } ?? .null,
            "alwaysBroken": .integer(Int64(finding.always)),
            "neverBroken": .integer(Int64(finding.never)),
          ]
        }),
    ]
  }

  /// Eight hexadecimal digits over everything that the search depends on.
  public static func digest(_ knee: LoadKnee) -> String {
    Digest.digest8("\(knee.scenario.digest) knee \(knee.replications)")
  }
}
