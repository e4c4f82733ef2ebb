import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

/// Late, repeated and absurd input to what a view has around it: 100,000 steps for each machine.
struct `Extreme inputs of a view` {
  /// Covers: X-004, SIG-033.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a scrub within the pause stack ends as it began`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var stack = PauseStack(
      .init(resuming: seed % 2 == 0 ? .all : PauseStack.Reasons(rawValue: UInt8(seed * 37 % 256))))
    var scrub = ScrubSession(.init(throttle: .init(interval: seed % 3 == 0 ? .max : .zero)))
    var now = Instant.zero
    var playing: ItemID?
    var length = TimeSpan.zero
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      var events: [PauseStack.Event] = []
      let reason = PauseStack.Reason.allCases[generator.below(5)]
      var touch = ScrubSession.Event.timerFired
      switch generator.below(10) {
      case 0: events.append(.itemChanged(generator.extremeItem()))
      case 1: events.append(.began(reason))
      case 2, 3: events.append(.ended(reason))
      case 4: events.append(.tapped)
      case 5:
        let duration = generator.extremeSpan()
        if scrub.item == nil { length = max(duration, .zero) }
        touch = .pressed(
          generator.extremeItem(), playhead: generator.extremeSpan(), duration: duration)
      case 6: touch = .moved(generator.extremeSpan())
      case 7: touch = generator.once(in: 2) ? .released : .cancelled
      default: break
      }
      let had = scrub.item
      var list: [ScrubSession.Command] = []
      scrub.handle(touch, at: now, into: &list)
      for command in list {
        switch command {
        case .beginPause(let item):
          #expect(had == nil && scrub.item == item, "seed \(seed)")
          events.append(.began(.scrub))
        case .endPause(let item):
          #expect(had == item && scrub.item == nil, "seed \(seed)")
          events.append(.ended(.scrub))
        case .lookup(let position), .seek(_, let position):
          #expect(position >= .zero && position <= length, "seed \(seed)")
        default: break
        }
      }
      var told: [PauseStack.Command] = []
      for event in events { stack.handle(event, at: now, into: &told) }
      for command in told {
        switch command {
        case .play(let item):
          #expect(playing == nil, "seed \(seed)")
          playing = item
        case .pause(let item):
          #expect(playing == item, "seed \(seed)")
          playing = nil
        }
      }
      #expect(stack.playing == playing, "seed \(seed)")
      #expect(playing == nil || stack.reasons.isEmpty && stack.item == playing, "seed \(seed)")
    }
  }

  /// Covers: SIG-050, SIG-051.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `every view ends once and its times are not negative`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var log = ViewLog()
    var now = Instant.zero
    var open: UInt32?
    var shown = ItemID(0)
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let item = generator.once(in: 4) ? generator.extremeItem() : shown
      if generator.once(in: 9) { shown = item }
      let event: ViewLog.Event =
        switch generator.below(9) {
        case 0: .viewBegan(item, duration: generator.extremeSpan())
        case 1: .viewEnded(item, played: generator.extremeSpan())
        case 2: .stallBegan(item)
        case 3: .stallEnded(item)
        case 4: .scrubCommitted(item, position: generator.extremeSpan())
        case 5: .playbackFailed(item, code: generator.extreme())
        case 6: .tapped(item, plays: generator.once(in: 2))
        default: .firstFrameRendered(item)
        }
      var list: [ViewLog.Command] = []
      log.handle(event, at: now, into: &list)
      for case .emit(let event) in list {
        if event.name == .viewStart {
          #expect(open == nil, "seed \(seed)")
          open = event.view
        }
        #expect(open == event.view, "seed \(seed)")
        if event.name == .viewEnd {
          open = nil
          #expect(event.second >= 0 && event.second <= 10_000, "seed \(seed)")
        }
        if event.name != .playbackError { #expect(event.value >= 0 && event.second >= 0) }
      }
      #expect(log.isOpen == (open != nil) && log.views - log.ended <= 1, "seed \(seed)")
    }
  }

  /// Covers: SIG-048, SIG-049, SIG-052. What is pending is on its way or has a timer.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the batcher never forgets what is pending`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    let rules: [TelemetryBatcher.FlushRule] = [
      .trailing(quiet: .milliseconds(200)), .window(.max), .window(.seconds(-1)),
      .bounded(quiet: .max, longest: .max, count: 7),
      .bounded(quiet: .milliseconds(200), longest: .seconds(2), count: .max),
    ]
    var batcher = TelemetryBatcher(
      .init(
        rule: rules[Int(seed) % 5],
        delivery: [.drop, .retry, .retryWithNumbers][Int(seed) % 3],
        queueLimit: seed % 4 == 0 ? .max : 60, batchLimit: seed % 3 == 0 ? .max : 8,
        retry: RetryPolicy(
          firstWait: .seconds(1), longestWait: .max, jitter: seed % 2 == 0 ? .infinity : 0,
          maximumRetries: seed % 5 == 0 ? .max : 3)))
    var now = Instant.zero
    var timers: [TelemetryBatcher.TimerID: Instant] = [:]
    var sending: UInt32?
    var current = 0
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let attempt = generator.once(in: 4) ? Int(generator.extreme()) : current
      let batch = generator.once(in: 4) ? generator.extremeItem().index : sending ?? 0
      let event: TelemetryBatcher.Event
      switch generator.below(12) {
      case 0: event = .timerFired(.flush)
      case 1: event = .timerFired(.retry)
      case 2: event = .accepted(batch: batch)
      case 3, 4: event = .failed(batch: batch, attempt: attempt)
      case 5: event = .movedToBackground
      case 6: event = .movedToForeground
      default:
        event = .recorded(
          TelemetryEvent(name: .rebuffer, view: 0, item: generator.extremeItem(), at: now))
      }
      // A timer may fire early; one that was not early is gone.
      if case .timerFired(let timer) = event, let at = timers[timer], at <= now {
        timers[timer] = nil
      }
      if event == .failed(batch: batch, attempt: current), batch == sending { sending = nil }
      if event == .accepted(batch: batch), batch == sending { sending = nil }
      var list: [TelemetryBatcher.Command] = []
      batcher.handle(event, at: now, into: &list)
      for command in list {
        switch command {
        case .post(let batch, let first, let count, _, let sent):
          #expect(sending == nil, "seed \(seed): two batches on their way")
          sending = batch
          current = sent
          #expect(first == batcher.firstSequence && count >= 1, "seed \(seed)")
          #expect(count <= batcher.pendingCount, "seed \(seed)")
        case .setTimer(let timer, let at, _): timers[timer] = at
        case .cancelTimer(let timer): timers[timer] = nil
        }
      }
      let pending = batcher.pendingCount
      #expect(
        batcher.recorded
          == batcher.overflowed + batcher.delivered + batcher.givenUp + pending, "seed \(seed)")
      #expect(pending == 0 || sending != nil || !timers.isEmpty, "seed \(seed): forgotten")
    }
  }

  /// Covers: SIG-038.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a load is on its way, waits, is asked for or is over`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var machine = RetryMachine(
      RetryPolicy(
        firstWait: generator.once(in: 2) ? .zero : .seconds(1), longestWait: .max,
        jitter: seed % 2 == 0 ? .infinity : 0.5, maximumRetries: seed % 3 == 0 ? .max : 3,
        asksAfterwards: seed % 4 < 2))
    var now = Instant.zero
    var load: UInt32?
    var timer: UInt32?
    var isWanted = false
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let attempt = generator.once(in: 4) ? generator.extremeItem().index : machine.attempt
      let event: RetryMachine.Event =
        switch generator.below(12) {
        case 0, 1: .started
        case 2 where generator.once(in: 4): .succeeded(attempt: attempt)
        case 3: .tapped
        case 4 where generator.once(in: 4): .abandoned
        case 5...8: .failed(attempt: attempt)
        default: .timerFired(attempt: attempt)
        }
      if event == .started && !machine.isDone { isWanted = true }
      if event == .abandoned { isWanted = false }
      if event == .abandoned || event == .failed(attempt: load ?? 0) { load = nil }
      if event == .timerFired(attempt: timer ?? 0) { timer = nil }
      var isFinal = false
      var list: [RetryMachine.Command] = []
      machine.handle(event, at: now, into: &list)
      for command in list {
        switch command {
        case .load(let attempt):
          #expect(load == nil && timer == nil, "seed \(seed)")
          load = attempt
        case .setTimer(let attempt, _, let jitter):
          timer = attempt
          #expect(jitter >= .zero, "seed \(seed)")
        case .cancelTimer: timer = nil
        case .giveUp: isFinal = true
        default: break
        }
      }
      if machine.isDone { load = nil }
      if isFinal { isWanted = false }
      #expect(
        !isWanted || machine.isDone || load != nil || timer != nil || machine.isAsking,
        "seed \(seed): nothing goes on")
    }
  }

  /// Covers: SIG-008, SIG-009.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a page that waits has a timer`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var fallback = RankerFallback(
      .init(
        deadline: [.zero, .milliseconds(30), .max][Int(seed) % 3], limit: seed % 2 == 0 ? 3 : .max))
    var now = Instant.zero
    var timers: [UInt32: Instant] = [:]
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let page = UInt32(generator.below(5))
      let event: RankerFallback.Event =
        switch generator.below(8) {
        case 0...2: .requested(page: page)
        case 3: .answered(page: page)
        case 4: .failed(page: page)
        default: .timerFired(page: page)
        }
      let waited = timers[page] != nil
      if case .timerFired = event { timers[page] = nil }
      var list: [RankerFallback.Command] = []
      fallback.handle(event, at: now, into: &list)
      var isServed = false
      for command in list {
        switch command {
        case .setTimer(let page, let at): timers[page] = at
        case .serve(let page, _):
          timers[page] = nil
          isServed = true
        }
      }
      #expect(!waited || isServed || timers[page] != nil, "seed \(seed): left alone")
    }
  }
}
