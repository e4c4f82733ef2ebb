/// One transmission of a packet, from its release until the sender knows what became of it.
struct ChunkPacket: BitwiseCopyable {
  /// The next and the previous one of its list, or -1.
  var next: Int32 = -1
  var previous: Int32 = -1
  /// Where the repetition of this packet by a probe or a spurious timeout was put, and where the
  /// receiver noted that it is missing, or -1. Both places may hold something else since.
  var copy: Int32 = -1
  var hole: Int32 = -1
  var flow: Int32 = -1
  /// Whose data it is of. With its place in them it says which; a flow's number may be another's by
  /// the time that a sender knows that the flow is through (``ChunkQueue``).
  var connection: Int32 = -1
  /// Bytes of payload.
  var payload: Int64 = 0
  /// Place in the connection's data, in packets; kept by retransmissions.
  var sequence: Int64 = -1
  /// Number among the connection's transmissions.
  var number: Int64 = 0
  var sentAt: Int64 = 0
  /// When the acknowledgement that this packet causes reaches the sender; `.max` for none.
  var ackAt: Int64 = .max
  /// The connection's packets delivered by the release, when the last of them was, and when the
  /// flight began: what a sample of the delivery rate needs (Linux tcp_rate).
  var delivered: Int64 = 0
  var deliveredAt: Int64 = 0
  var flightStart: Int64 = 0
  /// Turned away by the queue or lost behind the link. The sender must not look at it before the
  /// acknowledgement of a later packet.
  var isDropped = false
  var isRetransmission = false
  /// Sent by a loss probe or by a spurious timeout, while the earlier transmission counts as out.
  var isProbe = false
  /// Sent again after it was held lost, and not known to have arrived since.
  var isCounted = false
  /// The receiver had it already.
  var isDuplicate = false
  /// A probe stands for it, so it is not sent once more.
  var isReplaced = false
  /// Not a transmission: the receiver's note of a missing packet.
  var isHole = false
  /// Released while the application had no more to send (Linux: app_limited).
  var isLimited = false
  /// The last packet of a response, which the receiver acknowledges at once.
  var isLast = false
}

/// Storage of packets: lists of one connection each, linked by index, and a free list.
struct ChunkPool {
  private var packets: [ChunkPacket] = []
  private var free: Int32 = -1

  init(capacity: Int) { packets.reserveCapacity(capacity) }

  subscript(place: Int32) -> ChunkPacket {
    _read { yield packets[Int(place)] }
    _modify { yield &packets[Int(place)] }
  }

  mutating func take() -> Int32 {
    let place = free
    if place >= 0 {
      free = packets[Int(place)].next
      packets[Int(place)] = ChunkPacket()
      return place
    }
    packets.append(ChunkPacket())
    return Int32(truncatingIfNeeded: packets.count - 1)
  }

  mutating func give(_ place: Int32) {
    packets[Int(place)].sequence = -1
    packets[Int(place)].next = free
    free = place
  }

  /// The repetition of a packet's data that followed it, -1 when there is none any more.
  func copy(of place: Int32) -> Int32 {
    let copy = packets[Int(place)].copy
    if copy < 0 || packets[Int(copy)].sequence != packets[Int(place)].sequence { return -1 }
    let isLater =
      packets[Int(copy)].number > packets[Int(place)].number && !packets[Int(copy)].isHole
    return isLater && packets[Int(copy)].connection == packets[Int(place)].connection ? copy : -1
  }

  /// Makes a repetition of a packet that counts as out; the latest one stands for it from now on.
  mutating func repeated(_ first: Int32) -> Int32 {
    var place = first
    var later = copy(of: place)
    while later >= 0 {
      place = later
      later = copy(of: place)
    }
    let copy = take()
    let isCounted = packets[Int(place)].isCounted
    packets[Int(copy)].flow = packets[Int(place)].flow
    packets[Int(copy)].connection = packets[Int(place)].connection
    packets[Int(copy)].payload = packets[Int(place)].payload
    packets[Int(copy)].sequence = packets[Int(place)].sequence
    packets[Int(copy)].hole = packets[Int(place)].hole
    packets[Int(copy)].isRetransmission = true
    packets[Int(copy)].isCounted = isCounted
    packets[Int(copy)].isProbe = !isCounted
    packets[Int(place)].isCounted = false
    packets[Int(place)].isReplaced = true
    packets[Int(place)].copy = copy
    return copy
  }
}

/// A first-in first-out list of packets of a ``ChunkPool``.
struct ChunkList: BitwiseCopyable {
  var head: Int32 = -1
  var tail: Int32 = -1

  var isEmpty: Bool { head < 0 }

  mutating func append(_ place: Int32, _ pool: inout ChunkPool) {
    pool[place].next = -1
    pool[place].previous = tail
    if tail >= 0 { pool[tail].next = place } else { head = place }
    tail = place
  }

  mutating func prepend(_ place: Int32, _ pool: inout ChunkPool) {
    pool[place].next = head
    pool[place].previous = -1
    if head >= 0 { pool[head].previous = place } else { tail = place }
    head = place
  }

  /// Takes all packets out and gives them back.
  mutating func giveAll(_ pool: inout ChunkPool) {
    while head >= 0 {
      let place = head
      unlink(place, &pool)
      pool.give(place)
    }
  }

  /// Takes out `place`, which must be in.
  mutating func unlink(_ place: Int32, _ pool: inout ChunkPool) {
    let next = pool[place].next
    let previous = pool[place].previous
    if previous >= 0 { pool[previous].next = next } else { head = next }
    if next >= 0 { pool[next].previous = previous } else { tail = previous }
  }
}
