import Scenario
import Studies

/// What a run says of its own credit: a line on the last backtest of the scenario, and a warning
/// where the scenario has left what was tested.
public enum TrustLines {
  /// The lines under the verdict, each of at most `width` columns.
  ///
  /// - Parameter reach: of the backtest, for the scenario that was run.
  public static func lines(
    _ trust: Trust, _ reach: Trust.Reach, width: Int = BriefReport.mostColumns,
    color: Bool = false
  ) -> [String] {
    let text = BriefText(width: width, color: color)
    let agrees = Backtest.Verdict.agrees.rawValue
    let isTrusted = trust.verdict == agrees && (trust.change ?? agrees) == agrees
    var lines = text.wrapped(
      "TRUST: \(summary(trust))", style: isTrusted ? .plain : .yellow, most: 3)
    if let version = reach.otherVersion {
      lines += text.wrapped(
        "NOT TESTED: the model has changed since (version \(version)): backtest anew",
        style: .yellow, most: 2)
    }
    if let first = reach.left.first {
      let more = reach.left.count > 1 ? " and \(reach.left.count - 1) more" : ""
      lines += text.wrapped(
        "NOT TESTED: \(first.key) \(first.after ?? "absent"), tested \(first.before ?? "absent")"
          + more, style: .yellow, most: 2)
    }
    return lines
  }

  /// What was found, in a sentence without a full stop.
  static func summary(_ trust: Trust) -> String {
    let whole = trust.measured.filter(\.cohort.isEmpty)
    var parts: [String] = []
    if let time = largest(whole.filter { $0.unit == "ms" && $0.observed > 0 }, { relative($0) }) {
      parts.append("\(name(time)) off by \(Figures.signed(relative(time) * 100, decimals: 0)) %")
    }
    if let share = largest(whole.filter { $0.unit == "ratio" }, \.error) {
      parts.append(
        "\(name(share)) by \(Figures.signed(share.error * 100, decimals: 1)) points")
    }
    let found = parts.isEmpty ? "" : ": at most " + parts.joined(separator: ", ")
    let change = trust.change.map { ", the change: \($0)" } ?? ""
    return "backtest \(trust.verdict) on \(Figures.count(Int64(trust.observedViews))) views "
      + "(data \(trust.dataDigest)\(change))\(found)"
  }

  private static func name(_ measured: Trust.Measured) -> String {
    MetricName(measured.metric).shortText
  }

  private static func relative(_ measured: Trust.Measured) -> Double {
    measured.error / measured.observed
  }

  private static func largest(
    _ measured: [Trust.Measured], _ size: (Trust.Measured) -> Double
  ) -> Trust.Measured? {
    measured.max { abs(size($0)) < abs(size($1)) }
  }
}
