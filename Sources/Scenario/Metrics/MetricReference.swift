import CachePolicy
import ForeignPolicies
import Models

/// A metric as a budget names it: `metric{label=value,…}.stat` (contract.md section 1).
public struct MetricReference: Hashable, Sendable, CustomStringConvertible {
  public struct Label: Hashable, Sendable {
    public var name: String
    public var value: String
  }

  /// What a metric's values are.
  public typealias Unit = MetricUnit

  public var metric: String
  public var labels: [Label]
  public var stat: String

  /// Values of the label `part`, in the order of ``StartupPart``.
  public static let parts = StartupPart.allCases.map { "\($0.name)" }
  /// Values of the label `after`: what a view that may be a viewer's last had made him wait for.
  public static let waits = ["stall", "slow_start", "nothing"]
  public static let classes = AssetClass.allCases.map(\.word)
  /// The classes that an edge keeps.
  public static let keptClasses = Array(classes.dropFirst())

  /// A reference from its parts, unchecked.
  public init(_ metric: String, labels: [(name: String, value: String)], stat: String) {
    self.init(
      metric: metric, labels: labels.map { Label(name: $0.name, value: $0.value) }, stat: stat)
  }

  init(metric: String, labels: [Label], stat: String) {
    self.metric = metric
    self.labels = labels
    self.stat = stat
  }

