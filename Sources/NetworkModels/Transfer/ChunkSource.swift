/// What the server has to send on a connection: responses that take turns, cut into packets in the
/// order of the connection's data.
struct ChunkSource: BitwiseCopyable {
  /// Flows with bytes to send.
  private var sending = ChunkFlowQueue()
  /// Payload that the flow at the head may send before it is the next one's turn.
  private var turnLeft = StreamDealer.turnBytes
  /// Flows whose header fields are not sent.
  private var headers = ChunkFlowLine(.header)
  /// Sequence number of the next new packet.
  private(set) var nextSequence: Int64 = 0

  /// Whether nothing new is to be sent.
  var isEmpty: Bool { sending.head < 0 }

  /// A response is ready to be sent.
  mutating func add(_ flow: Int, _ flows: inout [ChunkFlow]) {
    sending.append(Int32(truncatingIfNeeded: flow), &flows)
    if flows[flow].headerLeft > 0 { headers.append(Int32(truncatingIfNeeded: flow), &flows) }
  }

  /// The next new packet: a response's header fields are one of their own and go before other
  /// responses' bodies, which take turns.
  ///
  /// - Precondition: there is something to send.
  /// - Returns: its place.
  mutating func next(_ shared: inout ChunkShared) -> Int32 {
    let flow = Int(headers.head >= 0 ? headers.head : sending.head)
    let place = shared.pool.take()
    var payload = shared.settings.segmentSize
    if shared.flows[flow].headerLeft > 0 {
      if shared.flows[flow].headerLeft < payload { payload = shared.flows[flow].headerLeft }
      shared.flows[flow].headerLeft -= payload
      if shared.flows[flow].headerLeft == 0 { headers.removeFirst(shared.flows) }
    } else {
      if shared.flows[flow].bytesLeft < payload { payload = shared.flows[flow].bytesLeft }
      shared.flows[flow].bytesLeft -= payload
      shared.flows[flow].isEmpty = false
      turnLeft -= payload
    }
    shared.pool[place].payload = payload
    shared.pool[place].flow = Int32(truncatingIfNeeded: flow)
    shared.pool[place].connection = shared.flows[flow].connection
    shared.pool[place].sequence = nextSequence
    shared.flows[flow].note(payload, sequence: nextSequence)
    nextSequence += 1
    if shared.flows[flow].isSent {
      shared.pool[place].isLast = true
      sending.remove(Int32(truncatingIfNeeded: flow), &shared.flows)
      turnLeft = StreamDealer.turnBytes
    } else if turnLeft <= 0 {
      turnLeft = StreamDealer.turnBytes
      sending.append(sending.removeFirst(&shared.flows), &shared.flows)
    }
    return place
  }

  /// No more of a response is sent, which is not through; it has no header fields left.
  mutating func drop(_ flow: Int, _ flows: inout [ChunkFlow]) {
    if Int(sending.head) == flow { turnLeft = StreamDealer.turnBytes }
    sending.remove(Int32(truncatingIfNeeded: flow), &flows)
    flows[flow].bytesLeft = 0
    flows[flow].isEmpty = false
  }

  /// Nothing is to be sent any more.
  mutating func abandon() {
    sending = ChunkFlowQueue()
    headers = ChunkFlowLine(.header)
  }
}
