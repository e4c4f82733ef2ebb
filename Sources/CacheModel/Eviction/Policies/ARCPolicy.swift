/// Adaptive replacement (Megiddo and Modha, FAST 2003), with lists weighed in bytes.
///
/// Two LRU lists of residents, asked for once and again, each with a ghost list; a hit in a ghost
/// list moves the target of the first list's size, by at least one byte and by the ratio of the
/// ghost lists.
struct ARCPolicy: EvictionPolicy {
  private static var once: Int { 0 }
  private static var again: Int { 1 }
  private static var onceGhosts: Int { 2 }
  private static var againGhosts: Int { 3 }
  private static var nowhere: Int { 4 }

  private var queues: HandleQueues
  private var places: [UInt8]
  /// Bytes the first list should have.
  private var target = 0.0
  /// The ghost list that the object asked for was in, or ``nowhere``.
  private var foundIn = ARCPolicy.nowhere

  init(_ setup: EvictionSetup) {
    queues = HandleQueues(objects: setup.objects, queues: 4)
    places = [UInt8](repeating: UInt8(ARCPolicy.nowhere), count: setup.objects)
  }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    take(request.object, residents)
    put(request.object, in: ARCPolicy.again, residents.size(request.object))
  }

  mutating func missed(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    foundIn = Int(places[Int(request.object)])
    if foundIn == ARCPolicy.nowhere { return }
    if foundIn == ARCPolicy.onceGhosts {
      let step = ratio(ARCPolicy.againGhosts, ARCPolicy.onceGhosts)
      target = min(target + step, Double(residents.capacity))
    } else {
      target = max(target - ratio(ARCPolicy.onceGhosts, ARCPolicy.againGhosts), 0)
    }
    take(request.object, residents)
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    let isGhostHit = foundIn != ARCPolicy.nowhere
    let first = queues.bytes[ARCPolicy.once] + queues.bytes[ARCPolicy.onceGhosts]
    if !isGhostHit && first > residents.capacity - request.size {
      if queues.isEmpty(ARCPolicy.onceGhosts) {
        let victim = queues.oldest(ARCPolicy.once)
        take(victim, residents)
        residents.evict(victim)
        return
      }
      take(queues.oldest(ARCPolicy.onceGhosts), residents)
    } else if !isGhostHit {
      let second = queues.bytes[ARCPolicy.again] + queues.bytes[ARCPolicy.againGhosts]
      if first + second >= 2 * residents.capacity && !queues.isEmpty(ARCPolicy.againGhosts) {
        take(queues.oldest(ARCPolicy.againGhosts), residents)
      }
    }
    replace(&residents)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    let list = foundIn == ARCPolicy.nowhere ? ARCPolicy.once : ARCPolicy.again
    put(request.object, in: list, request.size)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    take(object, residents)
  }

  /// Sends the oldest of one of the lists of residents to its ghost list.
  private mutating func replace(_ residents: inout ResidentObjects) {
    let bytes = queues.bytes[ARCPolicy.once]
    let isOver = Double(bytes) > target
    let isAt = Double(bytes) == target && foundIn == ARCPolicy.againGhosts
    let fromOnce = (bytes > 0 && (isOver || isAt)) || queues.isEmpty(ARCPolicy.again)
    let victim = queues.oldest(fromOnce ? ARCPolicy.once : ARCPolicy.again)
    take(victim, residents)
    let size = residents.size(victim)
    residents.evict(victim)
    put(victim, in: fromOnce ? ARCPolicy.onceGhosts : ARCPolicy.againGhosts, size)
  }

  private func ratio(_ above: Int, _ below: Int) -> Double {
    let divisor = queues.bytes[below]
    return divisor == 0 ? 1 : max(Double(queues.bytes[above]) / Double(divisor), 1)
  }

  private mutating func take(_ object: UInt32, _ residents: ResidentObjects) {
    let list = Int(places[Int(object)])
    places[Int(object)] = UInt8(ARCPolicy.nowhere)
    queues.unlink(object, from: list, bytes: residents.size(object))
  }

  private mutating func put(_ object: UInt32, in list: Int, _ size: Int64) {
    places[Int(object)] = UInt8(list)
    queues.push(object, to: list, bytes: size)
  }

  mutating func grow(to objects: Int) {
    queues.grow(to: objects)
    let nowhere = UInt8(ARCPolicy.nowhere)
    places.append(contentsOf: repeatElement(nowhere, count: objects - places.count))
  }
}
