/// Least recently used, but what is asked for again within the next `window` requests stays, as far
/// as a feed's order tells ahead of time who will ask for what.
///
/// The trace's own near future stands for the announcements of all feeds, which is the best that
/// they can say; nothing beyond the window is looked at. A window of 0 is LRU, one over the whole
/// trace clairvoyant. When all residents are asked for within the window, the one whose request is
/// furthest away leaves.
struct LookaheadPolicy: EvictionPolicy {
  private let window: UInt32
  private let nextUse: [UInt32]
  /// Those whose next request is not known to be near, by their last request.
  private var others: HandleQueues
  /// Those whose next request is near: the smallest key is the furthest, and the nearest.
  private var furthest: HandleHeap<UInt32>
  private var nearest: HandleHeap<UInt32>
  private var nearCount = 0
  private var isNear: [Bool]
  /// The next request of each resident, as known at its last one.
  private var next: [UInt32]

  init(_ setup: EvictionSetup, window: Int) {
    precondition(window >= 0 && window <= Int(Int32.max), "a window of 0 to 2^31 - 1 requests")
    self.window = UInt32(window)
    nextUse = setup.nextUse
    others = HandleQueues(objects: setup.objects, queues: 1)
    furthest = HandleHeap(objects: setup.objects)
    nearest = HandleHeap(objects: setup.objects)
    isNear = [Bool](repeating: false, count: setup.objects)
    next = [UInt32](repeating: EvictionSetup.never, count: setup.objects)
  }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    take(request.object)
    put(request.object, at: request.index)
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    forgetPassed(at: request.index)
    while !others.isEmpty(0) {
      let victim = others.oldest(0)
      others.unlink(victim)
      if isWithinWindow(victim, from: request.index) {
        protect(victim)
      } else {
        residents.evict(victim)
        return
      }
    }
    let victim = furthest.first.object
    take(victim)
    residents.evict(victim)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    put(request.object, at: request.index)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) { take(object) }

  mutating func grow(to objects: Int) {
    preconditionFailure("a cache that looks ahead in a trace knows its objects from the start")
  }

  /// A shield does not see requests that an edge answers: those whose request went by protect no
  /// longer.
  private mutating func forgetPassed(at index: UInt32) {
    while nearCount > 0 && nearest.first.key <= index {
      let object = nearest.first.object
      take(object)
      others.push(object, to: 0)
    }
  }

  private func isWithinWindow(_ object: UInt32, from index: UInt32) -> Bool {
    let use = next[Int(object)]
    return use != EvictionSetup.never && use > index && use - index <= window
  }

  private mutating func put(_ object: UInt32, at index: UInt32) {
    next[Int(object)] = nextUse[Int(index)]
    if isWithinWindow(object, from: index) {
      protect(object)
    } else {
      others.push(object, to: 0)
    }
  }

  private mutating func protect(_ object: UInt32) {
    isNear[Int(object)] = true
    nearCount += 1
    furthest.insert(object, key: ~next[Int(object)])
    nearest.insert(object, key: next[Int(object)])
  }

  private mutating func take(_ object: UInt32) {
    if !isNear[Int(object)] {
      others.unlink(object)
      return
    }
    isNear[Int(object)] = false
    nearCount -= 1
    furthest.remove(object)
    nearest.remove(object)
  }
}
