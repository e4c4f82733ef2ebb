import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// A long press: pause, move over the storyboard, seek and resume (SIG-031 to SIG-034).
///
/// Included: ``ScrubSession`` with its throttle, the storyboard's requests, the sprite cache, and
/// where it is set the storyboard's own text (``StoryboardIndex``). Left out: where the viewer
/// lets go (playback goes on where it was paused) and what the overlay shows.
extension FeedWorld {
  /// The finger moves this often.
  private static let moveInterval = TimeSpan.milliseconds(33)

  mutating func beginScrub(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard viewer.pointee.view.phase == .playing else { return }
    viewer.pointee.view.scrubAt = nil
    pausePlayback(viewer, at: context.now, &context)
    viewer.pointee.view.phase = .scrubbing
    note(viewer, .scrubbing, item: viewer.pointee.current, at: context.now)
    measures.counts.scrubs += 1
    if hasClient {
      tellLog(viewer, .scrubBegan(ItemID(viewer.pointee.current)), at: context.now, &context)
    }
    let hold = audience.pointee.scrubHold.quantile(
      streams.uniform(.scrub, entity: viewEntity(viewer)))
    viewer.pointee.view.scrubEnd = context.now + TimeSpan(seconds: hold)
    let place = place(viewer.pointee.current)
    if !viewer.pointee.items[place].known.contains(.vtt) {
      viewer.pointee.items[place].known.insert(.vtt)
      let cues =
        viewer.pointee.items[place].title.duration.wholeSteps(
          of: catalogue.pointee.cueSpan) + 1
      let index = takeRequest(viewer)
      viewer.pointee.requests[index].destination = .vtt
      request(
        viewer, index, place: place, ObjectLayout.vtt, .vtt,
        bytes: catalogue.pointee.cueBytes * cues, isPrefetch: true, &context)
    }
    tellScrub(
      viewer,
      .pressed(
        ItemID(viewer.pointee.current), playhead: scrubPosition(viewer, at: context.now),
        duration: viewer.pointee.items[place].title.duration), &context)
    scheduleMove(viewer, &context)
  }

  /// Where the finger is: it sweeps over the whole item once.
  private mutating func scrubPosition(_ viewer: ViewerPointer, at now: Instant) -> TimeSpan {
    let left = viewer.pointee.view.scrubEnd - now
    let duration = viewer.pointee.items[place(viewer.pointee.current)].title.duration
    return duration - duration.scaled(by: left.seconds / (left.seconds + 1))
  }

  private mutating func scheduleMove(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let left = viewer.pointee.view.scrubEnd - context.now
    viewer.pointee.scrubEvent = context.schedule(
      .scrubMoved(slot: viewer.pointee.slot),
      at: context.now + (left < FeedWorld.moveInterval ? left : FeedWorld.moveInterval),
      for: viewer.pointee.session)
  }

  /// The finger stands somewhere else; or it is lifted.
  mutating func moveScrub(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    viewer.pointee.scrubEvent = .none
    guard viewer.pointee.view.phase == .scrubbing else { return }
    if context.now >= viewer.pointee.view.scrubEnd {
      if hasClient {
        let position = mediaPosition(viewer, at: context.now)
        tellLog(
          viewer, .scrubCommitted(ItemID(viewer.pointee.current), position: position),
          at: context.now, &context)
      }
      tellScrub(viewer, .released, &context)
      // Resume only because it was playing before the press.
      resumePlayback(viewer, &context)
      continueLoading(viewer, viewer.pointee.current, &context)
      return
    }
    tellScrub(viewer, .moved(scrubPosition(viewer, at: context.now)), &context)
    scheduleMove(viewer, &context)
  }

  /// The item leaves the screen under the finger.
  mutating func cancelScrub(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    guard let extras = viewer.pointee.extras, extras.pointee.scrub.item != nil else { return }
    tellScrub(viewer, .cancelled, &context)
  }

  mutating func fireScrubTimer(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    tellScrub(viewer, .timerFired, &context)
  }

  private mutating func tellScrub(
    _ viewer: ViewerPointer, _ event: ScrubSession.Event, _ context: inout Context<FeedEvent>
  ) {
    var commands = scrubCommands
    scrubCommands = []
    commands.removeAll(keepingCapacity: true)
    extras(viewer).pointee.scrub.handle(event, at: context.now, into: &commands)
    noteTold(viewer, ScrubSession.self, event, at: context.now, commands)
    for command in commands {
      switch command {
      case .lookup(let position): lookupSprite(viewer, position, &context)
      case .setTimer(let at):
        context.schedule(
          .scrubTimer(slot: viewer.pointee.slot), at: at, for: viewer.pointee.session)
      case .beginPause:
        if hasClient { tellStack(viewer, .began(.scrub), at: context.now) }
      case .endPause:
        if hasClient { tellStack(viewer, .ended(.scrub), at: context.now) }
      case .showOverlay, .hideOverlay, .seek, .cancelTimer: break
      }
    }
    scrubCommands = commands
  }

  private mutating func lookupSprite(
    _ viewer: ViewerPointer, _ position: TimeSpan, _ context: inout Context<FeedEvent>
  ) {
    guard viewer.pointee.view.phase == .scrubbing else { return }
    let place = place(viewer.pointee.current)
    let count = spriteCount(viewer.pointee.items[place].title)
    measures.counts.scrubLookups += 1
    guard let sprite = sprite(viewer, position, of: count) else { return }
    var fetches = spriteFetches
    spriteFetches = []
    fetches.removeAll(keepingCapacity: true)
    let item = ItemID(viewer.pointee.current)
    if extras(viewer).pointee.sprites.lookup(sprite, of: count, item: item, into: &fetches) {
      measures.counts.spriteHits += 1
    }
    for fetch in fetches {
      let index = takeRequest(viewer)
      viewer.pointee.requests[index].destination = .sprite
      viewer.pointee.requests[index].segment = Int(fetch)
      request(
        viewer, index, place: place, ObjectLayout.sprites + fetch, .sprite,
        bytes: catalogue.pointee.spriteBytes, isPrefetch: true, &context)
    }
    spriteFetches = fetches
  }

  mutating func spriteCount(_ title: Title) -> UInt32 {
    let count = UInt32(title.duration.wholeSteps(of: catalogue.pointee.spriteSpan)) + 1
    let most = UInt32(ObjectLayout.maximumSprites)
    return count < most ? count : most
  }

  /// The sheet that shows a position: by the storyboard's text where the app reads that, and
  /// nothing before it is there; otherwise as the packager lays sheets out.
  private mutating func sprite(
    _ viewer: ViewerPointer, _ position: TimeSpan, of count: UInt32
  ) -> UInt32? {
    if hasClient && clientSettings.pointee.readsStoryboards {
      let state = client(viewer)
      guard state.pointee.storyboardItem == viewer.pointee.current else { return nil }
      return state.pointee.storyboard?.cue(at: position)?.image
    }
    let sprite = UInt32(position.wholeSteps(of: catalogue.pointee.spriteSpan))
    return sprite < count ? sprite : count - 1
  }

  /// A storyboard object has arrived.
  mutating func receiveStoryboard(
    _ viewer: ViewerPointer, _ request: Request, _ context: inout Context<FeedEvent>
  ) {
    if request.destination == .vtt && hasClient && clientSettings.pointee.readsStoryboards {
      readStoryboard(viewer, request.item)
    }
    if request.destination == .sprite {
      extras(viewer).pointee.sprites.insert(UInt32(request.segment), item: ItemID(request.item))
    }
  }
}
