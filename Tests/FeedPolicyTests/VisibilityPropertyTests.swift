import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private typealias Machine = VisibilityMachine

/// Keeps books from the commands alone and complains about impossible ones.
private struct SurfaceHost {
  struct Card {
    var item: ItemID
    var token: UInt32
    var widget: WidgetID
    var kind: WidgetKind
    var fraction = 0.0
    var isFetching = false
    var hasPlayer = false
    var plays = false
    var wasTapped = false
  }
  var cards: [Card] = []
  var isFront = true
  var admission = ScrollGate.Admission.all

  func place(_ item: ItemID) -> Int? { cards.firstIndex { $0.item == item } }

  /// What the event says, before the machine answers.
  mutating func note(_ event: Machine.Event, limit: Int) {
    switch event {
    case .bound(let item, let token, let widget, let kind, _):
      if let index = place(item), cards[index].token == token { return }
      if place(item) == nil && cards.count == limit { return }
      cards.append(Card(item: item, token: token, widget: widget, kind: kind))
    case .seen(let item, let token, let sight):
      guard let index = place(item), cards[index].token == token, sight.isValid else { return }
      cards[index].fraction = sight.fraction
    case .tapped(let item, let token):
      guard let index = place(item), cards[index].token == token else { return }
      cards[index].wasTapped = true
    case .frontChanged(let isFront): self.isFront = isFront
    case .admissionChanged(let admission): self.admission = admission
    default: return
    }
  }

  /// The card that a command is for.
  private mutating func with(
    _ item: ItemID, _ token: UInt32, _ seed: UInt64, _ body: (inout Card) -> Void
  ) {
    guard let index = cards.firstIndex(where: { $0.item == item && $0.token == token }) else {
      Issue.record("seed \(seed): a command for an unknown binding of \(item.index)")
      return
    }
    body(&cards[index])
  }

  mutating func perform(_ command: Machine.Command, isTap: Bool, isLowEnd: Bool, seed: UInt64) {
    let admission = admission
    switch command {
    case .startPrefetch(let item, let token):
      #expect(admission != .none, "seed \(seed): a prefetch behind a shut gate")
      with(item, token, seed) {
        #expect(!$0.isFetching && !$0.hasPlayer, "seed \(seed): a second prefetch")
        $0.isFetching = true
      }
    case .cancelPrefetch(let item, let token):
      with(item, token, seed) {
        #expect(
          $0.isFetching && !$0.hasPlayer, "seed \(seed): a cancellation of nothing")
        $0.isFetching = false
      }
    case .mount(let item, let token, _):
      #expect(admission != .none || isTap, "seed \(seed): a mount behind a shut gate")
      with(item, token, seed) {
        #expect(!$0.hasPlayer, "seed \(seed): mounted twice")
        #expect($0.fraction >= 0.01, "seed \(seed): mounted off the screen")
        $0.hasPlayer = true
        $0.isFetching = false
      }
    case .unmount(let item, let token):
      with(item, token, seed) {
        #expect($0.hasPlayer && !$0.plays, "seed \(seed): unmounted while it plays")
        $0.hasPlayer = false
      }
    case .play(let item, let token):
      with(item, token, seed) {
        #expect($0.hasPlayer && !$0.plays, "seed \(seed): an impossible play")
        #expect(!isLowEnd || $0.wasTapped, "seed \(seed): autoplay on a low-end device")
        $0.plays = true
      }
    case .pause(let item, let token):
      with(item, token, seed) {
        #expect($0.plays, "seed \(seed): a pause of what does not play")
        $0.plays = false
      }
    case .setTimer: break
    }
  }

  /// Bindings that are over.
  mutating func forget(_ event: Machine.Event, limit: Int) {
    switch event {
    case .recycled(let item, let token):
      cards.removeAll { $0.item == item && $0.token == token }
    case .bound(let item, let token, _, _, _):
      cards.removeAll { $0.item == item && $0.token != token }
    default: return
    }
  }
}

