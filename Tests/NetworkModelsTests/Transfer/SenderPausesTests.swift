import SimulationKernel
import Testing

@testable import NetworkModels

/// Where a sender pauses in what it has to send.
@Suite struct SenderPausesTests {
  /// All pauses to come: bytes before each, and how long it is.
  private func all(_ pauses: SenderPauses) -> [(bytes: Double, span: Int64)] {
    var pauses = pauses
    var found: [(bytes: Double, span: Int64)] = []
    while !pauses.isEmpty {
      let bytes = pauses.next
      pauses.serve(bytes)
      found.append((bytes, pauses.take()))
    }
    return found
  }

  @Test func `the closed form's pauses are its stall, where windows end`() {
    for packets in [5, 10, 11, 31, 208, 692] as [Int64] {
      var pauses = SenderPauses()
      TransferCost.closed(
        packets: packets, packetTime: 1e6, roundTrip: 60e6, window: 10, packetBytes: 1_500,
        into: &pauses)
      let cost = TransferCost.closed(
        packets: packets, packetTime: 1e6, roundTrip: 60e6, window: 10)
      #expect(pauses.total.bytes == Double(packets) * 1_500)
      #expect(abs(pauses.total.span - cost.stall) < 5)
    }
    var pauses = SenderPauses()
    TransferCost.closed(
      packets: 208, packetTime: 1e6, roundTrip: 60e6, window: 10, packetBytes: 1_500,
      into: &pauses)
    let found = all(pauses)
    #expect(found.map(\.bytes) == [15_000, 30_000, 60_000])
    #expect(found.map(\.span) == [51_000_000, 41_000_000, 21_000_000])
  }

  @Test func `what is behind stands behind, and what is taken back was the last`() {
    var pauses = SenderPauses()
    pauses.send(100)
    pauses.pause(7)
    pauses.send(50)
    pauses.send(30)
    pauses.pause(9)
    pauses.send(20)
    #expect(all(pauses).map(\.bytes) == [100, 80] && pauses.total == (200, 16))
    pauses.serve(60)
    #expect(pauses.next == 40)
    // The second pause has nothing behind it any more.
    pauses.withdraw(25)
    #expect(all(pauses).map(\.span) == [7] && pauses.total == (115, 7))
    pauses.withdraw(1_000)
    #expect(pauses.isEmpty && pauses.total == (0, 0))
  }

  @Test func `of many pauses the last ones are spread over their bytes, and none is lost`() {
    var pauses = SenderPauses()
    for span in 1...20 as ClosedRange<Int64> {
      pauses.send(10)
      pauses.pause(span)
    }
    pauses.send(5)
    #expect(pauses.total == (205, 210))
    let found = all(pauses)
    #expect(found.map(\.bytes) == [10, 10, 10, 10, 10, 10, 10, 130])
    #expect(found.map(\.span) == [1, 2, 3, 4, 5, 6, 7, 0])
    for _ in 0..<7 {
      #expect(pauses.dilution == 0)
      pauses.serve(10)
      _ = pauses.take()
    }
    // 182 nanoseconds over 130 bytes.
    #expect(abs(pauses.dilution - 182.0 / 130) < 1e-12)
    pauses.serve(65)
    #expect(abs(pauses.dilution - 182.0 / 130) < 1e-12 && abs(pauses.total.span - 91) < 1e-9)
    pauses.withdraw(5 + 13)
    #expect(abs(pauses.total.bytes - 52) < 1e-9 && abs(pauses.total.span - 72.8) < 1e-9)
    pauses.shorten(by: 70)
    #expect(abs(pauses.total.span - 2.8) < 1e-9 && pauses.total.bytes == 52)
  }

  @Test func `a mark waits for no pause that stands before it`() {
    func report(_ packets: Int64, after idle: Int64) -> RoundReport {
      RoundReport(
        start: 0, first: 0, last: 0, packets: packets, retransmitsAt: 0, retransmitted: 0, lost: 0,
        window: 10, phase: .slowStart, idle: idle)
    }
    // Ten packets, a pause, twenty, another pause, ten; the mark's repair takes 7 ms.
    let marks: [(mark: Int64, before: Int64)] = [
      (1, 0), (10, 0), (11, 60_000_000), (15, 60_000_000), (30, 60_000_000), (31, 90_000_000),
    ]
    for (mark, before) in marks {
      var watch = PauseWatch(
        behind: SenderPauses(), packets: 40, mark: mark, packetTime: 1e6, packetBytes: 1_500)
      watch.sent(report(10, after: 0))
      watch.sent(report(20, after: 60_000_000))
      watch.sent(report(10, after: 30_000_000))
      let waits = watch.end(stall: 90_000_000, early: before + 7_000_000)
      #expect(waits.mark == 7_000_000 && waits.end == 0, "\(mark)")
    }
  }

  @Test func `rounds with losses pause as long as they stall, or wait for the last repairs`() {
    var (tails, marks) = (0, 0)
    for replication in 0..<UInt16(60) {
      let streams = RandomStreams(seed: 3, replication: replication)
      for packets in [3, 40, 400] as [Int64] {
        var state = CongestionState(.cubic, roundTrip: 60e6)
        var loss = LossGaps(.independent(0.02), connection: 1, streams: streams)
        var watch = PauseWatch(
          behind: SenderPauses(), packets: packets, mark: packets / 2, packetTime: 1e6,
          packetBytes: 1_500)
        let cost = TransferCost.rounds(
          state: &state, loss: &loss, at: 0, packets: packets, packetTime: 1e6, roundTrip: 60e6,
          queuePackets: 100, isQUIC: false, watch: &watch)
        let stall = Int64(cost.stall)
        let waits = watch.end(stall: stall, early: stall)
        #expect(abs(watch.pauses.total.bytes - Double(packets) * 1_500) < 1e-6)
        #expect(abs(watch.pauses.total.span + Double(waits.end) - cost.stall) < 10)
        #expect(waits.mark >= 0 && waits.mark <= stall)
        // Nothing pauses behind the last packet.
        #expect(all(watch.pauses).reduce(0) { $0 + $1.bytes } < Double(packets) * 1_500)
        if waits.end > 0 { tails += 1 }
        if waits.mark > 0 { marks += 1 }
      }
    }
    #expect(tails > 5 && marks > 5)
  }
}
