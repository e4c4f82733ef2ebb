import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// A request whose first byte does not come in time is sent to a second provider as well. Whoever's
/// first byte is there first goes on; the other copy is given up, over HTTP/1.1 with its
/// connection.
///
/// Included: both copies' ways, connections, look-ups at their edges and what these fetch for them;
/// that the copy's answer shares the link until it is decided. Left out: a copy of the weight that
/// a prefetch gets when its item becomes current while both are under way.
extension Viewer {
  /// Looks, when the wait for its first byte is over, at a request that has been sent.
  mutating func planHedge(_ index: Int, _ context: borrowing ViewerContext) {
    guard let choice = requests.choice else { return }
    for command in choice.pointee.commands {
      if case .setTimer(_, let time) = command {
        plan(
          .hedgeDue(request: UInt32(index), generation: requests[index].generation), at: time,
          context)
      }
    }
  }

  /// A request's first byte may be late: a second provider is asked where it is.
  mutating func hedge(_ index: Int, _ context: inout ViewerContext) {
    guard let choice = requests.choice else { return }
    if requests[index].isWaiting {
      // It waits for a connection of the viewer's own, so no provider is late yet.
      let wait = choice.pointee.machine.configuration.hedgeAfter ?? .zero
      plan(
        .hedgeDue(request: UInt32(index), generation: requests[index].generation),
        at: context.now.advanced(saturatingBy: wait), context)
      return
    }
    if hasFirstByte(index, by: context.now) {
      _ = tell(.firstByte(request: number(index), provider: requests[index].provider), &context)
      return
    }
    guard let provider = tell(.timerFired(request: number(index)), &context) else {
      planHedge(index, context)
      return
    }
    context.measures.providers.switching.hedges += 1
    let number = number(index)
    let copy = requests.take()
    let generation = requests[copy].generation
    let first = requests[index]
    requests[copy] = first
    requests[copy].generation = generation
    requests[copy].connection = 0
    requests[copy].waiting = .max
    requests[copy].isWaiting = false
    requests[copy].isBackingOff = false
    requests[copy].answer = RequestAnswer()
    requests[copy].times = RequestTimes()
    requests[copy].times.sentAt = context.now
    // Of one that is sent again the waits of all tries count.
    if first.retries > 0 { requests[copy].times.edgeAt = first.times.edgeAt }
    choice.pointee.races.begin(number, index, copy)
    assign(copy, to: provider, &context)
    if first.times.firstByteAt > context.now && isAnswered(index) { planFirstByte(index, context) }
    dispatch(copy, &context)
  }

  /// Whether a copy of its own has begun to come, or an error.
  private func isAnswered(_ index: Int) -> Bool {
    let times = requests[index].times
    return times.firstByteAt > .zero && times.firstByteAt >= times.sentAt
  }

  private func hasFirstByte(_ index: Int, by now: Instant) -> Bool {
    isAnswered(index) && requests[index].times.firstByteAt <= now
      && !requests[index].answer.isError
  }

  /// The first byte of one of two copies is there: the other one is given up.
  mutating func endRace(_ index: Int, _ context: inout ViewerContext) {
    guard let choice = requests.choice, !requests[index].answer.isError,
      let other = choice.pointee.races.other(than: index)
    else { return }
    _ = tell(.firstByte(request: number(index), provider: requests[index].provider), &context)
    if choice.pointee.races.isSecond(index) {
      context.measures.providers.switching.hedgesWon += 1
      requests[index].times.sentAt = requests[other].times.sentAt
    }
    dropCopy(other, &context)
    takeOver(index)
    sendWaiting(&context)
    noteStart(
      index, firstByte: requests[index].times.firstByteAt, joined: requests[index].times.joinedAt)
  }

  /// A copy has failed.
  ///
  /// - Returns: whether the other one is under way still, and goes on.
  mutating func losesCopy(_ index: Int, _ context: inout ViewerContext) -> Bool {
    guard let choice = requests.choice, let other = choice.pointee.races.other(than: index) else {
      return false
    }
    noteFailure(index, &context)
    _ = tell(.failed(request: number(index), provider: requests[index].provider), &context)
    choice.pointee.races.drop(index)
    takeOver(other)
    return true
  }

  /// All requests have one copy again: those that were sent second are given up.
  mutating func dropHedges(_ context: inout ViewerContext) {
    guard let choice = requests.choice else { return }
    while let second = choice.pointee.races.anySecond { dropCopy(second, &context) }
  }

  /// The second copy of a request that nobody wants any more, where there is one.
  mutating func dropOther(than index: Int, _ context: inout ViewerContext) {
    guard let choice = requests.choice, let other = choice.pointee.races.other(than: index) else {
      return
    }
    dropCopy(other, &context)
  }

  /// Gives up a copy; nothing of its body has come.
  private mutating func dropCopy(_ index: Int, _ context: inout ViewerContext) {
    syncLink(at: context.now, &context)
    noteRequest(index, .cancelled, at: context.now, &context)
    cancelAtEdge(index, &context)
    requests.choice?.pointee.races.drop(index)
    let request = requests[index]
    requests[index].isActive = false
    if request.isWaiting {
      requests.withoutConnection -= 1
    } else {
      transport.giveUp(request.server, request.connection, at: context.now)
    }
    _ = transport.withdraw(index, at: context.now, cells: &context.cells)
    isLinkChanged = true
  }

  /// A copy that goes on alone is the one that its item waits for.
  private mutating func takeOver(_ index: Int) {
    let request = requests[index]
    if request.destination == .chain {
      items[place(request.item)].loading = index
    } else if request.destination == .audio {
      items[place(request.item)].audio.loading = index
    }
  }
}
