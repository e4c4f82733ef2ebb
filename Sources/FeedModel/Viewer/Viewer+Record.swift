import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// The record of a view and the parts of its start.
extension Viewer {
  /// Writes the view that ends now.
  ///
  /// - Parameter isLast: the session ends with it.
  mutating func record(
    at now: Instant, isCut: Bool, isLast: Bool = false, _ context: inout ViewerContext
  ) {
    if isCut { holdPlayhead(at: now) }
    let view = self.view
    var flags: ViewRecord.Flags = []
    if view.hasFrame { flags.insert(.started) }
    if viewCount == 0 { flags.insert(.cold) }
    if view.isBack { flags.insert(.back) }
    if view.isReady { flags.insert(.ready) }
    if isCut { flags.insert(.cut) }
    if isLast { flags.insert(.last) }
    let end = view.hasFrame ? view.firstFrameAt : now
    var record = ViewRecord(
      session: session, item: current, title: .max,
      network: UInt8(network), device: UInt8(device), flags: flags,
      firstRung: .max, settledAt: view.settledAt, ttff: end - view.settledAt,
      ttffPlay: end - view.playCalledAt, played: view.playhead.mark,
      stalled: view.playhead.stalled, stalls: view.playhead.stalls, parts: StartupParts())
    if view.phase == .waitingForFeed {
      let launch = view.launchedAt < end ? view.launchedAt : end
      record.parts[.launch] = max(0, (launch - view.settledAt).nanoseconds)
      record.parts[.feed] = record.ttff.nanoseconds - record.parts[.launch]
    } else {
      let state = items.at(place(current))
      record.title = state.pointee.title.id.index
      let loading = state.pointee.loading
      if !view.hasFrame && loading >= 0 && !state.pointee.known.contains(.data) {
        noteAnswer(requests[loading], at: now)
      }
      if self.view.waitedForMiss { record.flags.insert(.edgeMiss) }
      record.answer = self.view.answer
      record.upstreamWait = self.view.upstreamWait
      if let rung = state.pointee.firstRung { record.firstRung = UInt8(rung.index) }
      record.parts = parts(
        of: state.pointee.times, view, playerAt: playerReadiness(), from: view.settledAt,
        to: end)
      noteVersion(state, at: view.settledAt, &context)
      if !isCut {
        context.measures.shown[cohort].watch(record.played, of: state.pointee.title.duration)
      }
    }
    if requests.choice != nil { noteTrouble(hasFrame: view.hasFrame, isCut: isCut, &context) }
    context.measures.views.append(record)
    noteView(record, at: now, &context)
  }

  /// When the main thread had done its work for the player of the current item; nil where that work
  /// is not modelled or there is no such player.
  private func playerReadiness() -> Instant? {
    guard devices[device].mainThread != nil,
      let index = players.index(of: current)
    else { return nil }
    return players[index].mainDoneAt
  }

  /// Splits the time from `begin` to `end` among the steps, in their order; the parts sum exactly.
  private func parts(
    of times: StartupTimes, _ view: Playback, playerAt: Instant?, from begin: Instant,
    to end: Instant
  ) -> StartupParts {
    var edge = begin
    var parts = StartupParts()
    func take(_ part: StartupPart, _ step: Instant) {
      let until = step == StartupTimes.unset || step > end ? end : step
      if until <= edge { return }
      parts[part] += (until - edge).nanoseconds
      edge = until
    }
    // A step that was never reached took all the time that was left.
    let isConnectionDone = times.secureAt != StartupTimes.unset
    take(.launch, view.launchedAt)
    take(.feed, view.playCalledAt)
    take(.queue, times.chainStart)
    take(.nameLookup, isConnectionDone ? times.nameAt : begin)
    take(.connect, isConnectionDone ? times.connectedAt : begin)
    take(.tls, isConnectionDone ? times.secureAt : begin)
    take(.manifest, times.manifest)
    take(.playlists, times.playlists)
    take(.initSegment, times.initSegment)
    take(.segmentWait, times.firstByte)
    // An object that was on disk has no rounds.
    if times.firstByte != StartupTimes.unset {
      take(.slowStart, times.joined == StartupTimes.unset ? times.firstByte : times.joined)
    }
    take(.transfer, times.data)
    if let playerAt { take(.mainThread, playerAt) }
    take(.decoder, view.playAt == StartupTimes.unset ? StartupTimes.unset : times.decoder)
    take(.firstDecode, view.playAt)
    take(.mainThread, view.attachAt)
    take(.presentation, end)
    // Of a segment that was asked for before the view, only what the view saw counts.
    if times.sent >= begin { move(.segmentWait, .ownQueue, times.queued, &parts) }
    move(.transfer, .linkShare, times.shared - times.sharedBefore, &parts)
    return parts
  }

  /// Gives a cause its own part of a step, at most all of it.
  private func move(
    _ step: StartupPart, _ cause: StartupPart, _ time: TimeSpan, _ parts: inout StartupParts
  ) {
    if time <= .zero { return }
    let most = parts[step]
    let moved = time.nanoseconds < most ? time.nanoseconds : most
    parts[step] = most - moved
    parts[cause] = moved
  }
}
