import SimulationKernel
import Testing

@testable import PeerModels

/// Inputs of the model's shape, drawn from a counter.
private struct MM22Draws {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= SplitMix.step
    return SplitMix.finalized(state)
  }
  /// From `low` to `high`, both included.
  mutating func whole(_ low: Int64, _ high: Int64) -> Int64 {
    low + Int64(next() % UInt64(high - low + 1))
  }
  mutating func real(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
  }
}

private struct MM22Case {
  var sizes: [[[Int64]]] = []
  var retention: [[Double]] = []
  var watch: [Int64] = []
  var times: [Double] = []
  var megabits: [Double] = []

  init(seed: UInt64) {
    var draws = MM22Draws(state: seed)
    for _ in 0..<7 {
      let chunks = Int(draws.whole(1, 20))
      let base = (0..<chunks).map { _ in draws.real(0.3, 2) }
      sizes.append([750.0, 1200, 1850].map { rate in base.map { Int64($0 * rate * 125) } })
      var shares = [1.0]
      for _ in 0...chunks { shares.append((shares.last ?? 1) * draws.real(0.75, 1)) }
      retention.append(shares)
      // All of it, whole seconds, nothing, or any time.
      let length = Int64(chunks) * 1_000
      switch draws.whole(0, 5) {
      case 0: watch.append(length)
      case 1: watch.append(draws.whole(0, Int64(chunks)) * 1_000)
      case 2: watch.append(0)
      default: watch.append(draws.whole(0, length))
      }
    }
    let level = draws.real(0.3, 8)
    var time = draws.real(0, 2)
    for _ in 0..<Int(draws.whole(4, 60)) {
      times.append(time)
      megabits.append(draws.whole(0, 9) == 0 ? 0 : level * draws.real(0.2, 2))
      time += draws.real(0.1, 3)
    }
    megabits[2] += 0.1
  }

  var videos: [MM22Video] {
    zip(sizes, retention).map { MM22Video(sizes: $0, retention: $1) }
  }
  var trace: PeerTrace { PeerTrace(times: times, megabits: megabits) }
  var oracle: MM22Oracle {
    MM22Oracle(
      sizes: sizes, retention: retention, watch: watch, times: times, megabits: megabits)
  }
}

@Suite("MM22 against a transcription")
struct MM22OracleTests {
  private func compare(_ step: MM22Step, _ result: MM22Oracle.Result) -> Bool {
    Double(step.delay) == result.delay && Double(step.stall) == result.rebuf
      && Double(step.bytes) == result.size && Double(step.wasted) == result.waste
      && step.isEnd == result.end && step.playing == result.start
  }

  private func isSame(_ decision: MM22Decision, _ choice: MM22Oracle.Choice) -> Bool {
    switch decision {
    case .sleep(let time): time == choice.sleep
    case .download(let video, let level):
      choice.sleep == 0 && video == choice.video && level == choice.level
    }
  }

  @Test(arguments: MM22Policy.allCases)
  func `every step of every policy is that of the transcription`(policy: MM22Policy) {
    var steps = 0
    var sleeps = 0
    var stalls = 0
    var wasted: Int64 = 0
    for seed in 1...300 {
      let drawn = MM22Case(seed: UInt64(seed))
      let oracle = drawn.oracle
      var session = MM22Session(videos: drawn.videos, over: drawn.trace, watch: drawn.watch)
      var result: MM22Oracle.Result?
      var differences = 0
      let outcome = session.run(policy, over: drawn.trace, watch: drawn.watch) { decision, step in
        let choice =
          switch policy {
          case .fixedPreload: oracle.fixedPreload(first: result == nil)
          case .nextOne: oracle.nextOne()
          case .noSave: oracle.noSave(after: result)
          }
        let expected = oracle.take(video: choice.video, level: choice.level, sleep: choice.sleep)
        if !isSame(decision, choice) || !compare(step, expected) { differences += 1 }
        result = expected
        steps += 1
        if choice.sleep > 0 { sleeps += 1 }
        if expected.rebuf > 0 { stalls += 1 }
      }
      #expect(differences == 0, "seed \(seed)")
      #expect(oracle.queue.isEmpty, "seed \(seed)")
      #expect(abs(outcome.qoe - oracle.qoe) < 1e-9, "seed \(seed)")
      #expect(abs(outcome.score - oracle.score) < 1e-9, "seed \(seed)")
      #expect(outcome.chunks == oracle.downloads, "seed \(seed)")
      #expect(Double(outcome.wasted) == oracle.waste, "seed \(seed)")
      #expect(outcome.watched == drawn.watch.reduce(0, +), "seed \(seed)")
      wasted += outcome.wasted
    }
    // The comparison is worth something only when all of it happens.
    #expect(steps > 10_000 && sleeps > 500 && stalls > 500 && wasted > 0)
  }

  @Test func `any possible decisions lead where the transcription leads`() {
    var leftMeanwhile = 0
    for seed in 1...300 {
      let drawn = MM22Case(seed: UInt64(1_000 + seed))
      var draws = MM22Draws(state: UInt64(seed))
      let oracle = drawn.oracle
      var session = MM22Session(videos: drawn.videos, over: drawn.trace, watch: drawn.watch)
      var differences = 0
      while !session.isOver {
        let open = oracle.queue.indices.filter { oracle.queue[$0].left > 0 }
        var choice: MM22Oracle.Choice = (0, 0, draws.real(1, 1_500))
        if !open.isEmpty && draws.whole(0, 3) > 0 {
          // Mostly the head, so that sessions end.
          let pick = draws.whole(0, 2) > 0 ? 0 : Int(draws.whole(0, Int64(open.count - 1)))
          choice = (oracle.start + open[pick], Int(draws.whole(0, 2)), 0)
        }
        let decision: MM22Decision =
          choice.sleep > 0
          ? .sleep(choice.sleep) : .download(video: choice.video, level: choice.level)
        let expected = oracle.take(video: choice.video, level: choice.level, sleep: choice.sleep)
        let step = session.apply(decision)
        if !(step.map { compare($0, expected) } ?? false) { differences += 1 }
        if choice.sleep == 0 && expected.start > choice.video { leftMeanwhile += 1 }
      }
      #expect(differences == 0, "seed \(seed)")
      #expect(abs(session.outcome.score - oracle.score) < 1e-9, "seed \(seed)")
    }
    #expect(leftMeanwhile > 100)
  }

  @Test func `a session used again is like a new one`() {
    let (first, second) = (MM22Case(seed: 5), MM22Case(seed: 6))
    var videos = first.videos
    var session = MM22Session(videos: videos, over: first.trace, watch: first.watch)
    let once = session.run(.noSave, over: first.trace, watch: first.watch)
    _ = session.run(.fixedPreload, over: second.trace, watch: first.watch.map { $0 / 2 })
    #expect(session.run(.noSave, over: first.trace, watch: first.watch) == once)
    videos.reverse()
    var other = MM22Session(videos: videos, over: first.trace, watch: first.watch.reversed())
    #expect(other.run(.noSave, over: first.trace, watch: first.watch.reversed()) != once)
  }
}
