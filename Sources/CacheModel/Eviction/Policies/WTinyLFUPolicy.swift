/// Window TinyLFU (Einziger, Friedman and Manes, 2017): new objects come into an LRU window of 1 %
/// of the capacity; its oldest may replace the victim of the main cache only when a sketch has
/// counted it more often.
///
/// The main cache is a segmented LRU whose lists are 1 : 4. As in libCacheSim the window holds
/// whatever the main cache leaves free until the whole is full, hits of the main cache and arrivals
/// count, so does being weighed against a victim, and the sketch is halved after 32 times as many
/// hits of the main cache as that has bytes. The sketch is sized for as many objects as bytes, or
/// for all objects where they are fewer.
///
/// libCacheSim keeps that size in 32 bits. Where the main cache's bytes, as a signed number of 32
/// bits, are not positive (from 2^31 to 2^32 of them, and so on), its sketch has 20 counters and
/// says next to nothing. Below a capacity of 100 its window has room for nothing. The narrow kind
/// does the same, the wide one neither.
struct WTinyLFUPolicy: EvictionPolicy {
  private static var hitsPerByte: Int64 { 32 }

  private let windowShare: Int64
  private let mainShare: Int64
  private var window: HandleQueues
  private var main: SegmentedQueues
  private var isMain: [Bool]
  private var sketch: FrequencySketch
  private let identities: [UInt64]
  private var hits: Int64 = 0

  init(_ setup: EvictionSetup, isWide: Bool) {
    windowShare = WTinyLFUPolicy.windowShare(setup.capacity, isWide: isWide)
    mainShare = setup.capacity - windowShare
    let entries = isWide ? mainShare : WTinyLFUPolicy.narrow(mainShare)
    window = HandleQueues(objects: setup.objects, queues: 1)
    main = SegmentedQueues(
      objects: setup.objects, capacity: mainShare,
      limits: [mainShare / 5, mainShare / 5 * 4 + mainShare % 5 * 4 / 5])
    isMain = [Bool](repeating: false, count: setup.objects)
    sketch = FrequencySketch(entries: Int(min(entries, Int64(setup.objects))))
    identities = setup.identities
  }

  var largestObject: Int64 { windowShare }

  /// What the caller should know about the narrow kind at this capacity.
  static func limit(at capacity: Int64) -> EvictionLimit? {
    if windowShare(capacity, isWide: false) == 0 { return .storesNothing }
    return hasNarrowSketch(capacity) ? .countsCoarsely : nil
  }

  /// Whether the narrow kind's sketch has next to no counters at this capacity.
  private static func hasNarrowSketch(_ capacity: Int64) -> Bool {
    let main = capacity - windowShare(capacity, isWide: false)
    return main > 0 && narrow(main) <= 0
  }

  static func windowShare(_ capacity: Int64, isWide: Bool) -> Int64 {
    max(EvictionSetup.share(0.01, of: capacity), isWide ? min(1, capacity) : 0)
  }

  private static func narrow(_ bytes: Int64) -> Int64 { Int64(Int32(truncatingIfNeeded: bytes)) }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    if !isMain[Int(request.object)] {
      window.renew(request.object, in: 0)
      return
    }
    sketch.count(identity(request.object))
    hits += 1
    if hits / WTinyLFUPolicy.hitsPerByte >= mainShare {
      hits = 0
      sketch.halve()
    }
    main.hit(request.object, &residents)
  }

  /// Candidates from the window move on until one is not worth its victim and leaves; when all have
  /// moved, the main cache loses one.
  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    while !window.isEmpty(0) {
      let candidate = window.oldest(0)
      let size = residents.size(candidate)
      window.unlink(candidate, from: 0, bytes: size)
      defer { sketch.count(identity(candidate)) }
      if main.bytes > mainShare - size {
        guard let victim = main.victim, isWorthMore(candidate, than: victim) else {
          residents.evict(candidate)
          return
        }
        main.evict(&residents)
      }
      isMain[Int(candidate)] = true
      main.insert(candidate, size: size, &residents)
    }
    main.evict(&residents)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    isMain[Int(request.object)] = false
    window.push(request.object, to: 0, bytes: request.size)
    sketch.count(identity(request.object))
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    if isMain[Int(object)] {
      main.remove(object, residents)
    } else {
      window.unlink(object, from: 0, bytes: residents.size(object))
    }
  }

  private func identity(_ object: UInt32) -> UInt64 {
    identities.isEmpty ? UInt64(object) : identities[Int(object)]
  }

  private func isWorthMore(_ candidate: UInt32, than victim: UInt32) -> Bool {
    sketch.estimate(identity(candidate)) > sketch.estimate(identity(victim))
  }

  mutating func grow(to objects: Int) {
    window.grow(to: objects)
    main.grow(to: objects)
    isMain.append(contentsOf: repeatElement(false, count: objects - isMain.count))
    let wanted = Int(min(mainShare, Int64(objects)))
    while sketch.entries < wanted { sketch.double() }
  }
}
