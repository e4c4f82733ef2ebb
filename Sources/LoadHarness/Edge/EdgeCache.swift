import CachePolicy
import MediaUnits
import Models
import NIOCore
import NIOHTTP1
import SimulationKernel

/// A shared cache at work: the rules of `CachePolicy` and the eviction of the simulated nodes, with
/// real requests and bytes around them. All of it happens on one event loop.
///
/// Follows RFC 9111 as a whole, with `Vary`, ranges and conditions answered from complete copies,
/// collapsed requests, stale use (RFC 5861), `Cache-Status` (RFC 9211) and `CDN-Cache-Control` (RFC
/// 9213). Leaves out: storing parts (206), answers to POST, and `Warning`.
final class EdgeCache {
  let configuration: EdgeConfiguration
  let loop: any EventLoop
  let origin: OriginPool
  var counters = EdgeCounters()
  private(set) var addresses: [String: EdgeAddress] = [:]
  private var store: ObjectStore
  /// By handle.
  private var variants: [EdgeVariant?] = []
  private var freeHandles: [UInt32] = []
  private var ghosts: EdgeGhosts
  /// Variants without a copy, and how many of them there may be before some are forgotten.
  private(set) var absent = 0
  private var forgetAt: Int
  /// Bytes of bodies of unknown length on their way into the store.
  var floating: Int64 = 0
  /// Requests that a machine has not answered yet.
  var pending: [UInt32: EdgeExchange] = [:]
  private var requestCount: UInt32 = 0
  private let streams: RandomStreams
  private var admissions: UInt64 = 0
  /// Time zero is a whole second of the day.
  private let startedAt: Int64
  let epoch: Int64
  let nameBytes: [UInt8]
  /// What `Via` says of it.
  let via: String

  init(_ configuration: EdgeConfiguration, loop: any EventLoop) throws {
    self.configuration = configuration
    self.loop = loop
    let settings = OriginPool.Settings(
      address: configuration.origin,
      connectTimeout: .nanoseconds(configuration.connectTimeout.nanoseconds),
      responseTimeout: .nanoseconds(configuration.responseTimeout.nanoseconds),
      keepAlive: .nanoseconds(min(configuration.keepAlive.nanoseconds, 1 << 60)),
      connections: configuration.connections)
    origin = try OriginPool(settings, loop: loop)
    store = ObjectStore(configuration.eviction, capacity: configuration.capacity)
    streams = RandomStreams(seed: configuration.seed, replication: 0)
    let remembered = configuration.limits.rememberedAddresses
    forgetAt = EdgeCache.bound(remembered, configuration.capacity / 16_384)
    ghosts = EdgeGhosts(most: EdgeCache.bound(remembered, configuration.capacity / 1_024))
    nameBytes = Array(configuration.name.utf8)
    via = "1.1 \(configuration.name)"
    let wall = WallClock.nanoseconds()
    epoch = wall / 1_000_000_000
    startedAt = Int64(clamping: NIODeadline.now().uptimeNanoseconds) - wall % 1_000_000_000
  }

  /// What is remembered of absent objects is a small part of what is kept of present ones.
  private static func bound(_ most: Int, _ share: Int64) -> Int {
    min(most, Int(clamping: max(1_024, share)))
  }

