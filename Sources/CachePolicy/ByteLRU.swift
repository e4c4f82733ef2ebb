import MediaUnits

/// Which objects fit into a number of bytes, least recently used out first.
///
/// Holds keys and sizes only; what belongs to an object is kept by the host in arrays of its own,
/// indexed by *place*: a small number that stays the object's while it is resident and is given to
/// another one afterwards. Places are below ``placeLimit``.
///
/// A doubly linked list in a flat array, found by hash chains through the same array: once
/// reserved, no operation allocates. Sizes are whole bytes, no overhead is added, and a resident
/// object keeps its size until it is inserted again.
///
/// - Complexity: O(1) expected for every operation, plus one step for each object evicted.
public struct ByteLRU: Sendable {
  /// What is kept of a place, together, because it is used together.
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var key: UInt32
    /// The neighbour toward the tail; for a free place the next free one.
    @usableFromInline var next: UInt32
    /// The neighbour toward the head.
    @usableFromInline var previous: UInt32
    /// The next place with the same hash.
    @usableFromInline var chain: UInt32
    /// The size of the object; -1 marks a free place.
    @usableFromInline var size: Int64

    @inlinable
    init(key: UInt32, size: Int64) {
      self.key = key
      next = ByteLRU.none
      previous = ByteLRU.none
      chain = ByteLRU.none
      self.size = size
    }
  }

  /// The end of the list, and "no place".
  @inlinable
  static var none: UInt32 { .max }

  /// How many bytes fit.
  public let capacity: ByteCount
  /// How many bytes are resident; never more than `capacity`.
  public private(set) var usedBytes: ByteCount = .zero
  /// The first place of each hash; a power of two of them, at least as many as there are objects.
  @usableFromInline var chains: [UInt32] = []
  @usableFromInline var entries: [Entry] = []
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
    if reserve > 0 { rehash(for: reserve) }
    entries.reserveCapacity(reserve)
  }

  /// How many objects are resident.
  public private(set) var count = 0

  /// All places given so far are below this number; it never falls.
  public var placeLimit: Int { entries.count }

  /// The object that would be evicted first; nil when nothing is resident.
  @inlinable
  public var leastRecent: UInt32? { tail == ByteLRU.none ? nil : entries[Int(tail)].key }

  /// The object used last; nil when nothing is resident.
  @inlinable
  public var mostRecent: UInt32? { head == ByteLRU.none ? nil : entries[Int(head)].key }

  /// The place of a resident object, moved to the front; nil when it is absent.
  @inlinable
  public mutating func touch(_ key: UInt32) -> Int? {
    let place = find(key)
    if place == ByteLRU.none { return nil }
    moveToFront(place)
    return Int(place)
  }

  /// The place of a resident object, not moved; nil when it is absent.
  @inlinable
  public func place(of key: UInt32) -> Int? {
    let place = find(key)
    return place == ByteLRU.none ? nil : Int(place)
  }

  /// The object at a place; nil when the place is free.
  public func key(at place: Int) -> UInt32? {
    place >= 0 && place < entries.count && entries[place].size >= 0 ? entries[place].key : nil
  }

  /// The size of the object at a place; nil when the place is free.
  public func size(at place: Int) -> ByteCount? {
    guard place >= 0 && place < entries.count, entries[place].size >= 0 else { return nil }
    return ByteCount(entries[place].size)
  }

  /// Makes the object resident at the front, evicting from the tail until it fits.
  ///
  /// A resident object is touched and takes the new size. An object larger than the capacity is not
  /// stored, and nothing is evicted or changed.
  ///
  /// - Parameters:
  ///   - key: the object's.
  ///   - size: the object's, in bytes; not negative.
  ///   - evicted: called for each object that leaves, with the place it had. It must not use this
  ///     cache.
  /// - Returns: the object's place, or nil when it is larger than the capacity.
  @inlinable
  public mutating func insert(
    _ key: UInt32, size: ByteCount, evicted: (_ key: UInt32, _ place: Int) -> Void
  ) -> Int? {
    precondition(size >= .zero, "a size is not negative, got \(size.bytes) bytes")
    if size > capacity { return nil }
    let place = find(key)
    if place != ByteLRU.none {
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
    let key = entries[Int(place)].key
    vacate(place)
    return (key, Int(place))
  }

  /// Removes an object and returns the place it had; nil when it is absent.
  @discardableResult
  public mutating func remove(_ key: UInt32) -> Int? {
    let place = find(key)
    if place == ByteLRU.none { return nil }
    vacate(place)
    return Int(place)
  }

  /// Removes all objects and keeps the memory.
  /// - Complexity: O(``placeLimit``).
  public mutating func removeAll() {
    for index in chains.indices { chains[index] = ByteLRU.none }
    count = 0
    entries.removeAll(keepingCapacity: true)
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
    usedBytes -= ByteCount(entries[Int(place)].size)
    usedBytes += size
    entries[Int(place)].size = size.bytes
  }

  @usableFromInline
  mutating func add(_ key: UInt32, _ size: ByteCount) -> Int {
    let place: UInt32
    if free != ByteLRU.none {
      place = free
      free = entries[Int(place)].next
      entries[Int(place)].key = key
      entries[Int(place)].size = size.bytes
    } else {
      place = UInt32(entries.count)
      entries.append(Entry(key: key, size: size.bytes))
    }
    linkFront(place)
    count += 1
    if count > chains.count { rehash(for: count) } else { enter(place) }
    usedBytes += size
    return Int(place)
  }

  private mutating func vacate(_ place: UInt32) {
    unlink(place)
    leave(place)
    count -= 1
    usedBytes -= ByteCount(entries[Int(place)].size)
    entries[Int(place)].size = -1
    entries[Int(place)].next = free
    free = place
  }

  // MARK: Hashing

  /// Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
  @inlinable
  func hash(_ key: UInt32) -> Int {
    let product = key &* 0x9E37_79B9
    // Of 32 bits where an Int has no more: the mask keeps the low ones.
    return Int(truncatingIfNeeded: product ^ product >> 15) & (chains.count - 1)
  }

  /// The place of a resident object, or ``none``.
  @inlinable
  func find(_ key: UInt32) -> UInt32 {
    if chains.isEmpty { return ByteLRU.none }
    var place = chains[hash(key)]
    while place != ByteLRU.none && entries[Int(place)].key != key {
      place = entries[Int(place)].chain
    }
    return place
  }

  private mutating func enter(_ place: UInt32) {
    let hash = hash(entries[Int(place)].key)
    entries[Int(place)].chain = chains[hash]
    chains[hash] = place
  }

  private mutating func leave(_ place: UInt32) {
    let hash = hash(entries[Int(place)].key)
    let after = entries[Int(place)].chain
    var before = chains[hash]
    if before == place {
      chains[hash] = after
      return
    }
    while entries[Int(before)].chain != place { before = entries[Int(before)].chain }
    entries[Int(before)].chain = after
  }

  /// Makes chains for so many objects and enters those that are linked.
  private mutating func rehash(for objects: Int) {
    var size = 16
    while size < objects { size *= 2 }
    chains = [UInt32](repeating: ByteLRU.none, count: size)
    var place = head
    while place != ByteLRU.none {
      enter(place)
      place = entries[Int(place)].next
    }
  }

  private mutating func linkFront(_ place: UInt32) {
    entries[Int(place)].previous = ByteLRU.none
    entries[Int(place)].next = head
    if head == ByteLRU.none {
      tail = place
    } else {
      entries[Int(head)].previous = place
    }
    head = place
  }

  private mutating func unlink(_ place: UInt32) {
    let before = entries[Int(place)].previous
    let after = entries[Int(place)].next
    if before == ByteLRU.none {
      head = after
    } else {
      entries[Int(before)].next = after
    }
    if after == ByteLRU.none {
      tail = before
    } else {
      entries[Int(after)].previous = before
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
      precondition(resident <= entries.count, "the list of \(entries.count) places has a cycle")
      precondition(entries[Int(place)].size >= 0, "place \(place) is in the list and free")
      precondition(entries[Int(place)].previous == before, "place \(place) has a wrong neighbour")
      let key = entries[Int(place)].key
      precondition(find(key) == place, "object \(key) is not found at place \(place)")
      bytes += ByteCount(entries[Int(place)].size)
      resident += 1
      before = place
      place = entries[Int(place)].next
    }
    precondition(tail == before, "the list ends at \(before), the tail is \(tail)")
    precondition(bytes == usedBytes, "\(bytes.bytes) bytes listed, \(usedBytes.bytes) counted")
    precondition(resident == count, "\(resident) objects listed, \(count) counted")
    var vacant = 0
    place = free
    while place != ByteLRU.none {
      precondition(entries[Int(place)].size == -1, "place \(place) is free and has a size")
      vacant += 1
      precondition(vacant <= entries.count, "the free list of \(entries.count) places has a cycle")
      place = entries[Int(place)].next
    }
    precondition(
      resident + vacant == entries.count,
      "\(resident) resident and \(vacant) free places of \(entries.count)")
  }
}
