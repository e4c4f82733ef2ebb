import Testing

@testable import PeerModels

/// Sessions small enough to be worked out by hand.
@Suite("Pensieve by hand")
struct PensieveSessionTests {
  /// From 1 s to 3 s 95,000 bytes of payload a second, then 190,000 to 4 s, and so on from 0 s.
  private let trace = PeerTrace(times: [1, 3, 4], megabits: [99, 0.8, 1.6])

  private func isNear(_ value: Double, _ wanted: Double) -> Bool { abs(value - wanted) < 1e-9 }

  /// The same size for every chunk of a level.
  private func video(_ sizes: [Int64]) -> PensieveVideo {
    PensieveVideo(sizes: sizes.map { Array(repeating: $0, count: PensieveVideo.chunks) })
  }

  @Test func `a row's rate holds up to its time, and the turn after the last row starts at 0`() {
    var walk = PeerTraceWalk(trace)
    #expect(isNear(walk.download(95_000, over: trace), 1))
    // A second at the first rate, half a one at the second.
    #expect(isNear(walk.download(190_000, over: trace), 1.5))
    #expect(isNear(walk.download(123_500, over: trace), 0.8))
    // Now at 0.3 s of a turn whose first row lasts 3 s, not 2.
    #expect(isNear(walk.download(256_500 + 19_000, over: trace), 2.7 + 0.1))
  }

  @Test func `time without a download passes along the rows as well`() {
    var walk = PeerTraceWalk(trace)
    walk.pass(2_500, over: trace)
    #expect(isNear(walk.download(95_000, over: trace), 0.5))
    var other = PeerTraceWalk(trace)
    // To the end of the trace and exactly one turn of 4 s.
    other.pass(3_000 + 4_000, over: trace)
    #expect(isNear(other.download(95_000, over: trace), 1))
    #expect(isNear(other.download(190_000 + 190_000, over: trace), 2 + 1))
  }

  @Test func `a row without a rate is waited out`() {
    let trace = PeerTrace(times: [0, 1, 3, 5], megabits: [0, 0.8, 0, 0.8])
    var walk = PeerTraceWalk(trace)
    #expect(isNear(walk.download(190_000, over: trace), 1 + 2 + 1))
  }

  @Test func `the delay carries 80 ms that the trace does not feel`() {
    var session = PensieveSession(video: video([95_000, 0, 0, 0, 0, 190_000]), trace: trace)
    let first = session.step(level: 0)
    #expect(isNear(first.delay, 1_080) && isNear(first.stall, 1_080))
    #expect(isNear(first.buffer, 4_000) && first.sleep == 0)
    let second = session.step(level: 5)
    #expect(isNear(second.delay, 1_580) && second.stall == 0)
    #expect(isNear(second.buffer, 4_000 - 1_580 + 4_000) && second.bytes == 190_000)
  }

  @Test func `a full buffer sleeps in halves of a second, and the trace goes on meanwhile`() {
    let flat = PeerTrace(times: [0, 100], megabits: [0, 0.8])
    var session = PensieveSession(video: video([0, 0, 0, 0, 0, 95_000]), trace: flat)
    var step = session.step(level: 0)
    for _ in 1..<15 { step = session.step(level: 0) }
    #expect(isNear(step.buffer, 4_000 + 14 * 3_920) && step.sleep == 0)
    step = session.step(level: 0)
    // 62,800 ms: 2,800 above the limit are six halves.
    #expect(step.sleep == 3_000 && isNear(step.buffer, 59_800))

    let late = PeerTrace(times: [0, 2, 100], megabits: [0, 0.8, 1.6])
    var other = PensieveSession(video: video([0, 0, 0, 0, 0, 190_000]), trace: late)
    for _ in 0..<15 { _ = other.step(level: 0) }
    #expect(other.step(level: 0).sleep == 3_000)
    #expect(isNear(other.step(level: 5).delay, 1_080))
  }

  @Test func `stalls are what the buffer does not cover`() {
    // 475,000 bytes a second of payload short of nothing: 10 s each.
    let flat = PeerTrace(times: [0, 100], megabits: [0, 0.8])
    var session = PensieveSession(video: video([950_000, 0, 0, 0, 0, 0]), trace: flat)
    #expect(isNear(session.step(level: 0).stall, 10_080))
    let second = session.step(level: 0)
    #expect(isNear(second.stall, 10_080 - 4_000) && isNear(second.buffer, 4_000))
  }

