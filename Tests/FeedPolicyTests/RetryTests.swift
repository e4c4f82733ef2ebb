import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func at(_ milliseconds: Int64) -> Instant {
  .zero.advanced(saturatingBy: .milliseconds(milliseconds))
}

struct `Retry` {
  /// Covers: REEL-021.
  @Test func `the waits are 1, 2 and 4 s and up to half as much again`() {
    let policy = RetryPolicy()
    for (failures, wait) in [(1, 1), (2, 2), (3, 4)] as [(Int, Int64)] {
      #expect(
        policy.answer(failures: failures)
          == .retry(after: .seconds(wait), jitter: .milliseconds(wait * 500)))
    }
    #expect(policy.answer(failures: 4) == .askViewer)
    #expect(RetryPolicy(asksAfterwards: false).answer(failures: 4) == .giveUp)
    #expect(RetryPolicy(kind: .none).answer(failures: 1) == .giveUp)
    #expect(RetryPolicy(kind: .tap).answer(failures: 1) == .askViewer)
    #expect(RetryPolicy(maximumRetries: .max).wait(failures: .max) == .seconds(4))
    #expect(RetryPolicy(firstWait: .zero).wait(failures: 1_000_000) == .zero)
    #expect(RetryPolicy(firstWait: .max, longestWait: .max).wait(failures: 60) == .max)
  }

  /// Covers: SIG-038.
  @Test func `a failure is reported once, and a tap begins anew`() {
    var machine = RetryMachine(RetryPolicy(maximumRetries: 1))
    #expect(commands(of: .started, from: &machine) == [.load(attempt: 1)])
    #expect(
      commands(of: .failed(attempt: 1), from: &machine) == [
        .reportFailure(attempt: 1),
        .setTimer(attempt: 1, at: at(1000), jitter: .milliseconds(500)),
      ])
    #expect(commands(of: .failed(attempt: 1), from: &machine) == [])
    #expect(
      commands(of: .timerFired(attempt: 1), at: 1000, from: &machine) == [.load(attempt: 2)])
    #expect(commands(of: .succeeded(attempt: 1), from: &machine) == [])
    #expect(
      commands(of: .failed(attempt: 2), from: &machine) == [
        .reportFailure(attempt: 2), .askViewer,
      ])
    #expect(commands(of: .tapped, from: &machine) == [.stopAsking, .load(attempt: 3)])
    #expect(commands(of: .succeeded(attempt: 3), from: &machine) == [])
    #expect(machine.isDone && machine.failures == 2 && machine.retries == 2)
    #expect(machine.ignored == 2)
    #expect(commands(of: .abandoned, from: &machine) == [])
    #expect(commands(of: .started, from: &machine) == [.load(attempt: 4)])
  }

  @Test func `what is abandoned takes its timer or its question away`() {
    var machine = RetryMachine()
    _ = commands(of: .started, from: &machine)
    _ = commands(of: .failed(attempt: 1), from: &machine)
    #expect(commands(of: .abandoned, from: &machine) == [.cancelTimer])
    var asked = RetryMachine(RetryPolicy(kind: .tap))
    _ = commands(of: .started, from: &asked)
    _ = commands(of: .failed(attempt: 1), from: &asked)
    #expect(asked.isAsking)
    #expect(commands(of: .abandoned, from: &asked) == [.stopAsking])
    var final = RetryMachine(RetryPolicy(kind: .none))
    _ = commands(of: .started, from: &final)
    #expect(
      commands(of: .failed(attempt: 1), from: &final) == [.reportFailure(attempt: 1), .giveUp])
  }

  /// 40 · 2500 = 100,000 steps. Covers: SIG-038, REEL-021.
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `attempts are bounded between taps and starts, and each failure is told once`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed)
    let policy = RetryPolicy(
      kind: seed % 4 == 0 ? .tap : seed % 4 == 1 ? .none : .backoff, maximumRetries: 3,
      asksAfterwards: seed % 4 == 2)
    var machine = RetryMachine(policy)
    var loads = 0
    var told: Set<UInt32> = []
    for _ in 0..<2500 {
      let attempt =
        generator.once(in: 3) ? UInt32(generator.below(9)) : machine.attempt
      let event: RetryMachine.Event
      switch generator.below(12) {
      case 0: event = .started
      case 1: event = .succeeded(attempt: attempt)
      case 2...5: event = .failed(attempt: attempt)
      case 6...8: event = .timerFired(attempt: attempt)
      case 9...10: event = .tapped
      default: event = .abandoned
      }
      let list = commands(of: event, from: &machine)
      if event == .tapped || event == .started, !list.isEmpty { loads = 0 }
      for command in list {
        switch command {
        case .load: loads += 1
        case .reportFailure(let attempt):
          #expect(told.insert(attempt).inserted, "seed \(seed)")
        default: break
        }
      }
      #expect(loads <= 4, "seed \(seed): a loop without the viewer")
    }
    #expect(machine.failures == told.count && machine.ignored > 100)
  }
}

