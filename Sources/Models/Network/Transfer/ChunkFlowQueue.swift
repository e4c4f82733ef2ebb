/// A first-in first-out list of flows, linked by their `next`.
struct ChunkFlowQueue: BitwiseCopyable {
  var head: Int32 = -1
  var tail: Int32 = -1

  mutating func append(_ flow: Int32, _ flows: inout [ChunkFlow]) {
    flows[Int(flow)].next = -1
    if tail >= 0 { flows[Int(tail)].next = flow } else { head = flow }
    tail = flow
  }

  /// Takes the head off; the queue must not be empty.
  mutating func removeFirst(_ flows: borrowing [ChunkFlow]) -> Int32 {
    let flow = head
    head = flows[Int(flow)].next
    if head < 0 { tail = -1 }
    return flow
  }

  /// Takes a flow out; it must be in.
  mutating func remove(_ flow: Int32, _ flows: inout [ChunkFlow]) {
    if head == flow {
      _ = removeFirst(flows)
      return
    }
    var previous = head
    while flows[Int(previous)].next != flow { previous = flows[Int(previous)].next }
    flows[Int(previous)].next = flows[Int(flow)].next
    if tail == flow { tail = previous }
  }
}
