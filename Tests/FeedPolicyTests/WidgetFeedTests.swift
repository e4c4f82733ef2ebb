import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private typealias Command = WidgetFeed.Command

/// The widgets of a feed whose videos are all known, with draws by seed.
private func layout(
  videos: UInt32, seed: UInt64, _ configuration: WidgetFeed.Configuration = .init()
) -> [Widget] {
  var feed = WidgetFeed(configuration)
  var generator = SeededGenerator(seed)
  _ = commands(of: .videosKnown(videos), from: &feed)
  _ = commands(of: .feedCompleted, from: &feed)
  var widgets: [Widget] = []
  while widgets.count < 10_000 {
    let draw = Double(generator.next() >> 11) * 0x1p-53
    guard case .append(let widget) = commands(of: .nextWidget(draw: draw), from: &feed)[0] else {
      break
    }
    widgets.append(widget)
  }
  return widgets
}

struct `Widget feed` {
  /// Covers: VF-001, VF-004.
  @Test func `every fourth widget is a Carousel of the next six videos`() {
    let widgets = layout(videos: 60, seed: 1, .init(merchShare: 0))
    for (index, widget) in widgets.dropLast().enumerated() {
      #expect(widget.kind == (index % 4 == 3 ? .carousel : .short))
      #expect(widget.cards == (index % 4 == 3 ? 6 : 1))
    }
    // Three Shorts and a Carousel take nine videos: 54 make 24 widgets, the last six 3 + 3.
    #expect(widgets.count == 28)
    #expect(widgets.last?.cards == 3)
  }

  /// Covers: VF-004.
  @Test func `the same draws give the same layout and Merch keeps the rule of the index`() {
    let widgets = layout(videos: 3_000, seed: 7, .init(merchShare: 0.3))
    #expect(widgets == layout(videos: 3_000, seed: 7, .init(merchShare: 0.3)))
    #expect(widgets != layout(videos: 3_000, seed: 8, .init(merchShare: 0.3)))
    for (index, widget) in widgets.enumerated() {
      #expect(widget.id.index == UInt32(index))
      #expect((index % 4 == 3) == (widget.kind == .carousel))
    }
    let merches = widgets.count { $0.kind == .merch }
    let places = widgets.count { $0.kind != .carousel }
    // Binomial: within four standard errors.
    let error = (0.3 * 0.7 / Double(places)).squareRoot()
    #expect(abs(Double(merches) / Double(places) - 0.3) < 4 * error)
  }

  /// Covers: VF-004.
  @Test func `Merch that does not count leaves every fourth of the others a Carousel`() {
    let widgets = layout(videos: 500, seed: 3, .init(merchShare: 0.4, countsMerch: false))
    let others = widgets.filter { $0.kind != .merch }
    for (index, widget) in others.enumerated() {
      #expect((index % 4 == 3) == (widget.kind == .carousel))
    }
    #expect(others.count < widgets.count)
  }

