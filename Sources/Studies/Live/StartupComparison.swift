import MediaUnits
import Models
import Statistics

/// Where starts of one clock spend their time, simulated and live: says what makes a difference of
/// TTFF.
///
/// Over the views that started on both sides, view by view, so that differences are paired. Their
/// intervals take whole sessions: views of one session share a link and a device. Parts that real
/// packets do not tell apart stand together: a client sees its first request wait, and not why; and
/// it sees a body arrive, and not which rounds the link stood idle in.
public struct StartupComparison: Sendable, Equatable {
  /// Which starts.
  public enum Clock: String, Sendable, CaseIterable {
    /// The first view of a session.
    case cold
    /// Every other one.
    case swipe
  }

  /// One part of the time to the first frame, means in milliseconds.
  public struct Part: Sendable, Equatable {
    /// As in `startup_ms{part=…}`, joined by `+`.
    public var name: String
    public var simulated, live: Double
    /// 95 %, of live minus simulated; nil for fewer than two sessions.
    public var interval: Interval?
  }

  private static let groups: [[StartupPart]] = [
    [.launch],
    [.feed], [.queue], [.nameLookup, .connect, .tls, .manifest], [.playlists], [.initSegment],
    [.ownQueue, .segmentWait], [.slowStart, .linkShare, .transfer], [.decoder], [.firstDecode],
    [.mainThread], [.presentation],
  ]

  public var clock: Clock
  /// Parts that take time on either side, in the order in which a start has them.
  public var parts: [Part]
  /// All of them together; nil without pairs.
  public var whole: Part?
  /// Views that started on both sides, and their sessions.
  public var pairs, sessions: Int
  /// Views that only one side has, or that started on one side alone.
  public var onlySimulated, onlyLive, startedOnOneSide: Int
  /// Live minus simulated of a pair, milliseconds: P5, P50 and P95 over the pairs.
  public var spread: (p5: Double, p50: Double, p95: Double)?

  public static func == (a: StartupComparison, b: StartupComparison) -> Bool {
    a.clock == b.clock && a.parts == b.parts && a.whole == b.whole && a.pairs == b.pairs
      && a.sessions == b.sessions && a.onlySimulated == b.onlySimulated
      && a.onlyLive == b.onlyLive && a.startedOnOneSide == b.startedOnOneSide
      && a.spread?.p5 == b.spread?.p5 && a.spread?.p50 == b.spread?.p50
      && a.spread?.p95 == b.spread?.p95
  }

  /// The part that has most of the difference, and which share of the whole difference it is; nil
  /// where the whole one may be nothing.
  public var explanation: (part: Part, share: Double)? {
    guard let whole, let interval = whole.interval, interval.lower > 0 || interval.upper < 0
    else { return nil }
    let difference = whole.live - whole.simulated
    // Of parts that differ the other way none explains anything.
    let part = parts.max {
      ($0.live - $0.simulated) / difference < ($1.live - $1.simulated) / difference
    }
    return part.map { ($0, ($0.live - $0.simulated) / difference) }
  }

  init(_ clock: Clock, _ views: ViewPairs) throws(StatisticsError) {
    self.clock = clock
    func isOf(_ view: ViewRecord) -> Bool { view.flags.contains(.cold) == (clock == .cold) }
    let pairs = views.started.filter { isOf($0.simulated) && isOf($0.live) }
    self.pairs = pairs.count
    onlySimulated = views.onlySimulated.count(where: isOf)
    onlyLive = views.onlyLive.count(where: isOf)
    startedOnOneSide = views.others.count {
      isOf($0.simulated) && $0.simulated.hasStarted != $0.live.hasStarted
    }
    parts = []
    let numbers = pairs.map(\.simulated.session)
    sessions = Set(numbers).count
    if pairs.isEmpty { return }
    for group in StartupComparison.groups {
      let part = try StartupComparison.part(
        group.map { "\($0.name)" }.joined(separator: "+"), pairs, sessions: sessions
      ) { view in group.reduce(0) { $0 + Double(view.parts[$1]) / 1e6 } }
      if part.simulated != 0 || part.live != 0 { parts.append(part) }
    }
    whole = try StartupComparison.part("ttff", pairs, sessions: sessions) {
      $0.ttff.seconds * 1000
    }
    let differences = pairs.map { ($0.live.ttff - $0.simulated.ttff).seconds * 1000 }.sorted()
    spread = (
      try OrderStatistics.quantile(sorted: differences, 0.05),
      try OrderStatistics.quantile(sorted: differences, 0.5),
      try OrderStatistics.quantile(sorted: differences, 0.95)
    )
  }

  /// A part's means, and the interval of their difference over sessions: a ratio of sums, whose
  /// residuals are independent by session (delta method).
  private static func part(
    _ name: String, _ pairs: [(simulated: ViewRecord, live: ViewRecord)], sessions: Int,
    _ time: (ViewRecord) -> Double
  ) throws(StatisticsError) -> Part {
    let n = Double(pairs.count)
    let left = pairs.reduce(0) { $0 + time($1.simulated) } / n
    let right = pairs.reduce(0) { $0 + time($1.live) } / n
    var part = Part(name: name, simulated: left, live: right, interval: nil)
    if sessions < 2 { return part }
    // Pairs stand in the order of their sessions.
    var residuals: [Double] = []
    var session: UInt32?
    for pair in pairs {
      let residual = time(pair.live) - time(pair.simulated) - (right - left)
      if pair.simulated.session != session { residuals.append(0) }
      session = pair.simulated.session
      residuals[residuals.count - 1] += residual
    }
    let scale = Double(sessions) / n
    part.interval = try Estimates.sectioned(
      right - left, sections: residuals.map { right - left + $0 * scale }
    ).interval
    return part
  }
}