struct `Ranker fallback` {
  /// Covers: SIG-009.
  @Test func `a page is from Trending if and only if the ranker was late or failed`() {
    let fallback = RankerFallback()
    for (latency, source) in [
      (29, .ranker), (30, .ranker), (31, .trending), (nil, .trending),
    ] as [(Int64?, PageSource)] {
      let span = latency.map { TimeSpan.milliseconds($0) }
      #expect(fallback.source(latency: span) == source)
    }
  }

  /// Covers: SIG-009.
  @Test func `at the deadline itself the order of the two events does not matter`() {
    for timerFirst in [false, true] {
      var fallback = RankerFallback()
      _ = commands(of: .requested(page: 0), from: &fallback)
      let order: [RankerFallback.Event] =
        timerFirst
        ? [.timerFired(page: 0), .answered(page: 0)] : [.answered(page: 0), .timerFired(page: 0)]
      let list = order.flatMap { commands(of: $0, at: 30, from: &fallback) }
      // The timer was early by a nanosecond: it is set again.
      let due = Instant(nanoseconds: 30_000_001)
      #expect(
        list == (timerFirst ? [.setTimer(page: 0, at: due)] : []) + [.serve(page: 0, .ranker)])
    }
  }

  /// Covers: SIG-009.
  @Test func `late answers are ignored`() {
    var fallback = RankerFallback()
    #expect(
      commands(of: .requested(page: 4), from: &fallback) == [
        .setTimer(page: 4, at: Instant(nanoseconds: 30_000_001))
      ])
    #expect(
      commands(of: .timerFired(page: 4), at: 31, from: &fallback) == [.serve(page: 4, .trending)])
    #expect(commands(of: .answered(page: 4), at: 40, from: &fallback) == [])
    #expect(fallback.late == 1)
  }

  /// 40 · 2500 = 100,000 steps. Covers: SIG-009.
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `each page is served once, and from Trending only when it must be`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var fallback = RankerFallback()
    var asked: [UInt32: Int64] = [:]
    var served: Set<UInt32> = []
    var now = Int64(0)
    var next: UInt32 = 0
    for _ in 0..<2500 {
      now += Int64(generator.below(15))
      let open = asked.keys.filter { !served.contains($0) }.sorted()
      let page =
        open.isEmpty || generator.once(in: 3)
        ? UInt32(max(0, Int(next) - generator.below(7))) : open[generator.below(open.count)]
      let event: RankerFallback.Event
      switch generator.below(8) {
      case 0...2:
        next += 1
        event = .requested(page: next)
      case 3...5: event = .answered(page: page)
      case 6: event = .failed(page: page)
      default: event = .timerFired(page: page)
      }
      let isFull = open.count >= 4
      if case .requested(let page) = event { asked[page] = now }
      for command in commands(of: event, at: now, from: &fallback) {
        guard case .serve(let page, let source) = command else { continue }
        #expect(served.insert(page).inserted, "seed \(seed)")
        let waited = now - asked[page]!
        switch (event, source) {
        case (.answered, .ranker): #expect(waited <= 30, "seed \(seed)")
        case (.answered, .trending), (.timerFired, .trending):
          #expect(waited > 30, "seed \(seed)")
        case (.failed, .trending): break
        case (.requested, .trending): #expect(isFull, "seed \(seed)")
        default: Issue.record("seed \(seed): \(event) gave \(source)")
        }
      }
    }
    #expect(fallback.ranked + fallback.trending == served.count)
    #expect(fallback.ranked > 50 && fallback.trending > 50 && fallback.late > 50)
  }
}
