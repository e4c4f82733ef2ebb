import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// Edge, shield and origin.
extension FeedWorld {
  /// A viewer's request has arrived at its edge.
  mutating func receiveAtEdge(
    _ viewer: ViewerPointer, _ index: Int, _ generation: UInt32, _ target: UInt32,
    _ context: inout Context<FeedEvent>
  ) {
    // A request that was cancelled on its way is still served by a real edge; nobody waits for it.
    guard viewer.pointee.isActive, viewer.pointee.requestCount > index,
      viewer.pointee.requests[index].isActive,
      viewer.pointee.requests[index].generation == generation
    else { return }
    let request = viewer.pointee.requests[index]
    let edge = Int(viewer.pointee.edge)
    let object = request.object
    measures.offsets.requests[Int(request.offset)] += 1
    measures.offsets.bytes[Int(request.offset)] += request.bytes
    let service = TimeSpan(
      seconds: edges[edge].configuration.serviceTime.quantile(request.serviceDraw))
    let (outcome, age) = lookupAtEdge(edge, object, request, &context)
    edges[edge].counters.count(request.asset, outcome, bytes: request.bytes)
    switch outcome {
    case .hit, .staleHit:
      viewer.pointee.requests[index].age = age
      answer(viewer, index, after: service, &context)
    default:
      viewer.pointee.requests[index].isImmediate = false
      let isShared = edges[edge].configuration.collapsing != .none
      let fetch: Int
      if outcome == .collapsed, let pending = edges[edge].pendingFetch(object) {
        fetch = pending
      } else {
        fetch = edges[edge].beginFetch(
          object, request.asset, bytes: request.bytes,
          isRevalidation: outcome == .revalidated, isShared: isShared)
        forward(edge, fetch, after: service, &context)
      }
      edges[edge].addWaiter(
        fetch, owner: viewer.pointee.slot, request: UInt32(index), generation: generation)
    }
  }

  /// What becomes of a request at an edge, and the age of what is served at once.
  private mutating func lookupAtEdge(
    _ edge: Int, _ object: UInt32, _ request: Request, _ context: inout Context<FeedEvent>
  ) -> (CacheOutcome, TimeSpan) {
    if configuration.cdn.start == .everything { return (.hit, .zero) }
    var found = edges[edge].lookup(object, at: context.now)
    if case .absent = found, configuration.cdn.start == .stationary,
      edges[edge].isFirstRequest(object)
    {
      drawResident(
        at: edges[edge].entity, object, request.asset, request.bytes, factor: 1,
        now: context.now)
      found = edges[edge].lookup(object, at: context.now)
    }
    let collapsing = edges[edge].configuration.collapsing
    let pending = edges[edge].pendingFetch(object)
    switch found {
    case .fresh(let age): return (.hit, age)
    case .staleServable(let age):
      if pending == nil {
        let fetch = edges[edge].beginFetch(
          object, request.asset, bytes: request.bytes, isRevalidation: true, isShared: true)
        forward(edge, fetch, after: .zero, &context)
      }
      return (.staleHit, age)
    case .stale:
      if pending != nil && collapsing == .full { return (.collapsed, .zero) }
      return (.revalidated, .zero)
    case .absent:
      if pending != nil && collapsing != .none { return (.collapsed, .zero) }
      return (.miss, .zero)
    }
  }

  /// Draws whether and since when an object is resident, as a long run would have left it.
  ///
  /// TTL cache without renewal on hits: fresh with probability rate·TTL / (1 + rate·TTL), its age
  /// then uniform; else it waits, stale, for the next request. The age of the last request is at
  /// most the age of the copy. Whether the copy survived eviction depends on that last request.
  private mutating func drawResident(
    at entity: UInt32, _ object: UInt32, _ asset: AssetClass, _ bytes: Int64, factor: Double,
    now: Instant
  ) {
    guard let demand else { return }
    let directives = configuration.cdn.assetTTL.directives(for: asset)
    let rate = demand.rate(of: object) * factor
    let lifetime = configuration.cdn.assetTTL.sharedLifetime(of: asset)
    if rate <= 0 || lifetime <= 0 { return }
    let key = UInt64(entity) << 32 | UInt64(object)
    let (u0, u1) = streams.uniformPair(.stationary, entity: key, pair: 0)
    let (u2, u3) = streams.uniformPair(.stationary, entity: key, pair: 1)
    let gap = -PortableMath.log(u1) / rate
    var age: Double
    var lastRequest: Double
    if u0 < rate * lifetime / (1 + rate * lifetime) {
      age = u2 * lifetime
      lastRequest = gap < age ? gap : age
    } else {
      // Stale and not asked for since: the wait so far is exponential, and the last request before
      // the copy expired lies another gap back, or at its fetch.
      let waited = gap
      let before = -PortableMath.log(u3) / rate
      age = lifetime + waited
      lastRequest = waited + (before < lifetime ? before : lifetime)
    }
    let isShield = entity == FeedWorld.shieldEntity
    let isResident =
      isShield
      ? shield!.takeUntouched(age: lastRequest, size: bytes)
      : edges[Int(entity - 2)].takeUntouched(age: lastRequest, size: bytes)
    if !isResident { return }
    let storedAt = Instant.zero.advanced(saturatingBy: TimeSpan(seconds: -age))
    guard
      let response = CacheFreshness.store(
        directives, shared: true, at: storedAt, initialAge: .zero)
    else { return }
    if isShield {
      shield!.insert(object, size: bytes, response: response)
    } else {
      edges[Int(entity - 2)].insert(object, size: bytes, response: response)
    }
  }

