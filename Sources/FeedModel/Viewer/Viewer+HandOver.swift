import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The access network changes under a viewer.
extension Viewer {
  /// The old network is lost: TCP connections are gone, and what was under way on them is asked
  /// for anew; QUIC connections wait for the new path.
  mutating func handOver(_ index: Int, _ context: inout ViewerContext) {
    let change = networks[network].handOvers[index]
    syncLink(at: context.now, &context)
    context.measures.counts.handOvers += 1
    note(.handOver, at: context.now, &context)
    if change.keepsConnections { return }
    isLinkChanged = true
    if !transport.handOver(change, at: context.now, cells: &context.cells) { return }
    if servers != .modelled { context.outsideCommands.append(.close(session: session)) }
    dropHedges(&context)
    // The item on the screen first, then the others.
    for isCurrent in [true, false] {
      for request in 0..<requests.count {
        let old = requests[request]
        guard old.isActive, !old.isFromDisk, !old.isBackingOff,
          (old.destination == .chain && old.item == current) == isCurrent
        else { continue }
        sendAnew(request, &context)
      }
    }
  }

  /// Repeats a request whose connection is gone; what had arrived of its answer is lost.
  private mutating func sendAnew(_ index: Int, _ context: inout ViewerContext) {
    let old = requests[index]
    let isLoading =
      old.destination == .chain && items[place(old.item)].loading == index
    let isAudio = old.destination == .audio
    discard(index, at: context.now, isRepeated: true, &context)
    context.measures.counts.repeatedRequests += 1
    requests[index] = old
    requests[index].generation = old.generation &+ 1
    requests[index].isWaiting = false
    requests[index].answer.isImmediate = true
    requests[index].waiting = .max
    requests[index].answer.isError = false
    requests[index].retries = 0
    requests[index].times.sentAt = context.now
    requests[index].times.queued = .zero
    if isLoading { items[place(old.item)].loading = index }
    if isAudio { items[place(old.item)].audio.loading = index }
    switch old.destination {
    case .feed: sendFeedRequest(index, isRepeated: true, &context)
    case .events: repeatPost(index, &context)
    default: dispatchAnew(index, &context)
    }
  }
}
