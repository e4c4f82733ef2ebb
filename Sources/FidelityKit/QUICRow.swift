import Models

/// `quic_*.json`.
struct QUICFile: Decodable {
  struct Source: Decodable {
    /// Milliseconds of both ends without a link, by kind of connection.
    struct Computing: Decodable {
      var handshake: QUICRow.Spread
      var first: QUICRow.Spread
      var later: QUICRow.Spread
    }
    var computeMs: [String: Computing]
  }
  var source: Source
  var rows: [QUICRow]

  /// What the two programs take by themselves on a row's kind of connection.
  func computing(_ row: QUICRow) -> Source.Computing? {
    source.computeMs[row.handshake == "full" && row.isLong ? "long chain" : row.handshake]
  }
}

/// A row of `quic_*.json`: real HTTP/3 fetches with aioquic. Only what a case is made of, and what
/// it is compared with.
struct QUICRow: Decodable {
  /// Repetitions of one number.
  struct Spread: Decodable {
    var n: Int
    var median: Double
    /// With many repetitions only.
    var mean: Double?
    var standardError: Double?
    var p95: Double?
  }

  var family: String
  var cc: String
  var chainBytes: Int64
  /// `full`, `resumed` or `early`.
  var handshake: String
  var rateMbps: Double
  var rttMs: Double
  var queueBytes: Int64
  var loss: Double
  var gapS: Double
  var parallel: Bool
  var sizes: [Int64]
  var repeats: Int
  var handshakeMs: Spread
  var firstByteMs: [Spread]
  var totalMs: [Spread]

  /// aioquic's full datagram carries so many bytes of a stream: 1,200 less its short header (1, a
  /// connection identifier of 8, a packet number of 2), the seal of 16 and a stream frame's header
  /// of 8. The rest and IPv4 and UDP's 28 are what it costs beyond them.
  static let segment: Int64 = 1_165
  static let overhead: Int64 = 1_228 - segment
  /// What goes before the first answer's body on a new connection, bytes: session ticket,
  /// connection identifiers, settings of HTTP/3 and header fields; the last two before an early
  /// answer; the last before a later one. Counted in aioquic's datagrams.
  static let openingHeader: Int64 = 340
  static let earlyHeader: Int64 = 140
  static let header: Int64 = 80

  /// aioquic 1.7 as a stack of the model, by its own source: `recovery.py` has the pacer, and
  /// `configuration.py` the initial round trip of 0.1 s (so the first probe after 0.2 s);
  /// `connection.py` waits 1 ms with an acknowledgement and deals one datagram to each stream in
  /// turn; `reno.py` and `cubic.py` let the window grow with every acknowledgement.
  func stack(_ computing: QUICFile.Source.Computing?) -> QUICStack {
    func nanoseconds(_ spread: Spread?) -> Int64 { Int64(((spread?.median ?? 0) * 1e6).rounded()) }
    return QUICStack(
      serverFlight: flight, earlyFlight: 330, computation: nanoseconds(computing?.handshake),
      firstAnswer: nanoseconds(computing?.first), laterAnswer: nanoseconds(computing?.later),
      firstProbe: 200_000_000, pacing: .aioquic,
      acknowledgementDelay: 1_000_000, turnBytes: QUICRow.segment, sendsFieldsFirst: false,
      growsUnused: true)
  }

  var isLong: Bool { chainBytes > 2_000 }

  /// The server's flight: a padded datagram for a short one.
  private var flight: Int64 {
    let bytes = chainBytes + 660
    return handshake != "full" || bytes < 1_200 ? 1_200 : bytes
  }

  func transfers(_ computing: QUICFile.Source.Computing?) -> TransferCase {
    var flows: [TransferFlow] = []
    let opening = handshake == "early" ? QUICRow.earlyHeader : QUICRow.openingHeader
    for (index, size) in sizes.enumerated() {
      let isFirst = parallel || index == 0
      flows.append(
        TransferFlow(
          after: isFirst ? nil : index - 1, gap: Int64((gapS * 1e9).rounded()), bytes: size,
          responseHeaderBytes: index > 0 ? QUICRow.header : opening))
    }
    let rate = rateMbps * 1e6
    return TransferCase(
      downlink: RateTrace(constant: rate), uplinkRate: rate,
      roundTrip: Int64((rttMs * 1e6).rounded()), loss: loss > 0 ? .independent(loss) : .none,
      queue: .bytes(queueBytes), congestion: cc == "cubic" ? .cubic : .newReno,
      handshake: handshake == "early" ? .quicZeroRTT : .quic, segmentSize: QUICRow.segment,
      overhead: QUICRow.overhead, idleRestart: false, http: .http3, quic: stack(computing),
      flows: flows)
  }
}
