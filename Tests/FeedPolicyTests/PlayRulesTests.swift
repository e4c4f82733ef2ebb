import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private typealias Candidate = PlayRules.Candidate

private func chosen(_ rules: PlayRules, _ candidates: [PlayRules.Candidate]) -> [UInt32] {
  var items: [ItemID] = []
  rules.choose(candidates, into: &items)
  return items.map(\.index)
}

private func card(
  _ item: UInt32, in widget: UInt32 = 0, _ kind: WidgetKind = .carousel,
  _ role: PlayRules.Candidate.Role = .waiting, loaded: Bool = true, wanted: Bool = false,
  fraction: Double = 1, distance: Double = 0, since: Int64 = 0, plays: UInt32 = 0
) -> PlayRules.Candidate {
  PlayRules.Candidate(
    item: ItemID(item), widget: WidgetID(widget), kind: kind, role: role, isLoaded: loaded,
    isWanted: wanted, fraction: fraction, distance: distance,
    since: .zero + .milliseconds(since), plays: plays)
}

struct `Rules to play` {
  /// Covers: VF-010.
  @Test func `of four visible cards three play by the order that is set`() {
    let cards = [
      card(6, fraction: 0.5, since: 40), card(7, since: 30), card(8, since: 20),
      card(9, fraction: 0.75, since: 10),
    ]
    #expect(chosen(.init(cardOrder: .leftmost), cards) == [6, 7, 8])
    #expect(chosen(.init(cardOrder: .mostVisible), cards) == [7, 8, 9])
    #expect(chosen(.init(cardOrder: .longestWaiting), cards) == [9, 8, 7])
  }

  /// Covers: VF-008, VF-009.
  @Test func `a widget keeps playing and the others wait`() {
    let cards = [
      card(2, in: 2, .short, .playing, distance: 0.4, since: 90),
      card(3, in: 3, .carousel, since: 10), card(4, in: 3, .carousel, since: 10),
    ]
    #expect(chosen(.init(), cards) == [2])
    #expect(chosen(.init(widgetOrder: .mostCentred), cards) == [3, 4])
    #expect(chosen(.init(widgetOrder: .mostCentred, centreMargin: 0.5), cards) == [2])
  }

  /// Covers: VF-034.
  @Test func `a card on its way out gives way to a loaded one only`() {
    let leaving = card(2, in: 2, .short, .leaving)
    #expect(chosen(.init(), [leaving, card(3, in: 3, .short)]) == [3])
    #expect(chosen(.init(), [leaving, card(3, in: 3, .short, loaded: false)]) == [2])
    #expect(chosen(.init(), [card(3, in: 3, .short, loaded: false)]) == [3])
    // In a Carousel, too: the fourth takes the place of the one that leaves.
    let row = [
      card(6, .carousel, .playing), card(7, .carousel, .leaving), card(8, .carousel, .playing),
      card(5, .carousel, .leaving), card(9),
    ]
    #expect(chosen(.init(), row) == [6, 8, 9])
  }

  /// Covers: VF-029, SIG-036.
  @Test func `what the viewer tapped comes first`() {
    let cards = [
      card(2, in: 2, .short, .playing), card(3, in: 3, .short, loaded: false, wanted: true),
    ]
    #expect(chosen(.init(), cards) == [3])
  }

  /// Covers: VF-042, VF-044, VF-045.
  @Test func `turns go to those that played least and then waited longest`() {
    let rules = PlayRules(cardOrder: .longestWaiting, carouselLimit: 1)
    #expect(chosen(rules, [card(1, plays: 1), card(2, since: 9), card(3, since: 5)]) == [3])
    #expect(PlaySequence(reading: .once).mayPlay(after: 0))
    #expect(!PlaySequence(reading: .once).mayPlay(after: 1))
    #expect(PlaySequence(reading: .rotating).mayPlay(after: 7))
  }

