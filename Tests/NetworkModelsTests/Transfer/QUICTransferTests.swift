import MediaUnits
import Testing

@testable import NetworkModels

/// What RFC 9000, 9002 and 9114 say of a transfer, each seen in its time.
@Suite struct QUICTransferTests {
  /// 10 Mbps, 60 ms, packets of 1,228 bytes: 0.9824 ms each.
  private static let packet: Int64 = 982_400
  private static let roundTrip: Int64 = 60_000_000

  private func input(
    _ bytes: [Int64] = [1_165], handshake: Handshake = .quic, loss: PacketLoss = .none,
    _ change: (inout QUICStack) -> Void = { _ in }
  ) -> TransferCase {
    var quic = QUICStack(serverFlight: 1_200, computation: 0)
    change(&quic)
    return TransferCase(
      downlink: RateTrace(constant: 10e6), uplinkRate: 10e6, roundTrip: Self.roundTrip, loss: loss,
      congestion: .newReno, handshake: handshake, segmentSize: 1_165, overhead: 63, http: .http3,
      quic: quic, flows: bytes.map { TransferFlow(bytes: $0) })
  }

  private func run(_ input: TransferCase, replication: UInt16 = 0) -> [TransferTiming] {
    TransferModel.run(input, replication: replication).timings
  }

  @Test func `a flight above three times the hello takes a round trip more`() {
    let short = run(input { $0.serverFlight = 3_600 })[0]
    let long = run(input { $0.serverFlight = 3_601 })[0]
    #expect(short.connect / 1_000_000 == 63)
    let more = long.connect - short.connect
    #expect(more > Self.roundTrip - 2 * Self.packet && more < Self.roundTrip + 2 * Self.packet)
    #expect(long.firstByte - long.connect > Self.roundTrip)
  }

  @Test func `the request shares a padded datagram with an acknowledgement`() {
    // Hello, flight and request are a datagram each on the wire, and so is the answer.
    #expect(run(input())[0].firstByte == 2 * Self.roundTrip + 4 * Self.packet)
  }

  @Test func `an early answer is held to three datagrams unless the address is known`() {
    let fits = run(input([3 * 1_165 - 450], handshake: .quicZeroRTT))[0]
    #expect(fits.duration < Self.roundTrip + 6 * Self.packet)
    let exceeds = run(input([3 * 1_165], handshake: .quicZeroRTT))[0]
    #expect(exceeds.duration > 2 * Self.roundTrip)
    #expect(exceeds.firstByte == fits.firstByte)
    let known = run(input([3 * 1_165], handshake: .quicZeroRTT) { $0.isValidated = true })[0]
    #expect(known.duration < Self.roundTrip + 6 * Self.packet)
  }

  @Test func `a request above a datagram lets more of an early answer out`() {
    var large = input([5 * 1_165], handshake: .quicZeroRTT)
    large.flows[0].requestBytes = 1_500
    #expect(run(large)[0].duration < 2 * Self.roundTrip)
  }

  @Test func `the server's flight grows the window by what is acknowledged of it`() {
    // Eleven packets leave at once, twelve take another round trip.
    let eleven = run(input([11 * 1_165]))[0]
    let twelve = run(input([12 * 1_165]))[0]
    #expect(eleven.duration - eleven.firstByte == 10 * Self.packet)
    #expect(twelve.duration - eleven.duration > Self.roundTrip / 2)
  }

  @Test func `pacing spreads a window that acknowledgements do not clock`() {
    func last(_ pacing: Pacing) -> Int64 {
      let timing = run(input([11 * 1_165]) { $0.pacing = pacing })[0]
      return timing.duration - timing.firstByte
    }
    // An initial window leaves at once, by RFC 9002 one packet more after it.
    #expect(last(.none) == 10 * Self.packet)
    #expect(last(.rfc9002) == 10 * Self.packet)
    // A quarter of eleven, and the rest at 22 packets a round trip: 8.25 of them.
    let span = Double(Self.roundTrip) * 8.25 / 22
    #expect((Double(last(.aioquic)) - span).magnitude < 0.1 * span)
    // What is paced is no closed form.
    #expect(TransferModel.tier(for: input { $0.pacing = .rfc9002 }) == .rounds)
    #expect(TransferModel.tier(for: input()) == .closed)
    #expect(TransferModel.tier(for: input(handshake: .quicZeroRTT)) == .rounds)
  }

  @Test func `pacing by RFC 9002 spreads a window over a round trip on a fast link`() {
    func duration(_ pacing: Pacing) -> Int64 {
      var fast = input([200_000]) { $0.pacing = pacing }
      fast.downlink = RateTrace(constant: 100e6)
      // Both by rounds, so that pacing is all that differs.
      return TransferModel.run(fast, tier: .rounds).timings[0].duration
    }
    let (unpaced, paced) = (duration(.none), duration(.rfc9002))
    #expect(paced > unpaced + 1_000_000, "\(unpaced) \(paced)")
    #expect(paced < unpaced + 4 * Self.roundTrip)
  }

