import FeedPolicy
import MediaUnits
import Testing

/// Numbers at the ends of their ranges, among ordinary ones.
extension SeededGenerator {
  mutating func extreme() -> Int64 {
    let edges: [Int64] = [.min, .min + 1, -1, 0, 1, 30_000_000, .max / 2, .max - 1, .max]
    return once(in: 3) ? edges[below(edges.count)] : Int64(below(4_000_000_000)) - 1_000_000_000
  }

  mutating func extremeSpan() -> TimeSpan { TimeSpan(nanoseconds: extreme()) }

  /// Mostly ascending, sometimes anywhere.
  mutating func extremeInstant(after now: Instant) -> Instant {
    if once(in: 12) { return Instant(nanoseconds: extreme()) }
    return now.advanced(saturatingBy: .milliseconds(Int64(below(400))))
  }

  mutating func extremeItem() -> ItemID {
    let edges: [UInt32] = [0, 1, .max, .max - 1, 1 << 31]
    return ItemID(once(in: 6) ? edges[below(edges.count)] : UInt32(below(24)))
  }

  mutating func extremeDouble() -> Double {
    let edges: [Double] = [
      .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, -0.0, 0, 1, -1, 0.2,
    ]
    return once(in: 3) ? edges[below(edges.count)] : Double(below(400)) / 100 - 2
  }
}

