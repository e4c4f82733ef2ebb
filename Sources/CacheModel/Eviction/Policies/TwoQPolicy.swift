/// 2Q (Johnson and Shasha, VLDB 1994): new objects wait in a queue of a quarter of the capacity;
/// those asked for again after they left it, while a ghost queue of half the capacity knows them,
/// go to an LRU list.
struct TwoQPolicy: EvictionPolicy {
  private static var recent: Int { 0 }
  private static var ghosts: Int { 1 }
  private static var frequent: Int { 2 }
  private static var nowhere: UInt8 { 3 }

  private let recentShare: Int64
  private let ghostShare: Int64
  private var queues: HandleQueues
  private var places: [UInt8]
  private var wasGhost = false

  init(_ setup: EvictionSetup) {
    recentShare = setup.capacity / 4
    ghostShare = setup.capacity / 2
    queues = HandleQueues(objects: setup.objects, queues: 3)
    places = [UInt8](repeating: TwoQPolicy.nowhere, count: setup.objects)
  }

  var largestObject: Int64 { recentShare }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    if places[Int(request.object)] == TwoQPolicy.frequent {
      queues.renew(request.object, in: TwoQPolicy.frequent)
    }
  }

  mutating func missed(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    wasGhost = places[Int(request.object)] == TwoQPolicy.ghosts
    if wasGhost { take(request.object, residents) }
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    let fromRecent =
      queues.bytes[TwoQPolicy.recent] > recentShare || queues.isEmpty(TwoQPolicy.frequent)
    let victim = queues.oldest(fromRecent ? TwoQPolicy.recent : TwoQPolicy.frequent)
    take(victim, residents)
    residents.evict(victim)
    let size = residents.size(victim)
    if !fromRecent || size > ghostShare { return }
    while queues.bytes[TwoQPolicy.ghosts] > ghostShare - size {
      take(queues.oldest(TwoQPolicy.ghosts), residents)
    }
    put(victim, in: TwoQPolicy.ghosts, size)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    if wasGhost {
      let share = residents.capacity - recentShare
      while queues.bytes[TwoQPolicy.frequent] > share - request.size {
        let victim = queues.oldest(TwoQPolicy.frequent)
        take(victim, residents)
        residents.evict(victim)
      }
    }
    put(request.object, in: wasGhost ? TwoQPolicy.frequent : TwoQPolicy.recent, request.size)
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    take(object, residents)
  }

  private mutating func take(_ object: UInt32, _ residents: ResidentObjects) {
    let list = Int(places[Int(object)])
    places[Int(object)] = TwoQPolicy.nowhere
    queues.unlink(object, from: list, bytes: residents.size(object))
  }

  private mutating func put(_ object: UInt32, in list: Int, _ size: Int64) {
    places[Int(object)] = UInt8(list)
    queues.push(object, to: list, bytes: size)
  }

  mutating func grow(to objects: Int) {
    queues.grow(to: objects)
    places.append(
      contentsOf: repeatElement(TwoQPolicy.nowhere, count: objects - places.count))
  }
}
