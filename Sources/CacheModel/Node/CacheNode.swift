import CachePolicy
import MediaUnits
import SimulationKernel

/// A cache of one tier: a store, freshness, and the requests under way.
///
/// An object gets a handle when it is first asked for. A fresh copy is answered by the node itself;
/// everything else goes through a ``CollapsingMachine`` that the object has for as long as
/// something is under way. The node decides nothing about time: the ``CacheHierarchy`` asks, and
/// says what is to happen later.
public struct CacheNode {
  /// Whose machine it is, or nobody's.
  public struct MachineState {
    /// Of the object that the machine is about.
    public var handle: UInt32 = 0
    var isUsed = false
  }

  private struct IdleMachines {
    var free: [Int32] = []
    /// How many machines there are when those with nothing but an old mark are looked for.
    var reclaimAt = 64
  }

  /// Its entity in events and draws.
  public let entity: UInt32
  public let tier: CacheTier
  /// The next tier's node; -1: the origin.
  public let next: Int
  /// That of its tier.
  public let configuration: CacheTierConfiguration
  /// Simulated edges behind this node; 1 for an edge.
  public let edges: Int

  private var handles = LookupTable(capacity: 1024)
  public var entries: [NodeEntry] = []
  /// Bytes of the store: a part of the configuration's where titles are left out.
  private let capacity: Int64
  private let store: NodeStore
  private var uses: UInt32 = 0

  /// One for each object that somebody waits for; those that are idle are used again.
  public var machines: [CollapsingMachine] = []
  public var machineStates: [MachineState] = []
  private var idleMachines = IdleMachines()

  /// Those that wait, by number.
  public private(set) var requests: [NodeRequest] = []
  private var freeRequests: [UInt32] = []
  /// Those on their way up, by number.
  public var fetches: [NodeFetch] = []
  private var freeFetches: [UInt32] = []
  /// When each idle connection was used last, latest at the end.
  private var idleConnections: [Instant] = []

  private(set) var untouched: UntouchedResidents?
  /// What the law of a part of the audience says of this tier; nil: nobody asks by law.
  public let law: TierLaw?
  /// By handle: when an object was asked for last, by anybody; with a law only.
  private var touches: [Instant] = []
  /// By handle: two each (``shadows(_:)``); with a law only.
  public var shadowCopies: [ShadowCopy] = []
  /// What it has answered, and what it has fetched.
  public var counters = TierCounters()
  public var fetched = FetchCounters()

  public init(
    entity: UInt32, tier: CacheTier, next: Int, edges: Int,
    configuration: CacheTierConfiguration, untouched: UntouchedResidents?, law: TierLaw? = nil
  ) {
    self.law = law
    self.entity = entity
    self.tier = tier
    self.next = next
    self.edges = edges
    self.configuration = configuration
    self.untouched = untouched
    capacity = law?.room ?? configuration.capacity.bytes
    store = NodeStore(configuration.eviction, capacity: capacity)
  }

  // MARK: Objects

  /// The handle of a key, and whether it is new.
  @inline(__always)
  public mutating func handle(of key: UInt64, _ asset: AssetClass) -> (handle: UInt32, isNew: Bool)
  {
    if let handle = handles[key] { return (handle, false) }
    let handle = UInt32(entries.count)
    entries.append(NodeEntry(key: key, asset: asset))
    handles.set(key, to: handle)
    return (handle, true)
  }

  /// The handle of a key that was asked for before.
  ///
  /// This and what else begins with `known` changes nothing; `mutating` because the compiler would
  /// copy the node otherwise.
  mutating func knownHandle(of key: UInt64) -> UInt32? { handles[key] }

  /// Whether a request that nobody else notices would find an idle connection.
  mutating func knownToBeConnected(at now: Instant) -> Bool {
    if law != nil { return true }
    guard let last = idleConnections.last else { return false }
    return isOpen(last, at: now)
  }

  /// Whether the object's last request before the run, `age` seconds ago, left it resident.
  mutating func knownToBeUntouched(age: Double) -> Bool { untouched?.holds(age: age) ?? true }

  /// Where the handle of a key is found, and what is known of its object: for asking for that
  /// memory in advance.
  ///
  /// These change nothing; `mutating` because the compiler would copy the node otherwise.
  @inline(__always)
  public mutating func address(of key: UInt64) -> UnsafeRawPointer? { handles.address(of: key) }

