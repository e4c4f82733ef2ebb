import Testing

@testable import NetworkModels

/// When a hole is open, and when what comes before a mark is there in order.
@Suite struct HoleWatchTests {
  private func report(
    from first: Int64, to last: Int64, packets: Int64, again: (at: Int64, count: Int64) = (0, 0)
  ) -> RoundReport {
    RoundReport(
      start: 0, first: first, last: last, packets: packets, retransmitsAt: again.at,
      retransmitted: again.count, lost: 0, window: 10, phase: .slowStart, idle: 0)
  }

  @Test func `without loss the mark's last packet tells it`() {
    for (mark, time) in [(1, 100), (5, 140), (10, 190), (11, 300), (14, 330)] as [(Int64, Int64)] {
      var watch = HoleWatch(mark: mark)
      watch.sent(report(from: 100, to: 190, packets: 10))
      watch.sent(report(from: 300, to: 490, packets: 20))
      #expect(watch.markedAt == time, "\(mark)")
    }
    var none = HoleWatch()
    none.sent(report(from: 100, to: 190, packets: 10))
    #expect(none.markedAt == -1)
  }

  @Test func `what is behind a hole waits for it, and what is before does not`() {
    for (mark, time) in [(3, 120), (4, 300), (8, 300), (13, 330)] as [(Int64, Int64)] {
      var watch = HoleWatch(mark: mark)
      watch.lost(at: 3)
      watch.sent(report(from: 100, to: 190, packets: 10))
      // The lost one again, and three new ones.
      watch.sent(report(from: 300, to: 330, packets: 4, again: (0, 1)))
      #expect(watch.markedAt == time, "\(mark)")
      #expect(watch.from == 130 && watch.until == 300)
    }
  }

  @Test func `a mark of which a repair is still missing has not been passed in order`() {
    var watch = HoleWatch(mark: 12)
    watch.lost(at: 3)
    watch.sent(report(from: 100, to: 190, packets: 10))
    watch.sent(report(from: 200, to: 210, packets: 2))
    watch.sent(report(from: 400, to: 400, packets: 1, again: (0, 1)))
    #expect(watch.markedAt == 400)
  }

  @Test func `a second hole before the mark is waited for, and one behind it is not`() {
    for (mark, time) in [(9, 600), (5, 300)] as [(Int64, Int64)] {
      var watch = HoleWatch(mark: mark)
      watch.lost(at: 3)
      watch.sent(report(from: 100, to: 140, packets: 5))
      // The first again, and of four new ones the last but one is lost.
      watch.lost(at: 3)
      watch.sent(report(from: 300, to: 340, packets: 5, again: (0, 1)))
      watch.sent(report(from: 600, to: 600, packets: 1, again: (0, 1)))
      #expect(watch.markedAt == time, "\(mark)")
    }
  }

  @Test func `a repair that is lost itself closes nothing`() {
    var watch = HoleWatch(mark: 5)
    watch.lost(at: 3)
    watch.sent(report(from: 100, to: 190, packets: 10))
    watch.lost(at: 0)
    watch.sent(report(from: 300, to: 300, packets: 1, again: (0, 1)))
    #expect(watch.markedAt == -1)
    watch.sent(report(from: 900, to: 900, packets: 1, again: (0, 1)))
    #expect(watch.markedAt == 900)
  }
}