  @Test func `a widget whose videos are unknown waits and then takes the same draw`() {
    var feed = WidgetFeed(.init(merchShare: 0))
    #expect(commands(of: .nextWidget(draw: 0.5), from: &feed) == [.wait])
    _ = commands(of: .videosKnown(5), from: &feed)
    for place in 0..<3 as Range<UInt32> {
      #expect(
        commands(of: .nextWidget(draw: 0.5), from: &feed) == [
          .append(Widget(id: WidgetID(place), kind: .short, first: ItemID(place), cards: 1))
        ])
    }
    #expect(commands(of: .nextWidget(draw: 0.5), from: &feed) == [.wait])
    _ = commands(of: .feedCompleted, from: &feed)
    #expect(
      commands(of: .nextWidget(draw: 0.5), from: &feed) == [
        .append(Widget(id: WidgetID(3), kind: .carousel, first: ItemID(3), cards: 2))
      ])
    #expect(commands(of: .nextWidget(draw: 0.5), from: &feed) == [.end])
    #expect(commands(of: .videosKnown(9), from: &feed) == [])
    #expect(commands(of: .feedCompleted, from: &feed) == [])
    #expect(feed.ignored == 2)
  }

  /// Covers: VF-001, VF-004.
  @Test(arguments: 0..<250 as Range<UInt64>)
  func `any order of events lays every video out once`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    let configuration = WidgetFeed.Configuration(
      carouselEvery: UInt32(1 + generator.below(5)), carouselCards: UInt32(1 + generator.below(8)),
      merchShare: Double(generator.below(10)) / 10, countsMerch: generator.once(in: 2))
    var feed = WidgetFeed(configuration)
    var next: UInt32 = 0
    var count: UInt32 = 0
    for _ in 0..<500 {
      switch generator.below(12) {
      case 0: _ = commands(of: .videosKnown(UInt32(generator.below(400))), from: &feed)
      case 1 where generator.once(in: 100): _ = commands(of: .feedCompleted, from: &feed)
      default:
        let draw = Double(generator.below(1_000)) / 1_000
        let found = commands(of: .nextWidget(draw: draw), from: &feed)
        guard case .append(let widget) = found[0] else { continue }
        #expect(widget.id.index == count && widget.first.index == next, "seed \(seed)")
        count += 1
        next += widget.cards
      }
      #expect(feed.used == next && feed.used <= feed.known, "seed \(seed)")
      #expect(feed.widgets == count, "seed \(seed)")
    }
  }
}

struct `Feed pager` {
  private func opened() -> FeedPager {
    var pager = FeedPager(.init(firstPage: 10, laterPages: 20, trigger: 4))
    _ = commands(of: .feedOpened, from: &pager)
    return pager
  }

