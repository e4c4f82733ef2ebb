import Scenario

/// A value that a metric is to have: `hit_ratio{tier=edge,by=requests} = 45 %`.
public struct TuningTarget: Sendable, Equatable {
  public var metric: MetricReference
  /// Milliseconds, a ratio or a number, by the metric's unit.
  public var value: Double
  /// The target as written.
  public var text: String

  /// Reads `metric = value`.
  ///
  /// - Returns: the target, or what was expected instead.
  public static func parse(_ text: String) -> Result<TuningTarget, MetricReference.Fault> {
    var depth = 0
    let place = text.indices.first { index in
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" { depth -= 1 }
      return text[index] == "=" && depth == 0
    }
    guard let place else { return .failure(.init("a metric, = and a value")) }
    let name = text[..<place].filter { $0 != " " }
    return MetricReference.parse(name).flatMap { metric in
      let value = "<=" + text[text.index(after: place)...]
      return BudgetLimit.parse(value, unit: metric.unit).map {
        TuningTarget(metric: metric, value: $0.value, text: text)
      }
    }
  }
}
