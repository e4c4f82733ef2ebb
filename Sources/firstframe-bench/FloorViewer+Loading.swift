import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// What the floor's viewer asks for: ranges of the current item and of what the prefetch policy
/// wants, and a poster for each; and what comes.
extension FloorViewer {
  func place(_ item: UInt32) -> Int { Int(item) & (FloorViewer.itemCount - 1) }

  /// The place of an item; an older item in that place is forgotten.
  mutating func item(_ item: UInt32) -> Int {
    let place = place(item)
    if items[place].item == item { return place }
    precondition(items[place].loading < 0, "an item that loads is not forgotten")
    let entity = UInt64(session.number) << 32 | UInt64(item)
    let drawn = catalogue.pointee.popularity.index(streams.bits(.feedTitle, entity: entity))
    items[place] = FloorItem(
      item: item, title: Title(TitleID(drawn), catalogue: catalogue, streams: streams))
    return place
  }

  /// Media held from the start of an item.
  func held(_ state: UnsafeMutablePointer<FloorItem>) -> TimeSpan {
    if isWhole(state) { return state.pointee.title.duration }
    return state.pointee.title.step * Int64(state.pointee.segments)
  }

  func isWhole(_ state: UnsafeMutablePointer<FloorItem>) -> Bool {
    Int(state.pointee.segments) >= state.pointee.title.segmentCount
  }

  func startNeed(_ state: UnsafeMutablePointer<FloorItem>) -> TimeSpan {
    min(policy.pointee.startThreshold, state.pointee.title.duration)
  }

  // MARK: Requests

  /// Asks for the next range of an item, if one is wanted and none is on its way.
  mutating func continueLoading(_ item: UInt32, _ context: inout FloorContext) {
    let state = items + place(item)
    guard state.pointee.item == item, state.pointee.loading < 0, !isWhole(state) else { return }
    let isCurrent = item == current && playhead.isInView
    if isCurrent {
      let most = max(
        policy.pointee.forwardBuffer, max(startNeed(state), policy.pointee.resumeThreshold))
      let ahead = held(state) - position(at: context.now)
      if state.pointee.segments > 0 && ahead >= most {
        if playhead.isPlaying {
          times.loadResume = context.now + (ahead - most) + .nanoseconds(1)
        }
        return
      }
    } else if state.pointee.target <= held(state) {
      return
    }
    if !state.pointee.hasPoster && policy.pointee.fetchesPosters {
      state.pointee.hasPoster = true
      var poster = FloorRequest()
      poster.isPoster = true
      poster.item = item
      poster.object = ObjectLayout.object(state.pointee.title.id.index, ObjectLayout.poster)
      poster.bytes = catalogue.pointee.posterBytes
      _ = send(poster, &context)
    }
    state.pointee.loading = Int8(send(range(state, isCurrent: isCurrent, context), &context))
  }

  /// The request for an item's next range.
  private func range(
    _ state: UnsafeMutablePointer<FloorItem>, isCurrent: Bool, _ context: FloorContext
  ) -> FloorRequest {
    let segment = Int(state.pointee.segments)
    let rung =
      state.pointee.rung == .max
      ? chooseRung(state, isCurrent: isCurrent, at: context.now)
      : RungIndex(UInt32(state.pointee.rung))
    var request = FloorRequest()
    request.item = state.pointee.item
    request.segment = state.pointee.segments
    request.rung = UInt8(rung.index)
    request.object = ObjectLayout.object(
      state.pointee.title.id.index, ObjectLayout.segment(segment, rung: rung))
    request.bytes = state.pointee.title.segmentBytes(
      segment, rate: catalogue.pointee.ladder[rung], sources: setting.pointee.sources,
      catalogue: catalogue)
    if segment == 0 { request.bytes += catalogue.pointee.initBytes }
    return request
  }

  private func chooseRung(
    _ state: UnsafeMutablePointer<FloorItem>, isCurrent: Bool, at now: Instant
  ) -> RungIndex {
    if !isCurrent, let rung = policy.pointee.prefetchRung { return rung }
    var playback = PlaybackSnapshot()
    var ahead = held(state)
    if isCurrent {
      let position = position(at: now)
      ahead = max(ahead - position, .zero)
      playback = PlaybackSnapshot(
        hasFirstFrame: playhead.hasFrame, played: position, bufferAhead: ahead,
        segmentsDownloaded: Int(state.pointee.segments), estimateSpread: estimator.spread)
    }
    return policy.pointee.bitrate.rung(
      for: BitrateSnapshot(
        estimate: estimator.estimate, bufferAhead: ahead,
        cap: BitrateCap(policy.pointee.startupCap).cap(for: playback),
        segmentDuration: state.pointee.title.step,
        remaining: state.pointee.title.duration - held(state)),
      in: catalogue.pointee.ladder)
  }