  /// Covers: VF-043.
  @Test func `a turn is the shorter of the video and the preview`() {
    let sequence = PlaySequence(shortPreview: nil, carouselPreview: .seconds(6))
    #expect(sequence.length(of: .seconds(15), in: .short) == .seconds(15))
    #expect(sequence.length(of: .seconds(15), in: .carousel) == .seconds(6))
    #expect(sequence.length(of: .seconds(4), in: .carousel) == .seconds(4))
    #expect(sequence.length(of: .seconds(4), in: .merch) == .zero)
  }

  @Test func `nothing is chosen from nothing and never a Merch widget`() {
    #expect(chosen(.init(), []) == [])
    #expect(chosen(.init(), [card(1, .merch)]) == [])
  }

  /// Covers: VF-044. One card at a time, each for a preview: who waits, waits for n - 1 turns.
  @Test(arguments: 2...7 as ClosedRange<UInt32>)
  func `rotation is fair`(count: UInt32) {
    let rules = PlayRules(cardOrder: .longestWaiting, carouselLimit: 1)
    var cards = (0..<count).map { card($0) }
    var last = [Int](repeating: 0, count: Int(count))
    for turn in 1...60 {
      let item = Int(chosen(rules, cards)[0])
      #expect(turn - last[item] <= Int(count))
      last[item] = turn
      cards[item].plays += 1
      cards[item].since = .zero + .milliseconds(Int64(turn))
    }
    #expect(last.allSatisfy { 60 - $0 < Int(count) })
  }

  /// Covers: VF-044. Three cards of a Carousel at a time, whose turns never end together: a Short
  /// beside it waits for the n - 1 turns of the others at most.
  @Test func `a Carousel of cards that end at different times does not starve a Short`() {
    let rules = PlayRules(carouselLimit: 3)
    var cards = (0..<4 as Range<UInt32>).map { card($0) } + [card(4, in: 1, .short)]
    var ends = [Int](repeating: 0, count: 5)
    var last = 0
    var longest = 0
    for tick in 0..<2_000 {
      for index in 0..<5 where cards[index].role == .playing && ends[index] == tick {
        cards[index].role = .waiting
        cards[index].plays += 1
        cards[index].since = .zero + .milliseconds(Int64(tick))
        if index == 4 { last = tick }
      }
      let items = chosen(rules, cards)
      #expect(!items.isEmpty)
      for index in 0..<5 where cards[index].role == .waiting && items.contains(UInt32(index)) {
        cards[index].role = .playing
        ends[index] = tick + 5 + index
        if index == 4 { longest = max(longest, tick - last) }
      }
    }
    #expect(cards[4].plays > 50 && longest <= 4 * 8)
  }

  /// Covers: VF-008, VF-009.
  @Test(arguments: 0..<250 as Range<UInt64>)
  func `any candidates give one widget and its limit at most`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    for _ in 0..<400 {
      let rules = PlayRules(
        widgetOrder: generator.once(in: 2) ? .longestWaiting : .mostCentred,
        cardOrder: [.leftmost, .mostVisible, .longestWaiting][generator.below(3)])
      var cards: [PlayRules.Candidate] = []
      for item in 0..<UInt32(generator.below(12)) {
        let widget = item / 3
        cards.append(
          card(
            item, in: widget, widget % 2 == 0 ? .carousel : .short,
            [.waiting, .waiting, .playing, .leaving][generator.below(4)],
            loaded: generator.once(in: 2), wanted: generator.once(in: 20),
            fraction: Double(generator.below(5)) / 4, distance: Double(generator.below(5)) / 4,
            since: Int64(generator.below(5)), plays: UInt32(generator.below(3))))
      }
      let items = chosen(rules, cards)
      let widgets = items.map { $0 / 3 }
      #expect(Set(widgets).count <= 1, "seed \(seed)")
      #expect(Set(items).count == items.count, "seed \(seed)")
      #expect(items.count <= (widgets.first.map { $0 % 2 == 0 ? 3 : 1 } ?? 0), "seed \(seed)")
      #expect(cards.isEmpty == items.isEmpty, "seed \(seed)")
    }
  }
}