  /// Sends an edge's fetch to the next tier.
  private mutating func forward(
    _ edge: Int, _ fetch: Int, after service: TimeSpan, _ context: inout Context<FeedEvent>
  ) {
    let record = edges[edge].fetches[fetch]
    let entity = UInt64(edges[edge].entity) << 32 | UInt64(record.object)
    if shield != nil {
      context.schedule(
        .requestAtShield(edge: UInt32(edge), fetch: UInt32(fetch)),
        at: context.now + service + backhaul(entity, record.count) / 2,
        for: FeedWorld.shieldEntity, phase: .arrival)
    } else {
      let wait = originWait(entity, record)
      context.schedule(
        .fillAtEdge(edge: UInt32(edge), fetch: UInt32(fetch), age: 0),
        at: context.now + service + backhaul(entity, record.count) + wait,
        for: edges[edge].entity, phase: .arrival)
    }
  }

  /// A round trip between tiers, for the n-th fetch of a node.
  private func backhaul(_ entity: UInt64, _ count: UInt32) -> TimeSpan {
    let u = streams.uniform(.backhaul, entity: entity, draw: count)
    let span = TimeSpan(seconds: configuration.cdn.edgeToShield.quantile(u))
    return span > configuration.cdn.backhaulFloor ? span : configuration.cdn.backhaulFloor
  }

  private mutating func originWait(_ entity: UInt64, _ fetch: Fetch) -> TimeSpan {
    measures.originRequests += 1
    if !fetch.isRevalidation { measures.originBytes += fetch.bytes }
    let u = streams.uniform(.origin, entity: entity, draw: fetch.count)
    return TimeSpan(seconds: configuration.cdn.originFirstByte.quantile(u))
  }

  /// An edge's request has arrived at the shield.
  mutating func receiveAtShield(
    _ edge: Int, _ fetch: Int, _ context: inout Context<FeedEvent>
  ) {
    let request = edges[edge].fetches[fetch]
    let object = request.object
    var found = shield!.lookup(object, at: context.now)
    if case .absent = found, configuration.cdn.start == .stationary,
      shield!.isFirstRequest(object), let demand
    {
      let own = demand.rate(of: object)
      drawResident(
        at: FeedWorld.shieldEntity, object, request.asset, request.bytes,
        factor: shieldFactor(own, request.asset), now: context.now)
      found = shield!.lookup(object, at: context.now)
    }
    let pending = shield!.pendingFetch(object)
    let collapsing = shield!.configuration.collapsing
    var outcome = CacheOutcome.hit
    var age = TimeSpan.zero
    switch found {
    case .fresh(let present): age = present
    case .staleServable(let present):
      age = present
      outcome = .staleHit
      if pending == nil {
        let own = shield!.beginFetch(
          object, request.asset, bytes: request.bytes, isRevalidation: true, isShared: true)
        askOrigin(own, &context)
      }
    case .stale: outcome = pending != nil && collapsing == .full ? .collapsed : .revalidated
    case .absent: outcome = pending != nil && collapsing != .none ? .collapsed : .miss
    }
    shield!.counters.count(request.asset, outcome, bytes: request.bytes)
    let key = UInt64(FeedWorld.shieldEntity) << 32 | UInt64(object)
    if outcome == .hit || outcome == .staleHit {
      let u = streams.uniform(.backhaul, entity: key, draw: 1 << 31 | request.count)
      let service = TimeSpan(seconds: shield!.configuration.serviceTime.quantile(u))
      fill(edge, fetch, age: age, after: service, &context)
      return
    }
    var own = pending ?? -1
    if outcome != .collapsed {
      own = shield!.beginFetch(
        object, request.asset, bytes: request.bytes, isRevalidation: outcome == .revalidated,
        isShared: collapsing != .none)
      askOrigin(own, &context)
    }
    shield!.addWaiter(own, owner: UInt32(edge), request: UInt32(fetch), generation: 0)
  }

