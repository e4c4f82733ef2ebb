import Testing

@testable import PeerModels

/// Steps worked out by hand: 950,000 bytes of payload a second, chunks of 100, 200 and 300 ms by
/// level, and 80 ms for each.
@Suite("MM22 by hand")
struct MM22SessionTests {
  private let trace = PeerTrace(times: [0, 1_000], megabits: [1, 8])
  private let sizes: [Int64] = [95_000, 190_000, 285_000]

  private func session(
    watch: [Int64], chunks: Int = 3, sizes: [Int64]? = nil
  ) -> MM22Session {
    let lists = (sizes ?? self.sizes).map { Array(repeating: $0, count: chunks) }
    let retention = Array(repeating: 1.0, count: chunks + 2)
    let video = MM22Video(sizes: lists, retention: retention)
    return MM22Session(videos: watch.map { _ in video }, over: trace, watch: watch)
  }

  private func take(_ decision: MM22Decision, _ session: inout MM22Session) throws -> MM22Step {
    let step = session.apply(decision)
    return try #require(step)
  }

  /// Whether the decision is refused and nothing changes.
  private func refuses(_ decision: MM22Decision, _ session: MM22Session) -> Bool {
    var copy = session
    return copy.apply(decision) == nil && copy.outcome == session.outcome
      && copy.start == session.start
  }

  @Test func `a chunk can be played only after the step that brought it`() throws {
    var session = session(watch: [2_500, 3_000, 3_000, 3_000, 3_000, 3_000, 3_000])
    let first = try take(.download(video: 0, level: 0), &session)
    #expect(first.delay == 180 && first.stall == 180 && first.isStartupStall)
    #expect(first.bytes == 95_000 && first.wasted == 0 && !first.isEnd && first.playing == 0)
    let second = try take(.download(video: 0, level: 2), &session)
    #expect(second.delay == 380 && second.stall == 0 && !second.isEnd)
    let third = try take(.download(video: 0, level: 1), &session)
    #expect(third.delay == 280 && third.stall == 0 && third.isEnd)
    // 3,000 ms came, 660 are played; at 2,500 the next video has nothing.
    let fourth = try take(.sleep(2_000.9), &session)
    #expect(fourth.delay == 2_000 && fourth.stall == 160 && fourth.isStartupStall)
    #expect(fourth.playing == 1 && fourth.bytes == 0 && fourth.wasted == 0 && !fourth.isEnd)
    #expect(session.outcome.stalled == 340 && session.outcome.stalledAtStart == 340)
    #expect(session.outcome.length == 180 + 380 + 280 + 2_000)
  }

  @Test func `a stall lasts to the end of the step, and in mid-video it is no startup stall`()
    throws
  {
    var session = session(watch: [3_000, 3_000])
    _ = session.apply(.download(video: 0, level: 0))
    let step = try take(.sleep(1_500), &session)
    #expect(step.stall == 500 && !step.isStartupStall && step.playing == 0)
    #expect(session.outcome.stalledMidway == 500 && session.outcome.stalledAtStart == 180)
  }

  @Test func `what was requested beyond the watch time is waste, the last chunk twice`() throws {
    var session = session(watch: [500, 3_000])
    _ = session.apply(.download(video: 0, level: 0))
    _ = session.apply(.download(video: 0, level: 2))
    let step = try take(.download(video: 0, level: 2), &session)
    // 120 ms were left to watch; then the next video stalls.
    #expect(step.delay == 380 && step.stall == 260 && step.isStartupStall)
    #expect(step.playing == 1 && step.isEnd)
    #expect(step.wasted == 285_000 + 285_000 + 285_000)
    #expect(session.outcome.bytes == 95_000 + 2 * 285_000)
  }

  @Test func `a second that was begun is not waste`() throws {
    var session = session(watch: [1_001, 3_000])
    for _ in 0..<3 { _ = session.apply(.download(video: 0, level: 0)) }
    #expect(try take(.sleep(1_000), &session).wasted == 95_000)
    session.begin(over: trace, watch: [1_000, 3_000])
    for _ in 0..<3 { _ = session.apply(.download(video: 0, level: 0)) }
    #expect(try take(.sleep(1_000), &session).wasted == 2 * 95_000)
  }

  @Test func `a video with nothing to watch is left at once`() throws {
    var session = session(watch: [0, 0, 3_000])
    let step = try take(.download(video: 0, level: 0), &session)
    #expect(step.playing == 2 && step.wasted == 2 * 95_000 && step.stall == 180)
  }

