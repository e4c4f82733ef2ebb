/// SIEVE (Zhang et al., NSDI 2024): a queue in order of arrival, a bit that a hit sets, and a hand.
///
/// The hand goes from the oldest toward the newest, clears bits and sends away the first object
/// without one; it stays there and begins again at the oldest behind the newest.
///
/// The queue is an array with gaps where objects have left, so that the hand reads memory in order;
/// it is packed when more than half of it is gaps.
struct SievePolicy: EvictionPolicy {
  private var queue: [UInt32] = []
  /// By object: its place in the queue, while it is there.
  private var places: [UInt32]
  private var visited: [Bool]
  private var count = 0
  /// The place of the object where the search begins; nil: at the oldest.
  private var hand: Int?
  private static let gap = UInt32.max
  /// Gaps that are not worth packing.
  private static let fewGaps = 1024

  /// Whether no object's number is that of a gap, which an Int of 32 bits does not have.
  private static func holds(_ objects: Int) -> Bool { UInt(objects) < UInt(gap) }

  init(_ setup: EvictionSetup) {
    precondition(SievePolicy.holds(setup.objects), "too many objects")
    places = [UInt32](repeating: 0, count: setup.objects)
    visited = [Bool](repeating: false, count: setup.objects)
  }

  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    visited[Int(request.object)] = true
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    var place = hand ?? 0
    while true {
      if place == queue.count { place = 0 }
      let object = queue[place]
      if object != SievePolicy.gap {
        if !visited[Int(object)] { break }
        visited[Int(object)] = false
      }
      place += 1
    }
    let victim = queue[place]
    leave(place)
    hand = next(after: place)
    residents.evict(victim)
  }

  @inline(__always)
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    if queue.count > 2 * count + SievePolicy.fewGaps { pack() }
    visited[Int(request.object)] = false
    places[Int(request.object)] = UInt32(queue.count)
    queue.append(request.object)
    count += 1
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    let place = Int(places[Int(object)])
    leave(place)
    if hand == place { hand = next(after: place) }
  }

  mutating func grow(to objects: Int) {
    precondition(SievePolicy.holds(objects), "too many objects")
    let more = objects - visited.count
    places.append(contentsOf: repeatElement(0, count: more))
    visited.append(contentsOf: repeatElement(false, count: more))
  }

  @inline(__always)
  private mutating func leave(_ place: Int) {
    queue[place] = SievePolicy.gap
    count -= 1
  }

  /// The place of the next newer object; nil where there is none.
  @inline(__always)
  private func next(after place: Int) -> Int? {
    var next = place + 1
    while next < queue.count && queue[next] == SievePolicy.gap { next += 1 }
    return next < queue.count ? next : nil
  }

  /// Closes the gaps.
  @inline(never)
  private mutating func pack() {
    var kept = 0
    for place in queue.indices {
      let object = queue[place]
      if object == SievePolicy.gap { continue }
      if hand == place { hand = kept }
      queue[kept] = object
      places[Int(object)] = UInt32(kept)
      kept += 1
    }
    queue.removeLast(queue.count - kept)
  }
}
