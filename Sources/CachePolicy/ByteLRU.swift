import MediaUnits

/// Which objects fit into a number of bytes, least recently used out first.
///
/// Holds keys and sizes only; what belongs to an object is kept by the host in arrays of its own,
/// indexed by *place*: a small number that stays the object's while it is resident and is given to
/// another one afterwards. Places are below ``placeLimit``.
///
/// A doubly linked list in flat arrays and a ``LookupTable``: once reserved, no operation
/// allocates. Sizes are whole bytes, no overhead is added, and a resident object keeps its size
/// until it is inserted again.
///
/// - Complexity: O(1) expected for every operation, plus one step for each object evicted.
public struct ByteLRU: Sendable {
  /// The end of the list, and "no place".
  @inlinable
  static var none: UInt32 { .max }

  /// How many bytes fit.
  public let capacity: ByteCount
  /// How many bytes are resident; never more than `capacity`.
  public private(set) var usedBytes: ByteCount = .zero
  @usableFromInline var table: LookupTable
  @usableFromInline var keys: [UInt32] = []
  /// The size of the object at a place; -1 marks a free place.
  @usableFromInline var sizes: [Int64] = []
  /// The neighbour toward the tail; for a free place the next free one.
  @usableFromInline var next: [UInt32] = []
  /// The neighbour toward the head.
  @usableFromInline var previous: [UInt32] = []
  @usableFromInline var head = ByteLRU.none
  @usableFromInline var tail = ByteLRU.none
  @usableFromInline var free = ByteLRU.none

  /// - Parameters:
  ///   - capacity: bytes that fit; not negative.
  ///   - reserve: how many objects are resident at once before anything is allocated.
  public init(capacity: ByteCount, reserve: Int = 0) {
    precondition(capacity >= .zero, "a capacity is not negative, got \(capacity.bytes) bytes")
    precondition(reserve >= 0, "a reserve is not negative, got \(reserve)")
    self.capacity = capacity
    table = LookupTable(capacity: reserve)
    keys.reserveCapacity(reserve)
    sizes.reserveCapacity(reserve)
    next.reserveCapacity(reserve)
    previous.reserveCapacity(reserve)
  }

  /// How many objects are resident.
  public var count: Int { table.count }

  /// All places given so far are below this number; it never falls.
  public var placeLimit: Int { keys.count }

  /// The object that would be evicted first; nil when nothing is resident.
  @inlinable
  public var leastRecent: UInt32? { tail == ByteLRU.none ? nil : keys[Int(tail)] }

  /// The object used last; nil when nothing is resident.
  @inlinable
  public var mostRecent: UInt32? { head == ByteLRU.none ? nil : keys[Int(head)] }

  /// The place of a resident object, moved to the front; nil when it is absent.
  @inlinable
  public mutating func touch(_ key: UInt32) -> Int? {
    guard let place = table[UInt64(key)] else { return nil }
    moveToFront(place)
    return Int(place)
  }

  /// The place of a resident object, not moved; nil when it is absent.
  @inlinable
  public func place(of key: UInt32) -> Int? {
    guard let place = table[UInt64(key)] else { return nil }
    return Int(place)
  }

  /// The object at a place; nil when the place is free.
  public func key(at place: Int) -> UInt32? {
    place >= 0 && place < keys.count && sizes[place] >= 0 ? keys[place] : nil
  }

  /// The size of the object at a place; nil when the place is free.
  public func size(at place: Int) -> ByteCount? {
    place >= 0 && place < sizes.count && sizes[place] >= 0 ? ByteCount(sizes[place]) : nil
  }

  /// Makes the object resident at the front, evicting from the tail until it fits.
  ///
  /// A resident object is touched and takes the new size. An object larger than the capacity is not
  /// stored, and nothing is evicted or changed.
  ///
  /// - Parameter evicted: called for each object that leaves, with the place it had. It must not
  ///   use this cache.
  /// - Returns: the object's place, or nil when it is larger than the capacity.
  @inlinable
  public mutating func insert(
    _ key: UInt32, size: ByteCount, evicted: (_ key: UInt32, _ place: Int) -> Void
  ) -> Int? {
    precondition(size >= .zero, "a size is not negative, got \(size.bytes) bytes")
    if size > capacity { return nil }
    if let place = table[UInt64(key)] {
      moveToFront(place)
      // Weightless while it makes room: it is at the front, so it is never its own victim.
      resize(place, to: .zero)
      while usedBytes > capacity - size, let victim = evictLast() {
        evicted(victim.key, victim.place)
      }
      resize(place, to: size)
      return Int(place)
    }
    while usedBytes > capacity - size, let victim = evictLast() {
      evicted(victim.key, victim.place)
    }
    return add(key, size)
  }

