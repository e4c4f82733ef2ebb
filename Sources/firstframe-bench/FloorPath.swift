import MediaUnits
import Models
import SimulationKernel

/// One session's way to its edge: a real connection, whose answers are priced round by round, over
/// a link that carries one answer after the other at the session's mean rate.
///
/// Left out: the rate's variation, transfers that share the link, the radio's sleep, what a queue
/// in front of the link adds to a request.
struct FloorPath {
  let session: UInt32
  let profile: UnsafeMutablePointer<NetworkProfile>
  let roundTrip: TimeSpan
  /// Bits per second.
  let rate: Double
  /// Connections opened so far.
  private var serial: UInt32 = 0
  /// When the link has carried what it has to.
  private var freeAt = Instant.zero
  private var connection: Connection

  init(
    session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>, roundTrip: TimeSpan,
    rate: Double, connection: Connection
  ) {
    self.session = session
    self.profile = profile
    self.roundTrip = roundTrip
    self.rate = rate
    self.connection = connection
  }

  /// Sends a request, on a connection that is opened if need be.
  ///
  /// - Returns: when it is at the edge.
  mutating func send(at now: Instant, _ setting: borrowing FloorSetting) -> Instant {
    let transport = setting.transport
    if connection.isOpen && now - connection.lastActive > transport.pointee.idleClose {
      connection.isOpen = false
    }
    if !connection.isOpen {
      connection.open(
        at: now, to: setting.host, number: UInt64(session) << 16 | UInt64(serial),
        over: AccessPath(profile: profile, rate: rate, mean: rate, roundTrip: roundTrip),
        transport: transport, streams: setting.sources.streams)
      serial += 1
    }
    let begin = max(now, connection.readyAt)
    return begin + roundTrip / 2
      + transport.pointee.requestTime(uplink: profile.pointee.uplinkRate)
  }

  /// An answer's first byte is here at `arrival`; its body is on the link after that, after its
  /// rounds of slow start and recovery, and after the answers before it.
  ///
  /// - Returns: when its last byte is here, and the nanoseconds that its bytes take.
  mutating func carry(
    _ bytes: Int64, arriving arrival: Instant, _ setting: borrowing FloorSetting
  ) -> (end: Instant, time: Double) {
    let transport = setting.transport
    let packets = transport.pointee.packets(of: bytes)
    let stall = connection.carry(
      packets: packets, packetTime: transport.pointee.packetTime(at: rate * 1e-9), at: arrival,
      roundTrip: roundTrip, profile: profile, transport: transport
    ).stall
    let time = transport.pointee.wireBytes(of: bytes, packets: packets) * 8e9 / rate
    let begin = max(arrival + TimeSpan(nanoseconds: stall), freeAt)
    freeAt = begin + TimeSpan(nanoseconds: Int64(time) + 1)
    return (freeAt, time)
  }
}
