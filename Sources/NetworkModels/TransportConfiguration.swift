import MediaUnits

/// Whose idea of a transfer the simulation follows.
///
/// The peers' are those of published simulators, for comparison: one fixed or drawn round trip and
/// the bytes at the link's rate; no name look-up, no handshake, no slow start, no loss. Their
/// exact programs, with their own players, are in `Peers/`.
public enum NetworkModel: UInt8, Sendable, Equatable, CaseIterable {
  case firstFrame
  /// Pensieve (Mao, Netravali, Alizadeh, SIGCOMM 2017): 80 ms, then the bytes at 95 % of the rate.
  case pensieve
  /// Sabre (Spiteri, Sitaraman, Sparacio, MMSys 2018): the link's round trip, then the bytes at the
  /// rate.
  case sabre
  /// The simulator of the ACM MM 2022 short-video challenge: Pensieve's; its rounding to whole
  /// milliseconds is left out here.
  case mm22

  /// Share of the link's rate that carries payload.
  public var payloadShare: Double { self == .pensieve || self == .mm22 ? 0.95 : 1 }
  /// The round trip that replaces the link's, or nil.
  public var roundTrip: TimeSpan? {
    self == .pensieve || self == .mm22 ? .milliseconds(80) : nil
  }
}

/// How connections are opened and how they carry bytes.
public struct TransportConfiguration: Sendable, Equatable {
  public var model: NetworkModel
  public var http: HTTPVersion
  public var congestion: CongestionControl
  /// How a session's first connection to a host is opened, and how later ones are, whose TLS
  /// session or token is at hand.
  public var handshake, resumedHandshake: Handshake
  /// Share of first connections that are opened as later ones: the app was used before.
  public var resumption: Double
  /// Most connections of a viewer to one host; above 1 for HTTP/1.1 only.
  public var connectionsPerHost: Int
  /// Initial congestion window, segments (RFC 6928).
  public var initialWindow: Double
  /// What receivers let be in flight at most, bytes; nil when they are never the limit.
  public var receiveWindow: Int64?
  /// Payload of a full packet and what it costs on the wire beyond it, bytes (network.md section
  /// 7).
  public var segmentSize, overhead: Int64
  /// Whether the window decays towards the initial one while a connection idles (RFC 2861).
  public var slowStartAfterIdle: Bool
  /// A connection unused for this long is closed.
  public var idleClose: TimeSpan
  /// Bytes of one request on the uplink (assumed: compressed header fields of HTTP/2).
  public var requestBytes: Int64
  /// Bytes of response header fields, sent as a packet of their own.
  public var responseHeaderBytes: Int64
  /// Weight of a transfer that is not for the current item, relative to one that is (1 = equal).
  public var prefetchWeight: Double
  /// How transfers at one time share a viewer's link.
  public var sharing: LinkSharing
  /// Of several providers of edges: how much longer than the session's the round trip to each one's
  /// edges is. Empty: there is one, at the session's round trip.
  public var detours: [TimeSpan] = []

  public init(
    model: NetworkModel = .firstFrame, http: HTTPVersion = .http2,
    congestion: CongestionControl = .cubic, handshake: Handshake = .tls13,
    resumedHandshake: Handshake = .tls13Resumed, resumption: Double = 0,
    connectionsPerHost: Int = 1, initialWindow: Double = 10, receiveWindow: Int64? = nil,
    segmentSize: Int64 = 1448, overhead: Int64 = 54, slowStartAfterIdle: Bool = true,
    idleClose: TimeSpan = .seconds(60), requestBytes: Int64 = 120,
    responseHeaderBytes: Int64 = 400, prefetchWeight: Double = 1, sharing: LinkSharing = .weights
  ) {
    precondition(
      connectionsPerHost >= 1 && connectionsPerHost <= Connection.perHost,
      "1 to \(Connection.perHost) connections per host")
    self.model = model
    self.http = http
    self.congestion = congestion
    self.handshake = handshake
    self.resumedHandshake = resumedHandshake
    self.resumption = resumption
    self.connectionsPerHost = connectionsPerHost
    self.initialWindow = initialWindow
    self.receiveWindow = receiveWindow
    self.segmentSize = segmentSize
    self.overhead = overhead
    self.slowStartAfterIdle = slowStartAfterIdle
    self.idleClose = idleClose
    self.requestBytes = requestBytes
    self.responseHeaderBytes = responseHeaderBytes
    self.prefetchWeight = prefetchWeight
    self.sharing = sharing
  }
}

extension TransportConfiguration {
  /// Whether connections are QUIC's: they survive a new address.
  public var isQUIC: Bool { http == .http3 || handshake.isQUIC }

  /// Whether responses of a connection are served in turns.
  var takesTurns: Bool { sharing == .turns && http != .http1 && model == .firstFrame }

  /// Whether a viewer's connections have one queue.
  var queuesTogether: Bool {
    sharing == .queue && http == .http1 && model == .firstFrame
  }

  /// Numbers that a viewer's connections may have, those to the service among them.
  var connectionNumbers: Int { Connection.perHost * (detours.count > 1 ? detours.count + 1 : 2) }

  /// Bytes of a full packet on the wire.
  var wirePacket: Double { Double(segmentSize + overhead) }
}