  @Test func `the buffer-based rule has a reservoir of 5 s and a cushion of 10 s`() {
    let levels = [0, 4.999, 5, 6.999, 7, 9, 11, 13, 14.999, 15, 60].map {
      PensieveChooser.level(buffer: $0)
    }
    #expect(levels == [0, 0, 0, 0, 1, 2, 3, 4, 4, 5, 5])
  }

  @Test func `the rate-based rule takes the harmonic mean of the last five samples`() {
    var chooser = PensieveChooser(.rateBased)
    func step(_ kilobits: Double) -> PensieveStep {
      // As many bytes as make the rate over 8 s.
      let bytes = Int64(kilobits * 1_000)
      return PensieveStep(
        level: 0, delay: 8_000, sleep: 0, buffer: 0, stall: 0, bytes: bytes)
    }
    #expect(chooser.level(chunk: 0, after: nil) == 1)
    #expect(chooser.level(chunk: 1, after: step(299)) == 0)
    // 2/(1/299 + 1/6000) = 569.6
    #expect(chooser.level(chunk: 2, after: step(6_000)) == 0)
    // 3/(1/299 + 2/6000) = 815.8
    #expect(chooser.level(chunk: 3, after: step(6_000)) == 1)
    #expect(chooser.level(chunk: 4, after: step(6_000)) == 1)
    // 5/(1/299 + 4/6000) = 1246.4
    #expect(chooser.level(chunk: 5, after: step(6_000)) == 2)
    // The first sample is forgotten: 6000.
    #expect(chooser.level(chunk: 6, after: step(6_000)) == 5)
  }

  @Test func `the rate-based rule takes a level at its very rate`() {
    var chooser = PensieveChooser(.rateBased)
    let step = PensieveStep(
      level: 0, delay: 8_000, sleep: 0, buffer: 0, stall: 0, bytes: 1_200_000)
    #expect(chooser.level(chunk: 1, after: step) == 2)
  }

  @Test func `the outcome sums the steps`() {
    let flat = PeerTrace(times: [0, 100], megabits: [0, 8])
    var levels = Array(repeating: 2, count: PensieveVideo.chunks)
    levels[1] = 5
    var steps: [PensieveStep] = []
    let outcome = PensieveSession.run(
      video: video([95_000, 95_000, 95_000, 95_000, 95_000, 4_750_000]), trace: flat,
      policy: .levels(levels)
    ) { steps.append($0) }
    // The first: 100 ms and the round trip, all of it a stall. The second: 5,080 ms.
    #expect(isNear(outcome.startupDelay, 180))
    #expect(isNear(outcome.stalled, 0.18 + 1.08) && isNear(outcome.stalledAfterFirst, 1.08))
    #expect(isNear(outcome.totalDelay, 180 * 47 + 5_080))
    #expect(outcome.bytes == 95_000 * 47 + 4_750_000)
    #expect(isNear(outcome.meanRate, (1_200.0 * 47 + 4_300) / 48))
    let changes = (1.2 - 0.75) + 2 * (4.3 - 1.2)
    #expect(abs(outcome.linearQoE - (1.2 * 47 + 4.3 - 4.3 * 1.26 - changes)) < 1e-9)
    #expect(outcome.levels.map { Int($0) } == levels)
    #expect(steps.count == 48 && steps.map(\.level) == levels)
    #expect(outcome.finalBuffer == (steps.last?.buffer ?? 0) / 1_000)
  }

  @Test func `rows that no download could end on are refused`() {
    func isUsable(_ times: [Double], _ megabits: [Double]) -> Bool {
      PeerTrace.isUsable(times: times, megabits: megabits)
    }
    #expect(isUsable([0, 1], [0, 1]))
    #expect(!isUsable([0], [1]))
    #expect(!isUsable([0, 1], [5, 0]))
    #expect(!isUsable([0, 1, 2], [0, 1]))
    #expect(!isUsable([0, 2, 1], [0, 1, 1]))
    #expect(!isUsable([0, 1], [0, -1]))
    #expect(!isUsable([0, .nan], [0, 1]))
    #expect(!isUsable([0, 1], [0, .infinity]))
    // Row 1 lasts from 0 in every turn but the first.
    #expect(isUsable([2, 2], [0, 1]))
    #expect(!isUsable([0, 0], [0, 1]))
  }
}
