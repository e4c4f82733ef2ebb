import FeedPolicy
import MediaUnits
import PolicyTesting
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
      let mount = generator.once(in: 4) ? 0 : machine.mount(of: item) ?? .max
      var event = VisibilityMachine.Event.settled
      switch generator.below(16) {
      case 0...2:
        let widget = WidgetID(item.index / 3)
        event = .bound(
          item, token: token, widget: widget,
          kind: widget.index % 3 == 0 ? .carousel : .short, extent: generator.extremeDouble())
        widgets[item] = widget
      case 3: event = .recycled(item, token: token)
      case 4: event = .mediaReady(item, token: token, mount: mount)
      case 5: event = .mediaEnded(item, token: token, mount: mount)
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