/// A column of Shorts and Carousels that wanders, with events late, repeated and in any order.
private func surfaceLog(_ seed: UInt64, length: Int) -> [(now: Instant, event: Machine.Event)] {
  var generator = SeededGenerator(seed)
  var log: [(now: Instant, event: Machine.Event)] = []
  var now: Int64 = 0
  var tokens = [UInt32](repeating: 1, count: 18)
  var position = 0.0
  func widget(_ item: UInt32) -> (WidgetID, WidgetKind, Double) {
    // Three Shorts, then a Carousel of six; nine cards to four widgets.
    let row = item / 9 * 4
    let place = item % 9
    return place < 3
      ? (WidgetID(row + place), .short, 0.8) : (WidgetID(row + 3), .carousel, 0.3)
  }
  for item in 0..<18 as Range<UInt32> {
    let (id, kind, extent) = widget(item)
    log.append(
      (.zero, .bound(ItemID(item), token: 1, widget: id, kind: kind, extent: extent)))
  }
  while log.count < length {
    now += Int64(generator.below(200))
    let item = UInt32(generator.below(18))
    let (id, kind, extent) = widget(item)
    let token = generator.once(in: 12) ? tokens[Int(item)] &- 1 : tokens[Int(item)]
    let event: Machine.Event
    switch generator.below(24) {
    case 0:
      tokens[Int(item)] += 1
      event = .bound(
        ItemID(item), token: tokens[Int(item)], widget: id, kind: kind, extent: extent)
    case 1: event = .recycled(ItemID(item), token: token)
    case 2: event = .admissionChanged([.all, .predicted, .none, .all][generator.below(4)])
    case 3: event = .frontChanged(!generator.once(in: 4))
    case 4: event = .tapped(ItemID(item), token: token)
    case 5: event = .mediaFailed(ItemID(item), token: token)
    // ``present(_:in:)`` puts the card's mount in place of 1; 0 is never one.
    case 6, 7: event = .mediaEnded(ItemID(item), token: token, mount: generator.once(in: 8) ? 0 : 1)
    case 8, 9: event = .mediaReady(ItemID(item), token: token, mount: generator.once(in: 8) ? 0 : 1)
    case 10, 11: event = .timerFired(ItemID(item), token: token)
    case 12: event = .settled
    case 13...15:
      position += Double(generator.below(100)) / 100 - 0.5
      position = max(0, min(6, position))
      event = .scrolled(
        velocity: Double(generator.below(80)) / 10 - 4,
        travel: Double(generator.below(40)) / 10 - 2)
    default:
      let across = kind == .short ? 1 : Double(generator.below(5)) / 4
      let offset = Double(id.index) * 0.9 - position
      event = .seen(
        ItemID(item), token: token,
        generator.once(in: 300)
          ? CardSight(fraction: .nan, offset: 0)
          : CardSight(offset: offset, extent: extent, across: across))
    }
    log.append((.zero + .milliseconds(now), event))
    if generator.once(in: 15) { log.append((.zero + .milliseconds(now), event)) }
  }
  return log
}

/// The event with the number of the card's present mount where it has the placeholder 1.
private func present(_ event: Machine.Event, in machine: Machine) -> Machine.Event {
  switch event {
  case .mediaReady(let item, let token, 1):
    .mediaReady(item, token: token, mount: machine.mount(of: item) ?? 0)
  case .mediaEnded(let item, let token, 1):
    .mediaEnded(item, token: token, mount: machine.mount(of: item) ?? 0)
  default: event
  }
}

struct `Visibility machine properties` {
  static let configurations: [VisibilityMachine.Configuration] = [
    .init(),
    .init(short: .init(enter: 0.35, leave: 0.2), carousel: .init(enter: 0.5, leave: 0.3)),
    .init(short: .init(dwell: .milliseconds(150)), sequence: .init(reading: .rotating)),
    .init(model: .predictedRest, rules: .init(widgetOrder: .mostCentred)),
    .init(model: .projectedDwell(.milliseconds(500)), prefetchCount: 2),
    .init(rules: .init(cardOrder: .mostVisible), cardLimit: 12),
    .init(isLowEnd: true),
    .init(rules: .init(cardOrder: .longestWaiting), sequence: .init(reading: .rotating)),
  ]

  /// Covers: VF-008, VF-009, VF-016, VF-028, VF-029, VF-036, VF-039, VF-041, VF-042, VF-047.
  @Test(arguments: 0..<256 as Range<UInt64>)
  func `any order of events keeps the rules`(seed: UInt64) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    var machine = VisibilityMachine(configuration)
    var host = SurfaceHost()
    var scratch: [VisibilityMachine.Command] = []
    for (now, logged) in surfaceLog(seed, length: 420) {
      let event = present(logged, in: machine)
      host.note(event, limit: configuration.cardLimit)
      scratch.removeAll(keepingCapacity: true)
      machine.handle(event, at: now, into: &scratch)
      var isTap = false
      if case .tapped = event { isTap = true }
      for command in scratch {
        host.perform(
          command, isTap: isTap, isLowEnd: configuration.isLowEnd, seed: seed)
      }
      host.forget(event, limit: configuration.cardLimit)
      check(machine, host, configuration, seed)
    }
  }

  private func check(
    _ machine: VisibilityMachine, _ host: SurfaceHost,
    _ configuration: VisibilityMachine.Configuration, _ seed: UInt64
  ) {
    let playing = host.cards.filter(\.plays)
    #expect(Set(playing.map(\.widget)).count <= 1, "seed \(seed): two widgets play")
    #expect(
      playing.count <= (playing.first?.kind == .carousel ? 3 : 1), "seed \(seed): too many cards")
    #expect(host.isFront || playing.isEmpty, "seed \(seed): plays behind another tab")
    #expect(machine.playing == playing.count, "seed \(seed)")
    #expect(machine.mounted == host.cards.count(where: \.hasPlayer), "seed \(seed)")
    #expect(machine.bound == host.cards.count, "seed \(seed)")
    if configuration.isLowEnd {
      #expect(machine.mounted <= 1, "seed \(seed): two players on a low-end device")
    }
    for card in host.cards {
      let limits = card.kind == .carousel ? configuration.carousel : configuration.short
      #expect(
        !card.plays || card.fraction >= limits.leave, "seed \(seed): plays below its share")
      #expect(!card.hasPlayer || card.fraction > 0, "seed \(seed): a player off the screen")
      #expect(machine.isPlaying(card.item) == card.plays, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `replays agree with each other`(seed: UInt64) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    let runs = replayed(
      surfaceLog(seed + 500, length: 1_000), configuration, of: VisibilityMachine.self)
    #expect(runs.separate == runs.reused)
    #expect(runs.separate == runs.copied)
  }
}
