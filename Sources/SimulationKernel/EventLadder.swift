/// The keys of events that are not due soon, in buckets of time that are opened one by one.
///
/// A ladder: its top is an unordered heap of everything beyond the last rung. A rung cuts a span of
/// time into at most 256 buckets of 2^shift ns each. A bucket that is opened with few keys gives
/// them out; one with many becomes the next rung down, cut so that a bucket of it gets about
/// ``aim`` keys, whatever the time scale of the model is. A key is moved once for each rung that it
/// passes, and memory is read and written in sequence.
///
/// Sources: Tang, Goh, Thng, "Ladder queue", ACM TOMACS 15(3), 2005, DOI 10.1145/1103323.1103324;
/// the power-of-two spans and the use of monotone time are those of the radix heap: Ahuja,
/// Mehlhorn, Orlin, Tarjan, JACM 37(2), 1990, DOI 10.1145/77600.77615.
@usableFromInline
struct EventLadder: ~Copyable {
  /// Keys in a block of a bucket.
  @inlinable static var blockSize: Int { 32 }
  /// Buckets of a rung.
  @inlinable static var buckets: Int { 256 }
  /// A rung has at least 2^3 buckets or those of 1 ns, so that 22 rungs cut any span down to 1 ns.
  @inlinable static var mostRungs: Int { 48 }
  @inlinable static var noBlock: UInt32 { .max }

  /// Blocks in a chain, the newest first; all but the newest are full.
  @usableFromInline
  struct Bucket: BitwiseCopyable {
    @usableFromInline var block: UInt32
    @usableFromInline var count: UInt32

    @inlinable @inline(__always)
    init() {
      block = EventLadder.noBlock
      count = 0
    }
  }

  @usableFromInline
  struct Rung: BitwiseCopyable {
    /// The time of the first bucket.
    @usableFromInline var start: UInt64 = 0
    /// The first time that the rung does not hold; its last bucket may be cut short by it.
    @usableFromInline var end: UInt64 = 0
    @usableFromInline var shift: UInt64 = 0
    /// A bit for each bucket that has keys.
    @usableFromInline var filled: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    @inlinable init() {}

    @inlinable @inline(__always)
    var isEmpty: Bool { filled.0 | filled.1 | filled.2 | filled.3 == 0 }

    @inlinable @inline(__always)
    mutating func mark(_ bucket: Int) {
      let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: bucket & 63)
      switch bucket >> 6 {
      case 0: filled.0 |= bit
      case 1: filled.1 |= bit
      case 2: filled.2 |= bit
      default: filled.3 |= bit
      }
    }