  @Test func `delays are rounded to the nearest millisecond`() throws {
    // 100.316 and 100.842 ms.
    var session = session(watch: [3_000], sizes: [95_300, 95_800, 1])
    #expect(try take(.download(video: 0, level: 0), &session).delay == 180)
    #expect(try take(.download(video: 0, level: 1), &session).delay == 181)
    #expect(try take(.download(video: 0, level: 2), &session).delay == 80)
  }

  @Test func `neither the round trip nor a sleep moves the trace`() throws {
    let steps = PeerTrace(times: [0, 0.15, 100], megabits: [0, 8, 0.8])
    let lists = sizes.map { [$0, $0, $0] }
    let video = MM22Video(sizes: lists, retention: [1, 1, 1])
    var session = MM22Session(videos: [video], over: steps, watch: [3_000])
    _ = session.apply(.download(video: 0, level: 0))
    _ = session.apply(.sleep(500))
    // 50 ms at the high rate, the other half of the bytes at a tenth of it.
    #expect(try take(.download(video: 0, level: 0), &session).delay == 50 + 500 + 80)
  }

  @Test func `quality counts for what will be watched, changes against the chunk before`() {
    var session = session(watch: [500, 3_000])
    func gain(_ decision: MM22Decision) -> Double {
      let before = session.outcome.qoe
      _ = session.apply(decision)
      return session.outcome.qoe - before
    }
    func isNear(_ value: Double, _ wanted: Double) -> Bool { abs(value - wanted) < 1e-12 }
    #expect(isNear(gain(.download(video: 0, level: 0)), 0.75 - 1.85 * 0.18))
    // Beyond the second in which the video is left: neither quality nor change.
    #expect(isNear(gain(.download(video: 0, level: 2)), 0))
    #expect(isNear(gain(.download(video: 0, level: 2)), -1.85 * 0.26))
    // Against the last level of the video before, which is 0.
    #expect(isNear(gain(.download(video: 1, level: 2)), 1.85 - 1.85 * 0.38 - 1.1))
    #expect(isNear(gain(.download(video: 1, level: 1)), 1.2 - 0.65))
    #expect(isNear(gain(.sleep(2_000)), -1.85 * 0.28))
  }

  @Test func `a first chunk is free of changes while the video before has no last level`() {
    var session = session(watch: [3_000, 3_000])
    _ = session.apply(.download(video: 0, level: 0))
    let before = session.outcome.qoe
    _ = session.apply(.download(video: 1, level: 2))
    #expect(abs(session.outcome.qoe - before - 1.85) < 1e-12)
  }

  @Test func `the last watched chunk pays for the next video's whole rate, as in the peer`() {
    var session = session(watch: [1_500, 3_000])
    _ = session.apply(.download(video: 0, level: 0))
    _ = session.apply(.download(video: 1, level: 2))
    let before = session.outcome.qoe
    _ = session.apply(.download(video: 0, level: 1))
    #expect(abs(session.outcome.qoe - before - (1.2 - 1.85 - 0.45)) < 1e-12)
  }

  @Test func `impossible decisions change nothing`() throws {
    var session = session(watch: [0, 0, 3_000, 0, 0, 0, 0, 0, 0])
    #expect(refuses(.download(video: 5, level: 0), session))
    #expect(refuses(.download(video: 0, level: 3), session))
    #expect(refuses(.download(video: 0, level: -1), session))
    #expect(refuses(.sleep(0), session))
    #expect(refuses(.sleep(.nan), session))
    #expect(session.outcome.length == 0 && session.outcome.chunks == 0)
    // Two videos are left, so that two more come into the queue.
    _ = try take(.sleep(100), &session)
    #expect(session.start == 2)
    #expect(refuses(.download(video: 1, level: 0), session))
    #expect(refuses(.download(video: 7, level: 0), session))
    for _ in 0..<3 { _ = try take(.download(video: 6, level: 0), &session) }
    #expect(refuses(.download(video: 6, level: 0), session))
  }

  @Test func `the session is over when the last video is left`() throws {
    var session = session(watch: [1_000, 100])
    _ = session.apply(.download(video: 0, level: 0))
    _ = session.apply(.download(video: 1, level: 0))
    let step = try take(.sleep(5_000), &session)
    // The rest of the time is no stall.
    #expect(step.playing == 2 && step.stall == 0 && step.isEnd && session.isOver)
    #expect(refuses(.sleep(1), session))
    #expect(session.outcome.watched == 1_100)
    #expect(abs(session.outcome.downloadedOverWatched - 2_000.0 / 1_100) < 1e-12)
    let score = session.outcome.qoe - 0.5 * 190_000 * 8 / 1e6
    #expect(abs(session.outcome.score - score) < 1e-12)
  }
}
