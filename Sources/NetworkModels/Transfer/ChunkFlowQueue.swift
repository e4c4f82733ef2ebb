/// A first-in first-out list of flows, linked by their `next` and `previous`.
struct ChunkFlowQueue: BitwiseCopyable {
  var head: Int32 = -1
  var tail: Int32 = -1

  mutating func append(_ flow: Int32, _ flows: inout [ChunkFlow]) {
    flows[Int(flow)].next = -1
    flows[Int(flow)].previous = tail
    if tail >= 0 { flows[Int(tail)].next = flow } else { head = flow }
    tail = flow
  }

  /// Takes the head off; the queue must not be empty.
  mutating func removeFirst(_ flows: inout [ChunkFlow]) -> Int32 {
    let flow = head
    remove(flow, &flows)
    return flow
  }

  /// Takes a flow out; it must be in.
  mutating func remove(_ flow: Int32, _ flows: inout [ChunkFlow]) {
    let next = flows[Int(flow)].next
    let previous = flows[Int(flow)].previous
    if previous >= 0 { flows[Int(previous)].next = next } else { head = next }
    if next >= 0 { flows[Int(next)].previous = previous } else { tail = previous }
  }
}

/// Flows in the order in which something of them is due: a packet of their data that is the next
/// to matter.
struct ChunkFlowLine: BitwiseCopyable {
  /// What is due; each has a link of its own in a flow.
  enum Event: UInt8 { case header, first, last }

  let event: Event
  private(set) var head: Int32 = -1
  private var tail: Int32 = -1

  init(_ event: Event) { self.event = event }

  mutating func append(_ flow: Int32, _ flows: inout [ChunkFlow]) {
    if tail >= 0 {
      switch event {
      case .header: flows[Int(tail)].nextHeader = flow
      case .first: flows[Int(tail)].nextFirst = flow
      case .last: flows[Int(tail)].nextLast = flow
      }
    } else {
      head = flow
    }
    tail = flow
  }

  /// Takes the head off; the line must not be empty.
  mutating func removeFirst(_ flows: borrowing [ChunkFlow]) {
    switch event {
    case .header: head = flows[Int(head)].nextHeader
    case .first: head = flows[Int(head)].nextFirst
    case .last: head = flows[Int(head)].nextLast
    }
    if head < 0 { tail = -1 }
  }
}
