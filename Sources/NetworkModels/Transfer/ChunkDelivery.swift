/// How fast a sender's packets are delivered: each transmission carries the state of the account at
/// its release, and what came since tells a rate (Linux: tcp_rate).
struct ChunkDelivery: BitwiseCopyable {
  /// Packets delivered so far, when the last of them was, and when the flight that tells the next
  /// rate began.
  private(set) var delivered: Int64 = 0
  private var deliveredAt: Int64 = 0
  private var flightStart: Int64 = 0
  /// Deliveries until the samples of the rate count again; 0 when they do.
  private var limitedUntil: Int64 = 0

  /// Whether samples say little now, because the application had no more to send.
  var isLimited: Bool { limitedUntil > 0 }

  /// The first data are sent at `now`.
  mutating func start(at now: Int64) { deliveredAt = now }

  /// Notes the account's state in a packet that is released at `now`.
  ///
  /// - Parameter isFirst: nothing else is out.
  mutating func stamp(_ place: Int32, isFirst: Bool, at now: Int64, _ pool: inout ChunkPool) {
    if isFirst {
      flightStart = now
      deliveredAt = now
    }
    pool[place].delivered = delivered
    pool[place].deliveredAt = deliveredAt
    pool[place].flightStart = flightStart
    pool[place].isLimited = isLimited
  }

  /// Takes the packets that are found delivered at `now`, of which the latest left at `sentAt`.
  mutating func take(_ packets: Int64, sentAt: Int64, at now: Int64) {
    flightStart = sentAt
    delivered += packets
    if packets > 0 { deliveredAt = now }
    if limitedUntil > 0 && delivered > limitedUntil { limitedUntil = 0 }
  }

  /// The longer of the two spans in which what was delivered since the packet's release was sent
  /// and delivered.
  static func span(of packet: ChunkPacket, at now: Int64) -> Int64 {
    let sending = packet.sentAt - packet.flightStart
    let delivery = now - packet.deliveredAt
    return sending > delivery ? sending : delivery
  }

  /// Samples of the rate say little until the packets that are out now are delivered.
  mutating func limit(inFlight: Int64) {
    limitedUntil = delivered + inFlight > 1 ? delivered + inFlight : 1
  }

  /// Sets the clock back.
  mutating func turnBack(by span: Int64) {
    deliveredAt -= span
    flightStart -= span
  }
}
