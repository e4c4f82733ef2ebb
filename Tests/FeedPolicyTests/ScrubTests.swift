import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func at(_ milliseconds: Int64) -> Instant {
  .zero.advanced(saturatingBy: .milliseconds(milliseconds))
}

private func second(_ count: Int64) -> TimeSpan { .seconds(count) }

struct `Scrub throttle` {
  // SIG-032
  @Test func `positions are looked up at once, then spaced, and the last one is served`() {
    var throttle = ScrubThrottle(.init())
    #expect(
      commands(of: .positionChanged(second(1)), at: 0, from: &throttle) == [
        .lookup(position: second(1))
      ])
    #expect(
      commands(of: .positionChanged(second(2)), at: 10, from: &throttle) == [
        .setTimer(at: at(125))
      ])
    #expect(commands(of: .positionChanged(second(3)), at: 124, from: &throttle) == [])
    #expect(
      commands(of: .timerFired, at: 125, from: &throttle) == [.lookup(position: second(3))])
    #expect(
      commands(of: .positionChanged(second(4)), at: 250, from: &throttle) == [
        .lookup(position: second(4))
      ])
    #expect(throttle.lookups == 3)
    #expect(throttle.dropped == 1)
  }

  enum State: CaseIterable { case idle, spacing, waiting }

  static func throttle(in state: State) -> ScrubThrottle {
    var throttle = ScrubThrottle(.init())
    if state == .idle { return throttle }
    _ = commands(of: .positionChanged(second(1)), at: 0, from: &throttle)
    if state == .spacing { return throttle }
    _ = commands(of: .positionChanged(second(2)), at: 1, from: &throttle)
    return throttle
  }

  @Test func `every state answers every event, early and late`() {
    typealias Row = (State, ScrubThrottle.Event, Int64, [ScrubThrottle.Command])
    let moved = ScrubThrottle.Event.positionChanged(second(9))
    let lookup = ScrubThrottle.Command.lookup(position: second(9))
    let rows: [Row] = [
      (.idle, moved, 50, [lookup]), (.idle, .timerFired, 50, []),
      (.idle, .scrubCancelled, 50, []),
      (.spacing, moved, 124, [.setTimer(at: at(125))]), (.spacing, moved, 125, [lookup]),
      (.spacing, .timerFired, 125, []), (.spacing, .scrubCancelled, 50, []),
      (.waiting, moved, 124, []), (.waiting, moved, 126, [.cancelTimer, lookup]),
      (.waiting, .timerFired, 124, [.setTimer(at: at(125))]),
      (.waiting, .timerFired, 400, [.lookup(position: second(2))]),
      (.waiting, .scrubCancelled, 50, [.cancelTimer]),
    ]
    for (state, event, now, expected) in rows {
      var throttle = Self.throttle(in: state)
      let found = commands(of: event, at: now, from: &throttle)
      #expect(found == expected, "\(state) × \(event) at \(now) ms")
    }
  }

  // SIG-032
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `lookups keep their distance and the last position is always served`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var throttle = ScrubThrottle(.init())
    var now: Int64 = 0
    var timer: Int64?
    var lookups: [(at: Int64, position: TimeSpan)] = []
    var lastPosition = TimeSpan.zero
    func perform(_ list: [ScrubThrottle.Command]) {
      for command in list {
        switch command {
        case .lookup(let position): lookups.append((now, position))
        case .setTimer(let instant): timer = instant.nanoseconds / 1_000_000
        case .cancelTimer: timer = nil
        }
      }
    }
    func fire(before end: Int64) {
      while let due = timer, due < end {
        now = max(now, due)
        timer = nil
        perform(commands(of: .timerFired, at: now, from: &throttle))
      }
    }
    for step in 0..<300 {
      let next = now + Int64(generator.below(generator.once(in: 5) ? 400 : 40))
      fire(before: next)
      now = next
      if generator.once(in: 20) { perform(commands(of: .timerFired, at: now, from: &throttle)) }
      lastPosition = .milliseconds(Int64(step) + 1)
      perform(commands(of: .positionChanged(lastPosition), at: now, from: &throttle))
    }
    fire(before: .max)
    #expect(lookups.last?.position == lastPosition, "seed \(seed)")
    for index in lookups.indices.dropFirst() {
      #expect(lookups[index].at - lookups[index - 1].at >= 125, "seed \(seed)")
      #expect(lookups[index].position > lookups[index - 1].position, "seed \(seed)")
    }
    #expect(throttle.lookups == lookups.count)
    #expect(throttle.lookups + throttle.dropped == 300, "seed \(seed): a position was lost")
  }

  @Test func `a recorded log gives the same commands again`() {
    var generator = SeededGenerator(1)
    var now: Int64 = 0
    var log: [(now: Instant, event: ScrubThrottle.Event)] = []
    for step in 0..<1_000 {
      now += Int64(generator.below(90))
      let event: ScrubThrottle.Event
      switch generator.below(8) {
      case 0: event = .scrubCancelled
      case 1, 2: event = .timerFired
      default: event = .positionChanged(.milliseconds(Int64(step)))
      }
      log.append((at(now), event))
    }
    let runs = replayed(log, .init(), of: ScrubThrottle.self)
    #expect(runs.separate == runs.reused)
    #expect(runs.separate == runs.copied)
    #expect(digest(of: runs.separate) == 5_156_776_459_741_230_261)
  }
}

