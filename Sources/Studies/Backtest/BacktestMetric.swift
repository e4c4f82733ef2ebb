import Scenario

/// A metric of a backtest, and how far apart both sides may be to agree.
public struct BacktestMetric: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// A product-limit quantile of the waits of one clock: views that were left are censored.
    case quantile(StartupComparison.Clock, Double)
    /// Views that were left before their first frame, of those whose end is known.
    case notStarted
    /// Stalled, of stalled and watched.
    case rebuffering
    case stallsPerView
    /// Seconds.
    case watchPerView
    /// Watched, of the titles' lengths.
    case watchOfTitle
    case bytesPerView
    /// First views of sessions, of all views: what only naming a suspect looks at.
    case coldStarts
    /// Of one class of object, or of all; by requests or by bytes.
    case hits(asset: String?, byBytes: Bool)
  }

  /// How large a difference still is agreement.
  public enum Tolerance: Sendable, Hashable {
    /// A share of what was observed, and at least the floor.
    case relative(Double, floor: Double)
    case absolute(Double)

    func amount(of observed: Double) -> Double {
      switch self {
      case .relative(let share, let floor): max(floor, share * abs(observed))
      case .absolute(let amount): amount
      }
    }
  }

  public let kind: Kind
  /// As reports name it: ours where there is one.
  public let name: String
  public let unit: MetricReference.Unit
  public let tolerance: Tolerance

  init(_ kind: Kind, _ name: String, _ unit: MetricReference.Unit, _ tolerance: Tolerance) {
    self.kind = kind
    self.name = name
    self.unit = unit
    self.tolerance = tolerance
  }

  /// Less than this no viewer can tell, milliseconds.
  public static let leastTime = 10.0
  /// Ten parts in a hundred of a time, and never less than a viewer can tell.
  public static let timeTolerance = Tolerance.relative(0.1, floor: leastTime)
  /// One point of a hundred.
  public static let shareTolerance = Tolerance.absolute(0.01)

  /// The metrics of views, in the order of reports.
  public static let views: [BacktestMetric] = waits(.cold) + waits(.swipe) + sums

  private static func waits(_ clock: StartupComparison.Clock) -> [BacktestMetric] {
    [("p50", 0.5), ("p75", 0.75), ("p95", 0.95)].map { stat, share in
      BacktestMetric(
        .quantile(clock, share), "ttff_\(clock.rawValue)_ms.\(stat)", .milliseconds, timeTolerance)
    }
  }

  private static let sums: [BacktestMetric] = [
    BacktestMetric(.notStarted, "not_started_ratio", .ratio, shareTolerance),
    BacktestMetric(.rebuffering, "rebuffer_ratio", .ratio, shareTolerance),
    BacktestMetric(.stallsPerView, "stalls_per_view", .number, .relative(0.1, floor: 0.01)),
    BacktestMetric(.watchPerView, "watched_seconds_per_view", .number, .relative(0.1, floor: 0)),
    BacktestMetric(.watchOfTitle, "watch_time_ratio", .ratio, .relative(0.1, floor: 0)),
    BacktestMetric(.bytesPerView, "bytes_per_view", .number, .relative(0.1, floor: 0)),
  ]

  /// How many views a session has, seen from a view: no clock's own, since what begins and ends a
  /// session differs between readers, so that it has no verdict.
  static let coldStarts = BacktestMetric(
    .coldStarts, "cold_start_ratio", .ratio, shareTolerance)

  /// The hit ratios of an edge, and of each class of object that both sides have.
  static func traffic(_ assets: [String]) -> [BacktestMetric] {
    func row(_ asset: String?, byBytes: Bool, _ label: String) -> BacktestMetric {
      BacktestMetric(
        .hits(asset: asset, byBytes: byBytes), "hit_ratio{tier=edge,\(label)}", .ratio,
        shareTolerance)
    }
    let all = [
      row(nil, byBytes: false, "by=requests"), row(nil, byBytes: true, "by=bytes"),
    ]
    return all + assets.map { row($0, byBytes: false, "class=\($0)") }
  }

  /// A change that is none to anybody, where a metric has been at a level: a fifth of the tolerance
  /// of the level itself and never less than its floor; of shares a tenth of what is rarer, the
  /// share or its rest, between 0.1 points and the tolerance.
  func least(of level: Double) -> Double {
    switch tolerance {
    case .relative(let share, let floor): max(floor, share / 5 * abs(level))
    case .absolute(let amount):
      min(amount, max(0.1 * amount, 0.1 * min(abs(level), abs(1 - level))))
    }
  }

  /// Which value may be that of hardly any event.
  enum Rarity {
    /// Nothing happened.
    case nothing
    /// Nothing did, or everything.
    case eitherEnd
  }

  /// Nil: every thing has some of it.
  var rarity: Rarity? {
    switch kind {
    case .notStarted, .hits: .eitherEnd
    case .rebuffering, .stallsPerView: .nothing
    case .quantile, .watchPerView, .watchOfTitle, .bytesPerView, .coldStarts: nil
    }
  }
}