  @Test(arguments: [CongestionControl.newReno, .cubic, .bbr])
  func `a loss that is known is repaired at once, within the window`(_ control: CongestionControl) {
    var repaired = 0
    for replication: UInt16 in 0..<200 {
      // A short one ends in many of its losses; BBR's window has grown in a long one.
      var lossy = input([replication < 150 ? 30_000 : 500_000], loss: .independent(0.01))
      lossy.congestion = control
      lossy.downlink = RateTrace(constant: 5e6)
      let rounds = TransferModel.run(lossy, replication: replication, recordsRounds: true).rounds
      for (before, round) in zip(rounds, rounds.dropFirst()) {
        // Known losses and an empty pipe: something is sent.
        #expect(round.packets > 0, "\(control) \(replication) \(rounds)")
        #expect(Double(round.packets) <= 2 * max(before.window, 10) + 1)
        if round.phase == .recovery { repaired += 1 }
      }
    }
    #expect(repaired > 10)
  }

  @Test func `streams share the connection also where a turn is below a packet`() {
    var two = input([100_000, 100_000]) { $0.turnBytes = 1 }
    // A packet more than a turn leaves a debt that is no multiple of it.
    two.segmentSize = 1_448
    let times = run(two).map(\.duration)
    #expect((times[0] - times[1]).magnitude < 4 * UInt64(Self.packet))
  }

  @Test func `a lost tail is sent again after the probe timeout, which doubles`() {
    // Srtt is a round trip with its two datagrams, its variation half of that: 3 round trips and
    // what an acknowledgement may wait.
    let base = 2 * Self.roundTrip + 4 * Self.packet
    let probe = 3 * (Self.roundTrip + 2 * Self.packet) + 25_000_000
    var seen: Set<Int64> = []
    for replication: UInt16 in 0..<200 {
      let timing = run(input(loss: .independent(0.3)), replication: replication)[0]
      // Losses of the handshake are another matter.
      if timing.connect > Self.roundTrip * 2 { continue }
      let wait = Double(timing.duration - base) / Double(probe)
      let doublings = (wait + 1).rounded()
      #expect((wait + 1 - doublings).magnitude < 0.05 * doublings, "\(wait)")
      seen.insert(Int64(doublings))
    }
    #expect(seen.isSuperset(of: [1, 2, 4]) && seen.isSubset(of: [1, 2, 4, 8, 16, 32]))
  }

  @Test func `a first probe is sent when the stack says so`() {
    for replication: UInt16 in 0..<50 {
      let timing = run(
        input(loss: .independent(0.5)) { $0.firstProbe = 200_000_000 }, replication: replication)[0]
      let waits = (timing.connect - 61_000_000) / 200_000_000
      #expect([0, 1, 3, 7, 15, 31, 63, 127].contains(waits))
    }
  }

  /// RFC 9002 section 7.2: two packets are the least window; a probe takes nothing of it.
  @Test func `timers do not collapse QUIC's window as they do TCP's`() {
    var least = [Double.infinity, Double.infinity]
    for (index, http) in [HTTPVersion.http3, .http2].enumerated() {
      for replication: UInt16 in 0..<200 {
        var some = input([30 * 1_165], loss: .independent(0.2))
        some.http = http
        some.handshake = .none
        let result = TransferModel.run(some, replication: replication, recordsRounds: true)
        #expect(result.timings[0].duration < .max)
        for round in result.rounds where round.window < least[index] {
          least[index] = round.window
        }
      }
    }
    #expect(least[0] >= 2 && least[1] == 1)
  }

  @Test func `header fields go first or with their stream's turn`() {
    let sizes = [Int64](repeating: 3 * 1_165, count: 3)
    let first = run(input(sizes)).map(\.firstByte)
    #expect(first[1] - first[0] < Self.packet && first[2] - first[0] < Self.packet)
    let turns = run(
      input(sizes) {
        $0.sendsFieldsFirst = false
        $0.turnBytes = 1_165
      })
    #expect(turns[1].firstByte - turns[0].firstByte == Self.packet)
    #expect(turns[2].firstByte - turns[1].firstByte == Self.packet)
    #expect(turns[2].duration - turns[1].duration == Self.packet)
  }

  @Test func `a window that is not the limit grows only where the stack lets it`() {
    func third(_ grows: Bool) -> Int64 {
      var some = input([5 * 1_165, 5 * 1_165, 18 * 1_165]) { $0.growsUnused = grows }
      some.idleRestart = false
      some.flows[1].after = 0
      some.flows[2].after = 1
      return run(some)[2].duration
    }
    #expect(third(true) < third(false) - Self.roundTrip / 2)
  }

  @Test func `an acknowledgement that waits makes a round longer`() {
    let sizes: [Int64] = [40 * 1_165]
    let quick = run(input(sizes) { $0.growsUnused = true })[0].duration
    let slow = run(
      input(sizes) {
        $0.growsUnused = true
        $0.acknowledgementDelay = 5_000_000
      })[0].duration
    // Two rounds wait for an acknowledgement.
    #expect(slow > quick + 8_000_000 && slow < quick + 16_000_000)
  }
}
