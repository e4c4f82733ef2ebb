import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// A long press: pause, move over the storyboard, seek and resume (SIG-031 to SIG-034).
///
/// Included: the storyboard's requests, the throttle, the sprite cache. Left out: where the viewer
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
    measures.scrubs += 1
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
    moveScrub(viewer, &context)
  }

  /// The finger stands somewhere else; it sweeps over the whole item once.
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
      // Resume only because it was playing before the press.
      resumePlayback(viewer, &context)
      continueLoading(viewer, viewer.pointee.current, &context)
      return
    }
    let left = viewer.pointee.view.scrubEnd - context.now
    let duration = viewer.pointee.items[place(viewer.pointee.current)].title.duration
    let position = duration - duration.scaled(by: left.seconds / (left.seconds + 1))
    tellThrottle(viewer, .positionChanged(position), &context)
    viewer.pointee.scrubEvent = context.schedule(
      .scrubMoved(slot: viewer.pointee.slot),
      at: context.now + (left < FeedWorld.moveInterval ? left : FeedWorld.moveInterval),
      for: viewer.pointee.session)
  }

  mutating func fireScrubTimer(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    tellThrottle(viewer, .timerFired, &context)
  }

  private mutating func tellThrottle(
    _ viewer: ViewerPointer, _ event: ScrubThrottle.Event, _ context: inout Context<FeedEvent>
  ) {
    var commands = scrubCommands
    scrubCommands = []
    commands.removeAll(keepingCapacity: true)
    viewer.pointee.throttle.handle(event, at: context.now, into: &commands)
    for command in commands {
      switch command {
      case .lookup(let position): lookupSprite(viewer, position, &context)
      case .setTimer(let at):
        context.schedule(
          .scrubTimer(slot: viewer.pointee.slot), at: at, for: viewer.pointee.session)
      case .cancelTimer: break
      }
    }
    scrubCommands = commands
  }

  private mutating func lookupSprite(
    _ viewer: ViewerPointer, _ position: TimeSpan, _ context: inout Context<FeedEvent>
  ) {
    guard viewer.pointee.view.phase == .scrubbing else { return }
    let place = place(viewer.pointee.current)
    let span = catalogue.pointee.spriteSpan
    let duration = viewer.pointee.items[place].title.duration
    var count = UInt32(duration.wholeSteps(of: span)) + 1
    if count > UInt32(ObjectLayout.maximumSprites) { count = UInt32(ObjectLayout.maximumSprites) }
    var sprite = UInt32(position.wholeSteps(of: span))
    if sprite >= count { sprite = count - 1 }
    measures.scrubLookups += 1
    var fetches = spriteFetches
    spriteFetches = []
    fetches.removeAll(keepingCapacity: true)
    let item = ItemID(viewer.pointee.current)
    if viewer.pointee.sprites.lookup(sprite, of: count, item: item, into: &fetches) {
      measures.spriteHits += 1
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

  /// A storyboard object has arrived.
  mutating func receiveStoryboard(
    _ viewer: ViewerPointer, _ request: Request, _ context: inout Context<FeedEvent>
  ) {
    if request.destination == .sprite {
      viewer.pointee.sprites.insert(UInt32(request.segment), item: ItemID(request.item))
    }
  }
}
