import Testing

@testable import NetworkModels

/// The senders' rules one by one, against values worked out by hand.
@Suite struct ChunkControlTests {
  private let ms = ChunkParts.millisecond

  @Test func `CUBIC keeps 717 parts in 1024 and lowers its goal when it had to yield`() {
    var cubic = ChunkCubic()
    #expect(cubic.reduce(100) == 70)
    #expect(cubic.reduce(80) == 56)
    #expect(cubic.reduce(2) == 2)
  }

  @Test func `CUBIC is back at its last window after the cube root of 30 over 0.4 seconds`() {
    var cubic = ChunkCubic()
    var window = cubic.reduce(100)
    #expect(window == 70)
    // K = (30 / 0.4004)^(1/3) = 4.216 s; one acknowledgement of two packets per 2 ms lets the
    // window follow the curve, which the Reno-friendly window stays below at a long round trip.
    var now: Int64 = 0
    var reached: Int64 = 0
    while now < 8 * ChunkParts.second {
      window = cubic.growCubic(window, by: 2, at: now, leastRoundTrip: 0)
      now += 2 * ms * 70 / 35
      if window >= 99 && reached == 0 { reached = now }
    }
    // 99 is reached a segment early: 0.4 (K - t)^3 = 1 at K - 1.36 s, rounded down in our favour.
    #expect(reached > 2_000 * ms && reached < 4_300 * ms)
    #expect(window > 110)
  }

  @Test func `NewReno gains a segment per window and halves it`() {
    var reno = ChunkCubic()
    var window: Int64 = 20
    for _ in 0..<10 { window = reno.growReno(window, by: 2) }
    #expect(window == 21)
    var sender = ChunkWindow(ChunkParts.settings(.newReno), warmWindow: 21)
    sender.reduce()
    #expect(Int64(sender.threshold) == 10)
  }

  @Test func `HyStart ends slow start at the ninth late sample of a round, from 16 segments on`() {
    func samples(until delay: Int64, window: Double) -> Int? {
      var start = ChunkHyStart()
      for sample in 0..<20 {
        // Acknowledgements 5 ms apart are no train.
        let ends = start.acknowledge(
          roundTrip: 60 * ms + delay, at: Int64(sample) * 5 * ms, resolved: Int64(sample) + 1,
          sent: 40, pathLeast: 60 * ms, window: window)
        if ends { return sample + 1 }
      }
      return nil
    }
    // An eighth of 60 ms.
    #expect(samples(until: 7_500_001, window: 16) == 9)
    #expect(samples(until: 7_500_000, window: 16) == nil)
    #expect(samples(until: 50 * ms, window: 15) == nil)
  }

  @Test func `HyStart ends slow start when a train lasts half the round trip`() {
    var start = ChunkHyStart()
    var last: Int64 = 0
    while last < 100 * ms {
      let ends = start.acknowledge(
        roundTrip: 60 * ms, at: last, resolved: 1, sent: 40, pathLeast: 60 * ms, window: 20)
      if ends { break }
      last += 2 * ms
    }
    // Half of 60 ms and the millisecond of allowance; the next multiple of 2 ms.
    #expect(last == 32 * ms)
  }

  @Test func `the windowed maximum holds a peak for ten rounds`() {
    var filter = ChunkBBR.WindowedMaximum()
    filter.insert(5, at: 0, window: 10)
    for round in 1...10 {
      filter.insert(2, at: Int64(round), window: 10)
      #expect(filter.value == 5)
    }
    filter.insert(2, at: 11, window: 10)
    #expect(filter.value == 2)
    filter.insert(7, at: 12, window: 10)
    #expect(filter.value == 7)
  }

  @Test func `two lossy intervals of the same rate make BBR keep to it for 48 rounds`() {
    var policer = ChunkPolicer()
    var delivered: Int64 = 0
    var rounds = 0
    func step(lost: Int64) -> Bool {
      rounds += 1
      delivered += 100
      let sample = ChunkBBR.Sample(
        now: Int64(rounds) * 100 * ms, acknowledged: 100, lost: lost, roundTrip: 100 * ms,
        delivered: delivered, priorDelivered: delivered - 100, interval: 100 * ms,
        isLimited: false, priorFlight: 100, flight: 100, isRecovering: true, initialWindow: 10,
        segmentSize: 1448, uniform: 0.5)
      return policer.update(sample, isRoundStart: true, isProbing: true)
    }
    for _ in 0..<12 where !policer.isInUse { _ = step(lost: 30) }
    #expect(policer.isInUse)
    #expect(abs(policer.rate * 100e6 - 100) < 1e-6)
    var held = 0
    while !step(lost: 0) { held += 1 }
    #expect(held == 47)
    #expect(!policer.isInUse)
    // A tenth is not enough.
    for _ in 0..<40 { _ = step(lost: 10) }
    #expect(!policer.isInUse)
  }

  @Test func `one lost packet at the end waits longer for its repair than two`() {
    // A queue of nine turns away what follows the tenth packet of a burst.
    func delay(_ packets: Int64) -> Int64 {
      var input = ChunkParts.link([ChunkParts.flow(packets * 1448)])
      input.initialWindow = Double(packets)
      let clean = ChunkParts.durations(input)[0]
      input.queue = .packets(9)
      return ChunkParts.durations(input)[0] - clean
    }
    // Last acknowledgement a round trip after the tenth packet; then, with a single packet out, the
    // timeout of 200 ms and a smoothed round trip of 60 to 72 ms.
    #expect(delay(11) > 318 * ms && delay(11) < 334 * ms)
    // With two out the probe leaves after two smoothed round trips; its acknowledgement, one later,
    // tells of the other loss.
    #expect(delay(12) > 238 * ms && delay(12) < 276 * ms)
  }
}