/// Late, repeated and absurd input: 100,000 steps for each machine, none of which may trap.
struct `Extreme inputs of the feed` {
  /// Covers: VF-001, VF-004.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the column lays out every video once`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var feed = WidgetFeed(
      .init(merchShare: [0, 0.1, 1, -3, .infinity][Int(seed) % 5], countsMerch: seed % 2 == 0))
    var cards: UInt64 = 0
    for _ in 0..<5_000 {
      let event: WidgetFeed.Event
      switch generator.below(12) {
      case 0: event = .videosKnown(generator.extremeItem().index)
      case 1 where generator.once(in: 200): event = .feedCompleted
      default: event = .nextWidget(draw: generator.extremeDouble())
      }
      for case .append(let widget) in commands(of: event, from: &feed) {
        #expect(UInt64(widget.first.index) == cards, "seed \(seed)")
        cards += UInt64(widget.cards)
      }
      #expect(UInt64(feed.used) == cards && feed.used <= feed.known, "seed \(seed)")
    }
  }

  /// Covers: VF-005, VF-006.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the pager has one request and always goes on`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var pager = FeedPager(
      .init(retryDelay: .seconds(Int64(1 + generator.below(9))), longestDelay: .max))
    var now = Instant.zero
    var hasTimer = false
    var fetched: UInt32 = 0
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let request = generator.once(in: 4) ? generator.extremeItem().index : pager.requests
      let event: FeedPager.Event
      switch generator.below(9) {
      case 0: event = .feedOpened
      case 1: event = .itemShown(generator.extremeItem())
      case 2 where generator.once(in: 4):
        event = .pageArrived(
          request: request, items: generator.extremeItem().index, isLast: generator.once(in: 99))
      case 3...5: event = .pageFailed(request: request)
      default: event = .timerFired
      }
      let before = (pager.known, pager.shown)
      if event == .timerFired { hasTimer = false }
      var list: [FeedPager.Command] = []
      pager.handle(event, at: now, into: &list)
      for command in list {
        switch command {
        case .setTimer: hasTimer = true
        case .fetch(let request, let first, _):
          #expect(request == fetched + 1 && first.index == pager.known, "seed \(seed)")
          fetched = request
        }
      }
      #expect(pager.known >= before.0 && pager.shown >= before.1, "seed \(seed)")
      if pager.requests > 0 && !pager.isLoading && !pager.isComplete {
        // Waiting for the viewer, or for a timer.
        #expect(hasTimer || pager.known - min(pager.known, pager.shown) > 8, "seed \(seed)")
      }
    }
  }

  /// Covers: VF-008, VF-009, VF-041.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the surface plays one widget`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    let models: [VisibilityMachine.Model] = [
      .thresholds, .predictedRest, .projectedDwell(.milliseconds(300)),
    ]
    var machine = VisibilityMachine(
      .init(
        model: models[Int(seed) % 3],
        short: .init(dwell: seed % 4 == 0 ? .max : .milliseconds(50)),
        prefetchRange: [1, .infinity, -1][Int(seed / 3) % 3],
        prefetchCount: seed % 2 == 0 ? .max : 2,
        sequence: .init(reading: seed % 2 == 0 ? .rotating : .once), isLowEnd: seed % 7 == 6,
        cardLimit: 10))
    var now = Instant.zero
    var playing: [ItemID: WidgetID] = [:]
    var widgets: [ItemID: WidgetID] = [:]
    for _ in 0..<2_500 {
      now = generator.extremeInstant(after: now)
      let item = generator.extremeItem()
      let token = UInt32(generator.below(2))
      var event = VisibilityMachine.Event.settled
      switch generator.below(16) {
      case 0...2:
        let widget = WidgetID(item.index / 3)
        event = .bound(
          item, token: token, widget: widget,
          kind: widget.index % 3 == 0 ? .carousel : .short, extent: generator.extremeDouble())
        widgets[item] = widget
      case 3: event = .recycled(item, token: token)
      case 4: event = .mediaReady(item, token: token)
      case 5: event = .mediaEnded(item, token: token)
      case 6: event = .tapped(item, token: token)
      case 7: event = .timerFired(item, token: token)
      case 8:
        event = .scrolled(
          velocity: generator.extremeDouble(), travel: generator.extremeDouble())
      case 9: event = .admissionChanged([.all, .predicted, .none][generator.below(3)])
      case 10: event = generator.once(in: 4) ? .frontChanged(false) : .frontChanged(true)
      case 11: if generator.once(in: 5) { event = .mediaFailed(item, token: token) }
      default:
        event = .seen(
          item, token: token,
          CardSight(
            fraction: generator.extremeDouble(), offset: generator.extremeDouble(),
            across: generator.extremeDouble()))
      }
      var list: [VisibilityMachine.Command] = []
      machine.handle(event, at: now, into: &list)
      for command in list {
        switch command {
        case .play(let item, _):
          #expect(playing.updateValue(widgets[item]!, forKey: item) == nil, "seed \(seed)")
        case .pause(let item, _):
          #expect(playing.removeValue(forKey: item) != nil, "seed \(seed)")
        default: break
        }
      }
      #expect(Set(playing.values).count <= 1 && playing.count <= 3, "seed \(seed)")
      #expect(machine.playing == playing.count && machine.bound <= 10, "seed \(seed)")
    }
  }

  /// Covers: VF-039, VF-040.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the gate says what it admits`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    let rules: [ScrollGate.Rule] = [
      .debounce(.max), .debounce(.milliseconds(50)), .velocity(.infinity), .velocity(-1),
      .predictedRest(2),
    ]
    var gate = ScrollGate(.init(rule: rules[Int(seed) % 5]))
    var now = Instant.zero
    var admitted = ScrollGate.Admission.all
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let event: ScrollGate.Event =
        switch generator.below(4) {
        case 0: .settled
        case 1: .timerFired
        default: .scrolled(velocity: generator.extremeDouble(), crosses: generator.once(in: 3))
        }
      var list: [ScrollGate.Command] = []
      gate.handle(event, at: now, into: &list)
      for case .admit(let admission) in list {
        #expect(admission != admitted, "seed \(seed)")
        admitted = admission
      }
      #expect(gate.admission == admitted, "seed \(seed)")
    }
  }

  /// Covers: REEL-003, REEL-004, REEL-018.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the readiness gate renders only what is active and ready`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var gate = ReadinessGate(
      .init(
        attempts: [0, 1, 3, .max][Int(seed) % 4],
        timeout: [.zero, .max, .seconds(2), .seconds(-1)][Int(seed / 4) % 4],
        escape: seed % 2 == 0 ? .letThrough : .skip))
    var now = Instant.zero
    var rendered: ItemID?
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let item = generator.extremeItem()
      let generation = UInt32(generator.below(3))
      let event: ReadinessGate.Event =
        switch generator.below(6) {
        case 0, 1: .jumped(to: item)
        case 2: .preparing(item, generation: generation)
        case 3: .dropped(item, generation: generation)
        default: .becameReady(item, generation: generation)
        }
      var list: [ReadinessGate.Command] = []
      gate.handle(event, at: now, into: &list)
      for command in list {
        switch command {
        case .play(let item):
          #expect(rendered == nil, "seed \(seed)")
          rendered = item
        case .pause(let item):
          #expect(rendered == item, "seed \(seed)")
          rendered = nil
        default: break
        }
      }
      #expect(gate.playing == rendered, "seed \(seed)")
      if let rendered { #expect(gate.active == rendered && gate.isReady(rendered)) }
      if let active = gate.active { #expect((rendered == active) == gate.isReady(active)) }
    }
  }
}

