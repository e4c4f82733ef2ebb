/// When a transfer's first lost packet was missing: from its turn on the link until it was sent
/// again.
///
/// TCP hands over bytes in order, so meanwhile the other responses of an HTTP/2 connection wait
/// (RFC 9113 section 9.1 calls it head-of-line blocking); HTTP/3's streams do not. Only the first
/// hole of a transfer is seen.
public struct HoleWatch: RoundObserver {
  /// On the flight's clock, nanoseconds.
  public private(set) var from: Int64 = -1
  public private(set) var until: Int64 = -1
  private var firstLost: Int64 = -1

  public init() {}

  @inline(__always)
  mutating func lost(at position: Int64) {
    if from < 0 && firstLost < 0 { firstLost = position }
  }

  @inline(__always)
  mutating func sent(_ report: RoundReport) {
    if from < 0 {
      if firstLost >= 0 { from = HoleWatch.time(of: firstLost, report) }
    } else if until < 0 && report.retransmitted > 0 {
      until = HoleWatch.time(of: report.retransmitsAt, report)
    }
  }

  /// When the packet at a position of a round was through the link.
  private static func time(of position: Int64, _ report: RoundReport) -> Int64 {
    if report.packets <= 1 { return report.last }
    let share = Double(position) / Double(report.packets - 1)
    return report.first + Int64(Double(report.last - report.first) * (share < 1 ? share : 1))
  }
}
