import MediaUnits
import SimulationKernel

/// A cell's one queue, which all connections of its viewers share, and behind it each viewer's own
/// link.
///
/// It is worked out in windows: what a server does matters at the clients' end of the path half a
/// round trip later at least, so that up to then all that begins is known (docs/decisions/0036).
/// Left out: the handshakes' packets in the queue; packets of a link that is down wait at a
/// thousandth of its mean rate; a viewer's own link behind the queue drops nothing, however many
/// packets wait there, and a change of its rate acts from the end of the window that is worked out
/// on; a connection that moves to another network keeps its window (RFC 9000 section 9.4 would have
/// it begin anew).
struct CellQueue {
  private var chunks: ChunkQueue
  /// What is worked out at a time beyond it, nanoseconds.
  private let window: Int64
  /// Payload of a byte on the wire.
  let payloadShare: Double

  init(
    capacity: Double, limit: TimeSpan, _ profile: NetworkProfile,
    _ transport: TransportConfiguration, streams: RandomStreams
  ) {
    let bytes = Int64(capacity * limit.seconds / 8)
    chunks = ChunkQueue(
      ChunkShared.Settings(
        segmentSize: transport.segmentSize, overhead: transport.overhead,
        uplinkByteTime: 8e9 / profile.uplinkRate,
        roundTrip: TimeSpan(seconds: profile.roundTrip.quantile(0.5)).nanoseconds,
        congestion: transport.congestion, http: transport.http, quic: QUICStack(),
        initialWindow: transport.initialWindow, receiveWindow: transport.receiveWindow,
        idleRestart: transport.slowStartAfterIdle, streams: streams),
      link: ChunkLink(RateTrace(constant: capacity), limit: .bytes(bytes)))
    // One in a hundred viewers is nearer; what begins for him begins at the window's end.
    let least = TimeSpan(seconds: profile.roundTrip.quantile(0.01) / 2).nanoseconds
    window = least > 1_000_000 ? least : 1_000_000
    payloadShare =
      Double(transport.segmentSize) / Double(transport.segmentSize + transport.overhead)
  }

  /// When it has something to work out or to tell; `.max` for never.
  var nextChange: Int64 {
    let (event, report) = (chunks.nextEvent, chunks.nextReport)
    return event < report ? event : report
  }

  mutating func advance(to now: Int64) { chunks.advance(to: now &+ window) }

  mutating func takeReport(by now: Int64) -> ChunkQueue.Report? { chunks.takeReport(by: now) }

  // MARK: A viewer

  /// A viewer's own link of so many bits per second.
  mutating func openLink(rate: Double) -> Int { chunks.openLink(rate: rate) }

  mutating func changeLink(_ link: Int, to rate: Double) { chunks.changeLink(link, to: rate) }

  mutating func closeLink(_ link: Int) { chunks.closeLink(link) }

  /// A connection of his whose handshake is over.
  mutating func open(roundTrip: Int64, loss: LossGaps, link: Int) -> Int {
    chunks.open(roundTrip: roundTrip, sample: roundTrip, loss: loss, link: link)
  }

  mutating func close(_ connection: Int) { chunks.close(connection) }

  /// An answer of so many bytes on the wire begins, of which `mark` are waited for; 0 for none.
  mutating func begin(wire: Double, mark: Double, on connection: Int, at time: Int64) -> Int {
    let bytes = Int64(wire * payloadShare)
    let waited = Int64(mark * payloadShare)
    return chunks.begin(
      bytes: bytes, mark: mark > 0 ? (waited > 1 ? waited : 1) : 0, on: connection, at: time)
  }

  /// An answer is not wanted any more, which its server learns and which is seen here at `time`.
  mutating func withdraw(_ flow: Int, at time: Int64) { chunks.withdraw(flow, at: time) }

  /// Bytes on the wire that are not in the queue yet.
  func left(of flow: Int) -> Double { Double(chunks.left(of: flow)) / payloadShare }
}