struct `Sprite cache` {
  private func lookup(_ sprite: UInt32, of count: UInt32 = 100, _ cache: inout SpriteCache)
    -> (isHit: Bool, fetches: [UInt32])
  {
    var fetches: [UInt32] = []
    let isHit = cache.lookup(sprite, of: count, into: &fetches)
    return (isHit, fetches)
  }

  // SIG-031
  @Test func `a miss fetches the image and its neighbours once`() {
    var cache = SpriteCache()
    #expect(lookup(5, &cache) == (false, [5, 6, 4]))
    #expect(lookup(5, &cache) == (false, []))
    cache.insert(5)
    #expect(lookup(5, &cache) == (true, []))
    cache.fetchFailed(6)
    #expect(lookup(5, &cache) == (true, [6]))
    #expect(cache.hits == 2)
    #expect(cache.misses == 2)
    #expect(cache.neighbourFetches == 3)
  }

  @Test func `neighbours stop at both ends, and an image beyond the end is ignored`() {
    var cache = SpriteCache(.init(neighbours: 2))
    #expect(lookup(0, of: 10, &cache).fetches == [0, 1, 2])
    #expect(lookup(9, of: 10, &cache).fetches == [9, 8, 7])
    #expect(lookup(10, of: 10, &cache) == (false, []))
    #expect(lookup(0, of: 0, &cache) == (false, []))
    #expect(cache.ignored == 2)
    var single = SpriteCache()
    #expect(lookup(0, of: 1, &single).fetches == [0])
    var none = SpriteCache(.init(neighbours: 0))
    #expect(lookup(5, &none).fetches == [5])
  }

  @Test func `images of different items are different images`() {
    var cache = SpriteCache()
    cache.insert(3, item: ItemID(1))
    #expect(cache.contains(3, item: ItemID(1)))
    #expect(!cache.contains(3, item: ItemID(2)))
    cache.removeAll()
    #expect(!cache.contains(3, item: ItemID(1)))
  }

  // SIG-031
  @Test(arguments: Array(0..<20 as Range<UInt64>))
  func `it holds the 24 images used last`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var cache = SpriteCache()
    var recent: [UInt32] = []
    for _ in 0..<2_000 {
      let sprite = UInt32(generator.below(60))
      if generator.once(in: 2) {
        let isHit = lookup(sprite, of: 60, &cache).isHit
        #expect(isHit == recent.contains(sprite), "seed \(seed)")
        if !isHit { continue }
      } else {
        cache.insert(sprite)
      }
      recent.removeAll { $0 == sprite }
      recent.insert(sprite, at: 0)
      if recent.count > 24 { recent.removeLast() }
      #expect(cache.count == recent.count)
    }
    #expect(cache.count == 24)
    for sprite in 0..<60 as Range<UInt32> {
      #expect(cache.contains(sprite) == recent.contains(sprite), "seed \(seed)")
    }
  }
}