/// The same for what a view has around it.
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
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let event: ViewLog.Event =
        switch generator.below(9) {
        case 0: .viewBegan(generator.extremeItem(), duration: generator.extremeSpan())
        case 1: .viewEnded(played: generator.extremeSpan())
        case 2: .stallBegan
        case 3: .stallEnded
        case 4: .scrubCommitted(position: generator.extremeSpan())
        case 5: .playbackFailed(code: generator.extreme())
        case 6: .tapped(plays: generator.once(in: 2))
        default: .firstFrameRendered
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
    for _ in 0..<5_000 {
      now = generator.extremeInstant(after: now)
      let batch = generator.once(in: 4) ? generator.extremeItem().index : sending ?? 0
      let event: TelemetryBatcher.Event
      switch generator.below(12) {
      case 0: event = .timerFired(.flush)
      case 1: event = .timerFired(.retry)
      case 2: event = .accepted(batch: batch)
      case 3, 4: event = .failed(batch: batch)
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
      if event == .failed(batch: batch), batch == sending { sending = nil }
      if event == .accepted(batch: batch), batch == sending { sending = nil }
      var list: [TelemetryBatcher.Command] = []
      batcher.handle(event, at: now, into: &list)
      for command in list {
        switch command {
        case .post(let batch, let first, let count, _):
          #expect(sending == nil, "seed \(seed): two batches on their way")
          sending = batch
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

/// The same for prefetches and for what decides without a state.
struct `Extreme inputs of the deciders` {
  /// Covers: VF-023, VF-024. 9 · 12,000 steps.
  @Test(arguments: PrefetchFamily.allCases)
  func `no family loses count of its fetches`(family: PrefetchFamily) {
    var generator = SeededGenerator(UInt64(family.rawValue) + 70)
    for round in 0..<6 as Range<UInt64> {
      var policy = PrefetchPolicy(
        .init(
          family: family, headLength: round % 3 == 2 ? .max : .seconds(6),
          itemsAhead: [3, 0, 5][Int(round) % 3], previousThreshold: round % 2 == 0 ? 1 : -1,
          concurrency: [2, 1, 9][Int(round) % 3],
          segmentLength: round == 4 ? .milliseconds(100) : .seconds(2),
          cover: round == 5 ? .infinity : nil, suspendsOnStall: round % 2 == 0))
      var active: Set<ItemID> = []
      var now = Instant.zero
      for _ in 0..<2_000 {
        now = generator.extremeInstant(after: now)
        let event = prefetchEvent(&generator)
        var list: [PrefetchPolicy.Command] = []
        policy.handle(event, at: now, into: &list)
        for command in list {
          switch command {
          case .start(let item, let length, _):
            #expect(length > .zero, "\(family)")
            active.insert(item)
          case .warm(let item, _, _): active.insert(item)
          case .cancel(let item), .suspend(let item):
            #expect(active.remove(item) != nil, "\(family)")
          case .limitBuffer(let limit): #expect((limit ?? .max) > .zero, "\(family)")
          }
        }
        active = active.filter { policy.isActive($0) }
        #expect(active.count == policy.active, "\(family)")
        #expect(policy.active <= policy.configuration.concurrency, "\(family)")
        if policy.waiting != nil { #expect(policy.active == policy.configuration.concurrency) }
        if !policy.isOnline { #expect(policy.active == 0, "\(family)") }
      }
    }
  }

  private func prefetchEvent(_ generator: inout SeededGenerator) -> PrefetchPolicy.Event {
    let item = generator.extremeItem()
    switch generator.below(14) {
    case 0, 1: return .feedMoved(current: item, last: generator.extremeItem())
    case 2: return .feedExtended(last: generator.extremeItem())
    case 3, 4:
      return .bufferChanged(ahead: generator.extremeSpan(), isComplete: generator.once(in: 3))
    case 5:
      return .throughputChanged(
        BitRate(bitsPerSecond: max(0, generator.extreme())),
        bitrate: BitRate(bitsPerSecond: max(0, generator.extreme())))
    case 6: return .itemFailed(item)
    case 7: return .withdrawn(item)
    case 8: return .durationKnown(item, generator.extremeSpan())
    case 9: return .positionChanged(generator.extremeSpan())
    case 10: return .connectivityChanged(isOnline: !generator.once(in: 4))
    case 11:
      return generator.once(in: 2)
        ? .stallChanged(isStalled: generator.once(in: 3)) : .hostHeld(generator.once(in: 3))
    case 12: return .stageReached(item, PrefetchStage.allCases[generator.below(5)])
    default: return .targetReached(item, generator.extremeSpan())
    }
  }

  /// Covers: REEL-014, REEL-021, X-003, VF-043, SIG-071.
  @Test func `deciders answer any number within their bounds`() {
    var generator = SeededGenerator(5)
    for _ in 0..<100_000 {
      let span = generator.extremeSpan()
      let policy = RetryPolicy(firstWait: max(.zero, span), longestWait: .max)
      #expect(policy.wait(failures: Int(generator.extreme())) >= policy.firstWait)

      let end: PlaybackEnd = generator.once(in: 2) ? .loop : .preview(generator.extremeSpan())
      let seen = end.completion(of: generator.extremeSpan(), played: generator.extremeSpan())
      #expect(seen.share >= 0 && seen.share <= 1 && seen.passes >= 0)
      #expect(end.playable(of: span, within: generator.extremeSpan()) >= .zero)

      let proximity = ProximityPolicy(
        .init(
          nearDistance: generator.extremeItem().index,
          adaptation: .throughput(
            from: generator.extremeDouble(), full: generator.extremeDouble())))
      let rate = BitRate(bitsPerSecond: max(0, generator.extreme()))
      let near = proximity.setting(for: .near, throughput: rate, bitrate: .kilobits(600))
      let far = proximity.setting(for: .far, throughput: rate, bitrate: .kilobits(600))
      #expect(far.forwardBuffer <= near.forwardBuffer && far.forwardBuffer >= .zero)

      let share = Double(generator.below(5)) / 4
      let mixer = ExplorationMixer(
        .init(share: share, least: min(share, 0.1), largest: max(share, 0.2)))
      let size = Int(generator.extreme())
      let count = mixer.count(pageSize: size, page: generator.extremeItem().index)
      #expect(count.items >= 0 && count.items <= max(0, size))
    }
  }

  /// Covers: SIG-035, VF-002.
  @Test func `laws, shares and estimates stay within their ranges`() {
    var generator = SeededGenerator(6)
    let laws: [DecelerationLaw] = [.uikitNormal, .uikitFast, .android]
    let small = FeedGeometry(screenWidth: 390, screenHeight: 844)
    for round in 0..<100_000 {
      let law = laws[round % 3]
      let velocity = generator.extremeDouble() * 4_000
      #expect(law.duration(from: velocity) >= .zero)
      let time = max(.zero, generator.extremeSpan())
      if abs(velocity) < 1e6 {
        #expect(abs(law.position(at: time, from: velocity)) <= abs(law.travel(from: velocity)))
      }
      let offset = generator.extremeDouble()
      for share in [
        FeedGeometry.along(offset: offset, extent: generator.extremeDouble()),
        small.across(place: generator.extremeItem().index, offset: offset * 400),
      ] { #expect(share >= 0 && share <= 1) }

      var estimator = EWMAEstimator(
        .init(
          fast: .nanoseconds(1 + abs(generator.extreme() / 2)),
          slow: .nanoseconds(1 + abs(generator.extreme() / 2)), minimumTime: .zero),
        initial: .kilobits(500))
      for _ in 0..<3 {
        estimator.add(ByteCount(generator.extreme()), over: generator.extremeSpan())
      }
      #expect(estimator.estimate >= .zero)
    }
  }
}