  @inline(__always)
  public mutating func entry(of key: UInt64) -> UnsafeRawPointer? {
    guard let handle = handles[key] else { return nil }
    return entries.memory.map { $0 + Int(handle) * MemoryLayout<NodeEntry>.stride }
  }

  /// The age of a copy that the node can serve by itself, which counts as used; else nil.
  @inline(__always)
  public mutating func freshAge(_ handle: UInt32, at now: Instant) -> TimeSpan? {
    let index = Int(handle)
    guard entries[index].fate == .resident, entries[index].machine < 0,
      case .fresh = CacheFreshness.disposition(of: entries[index].stored, at: now)
    else { return nil }
    let age = entries[index].stored.age(at: now)
    use(handle, at: now)
    return age
  }

  /// Counts a resident copy as used.
  @inline(__always)
  public mutating func use(_ handle: UInt32, at now: Instant) {
    if entries[Int(handle)].isLawful { return touch(handle, at: now) }
    if store.use(request(handle, at: now)) { forgetEvicted(at: now) }
  }

  @inline(__always)
  private mutating func request(_ handle: UInt32, at now: Instant) -> CacheRequest {
    uses &+= 1
    return CacheRequest(
      object: handle, size: entries[Int(handle)].bytes, index: uses, time: now.nanoseconds)
  }

  /// Keeps a copy, if it is admitted and fits; whether it is resident now.
  public mutating func keep(_ handle: UInt32, bytes: Int64, isAdmitted: Bool, at now: Instant)
    -> Bool
  {
    let index = Int(handle)
    if entries[index].isLawful {
      entries[index].bytes = bytes
      entries[index].fate = .resident
      touch(handle, at: now)
      return true
    }
    if entries[index].fate == .resident {
      if entries[index].bytes == bytes { return true }
      store.remove(handle)
      entries[index].fate = .evicted
    }
    entries[index].bytes = bytes
    if isAdmitted && store.insert(request(handle, at: now)) { entries[index].fate = .resident }
    forgetEvicted(at: now)
    if untouched != nil {
      untouched!.shrink(to: Double(capacity) - Double(store.usedBytes()))
    }
    return entries[index].fate == .resident
  }

  /// Notes who has left, and tells the machines.
  private mutating func forgetEvicted(at now: Instant) {
    while let gone = store.takeEvicted() {
      entries[Int(gone)].fate = .evicted
      entries[Int(gone)].stored.storedAt = now
      tellEvicted(gone, at: now)
    }
  }

  /// Takes a copy away that was not evicted.
  public mutating func discard(_ handle: UInt32, _ fate: CopyFate, at time: Instant, now: Instant) {
    if entries[Int(handle)].fate != .resident { return }
    if !entries[Int(handle)].isLawful { store.remove(handle) }
    entries[Int(handle)].fate = fate
    entries[Int(handle)].stored.storedAt = time
    tellEvicted(handle, at: now)
  }

  /// Notes when an object with a law was asked for.
  public mutating func touch(_ handle: UInt32, at time: Instant) {
    while touches.count <= Int(handle) { touches.append(.zero) }
    touches[Int(handle)] = time
  }

  /// When an object with a law was asked for last.
  public func touched(_ handle: UInt32) -> Instant { touches[Int(handle)] }

  /// A machine loses its copy.
  public mutating func tellEvicted(_ handle: UInt32, at now: Instant) {
    let machine = Int(entries[Int(handle)].machine)
    if machine < 0 { return }
    // This event has no commands.
    var commands: [CollapsingMachine.Command] = []
    machines[machine].handle(.evicted, at: now, into: &commands)
  }

  /// Whether the object's last request before the run, `age` seconds ago, left it resident.
  public mutating func takeUntouched(age: Double, size: Int64) -> Bool {
    untouched == nil ? true : untouched!.take(age: age, size: size)
  }

  // MARK: Machines

