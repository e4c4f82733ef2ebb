/// When a transfer's first lost packet was missing: from its turn on the link until it was sent
/// again.
///
/// TCP hands over bytes in order, so meanwhile the other responses of an HTTP/2 connection wait
/// (RFC 9113 section 9.1 calls it head-of-line blocking); HTTP/3's streams do not. Only the first
/// hole of a transfer is seen. It also sees when the first packets of a transfer were there, up to
/// a mark and in order.
public struct HoleWatch: RoundObserver {
  /// On the flight's clock, nanoseconds.
  public private(set) var from: Int64 = -1
  public private(set) var until: Int64 = -1
  private var firstLost: Int64 = -1
  /// When the packets up to the mark were through the link; -1 before.
  public private(set) var markedAt: Int64 = -1
  /// Packets up to the mark; 0: there is none.
  private let mark: Int64
  /// Packets sent for the first time so far, and how many of them came before the lost one.
  private var passed: Int64 = 0
  private var passedBeforeHole: Int64 = 0

  /// - Parameter mark: packets of the transfer that are waited for; 0 for none.
  public init(mark: Int64 = 0) { self.mark = mark }

  @inline(__always)
  mutating func lost(at position: Int64) {
    if from < 0 && firstLost < 0 {
      firstLost = position
      passedBeforeHole = passed + position
    }
  }

  @inline(__always)
  mutating func sent(_ report: RoundReport) {
    if from < 0 {
      if firstLost >= 0 { from = HoleWatch.time(of: firstLost, report) }
    } else if until < 0 && report.retransmitted > 0 {
      until = HoleWatch.time(of: report.retransmitsAt, report)
      // What was behind the hole is handed over when that is closed.
      if markedAt >= 0 && passedBeforeHole < mark && markedAt < until { markedAt = until }
    }
    if passed < mark { pass(report) }
  }

  /// Counts a round's new packets, and sees whether the mark's last one is among them.
  @inline(__always)
  private mutating func pass(_ report: RoundReport) {
    let new = report.packets - report.retransmitted
    if passed + new >= mark {
      var position = mark - passed - 1
      if report.retransmitted > 0 && position >= report.retransmitsAt {
        position += report.retransmitted
      }
      markedAt = HoleWatch.time(of: position, report)
      if until > markedAt && passedBeforeHole < mark { markedAt = until }
    }
    passed += new
  }

  /// When the packet at a position of a round was through the link.
  private static func time(of position: Int64, _ report: RoundReport) -> Int64 {
    if report.packets <= 1 { return report.last }
    let share = Double(position) / Double(report.packets - 1)
    return report.first + Int64(Double(report.last - report.first) * (share < 1 ? share : 1))
  }
}
