import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private typealias Machine = VisibilityMachine
private typealias Event = VisibilityMachine.Event
private typealias Command = VisibilityMachine.Command

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

/// A column of Shorts, each 0.8 viewports high with a gap of 0.1; card i is at 0.9·i.
private struct Column {
  var machine: VisibilityMachine
  var position = 0.0
  let count: UInt32
  let crossingsOnly: Bool
  private var sights: [CardSight?]
  private(set) var messages = 0

  init(_ configuration: Machine.Configuration, count: UInt32 = 6, crossingsOnly: Bool = false) {
    machine = Machine(configuration)
    self.count = count
    self.crossingsOnly = crossingsOnly
    sights = Array(repeating: nil, count: Int(count))
    for index in 0..<count {
      _ = commands(
        of: .bound(
          item(index), token: index + 1, widget: WidgetID(index), kind: .short, extent: 0.8),
        from: &machine)
    }
  }

  /// One frame at a position, with the velocity and the way to go.
  mutating func show(
    _ position: Double, velocity: Double = 0, travel: Double = 0, at now: Int64
  ) -> [Command] {
    self.position = position
    var found: [Command] = []
    for index in 0..<count {
      let sight = CardSight(offset: 0.9 * Double(index) - position, extent: 0.8)
      if crossingsOnly, let old = sights[Int(index)],
        !machine.configuration.short.isCrossed(
          from: old, to: sight, extent: 0.8, prefetchRange: machine.configuration.prefetchRange)
      {
        continue
      }
      messages += 1
      sights[Int(index)] = sight
      found += commands(of: .seen(item(index), token: index + 1, sight), at: now, from: &machine)
    }
    found += commands(
      of: velocity == 0 ? .settled : .scrolled(velocity: velocity, travel: travel), at: now,
      from: &machine)
    return found
  }

  mutating func load(_ index: UInt32, at now: Int64 = 0) -> [Command] {
    commands(
      of: .mediaReady(
        item(index), token: index + 1, mount: machine.mount(of: item(index)) ?? 0), at: now,
      from: &machine)
  }
}

/// The position at which card 1 comes in from below with this share.
private func position(share: Double) -> Double { 0.9 - 0.5 - 0.4 + share * 0.8 }

