/// When a transfer's first lost packet was missing: from its turn on the link until it was sent
/// again.
///
/// TCP hands over bytes in order, so meanwhile the other responses of an HTTP/2 connection wait
/// (RFC 9113 section 9.1 calls it head-of-line blocking); HTTP/3's streams do not. Only the first
/// hole of a transfer is seen by others. It also sees when the first packets of a transfer were
/// there, up to a mark and in order: behind every hole before the mark, and the repairs of them
/// that were lost themselves.
public struct HoleWatch: RoundObserver {
  /// On the flight's clock, nanoseconds.
  public private(set) var from: Int64 = -1
  public private(set) var until: Int64 = -1
  private var firstLost: Int64 = -1
  /// When the packets up to the mark were through the link; -1 before.
  public private(set) var markedAt: Int64 = -1
  /// Packets up to the mark; 0: there is none.
  private let mark: Int64
  /// Packets sent for the first time so far, and holes before the mark that are open.
  private var passed: Int64 = 0
  private var holes: Int64 = 0
  /// When the mark's last packet was through, and the last repair of a hole before it.
  private var lastAt: Int64 = -1
  private var repairedAt: Int64 = -1
  /// Places of the packets that were lost of the round that is reported next.
  private var places = InlineArray<16, Int64>(repeating: 0)
  private var lostCount = 0

  /// - Parameter mark: packets of the transfer that are waited for; 0 for none.
  public init(mark: Int64 = 0) { self.mark = mark }

  @inline(__always)
  mutating func lost(at position: Int64) {
    if from < 0 && firstLost < 0 { firstLost = position }
    if mark == 0 || markedAt >= 0 { return }
    // Of more than these in a round the first ones stand before the mark, if any does.
    if lostCount < 16 {
      places[lostCount] = position
      lostCount += 1
    }
  }

  @inline(__always)
  mutating func sent(_ report: RoundReport) {
    if from < 0 {
      if firstLost >= 0 { from = HoleWatch.time(of: firstLost, report) }
    } else if until < 0 && report.retransmitted > 0 {
      until = HoleWatch.time(of: report.retransmitsAt, report)
    }
    if mark > 0 && markedAt < 0 { pass(report) }
  }

  /// Counts a round's new packets and repairs, and sees whether all up to the mark are there.
  private mutating func pass(_ report: RoundReport) {
    let again = report.retransmitsAt..<report.retransmitsAt + report.retransmitted
    var opened: Int64 = 0
    var repaired = report.retransmitted
    for place in 0..<lostCount {
      let position = places[place]
      if again.contains(position) {
        repaired -= 1
      } else {
        let behind = position >= again.upperBound ? report.retransmitted : 0
        if passed + position - behind < mark { opened += 1 }
      }
    }
    lostCount = 0
    if repaired > 0 && holes > 0 {
      // The lowest is repaired first.
      let closed = repaired < holes ? repaired : holes
      holes -= closed
      repairedAt = HoleWatch.time(of: report.retransmitsAt + closed - 1, report)
    }
    let new = report.packets - report.retransmitted
    if passed < mark && passed + new >= mark {
      var position = mark - passed - 1
      if report.retransmitted > 0 && position >= report.retransmitsAt {
        position += report.retransmitted
      }
      lastAt = HoleWatch.time(of: position, report)
    }
    passed += new
    holes += opened
    if passed >= mark && holes == 0 { markedAt = lastAt > repairedAt ? lastAt : repairedAt }
  }

  /// When the packet at a position of a round was through the link.
  private static func time(of position: Int64, _ report: RoundReport) -> Int64 {
    if report.packets <= 1 { return report.last }
    let share = Double(position) / Double(report.packets - 1)
    return report.first + Int64(Double(report.last - report.first) * (share < 1 ? share : 1))
  }
}
