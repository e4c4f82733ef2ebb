/// The objects of each node numbered on their own, so that a node's cache has a place only for
/// what it is asked for.
struct EdgeHandles {
  /// The number of (node, object) of each request of the range; 0 for other requests.
  private(set) var pairs: [UInt32]
  /// The first pair of each node, and the number of pairs behind the last.
  private(set) var starts: [UInt32]
  /// The object of each pair.
  private var objects: [UInt32] = []

  init(_ trace: CacheTrace, in range: Range<Int>) {
    let nodes = trace.nodes
    pairs = [UInt32](repeating: 0, count: trace.count)
    var count = 1
    for index in range where !nodes.isEmpty { count = max(count, Int(nodes[index]) + 1) }
    // Request numbers by node, in their order within a node.
    var places = [Int](repeating: 0, count: count + 1)
    for index in range { places[nodes.isEmpty ? 1 : Int(nodes[index]) + 1] += 1 }
    for node in 1...count { places[node] += places[node - 1] }
    var order = [UInt32](repeating: 0, count: range.count)
    for index in range {
      let node = nodes.isEmpty ? 0 : Int(nodes[index])
      order[places[node]] = UInt32(index)
      places[node] += 1
    }
    starts = [0]
    var known = [UInt32](repeating: .max, count: trace.objectCount)
    var next: UInt32 = 0
    var place = 0
    for node in 0..<count {
      let first = next
      while place < places[node] {
        let index = Int(order[place])
        let object = Int(trace.objects[index])
        // A number of an earlier node is below the first of this one.
        if known[object] == .max || known[object] < first {
          known[object] = next
          objects.append(trace.objects[index])
          next += 1
        }
        pairs[index] = known[object]
        place += 1
      }
      starts.append(next)
    }
  }

  var nodeCount: Int { starts.count - 1 }

  /// How many objects a node is asked for.
  func objects(_ node: Int) -> Int { Int(starts[node + 1] - starts[node]) }

  /// The names of a node's objects.
  func identities(_ node: Int, _ trace: CacheTrace) -> [UInt64] {
    objects[Int(starts[node])..<Int(starts[node + 1])].map { object in
      trace.identities.isEmpty ? UInt64(object) : trace.identities[Int(object)]
    }
  }
}
