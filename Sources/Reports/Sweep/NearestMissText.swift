import Scenario
import Statistics
import Studies

/// What is said of the candidate that comes nearest to the limits of a tuning: on the terminal, on
/// the page and as JSON.
enum NearestMissText {
  /// One sentence for each limit that it misses.
  static func misses(_ nearest: NearestMiss, _ tuning: TuningResult) -> [String] {
    nearest.misses.map { miss in
      let constraint = tuning.constraints[miss.constraint]
      let metric = tuning.values[nearest.candidate][miss.constraint + 1]
      let share = miss.share.map { " (\(Figures.percent($0)) of the limit)" } ?? ""
      let value = metric.value == nil ? "no data" : metric.valueText
      return "misses \(constraint.text) by \(beyond(miss, constraint))\(share): \(value)"
        + (miss.interval.map { interval(of: metric, $0) } ?? ", no interval")
    }
  }

  private static func interval(of metric: MetricResult, _ beyond: Interval) -> String {
    " \(metric.intervalText)"
      + (beyond.lower > 0
        ? ", surely beyond it" : ", so that more replications may yet find the limit kept")
  }

  /// How far beyond the limit, with half of the 95 % interval.
  static func beyond(_ miss: NearestMiss.Miss, _ constraint: TuningConstraint) -> String {
    let unit = constraint.metric.unit
    if let interval = miss.interval {
      let text = Figures.difference(miss.beyond, half: interval.halfWidth, unit: unit)
      return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }
    return EstimateText(value: miss.beyond, interval: nil, unit: unit).valueText
  }

  /// Which keys are known to move the first limit's metric.
  static func keys(_ nearest: NearestMiss, _ tuning: TuningResult) -> [String] {
    guard let first = nearest.misses.first else { return [] }
    let metric = tuning.constraints[first.constraint].metric
    if nearest.keys.isEmpty {
      return [
        "which key would have to move is not known: no candidate that differs from it in one key "
          + "alone surely differs in \(metric.shortName)"
      ]
    }
    return nearest.keys.map { key in
      let (own, other) = (plain(key.own), plain(key.other))
      let half = key.change.interval.halfWidth
      if key.isBetter {
        let change = Figures.difference(key.change.value, half: half, unit: metric.unit)
        let state = TuningReport.state(tuning, key.candidate)
        return "\(key.key): \(other) instead of \(own) moves \(metric.shortName) by \(change), "
          + "but that candidate is \(state)"
      }
      let change = Figures.difference(-key.change.value, half: half, unit: metric.unit)
      return "\(key.key): from \(other) to \(own) moved \(metric.shortName) by \(change)"
        + (key.isAtEnd ? "; \(own) is the last value that was tried: look beyond it" : "")
    }
  }

  private static func plain(_ value: String?) -> String {
    value.map { SweepCharts.plain($0) } ?? "absent"
  }

  static func json(_ nearest: NearestMiss?) -> JSONText {
    guard let nearest else { return .null }
    func ends(_ interval: Interval?) -> [JSONText.Member] {
      [
        .init("lower", interval.map { .number($0.lower) } ?? .null),
        .init("upper", interval.map { .number($0.upper) } ?? .null),
      ]
    }
    return [
      "candidate": .integer(Int64(nearest.candidate)),
      "misses": .array(
        nearest.misses.map { miss in
          .object(
            [
              .init("constraint", .integer(Int64(miss.constraint))),
              .init("beyond", .number(miss.beyond)),
            ] + ends(miss.interval) + [
              .init("share", miss.share.map { .number($0) } ?? .null)
            ])
        }),
      "keys": .array(
        nearest.keys.map { key in
          .object(
            [
              .init("key", .string(key.key)), .init("own", text(key.own)),
              .init("other", text(key.other)),
              .init("otherCandidate", .integer(Int64(key.candidate))),
              .init("change", .number(key.change.value)),
            ] + ends(key.change.interval) + [
              .init("isBetter", .boolean(key.isBetter)),
              .init("isLastTried", .boolean(key.isAtEnd)),
            ])
        }),
    ]
  }

  private static func text(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }
}
