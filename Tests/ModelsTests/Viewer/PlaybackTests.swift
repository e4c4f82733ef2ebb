import CacheModel
import CachePolicy
import MediaUnits
import Testing

@testable import FeedModel

/// Playback of a view without a viewer.
@Suite struct PlaybackTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// A view of an item of 10 s that plays since 1 s; 0.4 s of it waited for the decoder.
  private func playing(intended: TimeSpan = .seconds(8), scrubs: Bool = false) -> Playback {
    var view = Playback(at: at(600))
    view.start(at: at(600))
    view.intend(intended, scrubs: scrubs)
    view.decode(at: at(1000))
    view.show(at: at(1000))
    view.play(at: at(1000))
    return view
  }

  // MARK: The start

  @Test func `who waits for a page can ask for the item when it is there`() {
    var view = Playback(at: at(10), isBack: true)
    view.waitForFeed()
    #expect(view.phase == .waitingForFeed && view.isBack && !view.isBurst)
    view.start(at: at(250))
    #expect(view.phase == .starting)
    #expect(view.settledAt == at(10) && view.playCalledAt == at(250))
    #expect(!view.hasFrame && view.playAt == StartupTimes.unset)
  }

  @Test func `a frame is ready when it is there as the item settles`() {
    var early = Playback(at: at(10))
    early.start(at: at(10))
    early.decode(at: at(10))
    #expect(early.isReady)
    var late = Playback(at: at(10))
    late.start(at: at(10))
    late.decode(at: at(11))
    #expect(!late.isReady && late.playAt == at(11) && late.attachAt == at(11))
    late.attach(at: at(14))
    late.show(at: at(20))
    #expect(late.attachAt == at(14) && late.firstFrameAt == at(20) && late.hasFrame)
    // It is on the screen; that it plays is another step.
    #expect(late.phase == .starting && late.position(at: at(30)) == .zero)
  }

  @Test func `of a wait behind the edge only what the view saw counts`() {
    var view = Playback(at: at(100))
    view.start(at: at(100))
    func answer(_ asset: AssetClass) -> StartAnswer {
      StartAnswer(asset: asset, tier: .origin, reason: .cold)
    }
    // Asked for ahead of the view, and answered ahead of it: nothing was seen.
    view.noteWait(for: answer(.mediaManifest), from: at(20), to: at(90))
    #expect(view.waitedForMiss && view.upstreamWait == .zero)
    #expect(view.answer == answer(.mediaManifest))
    view.noteWait(for: answer(.segment), from: at(60), to: at(130))
    view.noteWait(for: answer(.initSegment), from: at(130), to: at(150))
    #expect(view.upstreamWait == .milliseconds(50))
    // The longest one is named.
    #expect(view.answer.asset == .segment && view.answer.wait == 30_000_000)
  }

  // MARK: What the viewer wants

  @Test func `what is to come is told from the playhead on`() {
    var view = playing(scrubs: true)
    #expect(view.watchLeft == .seconds(8) && view.scrubLeft == .seconds(4))
    view.hold(at: at(4000))
    #expect(view.watchLeft == .seconds(5) && view.scrubLeft == .seconds(1))
    view.play(at: at(9000))
    view.hold(at: at(10_500))
    // It is behind the playhead.
    #expect(view.scrubAt == .seconds(4) && view.scrubLeft == nil)
  }

  @Test func `a press comes once`() {
    var view = playing(scrubs: true)
    view.hold(at: at(5000))
    view.press(until: at(5700))
    #expect(view.phase == .scrubbing && view.scrubEnd == at(5700) && view.scrubLeft == nil)
    view.play(at: at(5700))
    #expect(view.phase == .playing && view.position(at: at(6700)) == .seconds(5))
  }

  @Test func `who sees less presses halfway of it, who sees more where he would have`() {
    var view = playing(scrubs: true)
    view.lengthen(to: .seconds(20))
    #expect(view.intended == .seconds(20) && view.scrubAt == .seconds(4))
    view.limit(to: .seconds(5))
    #expect(view.intended == .seconds(5) && view.scrubAt == .seconds(4))
    view.limit(to: .seconds(3))
    #expect(view.scrubAt == .milliseconds(1500))
    var none = playing()
    none.limit(to: .seconds(3))
    #expect(none.scrubAt == nil)
  }

  @Test func `a pass ends at the item's end, the last one with the view`() {
    var view = playing(intended: .seconds(25))
    #expect(view.passLeft(of: .seconds(10)) == .seconds(10))
    view.hold(at: at(13_000))
    #expect(view.passLeft(of: .seconds(10)) == .seconds(8))
    view.loop()
    #expect(view.phase == .looping)
    view.play(at: at(13_000))
    view.hold(at: at(22_000))
    #expect(view.passLeft(of: .seconds(10)) == nil)
    #expect(playing(intended: .seconds(10)).passLeft(of: .seconds(10)) == nil)
  }

  // MARK: The playhead

  @Test func `a stall holds the playhead and is counted`() {
    var view = playing()
    view.hold(at: at(3000))
    view.stall(at: at(3000))
    #expect(view.phase == .stalled && view.position(at: at(3400)) == .seconds(2))
    view.endStall(at: at(3500))
    view.play(at: at(3500))
    #expect(view.playhead.stalls == 1 && view.playhead.stalled == .milliseconds(500))
    #expect(view.position(at: at(4500)) == .seconds(3))
  }

  @Test func `only what plays is held, and a stall goes on`() {
    var view = playing()
    view.hold(at: at(3000))
    view.pause()
    view.hold(at: at(4000))
    #expect(view.phase == .paused && view.position(at: at(9000)) == .seconds(2))
    var stalled = playing()
    stalled.hold(at: at(3000))
    stalled.stall(at: at(3000))
    // As at the end of the run: the stall up to now counts.
    stalled.hold(at: at(3800))
    #expect(stalled.phase == .stalled && stalled.playhead.stalled == .milliseconds(800))
    stalled.hold(at: at(4000))
    #expect(stalled.playhead.stalled == .seconds(1))
  }

  @Test func `a swipe says where it goes`() {
    var view = playing()
    view.hold(at: at(2000))
    view.swipe(isBack: true)
    #expect(view.phase == .between && view.isBack)
    #expect(view.position(at: at(3000)) == .seconds(1))
  }

  // MARK: The buffer

  @Test func `loading stops at the most and goes on below the least`() {
    var view = playing()
    func fills(_ seconds: Int64) -> Bool {
      view.fills(.seconds(seconds), least: .seconds(4), most: .seconds(9))
    }
    #expect(!fills(8))
    #expect(fills(9))
    #expect(fills(5))
    #expect(fills(4))
    #expect(!fills(3))
    #expect(!fills(8))
  }
}
