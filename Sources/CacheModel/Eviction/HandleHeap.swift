/// Handles in the order of a key, smallest first, each in it once at most.
///
/// A heap of four children a node in flat arrays; nothing is allocated after the start but by
/// ``grow(to:)``.
struct HandleHeap<Key: Comparable> {
  struct Node {
    var key: Key
    var object: UInt32
  }

  private var nodes: [Node] = []
  /// Where in `nodes` an object is.
  private var places: [UInt32]

  init(objects: Int) {
    places = [UInt32](repeating: .max, count: objects)
    nodes.reserveCapacity(objects)
  }

  /// The handle with the smallest key.
  /// - Precondition: the heap is not empty.
  var first: Node { nodes[0] }

  /// Whether there is no handle in it.
  var isEmpty: Bool { nodes.isEmpty }

  /// Makes room for more objects.
  mutating func grow(to objects: Int) {
    places.append(contentsOf: repeatElement(.max, count: objects - places.count))
    nodes.reserveCapacity(objects)
  }

  mutating func insert(_ object: UInt32, key: Key) {
    nodes.append(Node(key: key, object: object))
    rise(nodes.count - 1)
  }

  /// Gives an object of the heap another key.
  mutating func change(_ object: UInt32, key: Key) {
    let place = Int(places[Int(object)])
    let falls = nodes[place].key < key
    nodes[place].key = key
    if falls { sink(place) } else { rise(place) }
  }

  mutating func remove(_ object: UInt32) {
    let place = Int(places[Int(object)])
    places[Int(object)] = .max
    let last = nodes.removeLast()
    if place == nodes.count { return }
    let falls = nodes[place].key < last.key
    nodes[place] = last
    if falls { sink(place) } else { rise(place) }
  }

  private mutating func rise(_ start: Int) {
    let node = nodes[start]
    var place = start
    while place > 0 {
      let parent = (place - 1) >> 2
      if !(node.key < nodes[parent].key) { break }
      nodes[place] = nodes[parent]
      places[Int(nodes[place].object)] = UInt32(place)
      place = parent
    }
    nodes[place] = node
    places[Int(node.object)] = UInt32(place)
  }

  private mutating func sink(_ start: Int) {
    let node = nodes[start]
    var place = start
    while true {
      let child = place << 2 + 1
      if child >= nodes.count { break }
      var least = child
      for other in child + 1..<min(child + 4, nodes.count)
      where nodes[other].key < nodes[least].key {
        least = other
      }
      if !(nodes[least].key < node.key) { break }
      nodes[place] = nodes[least]
      places[Int(nodes[place].object)] = UInt32(place)
      place = least
    }
    nodes[place] = node
    places[Int(node.object)] = UInt32(place)
  }
}
