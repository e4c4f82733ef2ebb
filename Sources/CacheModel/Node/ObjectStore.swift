/// The objects that a cache holds, for a host with real bytes: byte capacity and eviction as the
/// simulated nodes have them.
///
/// Handles are dense numbers that the host gives to objects; the arrays grow with the largest one.
/// Admission is the host's matter.
public struct ObjectStore {
  private let store: NodeStore
  private var uses: UInt32 = 0

  /// - Parameter capacity: bytes of bodies; metadata is not weighed.
  /// - Precondition: the kind is not clairvoyant.
  public init(_ kind: EvictionKind, capacity: Int64) {
    precondition(!kind.isClairvoyant, "a live cache does not know the future")
    store = NodeStore(kind, capacity: capacity)
  }

  /// Bytes of what is resident.
  public var usedBytes: Int64 { store.usedBytes() }

  /// A resident object is used.
  public mutating func use(_ object: UInt32, size: Int64, at nanoseconds: Int64) {
    _ = store.use(request(object, size, nanoseconds))
  }

  /// Takes an absent object in; whether it is resident now. Others may have left either way.
  public mutating func insert(_ object: UInt32, size: Int64, at nanoseconds: Int64) -> Bool {
    store.insert(request(object, size, nanoseconds))
  }

  /// Removes a resident object, whose leaving is not told.
  public func remove(_ object: UInt32) { store.remove(object) }

  /// One of those who have left since they were last asked for; nil when all have been told.
  public func takeEvicted() -> UInt32? { store.takeEvicted() }

  private mutating func request(_ object: UInt32, _ size: Int64, _ time: Int64) -> CacheRequest {
    uses &+= 1
    return CacheRequest(object: object, size: size, index: uses, time: time)
  }
}