  /// Demand at the shield over one edge's: what the edges miss, from all of them.
  func shieldFactor(_ rate: Double, _ asset: AssetClass) -> Double {
    let lifetime = configuration.cdn.assetTTL.sharedLifetime(of: asset)
    return FeedWorld.missShare(
      rate: rate, lifetime: lifetime, characteristicTime: edges[0].characteristicTime)
      * Double(configuration.cdn.edgesBehindShield)
  }

  /// Share of an object's requests that a tier sends on: absent, or stale.
  public static func missShare(
    rate: Double, lifetime: Double, characteristicTime: Double
  ) -> Double {
    let absent = characteristicTime.isFinite ? PortableMath.exp(-rate * characteristicTime) : 0
    return absent + (1 - absent) / (1 + rate * lifetime)
  }

  private mutating func askOrigin(_ fetch: Int, _ context: inout Context<FeedEvent>) {
    let record = shield!.fetches[fetch]
    let entity = UInt64(FeedWorld.shieldEntity) << 32 | UInt64(record.object)
    let wait = originWait(entity, record)
    context.schedule(
      .fillAtShield(fetch: UInt32(fetch)), at: context.now + wait,
      for: FeedWorld.shieldEntity, phase: .arrival)
  }

  /// The origin has answered the shield.
  mutating func fillShield(_ fetch: Int, _ context: inout Context<FeedEvent>) {
    let record = shield!.fetches[fetch]
    let directives = configuration.cdn.assetTTL.directives(for: record.asset)
    if let response = CacheFreshness.store(
      directives, shared: true, at: context.now, initialAge: .zero)
    {
      shield!.insert(record.object, size: record.bytes, response: response)
    }
    while let waiter = shield!.takeWaiter(fetch) {
      fill(Int(waiter.owner), Int(waiter.request), age: .zero, after: .zero, &context)
    }
    shield!.endFetch(fetch)
  }

  /// Sends an answer from the shield to an edge.
  private mutating func fill(
    _ edge: Int, _ fetch: Int, age: TimeSpan, after service: TimeSpan,
    _ context: inout Context<FeedEvent>
  ) {
    let record = edges[edge].fetches[fetch]
    let entity = UInt64(edges[edge].entity) << 32 | UInt64(record.object)
    context.schedule(
      .fillAtEdge(edge: UInt32(edge), fetch: UInt32(fetch), age: age.nanoseconds),
      at: context.now + service + backhaul(entity, record.count) / 2, for: edges[edge].entity,
      phase: .arrival)
  }

  /// An answer has reached an edge: store it with the age it came with, serve who waits.
  mutating func fillEdge(
    _ edge: Int, _ fetch: Int, _ age: TimeSpan, _ context: inout Context<FeedEvent>
  ) {
    let record = edges[edge].fetches[fetch]
    let directives = configuration.cdn.assetTTL.directives(for: record.asset)
    if let response = CacheFreshness.store(
      directives, shared: true, at: context.now, initialAge: age)
    {
      edges[edge].insert(record.object, size: record.bytes, response: response)
    }
    while let waiter = edges[edge].takeWaiter(fetch) {
      let viewer = viewers[Int(waiter.owner)]
      let index = Int(waiter.request)
      guard viewer.pointee.isActive, viewer.pointee.requests[index].isActive,
        viewer.pointee.requests[index].generation == waiter.generation,
        viewer.pointee.requests[index].isImmediate == false
      else { continue }
      viewer.pointee.requests[index].age = age
      answer(viewer, index, after: .zero, &context)
    }
    edges[edge].endFetch(fetch)
  }

  /// Sends an answer from the edge; its first byte is at the viewer half a round trip later.
  private mutating func answer(
    _ viewer: ViewerPointer, _ index: Int, after service: TimeSpan,
    _ context: inout Context<FeedEvent>
  ) {
    beginTransfer(
      viewer, index, at: context.now + service + viewer.pointee.roundTrip / 2, &context)
  }
}
