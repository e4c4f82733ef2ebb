import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What has arrived, and what follows from it for who waited.
extension Viewer {
  /// Takes what the link has carried by now.
  mutating func progressLink(_ context: inout ViewerContext) {
    syncLink(at: context.now, &context)
    noteLinkRate(at: context.now, &context)
    if transport.cell >= 0 {
      enterCell(&context)
      isLinkChanged = true
      return
    }
    while let (request, isEnd, lost) = transport.takeFinished(at: context.now) {
      noteShare(request, lost)
      if isEnd {
        if isHere(request) { complete(request, &context) }
      } else {
        reachStart(place(requests[request].item), &context)
        workOff(&context)
      }
      if !isActive { return }
    }
    isLinkChanged = true
  }

  /// A transfer of the viewer's has passed its mark or ended in the cell.
  mutating func finishInCell(_ request: Int, _ number: Int, _ context: inout ViewerContext) {
    guard let (lost, isEnd) = transport.finishInCell(request, flow: number, at: context.now)
    else { return }
    noteShare(request, lost)
    if !isEnd {
      reachStart(place(requests[request].item), &context)
    } else if isHere(request) {
      complete(request, &context)
    }
    isLinkChanged = true
  }

  /// The whole answer is here.
  mutating func complete(_ index: Int, _ context: inout ViewerContext) {
    let request = requests[index]
    noteRequest(
      index,
      request.answer.isError ? (request.answer.hasNoName ? .unresolved : .failed) : .completed,
      at: context.now, &context)
    requests[index].isActive = false
    if !request.isFromDisk {
      settleConnection(request, at: context.now, &context)
      if requests.choice != nil { noteProvider(request, index, &context) }
      sendWaiting(&context)
    }
    if request.destination == .events {
      receivePost(request, &context)
      return
    }
    if request.answer.isError {
      if failOver(index, &context) {
        workOff(&context)
        return
      }
      if recover(index, &context) { endView(&context) }
      workOff(&context)
      return
    }
    switch request.destination {
    case .feed: receiveFeedPage(&context)
    case .events: break
    case .poster:
      keep(request, at: context.now, &context)
      let place = place(request.item)
      if items[place].item == request.item {
        items[place].posterAt = context.now
      }
    case .vtt, .sprite:
      keep(request, at: context.now, &context)
      receiveStoryboard(request, &context)
    case .chain:
      keep(request, at: context.now, &context)
      receiveChain(request, &context)
    case .audio:
      keep(request, at: context.now, &context)
      receiveAudio(request, &context)
    }
  }

  private mutating func settleConnection(
    _ request: Request, at now: Instant, _ context: inout ViewerContext
  ) {
    transport.settle(request.server, request.connection, at: now)
    if !request.destination.isService {
      context.deliver(request.isConditional || request.answer.isError ? 0 : request.bytes)
    }
    if request.asset == .segment && !request.isConditional && !request.answer.isError {
      if request.destination == .audio { return }
      estimator.add(
        ByteCount(request.bytes), over: now - request.times.firstByteAt)
    }
  }

  /// Puts an answer into the disk cache (SIG-029, SIG-030, SIG-044).
  private mutating func keep(_ request: Request, at now: Instant, _ context: inout ViewerContext) {
    if request.isFromDisk || !setting.pointee.keptByDevices[Int(request.asset.rawValue)] { return }
    storeOnDisk(
      request,
      DiskCopy(
        storedAt: now, age: request.answer.age, stated: request.answer.stated,
        number: request.number,
        asset: request.asset), &context)
  }

  /// A feed page has arrived.
  private mutating func receiveFeedPage(_ context: inout ViewerContext) {
    let isFirst = pages.count == 0
    let commands = addPage(&context)
    let last = ItemID(pages.count - 1)
    if view.phase == .waitingForFeed {
      if isFirst { view.callPlay(at: context.now) }
      beginView(&context)
    } else {
      tellPool(.feedExtended(last: last), &context)
      workOff(&context)
      tellLengths(&context)
      tellPrefetch(.feedExtended(last: last), &context)
      workOff(&context)
    }
    // A page may be smaller than the distance that triggers the next one.
    requestPages(commands, &context)
  }
}
