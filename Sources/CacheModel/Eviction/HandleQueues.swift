/// Doubly linked queues of handles in one flat array; an object is in one queue at most.
///
/// Each queue is a ring closed by a place of its own behind the objects, so that linking and
/// unlinking have no special cases. Nothing is allocated after the start but by ``grow(to:)``.
struct HandleQueues {
  struct Link {
    var newer: UInt32
    var older: UInt32
  }

  /// The bytes of each queue, for those who keep them by ``push(_:to:bytes:)``.
  private(set) var bytes: [Int64]
  private var links: [Link]
  private var objects: UInt32

  init(objects: Int, queues: Int) {
    precondition(Int64(objects) + Int64(queues) < Int64(UInt32.max), "too many objects")
    self.objects = UInt32(objects)
    bytes = [Int64](repeating: 0, count: queues)
    links = [Link](repeating: Link(newer: 0, older: 0), count: objects + queues)
    for place in objects..<objects + queues {
      links[place] = Link(newer: UInt32(place), older: UInt32(place))
    }
  }

  @inline(__always)
  func isEmpty(_ queue: Int) -> Bool {
    let end = objects + UInt32(queue)
    return links[Int(end)].newer == end
  }

  /// The object that came last; an end when the queue is empty.
  @inline(__always)
  func newest(_ queue: Int) -> UInt32 { links[Int(objects) + queue].older }

  /// The object that came first; an end when the queue is empty.
  @inline(__always)
  func oldest(_ queue: Int) -> UInt32 { links[Int(objects) + queue].newer }

  @inline(__always)
  mutating func push(_ object: UInt32, to queue: Int) {
    let end = objects + UInt32(queue)
    let second = links[Int(end)].older
    links[Int(object)] = Link(newer: end, older: second)
    links[Int(second)].newer = object
    links[Int(end)].older = object
  }

  @inline(__always)
  mutating func unlink(_ object: UInt32) {
    let link = links[Int(object)]
    links[Int(link.older)].newer = link.newer
    links[Int(link.newer)].older = link.older
  }

  @inline(__always)
  mutating func push(_ object: UInt32, to queue: Int, bytes size: Int64) {
    push(object, to: queue)
    bytes[queue] += size
  }

  @inline(__always)
  mutating func unlink(_ object: UInt32, from queue: Int, bytes size: Int64) {
    unlink(object)
    bytes[queue] -= size
  }

  @inline(__always)
  mutating func renew(_ object: UInt32, in queue: Int) {
    if newest(queue) == object { return }
    unlink(object)
    push(object, to: queue)
  }

  /// Makes room for more objects: the ends of the rings move behind them.
  /// - Complexity: O(objects).
  mutating func grow(to count: Int) {
    precondition(count >= Int(objects), "queues do not shrink")
    precondition(Int64(count) + Int64(bytes.count) < Int64(UInt32.max), "too many objects")
    let old = Int(objects)
    let more = count - old
    if more == 0 { return }
    links.append(contentsOf: repeatElement(Link(newer: 0, older: 0), count: more))
    // From the last end on, so that no end is overwritten before it has moved.
    for queue in (0..<bytes.count).reversed() {
      let (from, to) = (old + queue, count + queue)
      let end = links[from]
      if end.newer == UInt32(from) {
        links[to] = Link(newer: UInt32(to), older: UInt32(to))
      } else {
        links[to] = end
        links[Int(end.newer)].older = UInt32(to)
        links[Int(end.older)].newer = UInt32(to)
      }
    }
    objects = UInt32(count)
  }
}
