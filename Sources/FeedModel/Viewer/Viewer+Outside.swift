import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// What a real server's answer says of the cache at the edge.
struct OutsideVerdict {
  var edge: Int
  var asset: AssetClass
  var outcome: CacheOutcome
  var bytes: Int64
}

/// Requests that real servers answer.
///
/// The viewers, their devices and their policies are those of a simulated run; only where a request
/// would reach a modelled edge or feed service, it leaves as an ``OutsideCommand``, and what comes
/// back enters as an ``OutsideAnswer``.
extension Viewer {
  /// A request leaves for a real server.
  func leave(_ index: Int, at now: Instant, _ context: inout ViewerContext) {
    let request = requests.at(index)
    request.pointee.outside = .asked
    request.pointee.isLinkDone = false
    if request.pointee.retries == 0 { request.pointee.times.edgeAt = now }
    if servers != .real { request.pointee.times.reachesAt = now }
    let destination = request.pointee.destination
    var mark: Int64 = -1
    if servers == .real {
      let left = startMark(request)
      if left >= 0 {
        mark = request.pointee.bytes - Int64(left * Double(request.pointee.bytes))
      }
    }
    let title =
      destination.isService
      ? UInt32(0) : items[place(request.pointee.item)].title.id.index
    var leaving = OutsideRequest(
      token: token(index),
      service: destination == .feed ? .feed : destination == .events ? .events : .media,
      asset: request.pointee.asset, connection: request.pointee.connection, title: title,
      number: request.pointee.number, rung: Int(request.pointee.rung.index),
      segment: request.pointee.segment, isAudio: destination == .audio,
      isConditional: request.pointee.isConditional, bytes: request.pointee.bytes,
      bodyBytes: request.pointee.way.bodyBytes, startMark: mark,
      feedCount: pages.count, dueAt: now)
    if !destination.isService {
      leaving.item = request.pointee.item
      leaving.playback = playback(request, at: now)
    }
    if destination == .events { addEvents(to: &leaving) }
    context.outsideCommands.append(.request(leaving))
  }

  /// How the player of a request's item stands.
  private func playback(
    _ request: UnsafeMutablePointer<Request>, at now: Instant
  ) -> OutsidePlayback {
    let state = items.at(place(request.pointee.item))
    var playback = OutsidePlayback()
    if estimator.isMeasured { playback.throughput = estimator.estimate }
    if request.pointee.asset == .segment {
      playback.length = state.pointee.title.length(
        of: request.pointee.segment, step: state.pointee.title.step)
    }
    playback.ahead = held(state)
    playback.target = state.pointee.target
    if request.pointee.item != current { return playback }
    switch view.phase {
    case .between: return playback
    case .waitingForFeed, .starting: playback.state = .starting
    case .playing: playback.state = .playing
    case .stalled: playback.state = .stalled
    case .scrubbing, .paused: playback.state = .paused
    case .looping: playback.state = .seeking
    }
    playback.position = mediaPosition(at: now)
    playback.ahead =
      playback.ahead > playback.position ? playback.ahead - playback.position : .zero
    playback.target = loadLevels(state).most
    playback.stalls = UInt32(view.playhead.stalls)
    if view.hasFrame { playback.startDelay = view.firstFrameAt - view.playCalledAt }
    return playback
  }

  /// Adds the events of the post that is under way.
  private func addEvents(to request: inout OutsideRequest) {
    let state = clientState
    guard let post = state.pointee.post else { return }
    request.batch = post.batch
    for sequence in post.first..<(post.first + UInt64(post.count)) {
      guard let event = state.pointee.batcher.event(sequence) else { continue }
      let item = items.at(place(event.item.index))
      let isHeld = item.pointee.item == event.item.index
      request.events.append(
        OutsideEvent(
          sequence: sequence, event: event, title: isHeld ? item.pointee.title.id.index : nil))
    }
  }

  private func token(_ index: Int) -> OutsideToken {
    OutsideToken(
      slot: slot, index: UInt32(index),
      generation: requests[index].generation, session: session)
  }

  /// A request that has left is given up.
  ///
  /// What its answer would have said of the caches will never be known, so an edge that has had it
  /// is one request of no outcome.
  func giveUpOutside(_ index: Int, at now: Instant, _ context: inout ViewerContext) {
    let request = requests[index]
    let state = request.outside
    guard state == .asked || state == .headed else { return }
    if state == .asked && !request.destination.isService && request.times.reachesAt <= now {
      context.measures.outside.unanswered[Int(request.asset.rawValue)] += 1
    }
    requests[index].outside = .whole
    context.outsideCommands.append(.cancel(token(index)))
  }

  /// Sends a request without any model of the network: its connection is the real client's affair.
  ///
  /// - Returns: nil while no connection is free.
  mutating func sendReal(_ index: Int, at now: Instant, _ context: inout ViewerContext) -> Instant?
  {
    guard let sent = transport.sendReal(to: requests[index].server, at: now) else {
      requests[index].isWaiting = true
      requests.withoutConnection += 1
      return nil
    }
    requests[index].connection = sent.connection
    if sent.isNew { context.measures.counts.connectionsOpened += 1 }
    requests[index].times.reachesAt = now + sent.way
    noteDispatch(index, readyAt: now, at: now, &context)
    return now
  }

  /// The modelled link has carried an answer's body: whether the real one is here, too.
  func isHere(_ index: Int) -> Bool {
    let state = requests[index].outside
    if state == .inside || state == .whole { return true }
    requests[index].isLinkDone = true
    return false
  }
}