  var now: Instant {
    Instant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds) - startedAt)
  }

  /// Seconds since 1970.
  func seconds(at time: Instant) -> Int64 {
    ResponseTiming(requestedAt: time, receivedAt: time, epoch: epoch).receivedSeconds
  }

  var usedBytes: Int64 { store.usedBytes }

  // MARK: Requests

  /// Takes a request; its answer goes to the sink.
  func take(
    _ request: HTTPRequestHead, _ content: ByteBuffer?, sink: any EdgeSink
  ) -> EdgeExchange {
    let now = now
    requestCount &+= 1
    let exchange = EdgeExchange(
      number: RequestNumber(requestCount), request: request, content: content,
      obeysRequests: configuration.obeysRequests, receivedAt: seconds(at: now), arrivedAt: now,
      sink: sink)
    if let log = configuration.log {
      exchange.whenOver = { [weak self] exchange in
        if let self { log.write(exchange, at: self.now) }
      }
    }
    counters.requests += 1
    admit(exchange, at: now)
    return exchange
  }

  /// Finds what answers a request.
  func admit(_ exchange: EdgeExchange, at now: Instant) {
    let method = exchange.request.method
    if method != .GET && method != .HEAD {
      exchange.reason = .method
      forward(exchange, variant: nil, at: now)
      return
    }
    let key = key(exchange.request.uri)
    let address = addresses[key]
    let variant = address?.variant(for: exchange.request.headers)
    exchange.reason =
      variant?.answer != nil ? .stale : address?.copies ?? 0 > 0 ? .varyMiss : .uriMiss
    let directives = exchange.fields.directives
    if directives.noStore || exchange.detours > 3 {
      exchange.reason = directives.noStore ? .request : .bypass
      forward(exchange, variant: nil, at: now)
      return
    }
    exchange.isForItself =
      configuration.isCareful && exchange.fields.isForwarded(beside: address?.vary)
    guard let variant, let stored = variant.stored else {
      admitAbsent(exchange, variant, address, key, at: now)
      return
    }
    switch CacheFreshness.reuse(of: stored, for: directives, at: now) {
    case .allowedStale:
      counters.staleHits += 1
      serve(exchange, from: variant, .hit, at: now)
    case .refused where directives.onlyIfCached: refuse(exchange, .gatewayTimeout)
    case .refused:
      exchange.reason = .request
      forward(exchange, variant: exchange.isForItself ? nil : variant, at: now)
    case .asStored: admitStored(exchange, variant, stored, at: now)
    }
  }

  private func admitStored(
    _ exchange: EdgeExchange, _ variant: EdgeVariant, _ stored: StoredResponse, at now: Instant
  ) {
    let disposition = CacheFreshness.disposition(of: stored, at: now)
    if case .fresh = disposition {
      counters.hits += 1
      serve(exchange, from: variant, .hit, at: now)
    } else if exchange.fields.directives.onlyIfCached && disposition != .staleWhileRevalidate {
      refuse(exchange, .gatewayTimeout)
    } else if exchange.isForItself || exchange.isHead && disposition != .staleWhileRevalidate {
      forward(exchange, variant: nil, at: now)
    } else {
      ask(variant, for: exchange, at: now)
    }
  }

  private func admitAbsent(
    _ exchange: EdgeExchange, _ variant: EdgeVariant?, _ address: EdgeAddress?, _ key: String,
    at now: Instant
  ) {
    if exchange.fields.directives.onlyIfCached {
      refuse(exchange, .gatewayTimeout)
    } else if exchange.isHead || exchange.isForItself {
      forward(exchange, variant: nil, at: now)
    } else if let chosen = variant
      ?? addVariant(address ?? remember(key), for: exchange.request.headers, at: now)
    {
      ask(chosen, for: exchange, at: now)
      chosen.wasMissed = true
    } else {
      forward(exchange, variant: nil, at: now)
    }
  }

  /// Lets the variant's machine decide about a request.
  private func ask(_ variant: EdgeVariant, for exchange: EdgeExchange, at now: Instant) {
    if variant.machine == nil {
      var machine = CollapsingMachine(configuration.collapsing)
      machine.reset(copy: variant.stored)
      variant.machine = EdgeMachine(machine)
    }
    pending[exchange.number.index] = exchange
    exchange.variant = variant
    variant.asked = exchange
    tell(variant, .requested(exchange.number), at: now)
  }

  /// The client of a request is gone.
  func left(_ exchange: EdgeExchange) {
    exchange.leave()
    if let variant = exchange.variant,
      pending.removeValue(forKey: exchange.number.index) != nil
    {
      exchange.fetch?.exchange = nil
      exchange.fetch = nil
      tell(variant, .cancelled(exchange.number), at: now)
    } else if let fetch = exchange.fetch, fetch.number == nil {
      if fetch.answer == nil { fetch.cancel() }
      fetch.exchange = nil
    }
    exchange.fetch = nil
  }

  // MARK: Machines

  /// Reports an event to a variant's machine and does what it says.
  func tell(_ variant: EdgeVariant, _ event: CollapsingMachine.Event, at now: Instant) {
    guard let machine = variant.machine else {
      if variant.isEmpty { retire(variant) }
      return
    }
    var commands: [CollapsingMachine.Command] = []
    machine.state.handle(event, at: now, into: &commands)
    var stores: EdgeFetch?
    for command in commands {
      switch command {
      case .serve(let request, let service):
        if let exchange = pending.removeValue(forKey: request.index) {
          answer(exchange, service, variant, at: now)
        }
      case .fetch(let number, let waiting, let isConditional):
        fetch(
          number, variant, for: waiting.flatMap { pending[$0.index] },
          isConditional: isConditional, at: now)
      case .store(let number):
        if let fetch = fetches[FetchKey(variant.handle, number)] {
          put(fetch, into: variant)
          stores = fetch
        }
      case .discardCopy: drop(variant)
      case .setTimer(let at): wake(variant, at: at, from: now)
      }
    }
    if let stores { settle(variant, stores, at: now) }
    if variant.machine?.state.isIdle(at: now) == true {
      variant.machine = nil
      variant.asked = nil
    }
    if variant.isEmpty { retire(variant) }
  }

  private func wake(_ variant: EdgeVariant, at time: Instant, from now: Instant) {
    let bound = NIOLoopBound((self, variant), eventLoop: loop)
    _ = loop.scheduleTask(in: .nanoseconds(max(0, (time - now).nanoseconds))) {
      let (cache, variant) = bound.value
      cache.tell(variant, .timerFired, at: cache.now)
    }
  }

  /// Which fetch of which variant.
  struct FetchKey: Hashable {
    let variant: UInt32
    let slot: UInt32

    init(_ variant: UInt32, _ number: FetchNumber) {
      self.variant = variant
      slot = number.slot
    }
  }

  /// Fetches of machines under way, and those whose answers they are about to be told.
  var fetches: [FetchKey: EdgeFetch] = [:]

  // MARK: The store

  /// Takes a fetch's answer for the variant's copy.
  func put(_ fetch: EdgeFetch, into variant: EdgeVariant) {
    guard let answer = fetch.answer, let stored = answer.stored, !variant.isReleased
    else { return }
    set(answer, stored, of: variant)
    let address = variant.address
    address.set(answer.vary, EdgeAnswer.key(answer.vary, fetch.selecting), of: variant)
    variant.failure = nil
    fetch.isStored = true
    // Others that the same requests would find are superseded.
    for other in address.others(like: variant) where other.machine == nil && other.answer != nil {
      release(other)
    }
  }

  /// Gives a new copy its place, or finds that it has none. One of unknown length gets it when its
  /// body is whole.
  func settle(_ variant: EdgeVariant, _ fetch: EdgeFetch, at now: Instant) {
    guard let answer = variant.answer, answer === fetch.answer else { return }
    guard let length = answer.length ?? (answer.body.state == .whole ? answer.body.count : nil)
    else { return }
    if variant.isResident {
      if variant.placed === answer.body { return }
      leaveStore(variant)
    }
    let isAdmitted = admits(fetch, length)
    let size =
      switch configuration.weighing {
      case .bodies: length
      case .memory: EdgeWeight.bytes(answer, length: length, of: variant)
      }
    if isAdmitted && store.insert(variant.handle, size: size, at: now.nanoseconds) {
      variant.isResident = true
      variant.placed = answer.body
      variant.bytes = size
      counters.stored += 1
    } else {
      fetch.isStored = false
      forget(variant, at: now)
    }
    tellEvicted(at: now)
  }

  private func admits(_ fetch: EdgeFetch, _ length: Int64) -> Bool {
    switch configuration.admission {
    case .all: return true
    case .size(let most): return length <= most
    case .bloom: return fetch.wasMissed
    case .probability(let share):
      admissions += 1
      return streams.uniform(.admission, entity: admissions) < share
    case .rule: preconditionFailure("a live edge knows shipped rules alone")
    }
  }

  private func tellEvicted(at now: Instant) {
    while let handle = store.takeEvicted() {
      guard let variant = variants[Int(handle)] else { continue }
      variant.isResident = false
      variant.placed = nil
      counters.evicted += 1
      forget(variant, at: now)
    }
  }

  /// A copy is no longer there; requests under way keep its bytes.
  private func forget(_ variant: EdgeVariant, at now: Instant) {
    variant.answer?.body.stopKeeping()
    set(nil, nil, of: variant)
    tell(variant, .evicted, at: now)
  }

  /// Takes a copy out of the store.
  func drop(_ variant: EdgeVariant) {
    if variant.isResident { leaveStore(variant) }
    variant.answer?.body.stopKeeping()
    set(nil, nil, of: variant)
  }

  private func set(_ answer: EdgeAnswer?, _ stored: StoredResponse?, of variant: EdgeVariant) {
    if variant.isReleased { return }
    absent += (answer == nil ? 1 : 0) - (variant.answer == nil ? 1 : 0)
    variant.address.set(answer, stored, of: variant)
  }

  private func leaveStore(_ variant: EdgeVariant) {
    store.remove(variant.handle)
    variant.isResident = false
    variant.placed = nil
  }

  /// The same for a reason that its machine does not know.
  func discard(_ variant: EdgeVariant, at now: Instant) {
    drop(variant)
    tell(variant, .evicted, at: now)
  }

  /// A copy is used.
  func use(_ variant: EdgeVariant, at now: Instant) {
    if !variant.isResident { return }
    store.use(variant.handle, size: variant.bytes, at: now.nanoseconds)
    tellEvicted(at: now)
  }

  // MARK: Addresses

  /// The key of a request's target: without scheme and authority, and without the query where that
  /// does not count.
  func key(_ target: String) -> String {
    let path = EdgeCache.path(target)
    guard !configuration.keepsQuery, let mark = path.utf8.firstIndex(of: UInt8(ascii: "?"))
    else { return path }
    return String(path[..<mark])
  }

  /// The path and query of a target, which may have the absolute form (RFC 9112 section 3.2.2).
  static func path(_ target: String) -> String {
    if target.utf8.first == UInt8(ascii: "/") { return target }
    guard let scheme = target.range(of: "://") else { return target }
    guard let slash = target[scheme.upperBound...].firstIndex(of: "/") else { return "/" }
    return String(target[slash...])
  }

  private func remember(_ key: String) -> EdgeAddress {
    let address = EdgeAddress(key)
    addresses[key] = address
    return address
  }

  /// A variant for requests that find none; nil where the address has as many as it may, all of
  /// them in use.
  private func addVariant(
    _ address: EdgeAddress, for request: HTTPHeaders, at now: Instant
  ) -> EdgeVariant? {
    let vary = address.vary
    let key = EdgeAnswer.key(vary, request)
    while address.variants.count >= configuration.limits.variants {
      guard let given = address.dispensable() else { return nil }
      giveUp(given, keepsAddress: true)
    }
    if absent >= forgetAt { forgetMarks(but: address) }
    let ghost = ghosts.take(address.key, key)
    let handle = ghost ?? freeHandles.popLast() ?? UInt32(variants.count)
    let variant = EdgeVariant(address: address, handle: handle, vary: vary, key: key)
    variant.wasMissed = ghost != nil
    if handle == variants.count {
      variants.append(variant)
    } else {
      variants[Int(handle)] = variant
    }
    absent += 1
    address.add(variant)
    return variant
  }

  /// Its handle goes to another object; a ghost list may then take that one for this.
  private func release(_ variant: EdgeVariant) {
    if variant.isReleased { return }
    drop(variant)
    absent -= 1
    variant.machine = nil
    variant.asked = nil
    variant.failure = nil
    variants[Int(variant.handle)] = nil
    freeHandles.append(variant.handle)
    variant.address.remove(variant)
  }

  /// Forgets a variant but for its name, which goes on with its handle for some time: whether an
  /// object was missed before, and ghost lists, are about that.
  private func retire(_ variant: EdgeVariant) { giveUp(variant, keepsAddress: false) }

  private func giveUp(_ variant: EdgeVariant, keepsAddress: Bool) {
    if variant.isReleased { return }
    let address = variant.address
    release(variant)
    // The handle that was freed last is its own.
    if variant.wasMissed, let handle = freeHandles.popLast(),
      let free = ghosts.put(address.key, variant.key, handle)
    {
      freeHandles.append(free)
    }
    if address.variants.isEmpty && !keepsAddress { addresses[address.key] = nil }
  }

  /// Forgets the variants that have no copy and nothing under way: what is left of them is that
  /// they cannot be stored.
  ///
  /// - Complexity: O(addresses), after as many new ones as may be without a copy at least.
  private func forgetMarks(but kept: EdgeAddress) {
    var given: [EdgeVariant] = []
    for address in addresses.values {
      for variant in address.variants where variant.answer == nil && !variant.isBusy {
        given.append(variant)
      }
    }
    for variant in given { giveUp(variant, keepsAddress: variant.address === kept) }
    let least = EdgeCache.bound(
      configuration.limits.rememberedAddresses, configuration.capacity / 16_384)
    forgetAt = max(least, 2 * absent)
  }

  /// An unsafe request makes what is stored for an address invalid (RFC 9111 section 4.4).
  func invalidate(_ key: String, at now: Instant) {
    guard let address = addresses[key] else { return }
    for variant in address.variants where variant.answer != nil {
      counters.invalidated += 1
      discard(variant, at: now)
    }
  }
}