  /// The machine of an object that cannot be answered at once; it knows the copy.
  public mutating func machine(for handle: UInt32, at now: Instant) -> Int {
    let index = Int(handle)
    if entries[index].machine >= 0 { return Int(entries[index].machine) }
    if idleMachines.free.isEmpty && machines.count >= idleMachines.reclaimAt { reclaim(at: now) }
    let copy = entries[index].fate == .resident ? entries[index].stored : nil
    let place: Int
    if let free = idleMachines.free.popLast() {
      place = Int(free)
    } else {
      place = machines.count
      machines.append(CollapsingMachine(configuration.collapsing))
      machineStates.append(MachineState())
    }
    machines[place].reset(copy: copy)
    machineStates[place].handle = handle
    machineStates[place].isUsed = true
    entries[index].machine = Int32(place)
    return place
  }

  /// Takes back the machines that had nothing but a mark, whose time is over.
  private mutating func reclaim(at now: Instant) {
    for place in machines.indices
    where machineStates[place].isUsed && machines[place].isIdle(at: now) {
      release(place)
    }
    // Looking costs as much as there are machines: not before there are twice as many in use.
    idleMachines.reclaimAt = max(64, 2 * (machines.count - idleMachines.free.count))
  }

  /// Gives a machine back when the object needs none; whether it did.
  public mutating func releaseIfIdle(_ place: Int, at now: Instant) -> Bool {
    guard machineStates[place].isUsed, machines[place].isIdle(at: now) else { return false }
    release(place)
    return true
  }

  private mutating func release(_ place: Int) {
    entries[Int(machineStates[place].handle)].machine = -1
    machineStates[place].isUsed = false
    idleMachines.free.append(Int32(place))
  }

  // MARK: Requests and fetches

  /// Notes a request that waits.
  ///
  /// - Returns: its number.
  public mutating func add(_ request: NodeRequest) -> UInt32 {
    if let free = freeRequests.popLast() {
      requests[Int(free)] = request
      return free
    }
    requests.append(request)
    return UInt32(requests.count - 1)
  }

  /// Notes that a request has a fetch of its own under way.
  public mutating func noteFetching(_ request: Int, isConditional: Bool) {
    requests[request].isFetching = true
    requests[request].isFetchConditional = isConditional
  }

  /// Takes a request out; its number is free.
  public mutating func take(_ request: UInt32) -> NodeRequest {
    freeRequests.append(request)
    return requests[Int(request)]
  }

  /// Notes a fetch.
  ///
  /// - Returns: its number.
  public mutating func add(_ fetch: NodeFetch) -> Int {
    if let free = freeFetches.popLast() {
      fetches[Int(free)] = fetch
      return Int(free)
    }
    fetches.append(fetch)
    return fetches.count - 1
  }

  /// Gives the number of a fetch back.
  public mutating func free(_ fetch: Int) {
    precondition(fetches[fetch].isActive, "a fetch ends once")
    fetches[fetch].isActive = false
    freeFetches.append(UInt32(fetch))
  }

  /// Keeps a copy of a fetch that another part of the run has in the same place.
  public mutating func mirror(_ fetch: NodeFetch, at place: Int) {
    while fetches.count <= place {
      var free = fetch
      free.isActive = false
      fetches.append(free)
    }
    fetches[place] = fetch
  }

  /// Takes an idle connection; false when a new one has to be opened.
  public mutating func takeConnection(at now: Instant) -> Bool {
    // With a law most of the fetches are others', and leave connections open.
    if law != nil { return true }
    guard let last = idleConnections.popLast() else { return false }
    if isOpen(last, at: now) { return true }
    // The others were idle for longer.
    idleConnections.removeAll(keepingCapacity: true)
    return false
  }

  /// Whether a connection that was used last at a time is still open.
  private func isOpen(_ last: Instant, at now: Instant) -> Bool {
    let keepAlive = configuration.upstream.keepAlive
    return keepAlive == .max || now - last <= keepAlive
  }

  /// Keeps a connection that has become idle.
  public mutating func giveConnection(at now: Instant) { idleConnections.append(now) }

  /// The fetches that have not ended.
  public var underWay: FetchCounters.UnderWay {
    var sum = FetchCounters.UnderWay()
    for fetch in fetches where fetch.isActive && !fetch.isOthers {
      switch fetch.state {
      case .up: sum.up += 1
      case .waiting: sum.waiting += 1
      case .down:
        sum.down += 1
        sum.downBytes += fetch.answer.bytes
      case .lost: break
      }
    }
    return sum
  }
}
