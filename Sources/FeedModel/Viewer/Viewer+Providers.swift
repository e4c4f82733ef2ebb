import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What a request meets at its provider.
enum ProviderMeeting {
  /// Its edges answer, so much later than they would by themselves.
  case works(late: TimeSpan)
  /// Whoever asks is told so, or nothing.
  case fails
}

/// Several providers: whom a request goes to, and what follows when that one fails.
extension Viewer {
  /// What the machine knows a request by: its place, and the low half of its generation.
  func number(_ request: Int) -> UInt32 {
    if let choice = requests.choice, let number = choice.pointee.races.number(of: request) {
      return number
    }
    return UInt32(truncatingIfNeeded: request) << 16 | requests[request].generation & 0xFFFF
  }

  /// Tells the machine and counts what it changed.
  ///
  /// - Returns: the provider that the request goes to now; nil: to none.
  func tell(
    _ event: ProviderSwitch.Event, _ context: inout ViewerContext
  ) -> UInt8? {
    guard let choice = requests.choice else { return nil }
    let (switches, probes) = (choice.pointee.machine.switches, choice.pointee.machine.probes)
    choice.pointee.commands.removeAll(keepingCapacity: true)
    choice.pointee.machine.handle(event, at: context.now, into: &choice.pointee.commands)
    context.measures.providers.switching.switches +=
      Int64(choice.pointee.machine.switches - switches)
    context.measures.providers.switching.probes += Int64(choice.pointee.machine.probes - probes)
    var next: UInt8?
    for command in choice.pointee.commands {
      if case .send(_, let provider) = command { next = provider }
    }
    return next
  }

  /// Chooses the provider of a request that is sent, or sent anew.
  mutating func choose(_ index: Int, _ context: inout ViewerContext) {
    guard let choice = requests.choice else { return }
    if choice.pointee.readsAt <= context.now {
      let switches = choice.pointee.machine.switches
      choice.pointee.read(configuration.cdn, at: context.now)
      context.measures.providers.switching.switches +=
        Int64(choice.pointee.machine.switches - switches)
    }
    let mayProbe = requests[index].isPrefetch && requests[index].asset == .segment
    let provider = tell(
      .requested(request: number(index), mayProbe: mayProbe), &context)
    assign(index, to: provider ?? choice.pointee.machine.current, &context)
    planHedge(index, context)
  }

  func assign(_ index: Int, to provider: UInt8, _ context: inout ViewerContext) {
    requests[index].provider = provider
    context.measures.providers.each[Int(provider)].counts.requests += 1
  }

  /// Nobody wants a request any more.
  func forgetChoice(_ index: Int, at now: Instant) {
    guard let choice = requests.choice, !requests[index].isFromDisk else { return }
    choice.pointee.commands.removeAll(keepingCapacity: true)
    choice.pointee.machine.handle(
      .cancelled(request: number(index)), at: now, into: &choice.pointee.commands)
    choice.pointee.races.end(index)
  }

  /// The whole answer to a request has come from its provider.
  mutating func noteProvider(_ request: Request, _ index: Int, _ context: inout ViewerContext) {
    if request.destination.isService || request.answer.isError { return }
    let bytes = request.isConditional ? 0 : request.bytes
    context.measures.providers.each[Int(request.provider)].counts.bytes += bytes
    // Objects of one sort are compared, and of one that was asked for once.
    let isMeasured = request.asset == .segment && bytes > 0 && request.retries == 0
    _ = tell(
      .ended(
        request: number(index), provider: request.provider,
        bytes: ByteCount(isMeasured ? bytes : 0), span: context.now - request.times.edgeAt),
      &context)
    requests.choice?.pointee.races.end(index)
  }

  // MARK: What fails

  /// What a request meets that has reached its provider's edge.
  mutating func meetProvider(
    _ index: Int, at now: Instant, _ context: inout ViewerContext
  ) -> ProviderMeeting {
    if requests.choice == nil { return .works(late: .zero) }
    let request = requests.at(index)
    let provider = Int(request.pointee.provider)
    guard let outage = configuration.cdn.providers[provider].outage(at: now) else {
      return .works(late: .zero)
    }
    switch outage.kind {
    case .slow(let late): return .works(late: late)
    case .error:
      request.pointee.times.edgeAt = now
      request.pointee.answer.isError = true
      context.measures.counts.clientErrors += 1
      answer(index, after: .zero, &context)
    case .timeout, .unreachable:
      request.pointee.times.edgeAt = now
      let end = request.pointee.times.sentAt.advanced(
        saturatingBy: configuration.cdn.switching.timeout)
      plan(
        .unanswered(request: UInt32(index), generation: request.pointee.generation),
        at: end > now ? end : now, context)
    }
    return .fails
  }

  /// A request has failed at its provider: the one that it goes to next; nil where nobody is left
  /// to ask, or nobody wants it.
  func provider(afterFailureOf index: Int, _ context: inout ViewerContext) -> UInt8? {
    guard let choice = requests.choice, !requests[index].destination.isService else { return nil }
    noteFailure(index, &context)
    let item = requests[index].item
    let next = tell(
      .failed(request: number(index), provider: requests[index].provider), &context)
    if next != nil && items[place(item)].item != item {
      forgetChoice(index, at: context.now)
      return nil
    }
    if next == nil { choice.pointee.races.end(index) }
    return next
  }

  /// Counts a request that has failed at its provider.
  func noteFailure(_ index: Int, _ context: inout ViewerContext) {
    let request = requests[index]
    context.measures.providers.each[Int(request.provider)].counts.failures += 1
    if request.item == current { requests.choice?.pointee.isTroubled = true }
  }

  /// A view is over: whether what failed in it kept its item from the screen. Of one that the run's
  /// end cut before its frame nobody knows.
  func noteTrouble(hasFrame: Bool, isCut: Bool, _ context: inout ViewerContext) {
    guard let choice = requests.choice else { return }
    if isCut && !hasFrame {
      choice.pointee.isTroubled = false
      return
    }
    context.measures.providers.switching.views += 1
    if choice.pointee.isTroubled {
      context.measures.providers.switching.troubledViews += 1
      context.measures.providers.switching.rescuedViews += hasFrame ? 1 : 0
    }
    choice.pointee.isTroubled = false
  }
}