  /// Reads a reference.
  /// - Returns: the reference, or what was expected instead.
  public static func parse(_ text: String) -> Result<MetricReference, Fault> {
    var rest = Substring(text)
    let metric = String(rest.prefix { $0 != "{" && $0 != "." })
    rest = rest.dropFirst(metric.count)
    // The alias without labels: ttff_ms_p95.
    if rest.isEmpty, let split = metric.range(of: "_ms_p") {
      let name = String(metric[..<split.lowerBound]) + "_ms"
      let stat = "p" + metric[split.upperBound...]
      if timeMetrics.contains(name) || WorldMetric.isName(name) {
        return checked(MetricReference(metric: name, labels: [], stat: stat))
      }
    }
    var labels: [Label] = []
    if rest.first == "{" {
      guard let close = rest.firstIndex(of: "}") else { return .failure(Fault("a closing }")) }
      let inside = rest[rest.index(after: rest.startIndex)..<close]
      for part in inside.split(separator: ",", omittingEmptySubsequences: false) {
        let pair = part.split(separator: "=", omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else {
          return .failure(Fault("label=value between { and }"))
        }
        labels.append(
          Label(name: trim(pair[0]), value: trim(pair[1])))
      }
      rest = rest[rest.index(after: close)...]
    }
    var stat = FeedMetrics.named(metric)?.defaultStat ?? ""
    if rest.first == "." {
      stat = String(rest.dropFirst())
    } else if !rest.isEmpty {
      return .failure(Fault("a stat such as .p95 after the metric"))
    }
    return checked(MetricReference(metric: metric, labels: labels, stat: stat))
  }

  /// What was expected.
  public struct Fault: Error, Hashable, Sendable {
    public var expected: String
    public init(_ expected: String) { self.expected = expected }
  }

  private static func trim(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func checked(
    _ reference: MetricReference
  ) -> Result<MetricReference, Fault> {
    guard let row = FeedMetrics.named(reference.metric) else {
      if WorldMetric.isName(reference.metric) { return WorldMetric.checked(reference) }
      let near = Spelling.nearest(
        to: reference.metric, in: FeedMetrics.names + WorldMetric.names)
      return .failure(Fault("a metric" + (near.map { " (did you mean \($0)?)" } ?? "")))
    }
    guard row.stats.contains(reference.stat) else {
      return .failure(
        Fault("a stat of \(reference.metric): one of \(row.stats.joined(separator: ", "))"))
    }
    let allowed = row.labels
    var seen: Set<String> = []
    for label in reference.labels {
      guard allowed.contains(label.name) else {
        if label.name == "window" {
          return .failure(
            Fault("a metric that can be cut by window, which \(reference.metric) cannot"))
        }
        let names = allowed.isEmpty ? "it has none" : "one of \(allowed.joined(separator: ", "))"
        return .failure(Fault("a label of \(reference.metric): \(names)"))
      }
      guard seen.insert(label.name).inserted else {
        return .failure(Fault("each label once, got \(label.name) twice"))
      }
      if label.name == "class", !classes.contains(label.value) {
        return .failure(Fault("a class: one of \(classes.joined(separator: ", "))"))
      }
      if label.name == "tier", !tiers.contains(where: { $0.0 == label.value }) {
        return .failure(Fault("a tier: one of edge, regional, shield, client"))
      }
      if label.name == "window", !TextRule.name.accepts(label.value) {
        return .failure(
          Fault("\(TextRule.name.expectation) for a window, such as flash-crowd"))
      }
      if label.name == "part", !parts.contains(label.value) {
        return .failure(Fault("a part: one of \(parts.joined(separator: ", "))"))
      }
      if label.name == "after", !waits.contains(label.value) {
        return .failure(Fault("what came before: one of \(waits.joined(separator: ", "))"))
      }
      if label.name == "by", !["requests", "bytes"].contains(label.value) {
        return .failure(Fault("by=requests or by=bytes"))
      }
    }
    if let required = row.requiredLabel, reference.label(required) == nil {
      return .failure(
        Fault("the label \(required): one of \(parts.joined(separator: ", "))"))
    }
    return .success(reference)
  }

  /// The metric for each of these values of a label that it does not name yet, as `each` of a
  /// budget
  /// has it.
  public func forEach(
    _ name: String, in values: [String]
  ) -> Result<[MetricReference], Fault> {
    if label(name) != nil {
      return .failure(Fault("a label that the metric does not name, got \(name) in both"))
    }
    guard FeedMetrics.named(metric)?.labels.contains(name) ?? false else {
      return .failure(Fault("a metric that has the label \(name), which \(metric) has not"))
    }
    if values.isEmpty { return .failure(Fault("a scenario with a \(name)")) }
    return .success(
      values.map { value in
        var cut = self
        cut.labels.append(Label(name: name, value: value))
        return cut
      })
  }

  /// The metric in one window only, as `during` of a budget has it.
  public func during(_ window: String) -> Result<MetricReference, Fault> {
    if label("window") != nil {
      return .failure(Fault("no during beside the label window of the metric"))
    }
    var cut = self
    cut.labels.append(Label(name: "window", value: window))
    return MetricReference.checked(cut)
  }

  /// The value of a label.
  public func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }

  public var description: String {
    let inside = labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    return metric + (inside.isEmpty ? "" : "{\(inside)}") + "." + stat
  }

  /// The pattern also takes the alias `ttff_ms_p95` and names with digits.
  static let rule = TextRule(
    "a metric such as ttff_ms{network=wifi-good}.p95",
    pattern: "^[a-z0-9_]+(\\{[^}]*\\})?(\\.[a-z0-9_]+)?$"
  ) { _ in true }
}

extension BudgetLimit {
  /// Reads `< 1200 ms`, `>= 97 %`, `< 0.01`.
  public static func parse(
    _ text: String, unit: MetricReference.Unit
  ) -> Result<BudgetLimit, MetricReference.Fault> {
    var rest = text.drop { $0 == " " }
    var comparison: Comparison?
    for candidate in [Comparison.lessOrEqual, .greaterOrEqual, .less, .greater]
    where comparison == nil && rest.hasPrefix(candidate.rawValue) {
      comparison = candidate
      rest = rest.dropFirst(candidate.rawValue.count).drop { $0 == " " }
    }
    guard let comparison else { return .failure(.init("one of <, <=, >, >= and a value")) }
    do {
      let value: Double
      switch unit {
      case .milliseconds: value = Double(try Quantity.time.value(of: String(rest))) / 1e6
      case .ratio: value = try PlainNumber.ratio(of: String(rest))
      case .number:
        guard let number = Double(rest), number.isFinite else {
          return .failure(.init("a number such as 2.5"))
        }
        value = number
      }
      return .success(BudgetLimit(comparison: comparison, value: value))
    } catch {
      return .failure(.init(error.expected))
    }
  }

  static let rule = TextRule(
    "a limit such as \"< 1200 ms\" or \">= 97 %\"", pattern: "^\\s*(<|<=|>|>=)\\s*.+$"
  ) { _ in true }
}

/// A budget of a scenario.
public struct Budget: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable { case hard, soft }
  public var metric: MetricReference
  public var limit: BudgetLimit
  /// The limit as the scenario writes it.
  public var limitText: String
  public var level: Level
  public var minimumSamples: Int
  /// `file:line` of the budget.
  public var place: String
}

extension MetricUnit {
  /// The unit of a word in results.
  public init(word: String) {
    self = word == "ms" ? .milliseconds : word == "ratio" ? .ratio : .number
  }
}
