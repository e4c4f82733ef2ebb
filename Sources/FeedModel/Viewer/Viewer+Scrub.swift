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
extension Viewer {
  /// The finger moves this often.
  private static let moveInterval = TimeSpan.milliseconds(33)

  mutating func beginScrub(_ context: inout ViewerContext) {
    guard view.phase == .playing else { return }
    pausePlayback(at: context.now, &context)
    let hold = audience.pointee.scrubHold.quantile(
      streams.uniform(.scrub, entity: viewEntity()))
    view.press(until: context.now + TimeSpan(seconds: hold))
    note(.scrubbing, item: current, at: context.now, &context)
    context.measures.counts.scrubs += 1
    if hasClient {
      tellLog(.scrubBegan(ItemID(current)), at: context.now, &context)
    }
    let place = place(current)
    if !items[place].known.contains(.vtt) {
      items[place].known.insert(.vtt)
      let cues =
        items[place].title.duration.wholeSteps(
          of: catalogue.pointee.cueSpan) + 1
      let index = requests.take()
      requests[index].destination = .vtt
      request(
        index, place: place, ObjectLayout.vtt, .vtt,
        bytes: catalogue.pointee.cueBytes * cues, isPrefetch: true, &context)
    }
    tellScrub(
      .pressed(
        ItemID(current), playhead: scrubPosition(at: context.now),
        duration: items[place].title.duration), &context)
    scheduleMove(&context)
  }

  /// Where the finger is: it sweeps over the whole item once.
  private func scrubPosition(at now: Instant) -> TimeSpan {
    let left = view.scrubEnd - now
    let duration = items[place(current)].title.duration
    return duration - duration.scaled(by: left.seconds / (left.seconds + 1))
  }

  private mutating func scheduleMove(_ context: inout ViewerContext) {
    let left = view.scrubEnd - context.now
    plan(
      .scrubMoved, at: context.now + (left < Viewer.moveInterval ? left : Viewer.moveInterval),
      context)
  }

  /// The finger stands somewhere else; or it is lifted.
  mutating func moveScrub(_ context: inout ViewerContext) {
    guard view.phase == .scrubbing else { return }
    if context.now >= view.scrubEnd {
      if hasClient {
        let position = mediaPosition(at: context.now)
        tellLog(
          .scrubCommitted(ItemID(current), position: position),
          at: context.now, &context)
      }
      tellScrub(.released, &context)
      // Resume only because it was playing before the press.
      resumePlayback(&context)
      continueLoading(current, &context)
      return
    }
    tellScrub(.moved(scrubPosition(at: context.now)), &context)
    scheduleMove(&context)
  }

  /// The item leaves the screen under the finger.
  mutating func cancelScrub(_ context: inout ViewerContext) {
    guard let storyboarding, storyboarding.pointee.scrub.item != nil else { return }
    tellScrub(.cancelled, &context)
  }

  mutating func fireScrubTimer(_ context: inout ViewerContext) {
    tellScrub(.timerFired, &context)
  }

  /// Made when a storyboard is first looked at.
  private mutating func openStoryboarding() -> UnsafeMutablePointer<Storyboarding> {
    if let storyboarding { return storyboarding }
    let memory = UnsafeMutablePointer<Storyboarding>.allocate(capacity: 1)
    memory.initialize(to: Storyboarding())
    storyboarding = memory
    return memory
  }

  private mutating func tellScrub(_ event: ScrubSession.Event, _ context: inout ViewerContext) {
    var commands = context.scrubCommands
    context.scrubCommands = []
    commands.removeAll(keepingCapacity: true)
    openStoryboarding().pointee.scrub.handle(event, at: context.now, into: &commands)
    noteTold(context.logs?.scrub, event, at: context.now, commands, &context)
    for command in commands {
      switch command {
      case .lookup(let position): lookupSprite(position, &context)
      case .setTimer(let at):
        plan(.scrubTimer, at: at, context)
      case .beginPause:
        if hasClient { tellStack(.began(.scrub), at: context.now, &context) }
      case .endPause:
        if hasClient { tellStack(.ended(.scrub), at: context.now, &context) }
      case .showOverlay, .hideOverlay, .seek, .cancelTimer: break
      }
    }
    context.scrubCommands = commands
  }

  private mutating func lookupSprite(_ position: TimeSpan, _ context: inout ViewerContext) {
    guard view.phase == .scrubbing else { return }
    let place = place(current)
    let count = spriteCount(items[place].title)
    context.measures.counts.scrubLookups += 1
    guard let sprite = sprite(position, of: count) else { return }
    var fetches = context.spriteFetches
    context.spriteFetches = []
    fetches.removeAll(keepingCapacity: true)
    let item = ItemID(current)
    if openStoryboarding().pointee.sprites.lookup(sprite, of: count, item: item, into: &fetches) {
      context.measures.counts.spriteHits += 1
    }
    for fetch in fetches {
      let index = requests.take()
      requests[index].destination = .sprite
      requests[index].segment = Int(fetch)
      request(
        index, place: place, ObjectLayout.sprites + fetch, .sprite,
        bytes: catalogue.pointee.spriteBytes, isPrefetch: true, &context)
    }
    context.spriteFetches = fetches
  }

  /// The sheet that shows a position: by the storyboard's text where the app reads that, and
  /// nothing before it is there; otherwise as the packager lays sheets out.
  private func sprite(_ position: TimeSpan, of count: UInt32) -> UInt32? {
    if hasClient && clientSettings.pointee.readsStoryboards {
      let state = clientState
      guard state.pointee.storyboardItem == current else { return nil }
      return state.pointee.storyboard?.cue(at: position)?.image
    }
    let sprite = UInt32(position.wholeSteps(of: catalogue.pointee.spriteSpan))
    return sprite < count ? sprite : count - 1
  }

  /// A storyboard object has arrived.
  mutating func receiveStoryboard(_ request: Request, _ context: inout ViewerContext) {
    if request.destination == .vtt && hasClient && clientSettings.pointee.readsStoryboards {
      readStoryboard(request.item)
    }
    if request.destination == .sprite {
      openStoryboarding().pointee.sprites.insert(
        UInt32(request.segment), item: ItemID(request.item))
    }
  }
}
