import CachePolicy
import FeedPolicy
import MediaUnits
import Testing

@testable import FeedModel
@testable import SimulationKernel

/// The parts of a card of a mixed feed, each without the others.
@Suite struct SurfaceCardTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func sums(_ bytes: CardBytes, arriving: Int64, share: Double) -> [Int64] {
    let sums = bytes.sums(arriving: arriving, share: share)
    return [sums.delivered, sums.rendered, sums.early]
  }

  @Test func `a card asks for manifest and master once and for each rung's own parts`() {
    var loading = CardLoading()
    let (low, high) = (RungIndex(0), RungIndex(2))
    func take(_ asset: AssetClass, _ rung: RungIndex = RungIndex(0)) {
      loading.take(asset, rung, length: .seconds(4))
    }
    #expect(loading.nextOfAll == .mediaManifest)
    take(.mediaManifest)
    #expect(loading.nextOfAll == .masterPlaylist)
    take(.masterPlaylist)
    #expect(loading.nextOfAll == nil && loading.next(of: low) == .mediaPlaylist)
    take(.mediaPlaylist, low)
    #expect(loading.next(of: low) == .initSegment)
    take(.initSegment, low)
    #expect(loading.next(of: low) == .segment && loading.next(of: high) == .mediaPlaylist)
    #expect(loading.held == .zero)
    take(.segment, low)
    take(.segment, high)
    #expect(loading.held == .seconds(8) && loading.rungs == [0, 2])
  }

  @Test func `a card has one request at a time and gives its place back`() {
    var loading = CardLoading()
    loading.startPrefetch()
    loading.ask(7)
    #expect(loading.request == 7 && loading.isPrefetch)
    #expect(loading.endRequest() == 7)
    #expect(loading.endRequest() == nil)
    loading.endPrefetch()
    #expect(loading.request == nil && !loading.isPrefetch)
  }

  @Test func `bytes are early until the card is told to play, and none is lost from the account`() {
    var bytes = CardBytes()
    bytes.deliver(100)
    #expect(sums(bytes, arriving: 0, share: 0) == [100, 0, 100])
    bytes.want()
    bytes.deliver(300)
    // Of 500 that are no part of what was given up half was seen.
    #expect(sums(bytes, arriving: 100, share: 0.5) == [500, 250, 100])
    bytes.giveUp(80, isSegment: true, rendered: 20)
    #expect(sums(bytes, arriving: 100, share: 0.5) == [580, 270, 100])
    bytes.giveUp(10, isSegment: false)
    #expect(sums(bytes, arriving: 0, share: 2) == [490, 430, 100])
  }

  @Test func `a step that is undone has not happened`() {
    var times = SurfaceTimes()
    #expect(!times.has(.data) && times[.data] == .zero)
    times.reach(.data, at: at(5))
    times.reach(.presented, at: at(9))
    #expect(times.has(.data) && times[.data] == at(5) && times[.presented] == at(9))
    times.undo(.data)
    #expect(!times.has(.data) && times.has(.presented))
  }

  @Test func `a wait behind the edge ends with its request`() {
    var waits = SurfaceWaits()
    waits.add(.mediaManifest, from: at(1), until: at(3))
    waits.add(.segment, from: at(4), until: at(9))
    waits.cut(at: at(6))
    #expect(waits.list.map(\.until) == [at(3), at(6)])
    waits.cut(at: at(8))
    #expect(waits.list.map(\.until) == [at(3), at(6)])
  }

  @Test func `a player decodes once, and whoever loses it begins anew`() {
    var player = CardPlayer()
    player.mount(3)
    player.readyDecoder()
    #expect(player.isMounted && player.mount == 3 && player.freeDecoder == nil)
    player.give(11)
    let generation = player.generation
    #expect(player.freeDecoder == 11)
    player.beginDecoding()
    #expect(player.freeDecoder == nil && !player.isDecoded)
    player.finishDecoding()
    player.tell()
    player.present(until: at(5))
    player.show()
    #expect(player.isDecoded && player.wasReady && player.isShown && player.shownAt == at(5))
    player.stopPresenting()
    #expect(player.isShown && player.shownAt == nil)
    player.lose()
    #expect(player.number == nil && !player.isDecoded && !player.isShown && player.isMounted)
    #expect(player.generation == generation + 1)
    player.give(12)
    // It has no decoder yet.
    #expect(player.freeDecoder == nil)
  }

  @Test func `a turn is played, stalls, ends and may be the last`() {
    var playback = CardPlayback()
    playback.tell()
    playback.run(at: at(100))
    #expect(playback.isTold && playback.isRunning && playback.hasRun)
    #expect(playback.position(at: at(250)) == .milliseconds(150))
    playback.stall(at: at(300))
    #expect(playback.mark == .milliseconds(200) && !playback.isRunning)
    let spans = playback.settle(at: at(350))
    #expect(spans.played == .zero && spans.stalled == .milliseconds(50))
    #expect(playback.rendered == .milliseconds(200))
    playback.endTurn(isLast: true)
    #expect(playback.isSpent && !playback.hasRun && playback.mark == .zero)
    #expect(playback.rendered == .milliseconds(200))
    playback.pause(at: at(400))
    #expect(!playback.isTold)
  }

  @Test func `an event of a card is cancelled at most once`() {
    var playback = CardPlayback()
    let event = EventHandle(slot: 4, generation: 2)
    playback.plan(event)
    #expect(playback.takeEvent() == event)
    #expect(playback.takeEvent() == .none)
  }

  @Test func `a cell shows nothing of a card before it is seen and after it is recycled`() {
    var cell = CardCell()
    cell.bind(5)
    #expect(cell.token == 5 && cell.sight.fraction == 0)
    cell.see(CardSight(fraction: 0.5, offset: 0.1))
    #expect(cell.sight.fraction == 0.5)
    cell.recycle()
    #expect(cell.token == 0 && cell.sight.fraction == 0)
  }
}
