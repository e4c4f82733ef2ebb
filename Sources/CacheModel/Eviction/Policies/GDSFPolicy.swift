/// Greedy dual, size and frequency (Cherkasova, 1998): the object of the lowest worth leaves, and
/// its worth becomes the base that later ones start from.
///
/// Worth: base + hits · 10^6 / bytes; of equals the one asked for longest ago leaves.
struct GDSFPolicy: EvictionPolicy {
  struct Key: Comparable {
    var worth: Double
    var lastUse: UInt32

    static func < (a: Key, b: Key) -> Bool {
      a.worth == b.worth ? a.lastUse < b.lastUse : a.worth < b.worth
    }
  }

  private var heap: HandleHeap<Key>
  private var uses: [UInt32]
  private var base = 0.0

  init(_ setup: EvictionSetup) {
    heap = HandleHeap(objects: setup.objects)
    uses = [UInt32](repeating: 0, count: setup.objects)
  }

  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    uses[Int(request.object)] += 1
    heap.change(request.object, key: key(request, residents.size(request.object)))
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    let victim = heap.first
    heap.remove(victim.object)
    base = victim.key.worth
    residents.evict(victim.object)
  }

  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    uses[Int(request.object)] = 1
    heap.insert(request.object, key: key(request, request.size))
    return true
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    heap.remove(object)
  }

  private func key(_ request: CacheRequest, _ size: Int64) -> Key {
    Key(
      worth: base + Double(uses[Int(request.object)]) * 1e6 / Double(size),
      lastUse: request.index)
  }

  mutating func grow(to objects: Int) {
    heap.grow(to: objects)
    uses.append(contentsOf: repeatElement(0, count: objects - uses.count))
  }
}
