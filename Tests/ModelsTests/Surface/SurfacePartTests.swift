import FeedPolicy
import MediaUnits
import Testing

@testable import FeedModel
@testable import SimulationKernel

/// The parts of a viewer of a mixed feed, each without the others.
@Suite struct SurfacePartTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// Shorts of 100 points, a Carousel of three cards in their midst, 10 points between two.
  private func column() -> SurfaceColumn {
    var column = SurfaceColumn()
    var card: UInt32 = 0
    for index in UInt32(0)..<5 {
      let isRow = index == 2
      let cards: UInt32 = isRow ? 3 : 1
      column.append(
        Widget(
          id: WidgetID(index), kind: isRow ? .carousel : .short, first: ItemID(card), cards: cards),
        height: 100, gap: 10)
      card += cards
    }
    return column
  }

  @Test func `widgets stand one below the other, and cells reach beyond the viewport`() {
    var column = column()
    #expect(column.widgets.map(\.top) == [0, 110, 220, 330, 440])
    #expect(column.near(screenHeight: 150, margin: 50) == 0..<2)
    column.bind(0..<2)
    #expect(column.boundCards == 0..<2)
    #expect(column.scroll(to: 200, screenHeight: 150) == true)
    // From 150 to 400: the second widget ends at 210, the fourth begins at 330.
    #expect(column.near(screenHeight: 150, margin: 50) == 1..<4)
    column.bind(1..<4)
    #expect(column.boundCards == 1..<6)
    #expect(column.centredCarousel(screenHeight: 150) == 2)
    #expect(!column.isEndShown(screenHeight: 150) && column.isEndShown(screenHeight: 250))
  }

  @Test func `a column stops at its ends, and so does a row`() {
    var column = column()
    #expect(column.scroll(to: -5, screenHeight: 150) == false)
    #expect(column.offset == 0)
    #expect(column.scroll(to: 500, screenHeight: 150) == false)
    #expect(column.offset == 390)
    #expect(column.push(2, to: 30, limit: 40) == true)
    #expect(column.push(2, to: 50, limit: 40) == false)
    #expect(column.widgets[2].across == 40)
    // A column shorter than the screen cannot be scrolled.
    #expect(column.scroll(to: 1, screenHeight: 1_000) == false)
    #expect(column.offset == 0)
  }

  @Test func `cells are recycled by kind of widget, bindings have numbers of their own`() {
    var column = column()
    #expect(column.takeCell(.short) == false)
    column.giveCell(.short)
    #expect(column.takeCell(.carousel) == false)
    #expect(column.takeCell(.short) == true)
    #expect(column.takeCell(.short) == false)
    #expect(column.nextToken() == 1)
    #expect(column.nextToken() == 2)
  }

  @Test func `a pool's player that is not ready for its last card begins with the next later`() {
    var players = SurfacePlayers(PlayerPool.Configuration(), players: 2)
    #expect(players.put(4, in: 1, isNew: true, at: at(10)) == at(10))
    players.ready(1, at: at(60))
    #expect(players.put(5, in: 1, isNew: false, at: at(20)) == at(60))
    #expect(players.put(6, in: 1, isNew: false, at: at(70)) == at(70))
    #expect(players.slots == [nil, 6])
    players.clear(1)
    #expect(players.slots == [nil, nil])
    #expect(players.put(7, in: 1, isNew: true, at: at(30)) == at(30))
  }

  @Test func `a pool is told of frames of cards that have its players alone`() {
    var players = SurfacePlayers(PlayerPool.Configuration(), players: 3)
    var commands: [PlayerPool.Command] = []
    #expect(players.current == nil && players.readiness(of: ItemID(5)) == nil)
    players.handle(
      .currentChanged(ItemID(5), last: ItemID(9)), at: at(0), into: &commands, by: nil)
    #expect(players.current == ItemID(5) && players.readiness(of: ItemID(5)) != nil)
    #expect(players.readiness(of: ItemID(9)) == nil)
  }

  @Test func `the pool stands around the card that serves the most without a player`() {
    let players = SurfacePlayers(PlayerPool.Configuration(), players: 3)
    // One ahead and one behind: only around 4 are all three in the window.
    #expect(players.centre(of: 3...5, needs: { _ in true }, has: { _ in false }) == 4)
    // Of five, those without a player count first.
    #expect(players.centre(of: 0...4, needs: { _ in true }, has: { $0 < 2 }) == 3)
    #expect(players.centre(of: 0...4, needs: { $0 % 4 == 0 }, has: { $0 == 0 }) == 3)
  }

  @Test func `beside a pool a device has so many players and no more`() {
    var players = SurfacePlayers(PlayerPool.Configuration(), players: 2)
    #expect(players.takeOwn(of: 2) == true)
    #expect(players.takeOwn(of: 2) == true)
    #expect(players.takeOwn(of: 2) == false)
    players.giveOwn()
    #expect(players.takeOwn(of: 2) == true)
    #expect(players.nextNumber() == 1)
    #expect(players.nextNumber() == 2)
  }

  @Test func `motions have numbers, and a row stays the one that was pushed last`() {
    var motion = SurfaceMotion()
    motion.begin(.sideways, at: at(5), length: .seconds(1), origin: 3, velocity: 7, widget: 2)
    #expect(motion.kind == .sideways && motion.number == 1 && !motion.isBurst)
    motion.stop()
    motion.begin(.fling, at: at(9), length: .seconds(2), origin: 0, velocity: -4)
    #expect(motion.isBurst && motion.widget == 2 && motion.number == 2 && motion.since == at(9))
    var habit = SurfaceHabit()
    #expect(habit.nextRest() == 0)
    #expect(habit.nextRest() == 1)
    #expect(habit.nextGesture() == 0)
    habit.leave()
    #expect(habit.rests == 2 && habit.isAway)
    habit.comeBack()
    #expect(!habit.isAway)
  }

  @Test func `a view is of one card, and what comes first counts`() {
    var view = SurfaceView(of: 3, at: at(10), wasReady: nil, shown: nil)
    #expect(view.isOf(3) && !view.isOf(4) && view.awaitsFrame(of: 3))
    view.tell(isReady: false, at: at(20))
    view.tell(isReady: true, at: at(30))
    #expect(view.toldAt == at(20) && !view.isReady)
    var times = SurfaceTimes()
    times.reach(.data, at: at(25))
    view.show(times, at: at(40))
    #expect(!view.awaitsFrame(of: 3) && view.frameAt == at(40))
    times.reach(.data, at: at(50))
    view.leave(times, at: at(60))
    // As they stood when it had its frame.
    #expect(view.times?[.data] == at(25) && view.leftAt == at(60))
    view.add(played: .seconds(2), stalled: .seconds(1))
    view.countStall()
    view.close()
    #expect(!view.isOf(3) && view.played == .seconds(2) && view.stalls == 1)
  }

  @Test func `a view of a card that plays already has its frame`() {
    var times = SurfaceTimes()
    times.reach(.data, at: at(5))
    let view = SurfaceView(of: 1, at: at(10), wasReady: false, shown: times)
    #expect(view.isReady && view.frameAt == at(10) && view.toldAt == at(10))
    #expect(!view.awaitsFrame(of: 1) && view.times?[.data] == at(5))
    var aimed = SurfaceView()
    aimed.aim(at: 8)
    #expect(aimed.item == 8 && !aimed.isOf(8))
  }

  @Test func `a wait is cut into the steps that ended in it, and nothing of it is left over`() {
    var times = SurfaceTimes()
    times.reach(.asked, at: at(90))
    times.reach(.connected, at: at(120))
    times.reach(.manifest, at: at(150))
    let waiting = times.parts(from: at(100), to: at(200))
    #expect(waiting[.queue] == 0 && waiting[.connect] == 20_000_000)
    // The playlists were still to come.
    #expect(waiting[.manifest] == 30_000_000 && waiting[.playlists] == 50_000_000)
    let steps: [SurfaceTimes.Step] = [
      .playlists, .initSegment, .firstByte, .data, .decoder, .decoded,
    ]
    for (number, step) in steps.enumerated() {
      times.reach(step, at: at(160 + 10 * Int64(number)))
    }
    times.reach(.presented, at: at(225))
    let parts = times.parts(from: at(100), to: at(240))
    #expect(parts[.queue] == 15_000_000 && parts[.presentation] == 15_000_000)
    #expect(parts[.transfer] == 10_000_000 && parts[.firstDecode] == 10_000_000)
    #expect(StartupPart.allCases.reduce(0) { $0 + parts[$1] } == 140_000_000)
  }

  @Test func `a motion's speed is that of the column, and none at rest or sideways`() {
    var motion = SurfaceMotion()
    #expect(motion.speed(at: at(0), under: .android) == 0)
    motion.begin(.drag, at: at(0), length: .seconds(1), origin: 0, velocity: -800)
    #expect(motion.speed(at: at(500), under: .android) == 800)
    motion.begin(.fling, at: at(1000), length: .seconds(1), origin: 0, velocity: 3000)
    let first = motion.speed(at: at(1000), under: .android)
    let later = motion.speed(at: at(1300), under: .android)
    #expect(first > 2900 && later < first && later > 0)
    motion.begin(.sideways, at: at(2000), length: .seconds(1), origin: 0, velocity: 3000)
    #expect(motion.speed(at: at(2000), under: .android) == 0)
  }

  @Test func `of a segment under way as much was rendered as was seen and had come`() {
    func bytes(_ seen: Int64, arrived: Int64 = 1000) -> Int64 {
      ShownItem.bytes(
        of: 1000, arrived: arrived, seen: .milliseconds(seen), length: .seconds(4))
    }
    #expect(bytes(-100) == 0 && bytes(0) == 0 && bytes(1000) == 250 && bytes(4000) == 1000)
    #expect(bytes(3000, arrived: 600) == 600)
  }

  @Test func `an event that was taken is not cancelled again`() {
    var timers = SurfaceTimers()
    let event = EventHandle(slot: 1, generation: 6)
    timers.set(.rest, event)
    #expect(timers.take(.tap) == .none)
    #expect(timers.take(.rest) == event)
    #expect(timers.take(.rest) == .none)
  }
}
