import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// A swipe settles: on the next item, or back on the old one where a gate holds it.
extension Viewer {
  /// The next item has settled: it is current from now on.
  mutating func settle(_ context: inout ViewerContext) {
    if hasClient && !passGate(&context) { return }
    let wasBurst = view.isBurst
    let (burst, length) = streams.uniformPair(.burst, entity: viewEntity())
    let isBurst =
      burst < (wasBurst ? audience.pointee.burstContinuation : audience.pointee.burstStart)
    view = Playback(at: context.now, isBack: view.isBack, isBurst: isBurst)
    if isBurst {
      plan(
        .burstEnded,
        at: context.now + TimeSpan(seconds: audience.pointee.burstDwell.quantile(length)), context)
    }
    beginView(&context)
  }

  /// A swipe has settled on the next item: whether the gate lets it through. When it does not, the
  /// viewer is on the old item again and swipes once more after a while.
  private mutating func passGate(_ context: inout ViewerContext) -> Bool {
    let state = clientState
    let decider = clientSettings.pointee.gateDecider
    if clientSettings.pointee.gate == nil && decider == nil { return true }
    if let decider, !passes(decider, &context) { return false }
    var commands: [ReadinessGate.Command] = []
    let before = state.pointee.gate.escapes
    let jumped = ReadinessGate.Event.jumped(to: ItemID(current))
    state.pointee.gate.handle(jumped, at: context.now, into: &commands)
    noteTold(context.logs?.gate, jumped, at: context.now, commands, &context)
    let cell = cohort
    for command in commands {
      switch command {
      case .snapBack:
        context.measures.swipes[cell].snapBacks += 1
        snapBack(&context)
        return false
      case .activate(let item): current = item.index
      case .pause, .showPlaceholder, .play: break
      }
    }
    context.measures.swipes[cell].escapes += Int64(state.pointee.gate.escapes - before)
    if let since = state.pointee.heldSince { state.pointee.held = context.now - since }
    state.pointee.heldSince = nil
    state.pointee.snaps = 0
    return true
  }

  /// Whether a gate of somebody else's lets a swipe through. One that it held before and lets
  /// through without a frame has escaped.
  private mutating func passes(
    _ decider: any GateDecider, _ context: inout ViewerContext
  ) -> Bool {
    let state = clientState
    let item = ItemID(current)
    let isReady = state.pointee.gate.isReady(item)
    let held = state.pointee.heldSince.map { context.now - $0 } ?? .zero
    let swipe = SwipeSnapshot(
      item: item, isReady: isReady, snapBacks: state.pointee.snaps, held: held)
    if decider.lets(swipe) {
      if !isReady && state.pointee.snaps > 0 { context.measures.swipes[cohort].escapes += 1 }
      return true
    }
    state.pointee.snaps += 1
    state.pointee.allSnaps += 1
    context.measures.swipes[cohort].snapBacks += 1
    snapBack(&context)
    return false
  }

  private mutating func snapBack(_ context: inout ViewerContext) {
    let state = clientState
    let since = state.pointee.heldSince ?? context.now
    state.pointee.heldSince = since
    let patience = audience.pointee.patience.quantile(
      streams.uniform(.patience, entity: viewEntity()))
    let leavesAt = (since + audience.pointee.patienceFloor).advanced(
      saturatingBy: TimeSpan(seconds: patience))
    // Nothing else is on offer: who loses patience here closes the app.
    if context.now >= leavesAt {
      state.pointee.held = context.now - since
      context.measures.swipes[cohort].swipes += 1
      context.measures.swipes[cohort].leftAtGate += 1
      context.measures.swipes[cohort].gateWait += state.pointee.held.nanoseconds
      context.measures.swipeWaits[cohort].add(state.pointee.held)
      endSession(&context)
      return
    }
    if current >= pages.count { askForPage(&context) }
    // The old item asks for nothing any more, so nothing has to wait for its buffer or its stall.
    if policy.pointee.prefetch.suspendsOnStall || context.foreign.readsStalls {
      tellPrefetch(.stallChanged(isStalled: false), &context)
      workOff(&context)
    }
    tellPrefetch(.bufferChanged(ahead: .zero, isComplete: true), &context)
    workOff(&context)
    // A neighbour that lost its player, or got no decoder, asks once more.
    if let shown = pool.current, pages.count > 0 {
      let last = ItemID(pages.count - 1)
      tellPool(.currentChanged(shown, last: last), &context)
      workOff(&context)
      prepareDecoder(current, &context)
      workOff(&context)
      applyProximity(&context)
    }
    let retry = clientSettings.pointee.snapRetry?.quantile(
      streams.uniform(
        .snapRetry, entity: viewEntity(),
        draw: UInt32(state.pointee.gate.snapBacks + state.pointee.allSnaps)))
    plan(.settled, at: context.now + TimeSpan(seconds: max(retry ?? 1, 0.001)), context)
  }
}