  /// Sends a request on its way to the edge.
  ///
  /// - Returns: its place.
  private mutating func send(_ request: FloorRequest, _ context: inout FloorContext) -> Int {
    context.counts.requests += 1
    return requests.add(request, atEdge: path.send(at: context.now, setting.pointee))
  }

  /// An answer leaves the edge after `service`.
  mutating func answer(_ index: Int, after service: TimeSpan, _ context: inout FloorContext) {
    let bytes = requests[index].bytes
    let firstByteAt = context.now + service + path.roundTrip / 2
    let (end, time) = path.carry(bytes, arriving: firstByteAt, setting.pointee)
    var startsAt: Instant?
    if let left = leftAtStart(index) {
      startsAt = end - TimeSpan(nanoseconds: Int64(time * left))
    }
    requests.come(index, firstByteAt: firstByteAt, startsAt: startsAt, endsAt: end)
    context.counts.transfers += 1
    context.counts.bytes += bytes
  }

  /// The share of an answer's bytes that is left when the media for the first frame has passed; nil
  /// where that is not in it.
  private func leftAtStart(_ index: Int) -> Double? {
    if requests[index].isPoster || requests[index].segment > 0 { return nil }
    let state = items + place(requests[index].item)
    let need = startNeed(state)
    let length = state.pointee.title.length(of: 0, step: state.pointee.title.step)
    return need < length ? 1 - need.seconds / length.seconds : nil
  }

  // MARK: Answers

  /// An answer has come, or the part of it that the first frame needs.
  mutating func receive(_ index: Int, _ context: inout FloorContext) {
    if requests[index].state == .starts {
      requests.passStart(index)
      reachStart(place(requests[index].item), &context)
    } else {
      complete(index, &context)
    }
  }

  private mutating func complete(_ index: Int, _ context: inout FloorContext) {
    let request = requests.remove(index)
    if request.isPoster { return }
    estimator.add(ByteCount(request.bytes), over: context.now - request.firstByteAt)
    let place = place(request.item)
    items[place].loading = -1
    items[place].segments = request.segment + 1
    items[place].rung = request.rung
    useMedia(place, &context)
    let bitrate = catalogue.pointee.ladder[RungIndex(UInt32(request.rung))]
    tell(prefetch: .throughputChanged(estimator.estimate, bitrate: bitrate), &context)
    continueLoading(request.item, &context)
  }

  /// More of an item can be played: its start, its stall or its prefetch may be over.
  private mutating func useMedia(_ place: Int, _ context: inout FloorContext) {
    let state = items + place
    if held(state) >= startNeed(state) { reachStart(place, &context) }
    if state.pointee.item == current && playhead.isInView {
      endStall(&context)
      reportBuffer(&context)
    } else if state.pointee.target > .zero && held(state) >= state.pointee.target {
      state.pointee.target = .zero
      tellReached(state, &context)
    }
  }

  private mutating func tellReached(
    _ state: UnsafeMutablePointer<FloorItem>, _ context: inout FloorContext
  ) {
    let reached = isWhole(state) ? .max : held(state)
    tell(prefetch: .targetReached(ItemID(state.pointee.item), reached), &context)
  }

  // MARK: Prefetch

  /// Tells the prefetch policy, and does what it commands.
  mutating func tell(prefetch event: PrefetchPolicy.Event, _ context: inout FloorContext) {
    context.counts.prefetchTells += 1
    prefetch.handle(event, at: context.now, into: &context.prefetchCommands)
    perform(&context)
  }

  mutating func perform(_ command: PrefetchPolicy.Command, _ context: inout FloorContext) {
    switch command {
    case .start(let item, let length, _):
      let state = items + self.item(item.index)
      let target = min(length, state.pointee.title.duration)
      if held(state) >= target {
        tellReached(state, &context)
        return
      }
      state.pointee.target = target
      continueLoading(item.index, &context)
    case .cancel(let item), .suspend(let item): stopLoading(item.index, &context)
    case .warm, .limitBuffer: preconditionFailure("the family asks for media alone")
    }
  }

  /// Stops what loads an item that nobody wants any more.
  mutating func stopLoading(_ item: UInt32, _ context: inout FloorContext) {
    let state = items + place(item)
    guard state.pointee.item == item else { return }
    state.pointee.target = .zero
    if state.pointee.loading >= 0 { cancel(Int(state.pointee.loading), &context) }
  }

  /// Gives up a request.
  mutating func cancel(_ index: Int, _ context: inout FloorContext) {
    let request = requests.remove(index)
    if !request.isPoster { items[place(request.item)].loading = -1 }
    if request.state == .waits {
      context.givenUp.append(
        FloorContext.GivenUp(number: request.waiting, object: request.object, edge: session.edge))
    }
  }
}