    /// Takes the first bucket that has keys; nil when none has.
    @inlinable
    mutating func takeFirst() -> Int? {
      if filled.0 != 0 {
        let bucket = filled.0.trailingZeroBitCount
        filled.0 &= filled.0 - 1
        return bucket
      }
      if filled.1 != 0 {
        let bucket = filled.1.trailingZeroBitCount
        filled.1 &= filled.1 - 1
        return bucket + 64
      }
      if filled.2 != 0 {
        let bucket = filled.2.trailingZeroBitCount
        filled.2 &= filled.2 - 1
        return bucket + 128
      }
      if filled.3 != 0 {
        let bucket = filled.3.trailingZeroBitCount
        filled.3 &= filled.3 - 1
        return bucket + 192
      }
      return nil
    }
  }

  @usableFromInline var keys: UnsafeMutablePointer<EventKey>
  @usableFromInline var links: UnsafeMutablePointer<UInt32>
  @usableFromInline var blockCapacity: Int
  @usableFromInline var usedBlocks = 0
  @usableFromInline var freeBlock: UInt32 = EventLadder.noBlock
  @usableFromInline var table: UnsafeMutablePointer<Bucket>
  @usableFromInline var rungs: UnsafeMutablePointer<Rung>
  @usableFromInline var rungCount = 0
  /// Rungs that `table` has buckets for.
  @usableFromInline var rungCapacity = 1
  /// Keys that a bucket of a new rung gets on average.
  @usableFromInline var aim = 8
  /// Keys above which an opened bucket becomes a rung.
  @inlinable @inline(__always) var limit: Int { 8 * aim }
  @usableFromInline var top = Bucket()
  @usableFromInline var topFirst: UInt64 = .max
  @usableFromInline var topLast: UInt64 = 0
  /// Keeps the optimiser from dropping what is only read to have it in the cache.
  @usableFromInline var touched: UInt64 = 0

  @inlinable
  init() {
    blockCapacity = 8
    keys = .allocate(capacity: 8 * EventLadder.blockSize)
    links = .allocate(capacity: 8)
    table = .allocate(capacity: EventLadder.buckets)
    table.initialize(repeating: Bucket(), count: EventLadder.buckets)
    rungs = .allocate(capacity: EventLadder.mostRungs)
    rungs.initialize(repeating: Rung(), count: EventLadder.mostRungs)
  }

  @inlinable
  deinit {
    keys.deallocate()
    links.deallocate()
    table.deallocate()
    rungs.deallocate()
  }

  // MARK: Blocks

  @inlinable
  mutating func growBlocks() {
    let larger = blockCapacity * 2
    let newKeys = UnsafeMutablePointer<EventKey>.allocate(
      capacity: larger * EventLadder.blockSize)
    newKeys.moveInitialize(from: keys, count: blockCapacity * EventLadder.blockSize)
    keys.deallocate()
    keys = newKeys
    let newLinks = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    newLinks.moveInitialize(from: links, count: blockCapacity)
    links.deallocate()
    links = newLinks
    blockCapacity = larger
  }

  @inlinable
  mutating func takeBlock(before next: UInt32) -> UInt32 {
    var block = freeBlock
    if block != EventLadder.noBlock {
      freeBlock = links[Int(block)]
    } else {
      if usedBlocks == blockCapacity { growBlocks() }
      block = UInt32(usedBlocks)
      usedBlocks += 1
    }
    links[Int(block)] = next
    return block
  }

  @inlinable @inline(__always)
  mutating func appending(_ key: EventKey, to old: Bucket) -> Bucket {
    var bucket = old
    let place = Int(bucket.count) & (EventLadder.blockSize - 1)
    if place == 0 { bucket.block = takeBlock(before: bucket.block) }
    keys[Int(bucket.block) * EventLadder.blockSize + place] = key
    bucket.count += 1
    return bucket
  }

  // MARK: Adding

  /// - Precondition: the time is not before the end of the last bucket that was opened.
  @inlinable @inline(__always)
  mutating func add(_ key: EventKey) {
    var rung = rungCount
    while rung > 0 {
      rung -= 1
      if key.time < rungs[rung].end {
        place(key, on: rung)
        return
      }
    }
    if key.time < topFirst { topFirst = key.time }
    if key.time > topLast { topLast = key.time }
    top = appending(key, to: top)
  }

  @inlinable @inline(__always)
  mutating func place(_ key: EventKey, on rung: Int) {
    let bucket = Int(
      truncatingIfNeeded: (key.time &- rungs[rung].start) &>> rungs[rung].shift)
    let index = rung * EventLadder.buckets + bucket
    if table[index].count == 0 { rungs[rung].mark(bucket) }
    table[index] = appending(key, to: table[index])
  }

  /// Whether there is room for a rung over start..<end and all that may be cut from it.
  @usableFromInline
  mutating func canCut(from start: UInt64, to end: UInt64) -> Bool {
    while rungCount > 0 && rungs[rungCount - 1].isEmpty { rungCount -= 1 }
    let span = 64 - (end - start - 1).leadingZeroBitCount
    return rungCount + 1 + (span + 2) / 3 <= EventLadder.mostRungs
  }

  /// A new lowest rung over start..<end for about `expected` keys.
  @usableFromInline
  mutating func cut(from start: UInt64, to end: UInt64, expected: Int) {
    precondition(rungCount < EventLadder.mostRungs)
    if rungCount == rungCapacity { growTable() }
    var bits = 3
    while bits < 8 && aim << bits < expected { bits += 1 }
    let span = 64 - (end - start - 1).leadingZeroBitCount
    var rung = Rung()
    rung.start = start
    rung.end = end
    rung.shift = span > bits ? UInt64(span - bits) : 0
    rungs[rungCount] = rung
    rungCount += 1
  }

  @usableFromInline
  mutating func growTable() {
    let size = rungCapacity * EventLadder.buckets
    let larger = UnsafeMutablePointer<Bucket>.allocate(capacity: 2 * size)
    larger.moveInitialize(from: table, count: size)
    (larger + size).initialize(repeating: Bucket(), count: size)
    table.deallocate()
    table = larger
    rungCapacity *= 2
  }

  // MARK: Opening

  /// Opens the next bucket. One with more keys than ``limit`` becomes a rung, whose first bucket is
  /// opened, and so on; a bucket of 1 ns is never cut.
  ///
  /// - Returns: the keys, for the caller to take and release, and the first time that they do not
  ///   reach; nil when there was no key left.
  @usableFromInline
  mutating func next() -> (bucket: Bucket, end: UInt64)? {
    while true {
      if rungCount == 0 {
        if top.count == 0 { return nil }
        let bucket = top
        let (start, last) = (topFirst, topLast)
        top = Bucket()
        topFirst = .max
        topLast = 0
        if Int(bucket.count) <= limit || start == last {
          // Times stay below 2^63.
          return (bucket, last + 1)
        }
        cut(from: start, to: last + 1, expected: Int(bucket.count))
        spread(bucket)
        continue
      }
      let rung = rungCount - 1
      guard let number = rungs[rung].takeFirst() else {
        rungCount -= 1
        continue
      }
      let index = rung * EventLadder.buckets + number
      let bucket = table[index]
      table[index] = Bucket()
      let start = rungs[rung].start + UInt64(number) << rungs[rung].shift
      var end = start + 1 << rungs[rung].shift
      if end > rungs[rung].end { end = rungs[rung].end }
      if Int(bucket.count) <= limit || end - start == 1 { return (bucket, end) }
      cut(from: start, to: end, expected: Int(bucket.count))
      spread(bucket)
    }
  }

  /// Puts the keys of a bucket on the lowest rung.
  @usableFromInline
  mutating func spread(_ bucket: Bucket) {
    let rung = rungCount - 1
    var rest = bucket
    var seen: UInt64 = 0
    while rest.count > 0 {
      let block = Int(rest.block)
      let next = links[block]
      if next != EventLadder.noBlock {
        // Brings the next block into the cache while this one is spread.
        let start = keys + Int(next) * EventLadder.blockSize
        var place = 0
        while place < EventLadder.blockSize {
          seen |= start[place].time
          place += 4
        }
      }
      let size = (Int(rest.count) - 1) & (EventLadder.blockSize - 1) + 1
      for place in 0..<size {
        self.place(keys[block * EventLadder.blockSize + place], on: rung)
      }
      release(&rest, size)
    }
    touched = seen
  }

  /// Gives back the newest block of a bucket, which had `size` keys.
  @inlinable @inline(__always)
  mutating func release(_ bucket: inout Bucket, _ size: Int) {
    let block = bucket.block
    bucket.block = links[Int(block)]
    bucket.count -= UInt32(truncatingIfNeeded: size)
    links[Int(block)] = freeBlock
    freeBlock = block
  }

  /// The least time of any key; nil when there is none.
  @usableFromInline
  var firstTime: UInt64? {
    var bucket = top
    var rung = rungCount
    while rung > 0 {
      rung -= 1
      var copy = rungs[rung]
      if let number = copy.takeFirst() {
        bucket = table[rung * EventLadder.buckets + number]
        break
      }
    }
    if bucket.count == 0 { return nil }
    var least: UInt64 = .max
    var left = Int(bucket.count)
    while left > 0 {
      let size = (left - 1) & (EventLadder.blockSize - 1) + 1
      for place in 0..<size {
        let time = keys[Int(bucket.block) * EventLadder.blockSize + place].time
        if time < least { least = time }
      }
      left -= size
      bucket.block = links[Int(bucket.block)]
    }
    return least
  }
}