  /// Covers: VF-005.
  @Test func `the first page and later pages have sizes of their own`() {
    var pager = FeedPager(.init(firstPage: 10, laterPages: 20, trigger: 4))
    #expect(
      commands(of: .feedOpened, from: &pager) == [
        .fetch(request: 1, first: ItemID(0), count: 10)
      ])
    #expect(commands(of: .pageArrived(request: 1, items: 10, isLast: false), from: &pager) == [])
    #expect(commands(of: .itemShown(ItemID(4)), from: &pager) == [])
    #expect(
      commands(of: .itemShown(ItemID(5)), from: &pager) == [
        .fetch(request: 2, first: ItemID(10), count: 20)
      ])
    #expect(commands(of: .itemShown(ItemID(6)), from: &pager) == [])
    #expect(pager.starvations == 0)
  }

  /// Covers: VF-006, SIG-047.
  @Test func `the end of what is known is a starvation, once`() {
    var pager = opened()
    _ = commands(of: .pageArrived(request: 1, items: 10, isLast: false), from: &pager)
    _ = commands(of: .itemShown(ItemID(9)), from: &pager)
    _ = commands(of: .itemShown(ItemID(9)), from: &pager)
    #expect(pager.starvations == 1)
    _ = commands(of: .pageArrived(request: 2, items: 1, isLast: false), from: &pager)
    _ = commands(of: .itemShown(ItemID(10)), from: &pager)
    #expect(pager.starvations == 2)
  }

  @Test func `a late or repeated page changes nothing`() {
    var pager = opened()
    _ = commands(of: .pageArrived(request: 1, items: 10, isLast: false), from: &pager)
    _ = commands(of: .pageArrived(request: 1, items: 10, isLast: false), from: &pager)
    _ = commands(of: .pageFailed(request: 1), from: &pager)
    _ = commands(of: .pageArrived(request: 7, items: 10, isLast: true), from: &pager)
    #expect(pager.known == 10)
    #expect(pager.stale == 3)
  }

  @Test func `a failed page is repeated after delays that double`() {
    var pager = opened()
    var at: Int64 = 0
    for delay in [500, 1_000, 2_000, 4_000, 8_000, 8_000] as [Int64] {
      let timer = Instant.zero + .milliseconds(at + delay)
      #expect(
        commands(of: .pageFailed(request: pager.requests), at: at, from: &pager) == [
          .setTimer(at: timer)
        ])
      #expect(
        commands(of: .timerFired, at: at + delay - 1, from: &pager) == [.setTimer(at: timer)])
      at += delay
      #expect(commands(of: .timerFired, at: at, from: &pager).count == 1)
    }
    #expect(pager.isLoading)
  }

  @Test func `delays double up to the longest span and no further`() {
    var pager = FeedPager(.init(retryDelay: .seconds(9), longestDelay: .max))
    var list = commands(of: .feedOpened, from: &pager)
    for _ in 0..<80 {
      list = commands(of: .pageFailed(request: pager.requests), from: &pager)
      #expect(list.count == 1)
      // The largest time there is.
      list = commands(of: .timerFired, at: .max, from: &pager)
      #expect(pager.isLoading)
    }
    list = commands(of: .pageFailed(request: pager.requests), from: &pager)
    #expect(list == [.setTimer(at: .distantFuture)])
  }

  @Test func `after the last page nothing is asked for`() {
    var pager = opened()
    _ = commands(of: .pageArrived(request: 1, items: 0, isLast: false), from: &pager)
    #expect(pager.isComplete)
    #expect(commands(of: .itemShown(ItemID(9)), from: &pager) == [])
    #expect(commands(of: .itemShown(ItemID(.max)), from: &pager) == [])
    #expect(pager.starvations == 0)
  }

  /// Covers: VF-005, VF-006, SIG-046: each page goes on where the one before ended.
  @Test(arguments: 0..<250 as Range<UInt64>)
  func `any order of events has one request under way at most`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var pager = FeedPager(
      .init(
        firstPage: UInt32(1 + generator.below(20)), laterPages: UInt32(1 + generator.below(30)),
        trigger: UInt32(generator.below(20))))
    var open: UInt32?
    var now: Int64 = 0
    for _ in 0..<500 {
      now += Int64(generator.below(300))
      let number = UInt32(max(0, Int(pager.requests) - generator.below(2)))
      let event: FeedPager.Event
      switch generator.below(10) {
      case 0: event = .feedOpened
      case 1...4: event = .itemShown(ItemID(UInt32(generator.below(Int(pager.known) + 3))))
      case 5, 6:
        event = .pageArrived(
          request: number, items: UInt32(1 + generator.below(30)),
          isLast: generator.once(in: 60))
      case 7: event = .pageFailed(request: number)
      default: event = .timerFired
      }
      let wasOpen = open
      if case .pageArrived(let request, _, _) = event, request == open { open = nil }
      if case .pageFailed(let request) = event, request == open { open = nil }
      for command in commands(of: event, at: now, from: &pager) {
        guard case .fetch(let request, let first, _) = command else { continue }
        #expect(open == nil, "seed \(seed): two requests")
        #expect(request == pager.requests && first.index == pager.known, "seed \(seed)")
        open = request
      }
      #expect(pager.isLoading == (open != nil), "seed \(seed): \(event), was \(wasOpen ?? 0)")
    }
  }
}

struct `Feed geometry` {
  /// Covers: VF-003.
  @Test func `sixteen to nine in the data is portrait`() throws {
    let shape = try #require(FrameShape(utf8: "16:9".utf8))
    #expect(shape.isPortrait)
    #expect(shape.height(ofWidth: 360) == 640)
    for text in ["", "16", "16:", ":9", "0:9", "16:9:1", "16x9", "123456:1"] {
      #expect(FrameShape(utf8: text.utf8) == nil)
    }
  }