struct `Visibility machine time lines` {
  /// Covers: VF-030.
  @Test func `a Carousel's card has thresholds of its own`() {
    var machine = Machine(
      .init(
        short: VisibilityThresholds(enter: 0.2, leave: 0.2),
        carousel: VisibilityThresholds(enter: 0.6, leave: 0.5)))
    for (index, kind) in [(UInt32(0), WidgetKind.short), (1, .carousel)] {
      _ = commands(
        of: .bound(item(index), token: 1, widget: WidgetID(index), kind: kind, extent: 0.8),
        from: &machine)
      _ = commands(of: .mediaReady(item(index), token: 1, mount: 0), from: &machine)
    }
    // Two fifths of each card are in view: enough for a Short, not for a card of a Carousel.
    let sight = CardSight(fraction: 0.4, offset: 0.58)
    let second = commands(of: .seen(item(1), token: 1, sight), at: 0, from: &machine)
    #expect(!second.contains(.play(item(1), token: 1)))
    let first = commands(of: .seen(item(0), token: 1, sight), at: 0, from: &machine)
    #expect(
      (first + commands(of: .settled, at: 0, from: &machine)).contains(.play(item(0), token: 1)))
  }

  /// Covers: VF-031, VF-032, VF-033, SIG-036.
  @Test func `at rest the first card plays and the next one is prefetched`() {
    var column = Column(.init(), count: 4)
    #expect(
      column.show(0, at: 0) == [
        .mount(item(0), token: 1, mount: 1), .startPrefetch(item(1), token: 2),
        .startPrefetch(item(2), token: 3), .play(item(0), token: 1),
      ])
    #expect(column.machine.state(of: item(0)) == .active(since: .zero))
    #expect(column.machine.state(of: item(1)) == .near)
    #expect(column.machine.state(of: item(3)) == .outside)
    #expect(column.show(0, at: 16) == [])
  }

  /// Covers: VF-016, VF-031, VF-032, VF-036.
  @Test func `a card gets a player at one hundredth and loses it off the screen`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0, at: 0)
    #expect(column.show(position(share: 0.009), velocity: 1, at: 16) == [])
    #expect(
      column.show(position(share: 0.011), velocity: 1, at: 32) == [
        .mount(item(1), token: 2, mount: 2)
      ])
    #expect(column.machine.state(of: item(1)) == .mounted)
    #expect(column.show(0, velocity: -1, at: 48) == [.unmount(item(1), token: 2)])
    #expect(column.show(-2, velocity: -1, at: 64).contains(.unmount(item(0), token: 1)))
    #expect(column.machine.mounted == 0)
  }

  /// Covers: VF-008, VF-033, VF-035.
  @Test func `a ready card waits until the one that plays falls below its share`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0, at: 0)
    _ = column.show(position(share: 0.3), velocity: 1, at: 16)
    #expect(column.machine.state(of: item(1)) == .ready(since: .zero + .milliseconds(16)))
    #expect(column.machine.isPlaying(item(0)))
    // Card 0 has 0.2 of its 0.8 viewports left at 0.74; nothing is loaded, so nothing hands over.
    #expect(column.show(0.73, velocity: 1, at: 32) == [])
    #expect(
      column.show(0.75, velocity: 1, at: 48) == [
        .pause(item(0), token: 1), .play(item(1), token: 2),
      ])
    #expect(column.machine.state(of: item(0)) == .paused)
    #expect(column.machine.handOvers == 0)
  }

  /// Covers: VF-034.
  @Test func `a card on its way out hands over to a loaded one without a gap`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0, at: 0)
    _ = column.show(0.49, velocity: 1, at: 16)
    #expect(column.load(1, at: 20) == [])
    #expect(
      column.show(0.52, velocity: 1, at: 32) == [
        .pause(item(0), token: 1), .play(item(1), token: 2),
      ])
    #expect(column.machine.handOvers == 1)
    // The one that gave way is ready, not paused: it may come back.
    #expect(column.machine.state(of: item(0)) == .ready(since: .zero + .milliseconds(32)))
  }

  /// Covers: VF-037, OQ-08.
  @Test func `resting near one fifth flaps as written and not with hysteresis or dwell`() {
    func flaps(_ thresholds: VisibilityThresholds) -> (flaps: Int, plays: Int) {
      var column = Column(.init(short: thresholds), count: 1)
      var generator = SeededGenerator(5)
      // It plays in the middle before.
      _ = column.show(0, at: -1_000)
      _ = column.show(0, at: -500)
      for frame in 0..<600 as Range<Int64> {
        // Card 0 moves out to a share of 0.2, plus or minus 0.02.
        let noise = Double(generator.below(1_000)) / 1_000 - 0.5
        _ = column.show(0.9 - 0.16 + 0.032 * noise, velocity: 0.01, at: frame * 16)
      }
      return (column.machine.flaps, column.machine.plays)
    }
    #expect(flaps(.init()).flaps > 100)
    let calm = flaps(.init(enter: 0.35, leave: 0.2))
    #expect(calm.flaps == 0 && calm.plays == 1)
    let dwelling = flaps(.init(dwell: .milliseconds(200)))
    #expect(dwelling.flaps == 0 && dwelling.plays == 1)
  }

  @Test func `a pause at the beginning of time is no flap at its end`() {
    var column = Column(.init(), count: 1)
    _ = column.show(0, at: .min)
    #expect(column.show(3, at: .min).contains(.pause(item(0), token: 1)))
    #expect(column.show(0, at: .max).contains(.play(item(0), token: 1)))
    #expect(column.machine.flaps == 0 && column.machine.plays == 2)
  }

  /// Covers: VF-037.
  @Test func `a dwell that is interrupted starts anew`() {
    var machine = Machine(.init(short: .init(dwell: .milliseconds(200))))
    _ = commands(
      of: .bound(item(0), token: 1, widget: WidgetID(0), kind: .short, extent: 0.8), from: &machine)
    func see(_ fraction: Double, at now: Int64) -> [Command] {
      commands(
        of: .seen(item(0), token: 1, CardSight(fraction: fraction, offset: 0)), at: now,
        from: &machine) + commands(of: .settled, at: now, from: &machine)
    }
    let timer = { (at: Int64) in Command.setTimer(item(0), token: 1, at: .zero + .milliseconds(at))
    }
    #expect(see(0.5, at: 0) == [.mount(item(0), token: 1, mount: 1), timer(200)])
    #expect(see(0.1, at: 100) == [])
    #expect(see(0.5, at: 150) == [timer(350)])
    #expect(commands(of: .timerFired(item(0), token: 1), at: 200, from: &machine) == [timer(350)])
    #expect(
      commands(of: .timerFired(item(0), token: 1), at: 350, from: &machine) == [
        .play(item(0), token: 1)
      ])
  }

  /// Covers: VF-041, VF-017.
  @Test func `what was meant for a recycled view is dropped`() {
    var column = Column(.init(short: .init(dwell: .milliseconds(100))), count: 1)
    _ = column.show(0, at: 0)
    let bound = Event.bound(item(0), token: 9, widget: WidgetID(0), kind: .short, extent: 0.8)
    #expect(commands(of: bound, at: 10, from: &column.machine) == [.unmount(item(0), token: 1)])
    #expect(commands(of: .timerFired(item(0), token: 1), at: 100, from: &column.machine) == [])
    #expect(
      commands(of: .mediaReady(item(0), token: 1, mount: 1), at: 100, from: &column.machine) == [])
    #expect(commands(of: .recycled(item(0), token: 1), at: 100, from: &column.machine) == [])
    #expect(
      commands(of: .mediaEnded(item(7), token: 1, mount: 1), at: 100, from: &column.machine) == [])
    #expect(column.machine.stale == 4)
    #expect(column.machine.bound == 1)
  }

  /// Covers: VF-034, VF-041.
  @Test func `what a player says late does not count for the next one of the same binding`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0.45, at: 0)
    // Card 1 is mounted, scrolled out and mounted again, all in one binding.
    let first = column.machine.mount(of: item(1))!
    _ = column.show(-1.5, velocity: -1, at: 10)
    #expect(column.machine.mount(of: item(1)) == nil)
    _ = column.show(0.45, at: 20)
    let second = column.machine.mount(of: item(1))!
    #expect(second > first)
    let stale = column.machine.stale
    let ready = Event.mediaReady(item(1), token: 2, mount: first)
    #expect(commands(of: ready, at: 30, from: &column.machine) == [])
    let ended = Event.mediaEnded(item(0), token: 1, mount: 1)
    #expect(commands(of: ended, at: 31, from: &column.machine) == [])
    #expect(column.machine.stale == stale + 2)
    #expect(column.machine.isPlaying(item(0)))
    // Not loaded, so that the card on its way out goes on; with the word of the present player it
    // hands over.
    #expect(column.show(0.55, velocity: 1, at: 40).filter(\.concernsPlay) == [])
    #expect(
      column.load(1, at: 41) == [.pause(item(0), token: 1), .play(item(1), token: 2)])
  }

  /// Covers: VF-028, VF-029.
  @Test func `a low-end device plays what is tapped and keeps one player`() {
    var column = Column(.init(prefetchRange: 0, isLowEnd: true), count: 3)
    #expect(column.show(0.45, at: 0).filter(\.concernsPlayer) == [])
    #expect(
      commands(of: .tapped(item(0), token: 1), at: 1, from: &column.machine) == [
        .mount(item(0), token: 1, mount: 1), .play(item(0), token: 1),
      ])
    #expect(
      commands(of: .tapped(item(1), token: 2), at: 2, from: &column.machine) == [
        .pause(item(0), token: 1), .unmount(item(0), token: 1), .mount(item(1), token: 2, mount: 2),
        .play(item(1), token: 2),
      ])
    #expect(
      commands(of: .mediaEnded(item(1), token: 2, mount: 2), at: 3, from: &column.machine) == [
        .pause(item(1), token: 2)
      ])
    #expect(column.show(0.46, velocity: 1, at: 4).filter(\.concernsPlayer) == [])
    #expect(column.machine.mounted == 1)
  }

  /// Covers: SIG-036.
  @Test func `taps toggle and a card that the viewer paused does not play by itself`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0, at: 0)
    let tap = Event.tapped(item(0), token: 1)
    #expect(commands(of: tap, at: 1, from: &column.machine) == [.pause(item(0), token: 1)])
    #expect(column.show(0.01, velocity: 1, at: 2).filter(\.concernsPlay) == [])
    #expect(column.show(0, at: 3).filter(\.concernsPlay) == [])
    #expect(commands(of: tap, at: 4, from: &column.machine) == [.play(item(0), token: 1)])
  }

  /// Covers: VF-047.
  @Test func `leaving the tab pauses and coming back plays`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0, at: 0)
    #expect(
      commands(of: .frontChanged(false), at: 1, from: &column.machine) == [
        .pause(item(0), token: 1)
      ])
    #expect(column.show(0, at: 2) == [])
    #expect(commands(of: .frontChanged(false), at: 3, from: &column.machine) == [])
    #expect(
      commands(of: .frontChanged(true), at: 4, from: &column.machine) == [.play(item(0), token: 1)])
    #expect(column.machine.ignored == 1)
  }

  /// Covers: VF-042, VF-045.
  @Test(arguments: [PlaySequence.Reading.once, .rotating])
  func `after its end a card is done or waits for its next turn`(reading: PlaySequence.Reading) {
    var column = Column(.init(sequence: .init(reading: reading)), count: 2)
    _ = column.show(0, at: 0)
    let found = commands(of: .mediaEnded(item(0), token: 1, mount: 1), at: 9, from: &column.machine)
    let pause = Command.pause(item(0), token: 1)
    let again: [Command] = [pause, .play(item(0), token: 1)]
    #expect(found == (reading == .once ? [pause] : again))
    // A new visit is a new play.
    _ = column.show(3, velocity: 1, at: 20)
    #expect(column.show(0, at: 30).contains(.play(item(0), token: 1)))
  }

  /// Covers: VF-039.
  @Test func `a shut gate holds mounts, prefetches and plays back until it opens`() {
    var column = Column(.init(), count: 6)
    _ = commands(of: .admissionChanged(.none), from: &column.machine)
    #expect(column.show(0, velocity: 6, travel: 2, at: 0) == [])
    #expect(column.show(1, velocity: 5, travel: 1, at: 16) == [])
    let opened = commands(of: .admissionChanged(.all), at: 20, from: &column.machine)
    #expect(opened.contains(.mount(item(1), token: 2, mount: 1)))
    #expect(opened.contains(.play(item(1), token: 2)))
    #expect(commands(of: .admissionChanged(.all), at: 21, from: &column.machine) == [])
  }

  /// Covers: VF-039, OQ-09.
  @Test func `a narrow gate lets the card of the predicted rest through`() {
    var column = Column(.init(), count: 6)
    _ = column.show(0, at: 0)
    _ = commands(of: .admissionChanged(.predicted), from: &column.machine)
    // At 0.9 with 1.8 to go the list will rest on card 3; cards 1 and 2 pass by.
    let found = column.show(0.9, velocity: 4, travel: 1.8, at: 16)
    #expect(found.contains(.startPrefetch(item(3), token: 4)))
    #expect(!found.contains(.mount(item(1), token: 2, mount: 2)))
    let nearer = column.show(1.5, velocity: 3, travel: 1.2, at: 32)
    #expect(!nearer.contains(.mount(item(2), token: 3, mount: 3)))
  }

  /// Covers: VF-039, OQ-09.
  @Test func `a narrow gate begins no card that will be gone at the predicted rest`() {
    var column = Column(.init(), count: 6)
    #expect(column.show(0.45, at: 0).contains(.play(item(0), token: 1)))
    _ = commands(of: .admissionChanged(.predicted), at: 1, from: &column.machine)
    // Card 0 falls below its share and card 1 is ready, but the list will rest on card 3.
    let flung = column.show(0.75, velocity: 4, travel: 1.95, at: 16)
    #expect(flung.contains(.pause(item(0), token: 1)))
    #expect(!flung.contains(.play(item(1), token: 2)))
    #expect(column.show(0.9, at: 32).contains(.play(item(1), token: 2)))
  }

  /// Covers: VF-038, OQ-08.
  @Test func `the nearest to the middle plays with that order`() {
    var column = Column(.init(rules: .init(widgetOrder: .mostCentred)), count: 3)
    _ = column.show(0, at: 0)
    #expect(column.show(0.44, velocity: 1, at: 16).filter(\.concernsPlay) == [])
    #expect(
      column.show(0.5, velocity: 1, at: 32).filter(\.concernsPlay) == [
        .pause(item(0), token: 1), .play(item(1), token: 2),
      ])
  }

  /// Covers: VF-038, OQ-08.
  @Test func `with the predicted rest what passes by does not play`() {
    var column = Column(.init(model: .predictedRest), count: 6)
    _ = column.show(0, at: 0)
    #expect(
      column.show(0.9, velocity: 4, travel: 1.8, at: 16).filter(\.concernsPlay) == [
        .pause(item(0), token: 1)
      ])
    #expect(
      column.show(2.2, velocity: 2, travel: 0.5, at: 32).filter(\.concernsPlay) == [
        .play(item(3), token: 4)
      ])
    #expect(column.show(2.7, at: 48).filter(\.concernsPlay) == [])
  }

  /// Covers: VF-038, OQ-08.
  @Test func `with the projected dwell a card plays that will stay long enough`() {
    var column = Column(.init(model: .projectedDwell(.milliseconds(500))), count: 6)
    // Card 1 in the middle, at 4 viewports per second: gone in 0.18 s.
    #expect(column.show(0.9, velocity: 4, travel: 1.8, at: 0).filter(\.concernsPlay) == [])
    // At 0.4 viewports per second it stays.
    #expect(
      column.show(0.9, velocity: 0.4, travel: 0.2, at: 16).filter(\.concernsPlay) == [
        .play(item(1), token: 2)
      ])
  }

  /// Covers: VF-019, VF-040.
  @Test(arguments: [VisibilityThresholds(), VisibilityThresholds(enter: 0.35, leave: 0.2)])
  func `crossings alone give the commands of all frames`(thresholds: VisibilityThresholds) {
    var every = Column(.init(short: thresholds))
    var crossing = Column(.init(short: thresholds), crossingsOnly: true)
    var position = 0.0
    var velocity = 0.0
    var generator = SeededGenerator(11)
    for frame in 0..<4_000 as Range<Int64> {
      if generator.once(in: 40) { velocity = Double(generator.below(1_000)) / 20_000 - 0.025 }
      position += velocity
      if position < 0 || position > 4.5 { velocity = -velocity }
      position = max(0, min(4.5, position))
      let v = velocity * 60
      #expect(
        every.show(position, velocity: v == 0 ? 1 : v, at: frame * 16)
          == crossing.show(position, velocity: v == 0 ? 1 : v, at: frame * 16))
    }
    #expect(every.machine.plays > 20)
    #expect(crossing.messages * 5 < every.messages)
  }

  /// Covers: VF-009, VF-044.
  @Test func `three cards of a Carousel play and the fourth takes over from the first that ends`() {
    var machine = Machine(.init())
    for index in 0..<4 as Range<UInt32> {
      _ = commands(
        of: .bound(item(index), token: 1, widget: WidgetID(3), kind: .carousel, extent: 0.3),
        from: &machine)
      _ = commands(
        of: .seen(item(index), token: 1, CardSight(fraction: index == 0 ? 0.5 : 1, offset: 0)),
        from: &machine)
    }
    let settled = commands(of: .settled, from: &machine)
    let plays = settled.filter(\.concernsPlay)
    #expect(plays == (0..<3 as Range<UInt32>).map { .play(item($0), token: 1) })
    #expect(
      commands(
        of: .mediaEnded(item(1), token: 1, mount: machine.mount(of: item(1))!), at: 5,
        from: &machine) == [
          .pause(item(1), token: 1), .play(item(3), token: 1),
        ])
    #expect(machine.playing == 3)
  }

  @Test func `a card that failed gives its place away`() {
    var column = Column(.init(), count: 2)
    _ = column.show(0.45, at: 0)
    #expect(column.machine.isPlaying(item(0)))
    #expect(
      commands(of: .mediaFailed(item(0), token: 1), at: 1, from: &column.machine) == [
        .pause(item(0), token: 1), .play(item(1), token: 2),
      ])
    #expect(column.show(0, at: 2).filter(\.concernsPlay) == [.pause(item(1), token: 2)])
  }
}

extension VisibilityMachine.Command {
  fileprivate var concernsPlay: Bool {
    switch self {
    case .play, .pause: true
    default: false
    }
  }

  fileprivate var concernsPlayer: Bool {
    switch self {
    case .play, .pause, .mount, .unmount: true
    default: false
    }
  }
}
