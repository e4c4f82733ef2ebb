import MediaUnits
import SimulationKernel

/// One kind of access network: how fast, how far, how lossy.
///
/// Included: a session's mean rate, its second-to-second variation (AR(1) in the logarithm), a
/// two-state outage process, base round trip per session, random loss, a bounded queue in front of
/// the link, DNS and radio promotion. Left out: hand-over, loss bursts, jitter of the round trip
/// inside a session. Defaults are those of parameters.md section 1.7.
public struct NetworkProfile: Sendable {
  /// Mean downlink rate of a session, bits per second.
  public var sessionRate: QuantileTable
  /// Factor on every rate of the link, outages included.
  public var rateFactor: Double
  /// Standard deviation of the log rate inside a session.
  public var rateSigma: Double
  /// Correlation of the log rate from one second to the next, 0 ..< 1.
  public var rateCorrelation: Double
  /// Probability per second of falling into an outage, and of leaving it.
  public var outageStart, outageEnd: Double
  /// Rate while in an outage, bits per second.
  public var outageRate: Double
  /// Base round-trip time to the edge, seconds.
  public var roundTrip: QuantileTable
  /// Longest queueing delay that the link's own backlog adds to a round trip.
  public var queueLimit: TimeSpan
  /// Probability that a downlink packet is lost.
  public var lossRate: Double
  /// Uplink rate, bits per second; requests pay their serialisation.
  public var uplinkRate: Double
  /// A cold name look-up.
  public var nameLookup: TimeSpan
  /// Radio promotion when nothing was sent or received for ``radioIdle``.
  public var promotion, radioIdle: TimeSpan

  public init(
    sessionRate: QuantileTable, rateFactor: Double, rateSigma: Double,
    rateCorrelation: Double, outageStart: Double, outageEnd: Double, outageRate: Double,
    roundTrip: QuantileTable,
    queueLimit: TimeSpan, lossRate: Double, uplinkRate: Double, nameLookup: TimeSpan,
    promotion: TimeSpan, radioIdle: TimeSpan
  ) {
    self.sessionRate = sessionRate
    self.rateFactor = rateFactor
    self.rateSigma = rateSigma
    self.rateCorrelation = rateCorrelation
    self.outageStart = outageStart
    self.outageEnd = outageEnd
    self.outageRate = outageRate
    self.roundTrip = roundTrip
    self.queueLimit = queueLimit
    self.lossRate = lossRate
    self.uplinkRate = uplinkRate
    self.nameLookup = nameLookup
    self.promotion = promotion
    self.radioIdle = radioIdle
  }
}

/// How connections are opened and how they carry bytes.
public struct TransportConfiguration: Sendable, Equatable {
  /// Round trips of the secure handshake after TCP's: 1 for TLS 1.3 (RFC 8446), 2 for TLS 1.2.
  public var tlsRoundTrips: Int64
  /// Initial congestion window, segments (RFC 6928).
  public var initialWindow: Double
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

  public init(
    tlsRoundTrips: Int64 = 1, initialWindow: Double = 10, segmentSize: Int64 = 1448,
    overhead: Int64 = 54, slowStartAfterIdle: Bool = true,
    idleClose: TimeSpan = .seconds(60), requestBytes: Int64 = 120,
    responseHeaderBytes: Int64 = 400, prefetchWeight: Double = 1
  ) {
    self.tlsRoundTrips = tlsRoundTrips
    self.initialWindow = initialWindow
    self.segmentSize = segmentSize
    self.overhead = overhead
    self.slowStartAfterIdle = slowStartAfterIdle
    self.idleClose = idleClose
    self.requestBytes = requestBytes
    self.responseHeaderBytes = responseHeaderBytes
    self.prefetchWeight = prefetchWeight
  }
}