  /// Evicts the least recently used object; nil when nothing is resident.
  @discardableResult
  public mutating func evictLast() -> (key: UInt32, place: Int)? {
    if tail == ByteLRU.none { return nil }
    let place = tail
    let key = keys[Int(place)]
    table.remove(UInt64(key))
    vacate(place)
    return (key, Int(place))
  }

  /// Removes an object and returns the place it had; nil when it is absent.
  @discardableResult
  public mutating func remove(_ key: UInt32) -> Int? {
    guard let place = table.remove(UInt64(key)) else { return nil }
    vacate(place)
    return Int(place)
  }

  /// Removes all objects and keeps the memory.
  /// - Complexity: O(``placeLimit``).
  public mutating func removeAll() {
    table.removeAll()
    keys.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
    next.removeAll(keepingCapacity: true)
    previous.removeAll(keepingCapacity: true)
    head = ByteLRU.none
    tail = ByteLRU.none
    free = ByteLRU.none
    usedBytes = .zero
  }

  @usableFromInline
  mutating func moveToFront(_ place: UInt32) {
    if place == head { return }
    unlink(place)
    linkFront(place)
  }

  @usableFromInline
  mutating func resize(_ place: UInt32, to size: ByteCount) {
    usedBytes -= ByteCount(sizes[Int(place)])
    usedBytes += size
    sizes[Int(place)] = size.bytes
  }

  @usableFromInline
  mutating func add(_ key: UInt32, _ size: ByteCount) -> Int {
    let place: UInt32
    if free != ByteLRU.none {
      place = free
      free = next[Int(place)]
      keys[Int(place)] = key
      sizes[Int(place)] = size.bytes
    } else {
      place = UInt32(keys.count)
      keys.append(key)
      sizes.append(size.bytes)
      next.append(ByteLRU.none)
      previous.append(ByteLRU.none)
    }
    linkFront(place)
    table.set(UInt64(key), to: place)
    usedBytes += size
    return Int(place)
  }

  private mutating func vacate(_ place: UInt32) {
    unlink(place)
    usedBytes -= ByteCount(sizes[Int(place)])
    sizes[Int(place)] = -1
    next[Int(place)] = free
    free = place
  }

  private mutating func linkFront(_ place: UInt32) {
    previous[Int(place)] = ByteLRU.none
    next[Int(place)] = head
    if head == ByteLRU.none {
      tail = place
    } else {
      previous[Int(head)] = place
    }
    head = place
  }

  private mutating func unlink(_ place: UInt32) {
    let before = previous[Int(place)]
    let after = next[Int(place)]
    if before == ByteLRU.none {
      head = after
    } else {
      next[Int(before)] = after
    }
    if after == ByteLRU.none {
      tail = before
    } else {
      previous[Int(after)] = before
    }
  }

  /// Stops the program unless the list, the table and the bytes agree. For tests and ends of runs.
  /// - Complexity: O(``placeLimit``).
  public func checkInvariants() {
    precondition(usedBytes <= capacity, "\(usedBytes.bytes) bytes used of \(capacity.bytes)")
    var bytes = ByteCount.zero
    var resident = 0
    var before = ByteLRU.none
    var place = head
    while place != ByteLRU.none {
      precondition(resident <= keys.count, "the list of \(keys.count) places has a cycle")
      precondition(sizes[Int(place)] >= 0, "place \(place) is in the list and free")
      precondition(previous[Int(place)] == before, "place \(place) has a wrong neighbour")
      let found = table[UInt64(keys[Int(place)])]
      precondition(found == place, "object \(keys[Int(place)]) is not found at place \(place)")
      bytes += ByteCount(sizes[Int(place)])
      resident += 1
      before = place
      place = next[Int(place)]
    }
    precondition(tail == before, "the list ends at \(before), the tail is \(tail)")
    precondition(bytes == usedBytes, "\(bytes.bytes) bytes listed, \(usedBytes.bytes) counted")
    precondition(resident == table.count, "\(resident) objects listed, \(table.count) found")
    var vacant = 0
    place = free
    while place != ByteLRU.none {
      precondition(sizes[Int(place)] == -1, "place \(place) is free and has a size")
      vacant += 1
      precondition(vacant <= keys.count, "the free list of \(keys.count) places has a cycle")
      place = next[Int(place)]
    }
    precondition(
      resident + vacant == keys.count,
      "\(resident) resident and \(vacant) free places of \(keys.count)")
  }
}