  /// Covers: VF-002.
  @Test func `the column is at most 768 wide and shows two or three cards and a half`() {
    let small = FeedGeometry(screenWidth: 390, screenHeight: 844)
    let large = FeedGeometry(screenWidth: 1_024, screenHeight: 1_366)
    #expect(small.columnWidth == 390 && small.cardWidth == 156)
    #expect(large.columnWidth == 768 && abs(large.cardWidth * 3.5 - 768) < 1e-9)
    for (geometry, most) in [(small, 4), (large, 5)] {
      var offset = 0.0
      while offset <= geometry.farthest(cards: 6) {
        let shares = (0..<6 as Range<UInt32>).map { geometry.across(place: $0, offset: offset) }
        #expect(shares.count { $0 > 0 } <= most)
        #expect(abs(shares.reduce(0, +) - geometry.cardsShown) < 1e-9)
        offset += 1
      }
    }
    // Where a card begins at the left edge: at most 3 and 4 cards, as VF-002 has it; a Carousel
    // that is dragged in between shows a part of one more.
    for (geometry, most) in [(small, 3), (large, 4)] {
      for first in 0..<3 {
        let offset = Double(first) * geometry.cardWidth
        let shares = (0..<6 as Range<UInt32>).map { geometry.across(place: $0, offset: offset) }
        #expect(shares.count { $0 > 1e-9 } == most)
      }
    }
    // At rest at the left end: two whole cards and half of the third.
    #expect(
      (0..<6 as Range<UInt32>).map { small.across(place: $0, offset: 0) } == [1, 1, 0.5, 0, 0, 0])
  }

  @Test func `a tall widget is never wholly visible`() {
    #expect(FeedGeometry.along(offset: 0, extent: 2) == 0.5)
    #expect(FeedGeometry.along(offset: 0.75, extent: 0.5) == 0)
    #expect(FeedGeometry.along(offset: 0.5, extent: 0.5) == 0.5)
    #expect(FeedGeometry.along(offset: 0, extent: 0) == 0)
  }
}

struct `Deceleration laws` {
  /// Covers: SIG-035. Numbers of `parameters.md` section 15.
  @Test func `UIKit's lists travel half a second and a tenth of a second of their velocity`() {
    #expect(abs(DecelerationLaw.uikitNormal.travel(from: 1_000) - 499) < 1)
    #expect(abs(DecelerationLaw.uikitFast.travel(from: 1_000) - 99) < 1)
    // The fast pager settles within the half second that a page snap may take.
    let settle = DecelerationLaw.uikitFast.duration(from: 4_000)
    #expect(settle > .milliseconds(250) && settle < .milliseconds(800))
  }

  /// Covers: REEL-030. Computed apart from OverScroller's formulas in dp: l = ln(0.35 v / (0.015 x
  /// 51 890)), duration e^(l/1.358), distance 778.35 e^(1.736 l).
  @Test func `Android's fling of 4000 dp per second takes 1.54 s`() {
    let duration = DecelerationLaw.android.duration(from: 4_000).seconds
    let travel = DecelerationLaw.android.travel(from: 4_000)
    #expect(abs(duration - 1.54068) < 1e-5)
    #expect(abs(travel - 2_156.952) < 1e-3)
    #expect(DecelerationLaw.android.travel(from: -4_000) == -travel)
  }

  @Test(arguments: [DecelerationLaw.uikitNormal, .uikitFast, .android], [300.0, 2_500, -6_000])
  func `position and velocity agree and end at rest`(law: DecelerationLaw, velocity: Double) {
    let duration = law.duration(from: velocity)
    let step = 1e-4
    var before = 0.0
    for share in stride(from: 0.05, to: 0.95, by: 0.05) {
      let time = duration.scaled(by: share)
      let position = law.position(at: time, from: velocity)
      #expect(abs(position) >= before)
      before = abs(position)
      let next = law.position(at: time + TimeSpan(seconds: step), from: velocity)
      let slope = (next - position) / step
      #expect(abs(slope - law.velocity(at: time, from: velocity)) < 0.01 * abs(velocity))
    }
    #expect(law.position(at: duration, from: velocity) == law.travel(from: velocity))
    #expect(law.velocity(at: duration, from: velocity) == 0)
    #expect(abs(law.velocity(at: .zero, from: velocity) - velocity) < 1e-3 * abs(velocity))
    #expect(law.duration(from: 0) == .zero)
  }
}
