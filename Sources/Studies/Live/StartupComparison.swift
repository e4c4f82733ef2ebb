import Models
import Statistics

/// Where cold starts spend their time, simulated and live: says what makes a difference of TTFF.
///
/// Over the sessions whose first view started on both sides, so that differences are paired. Parts
/// that real packets do not tell apart stand together: a client sees its first request wait, and
/// not why; and it sees a body arrive, and not which rounds the link stood idle in.
public struct StartupComparison: Sendable, Equatable {
  /// One part of the time to the first frame, means in milliseconds.
  public struct Part: Sendable, Equatable {
    /// As in `startup_ms{part=…}`, joined by `+`.
    public var name: String
    public var simulated, live: Double
    /// 95 %, of live minus simulated; nil for fewer than two sessions.
    public var interval: Interval?
  }

  private static let groups: [[StartupPart]] = [
    [.feed], [.queue], [.nameLookup, .connect, .tls, .manifest], [.playlists], [.initSegment],
    [.ownQueue, .segmentWait], [.slowStart, .linkShare, .transfer], [.decoder], [.firstDecode],
    [.mainThread], [.presentation],
  ]

  /// Parts that take time on either side, in the order in which a start has them.
  public var parts: [Part]
  /// Sessions on both sides.
  public var sessions: Int

  init(simulated: [FeedMeasures], live: [FeedMeasures]) throws(StatisticsError) {
    func starts(_ side: [FeedMeasures]) -> [ViewRecord] {
      side.flatMap(\.views).filter { $0.flags.contains(.cold) && $0.hasStarted }
        .sorted { $0.session < $1.session }
    }
    let (left, right) = (starts(simulated), starts(live))
    var pairs: [(ViewRecord, ViewRecord)] = []
    var place = 0
    for view in left {
      while place < right.count && right[place].session < view.session { place += 1 }
      if place < right.count && right[place].session == view.session {
        pairs.append((view, right[place]))
      }
    }
    sessions = pairs.count
    parts = []
    if pairs.isEmpty { return }
    let n = Double(pairs.count)
    for group in StartupComparison.groups {
      func times(_ views: [ViewRecord]) -> [Double] {
        views.map { view in group.reduce(0) { $0 + Double(view.parts[$1]) / 1e6 } }
      }
      let (a, b) = (times(pairs.map(\.0)), times(pairs.map(\.1)))
      let (left, right) = (a.reduce(0, +) / n, b.reduce(0, +) / n)
      if left == 0 && right == 0 { continue }
      let differences = zip(a, b).map { $1 - $0 }
      parts.append(
        Part(
          name: group.map { "\($0.name)" }.joined(separator: "+"), simulated: left, live: right,
          interval: pairs.count < 2 ? nil : try Estimates.mean(of: differences).interval))
    }
  }
}
