import MediaUnits

/// Deadlines of requests in a binary heap. Requests that end leave their entry behind; when more
/// than half of the entries are such, the heap is built anew. So an end costs nothing, and the
/// memory is bounded by the requests under way.
struct DeadlineQueue {
  private var heap: [(at: Instant, serial: UInt64)] = []

  var count: Int { heap.count }

  /// The earliest deadline; perhaps of a request that has ended.
  var first: Instant? { heap.first?.at }

  mutating func push(_ at: Instant, _ serial: UInt64) {
    heap.append((at, serial))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if heap[parent].at <= heap[child].at { break }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  /// Takes out an entry that is due.
  mutating func pop(until now: Instant) -> UInt64? {
    guard let first = heap.first, first.at <= now else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return first.serial
  }

  /// Leaves the entries that `isLive` keeps when there are more than twice `liveCount`.
  mutating func compact(liveCount: Int, _ isLive: (UInt64) -> Bool) {
    if heap.count <= 1_024 + 2 * liveCount { return }
    heap.removeAll { !isLive($0.serial) }
    for index in stride(from: heap.count / 2, through: 0, by: -1) { sink(index) }
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].at < heap[least].at {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
