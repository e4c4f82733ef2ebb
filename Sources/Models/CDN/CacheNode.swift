import CachePolicy
import MediaUnits
import SimulationKernel

/// Somebody who waits for an object at a cache node.
struct Waiter {
  /// At an edge: the viewer's place and request; at the shield: the edge and its fetch.
  var owner: UInt32
  var request: UInt32
  var generation: UInt32
  /// The next waiter of the same fetch, or -1.
  var next: Int32
}

/// One request under way from a cache node to the next tier.
struct Fetch {
  var object: UInt32
  var asset: AssetClass
  var bytes: Int64
  var firstWaiter: Int32
  var isRevalidation: Bool
  var isActive: Bool
  /// The next of the same object's collapsed chain is found by ``CacheNode/fetches``.
  var count: UInt32
}

/// A cache of one tier: an LRU store, freshness, and the requests under way.
///
/// The states of an object are those of caches.md section 8.3: absent, fetching, fresh, stale,
/// revalidating. The node decides nothing about time: the world asks, schedules and calls back.
struct CacheNode {
  enum Lookup {
    case fresh(age: TimeSpan)
    case staleServable(age: TimeSpan)
    case stale
    case absent
  }

  let entity: UInt32
  let configuration: CacheTierConfiguration
  private var store: ByteLRU
  private var stored: [StoredResponse] = []
  private var seen = LookupTable(capacity: 1024)
  private var pending = LookupTable(capacity: 256)
  private(set) var fetches: [Fetch] = []
  private var freeFetches: [Int32] = []
  private(set) var waiters: [Waiter] = []
  private var freeWaiters: [Int32] = []
  private var untouched: UntouchedResidents?
  private var fetchCount: UInt32 = 0
  var counters = TierCounters()

  init(
    entity: UInt32, configuration: CacheTierConfiguration, untouched: UntouchedResidents?
  ) {
    self.entity = entity
    self.configuration = configuration
    self.untouched = untouched
    store = ByteLRU(capacity: configuration.capacity, reserve: 4096)
  }

  /// Whether the object was asked for before in this run; notes that it was now.
  mutating func isFirstRequest(_ object: UInt32) -> Bool {
    if seen[UInt64(object)] != nil { return false }
    seen.set(UInt64(object), to: 1)
    return true
  }

  /// Whether the object's last request before the run, `age` seconds ago, left it resident.
  mutating func takeUntouched(age: Double, size: Int64) -> Bool {
    untouched == nil ? true : untouched!.take(age: age, size: size)
  }

  var characteristicTime: Double { untouched?.characteristicTime ?? .infinity }

  /// Finds an object, counts it as used.
  mutating func lookup(_ object: UInt32, at now: Instant) -> Lookup {
    guard let place = store.touch(object) else { return .absent }
    switch CacheFreshness.disposition(of: stored[place], at: now) {
    case .fresh: return .fresh(age: stored[place].age(at: now))
    case .staleWhileRevalidate: return .staleServable(age: stored[place].age(at: now))
    case .staleIfErrorOnly, .mustRevalidate: return .stale
    }
  }

  /// Stores an answer, evicting what was used least recently.
  mutating func insert(_ object: UInt32, size: Int64, response: StoredResponse) {
    guard let place = store.insert(object, size: ByteCount(size), evicted: { _, _ in }) else {
      return
    }
    while stored.count <= place { stored.append(response) }
    stored[place] = response
    if untouched != nil {
      untouched!.shrink(
        to: Double(configuration.capacity.bytes) - Double(store.usedBytes.bytes))
    }
  }

  /// The fetch under way for an object, if any.
  func pendingFetch(_ object: UInt32) -> Int? { pending[UInt64(object)].map(Int.init) }

  /// Registers a fetch; `isShared` makes later requests find it.
  mutating func beginFetch(
    _ object: UInt32, _ asset: AssetClass, bytes: Int64, isRevalidation: Bool, isShared: Bool
  ) -> Int {
    fetchCount += 1
    let fetch = Fetch(
      object: object, asset: asset, bytes: bytes, firstWaiter: -1,
      isRevalidation: isRevalidation, isActive: true, count: fetchCount)
    let index: Int
    if let free = freeFetches.popLast() {
      index = Int(free)
      fetches[index] = fetch
    } else {
      index = fetches.count
      fetches.append(fetch)
    }
    if isShared { pending.set(UInt64(object), to: UInt32(index)) }
    return index
  }

  mutating func addWaiter(_ fetch: Int, owner: UInt32, request: UInt32, generation: UInt32) {
    let waiter = Waiter(
      owner: owner, request: request, generation: generation, next: fetches[fetch].firstWaiter)
    if let free = freeWaiters.popLast() {
      waiters[Int(free)] = waiter
      fetches[fetch].firstWaiter = free
    } else {
      waiters.append(waiter)
      fetches[fetch].firstWaiter = Int32(waiters.count - 1)
    }
  }

  /// Takes the next waiter of a fetch off its list.
  mutating func takeWaiter(_ fetch: Int) -> Waiter? {
    let first = fetches[fetch].firstWaiter
    if first < 0 { return nil }
    let waiter = waiters[Int(first)]
    fetches[fetch].firstWaiter = waiter.next
    freeWaiters.append(first)
    return waiter
  }

  /// Ends a fetch whose waiters have been taken.
  mutating func endFetch(_ fetch: Int) {
    precondition(fetches[fetch].isActive && fetches[fetch].firstWaiter < 0)
    let object = fetches[fetch].object
    if pending[UInt64(object)] == UInt32(fetch) { pending.remove(UInt64(object)) }
    fetches[fetch].isActive = false
    freeFetches.append(Int32(fetch))
  }
}
