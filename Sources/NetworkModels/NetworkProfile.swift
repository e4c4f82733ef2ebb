import MediaUnits
import SimulationKernel

/// One kind of access network: how fast, how far, how lossy.
///
/// Included: a session's mean rate, its second-to-second variation (AR(1) in the logarithm), a
/// two-state outage process, or a recorded or stepped trace instead of all three; scripted
/// hand-overs, tunnels and being offline; base round trip per session, random loss, alone or in
/// bursts, a bounded queue in front of the link, DNS and radio promotion. Left out: jitter of the
/// round trip inside a session. Defaults are those of parameters.md section 1.7.
public struct NetworkProfile: Sendable {
  /// What the rate is instead of a random process; sessions choose one evenly.
  public var traces: [RateTrace] = []
  /// Whether a session starts anywhere in its trace, or at the trace's beginning.
  public var startsAnywhere = false
  /// Capacity that this network's viewers share; nil when each has his own.
  public var cell: CellConfiguration?
  /// What happens to the link in every session.
  public var timeline: LinkTimeline? {
    didSet {
      conditions = timeline?.conditions
      handOvers = timeline?.handOvers ?? []
    }
  }
  /// Factor on the rate by time since the session's start, 0 while the link is down; nil for 1.
  public private(set) var conditions: RateTrace?
  /// Hand-overs by time since the session's start.
  public private(set) var handOvers: [HandOver] = []
  /// Mean length of a run of lost packets; 1 for independent losses.
  public var lossBurst = 1.0
  /// Mean downlink rate of a session, bits per second.
  public var sessionRate: QuantileTable
  /// Factor on every rate of the link, outages included.
  public var rateFactor: Double
  /// How the rate varies inside a session.
  public var process = RateProcess()
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
  /// How look-ups fail; nil: none does.
  public var nameFailure: NameFailure?
  /// Radio promotion when nothing was sent or received for ``radioIdle``.
  public var promotion, radioIdle: TimeSpan

  public init(
    sessionRate: QuantileTable, rateFactor: Double, roundTrip: QuantileTable,
    queueLimit: TimeSpan, lossRate: Double, uplinkRate: Double, nameLookup: TimeSpan,
    promotion: TimeSpan, radioIdle: TimeSpan
  ) {
    self.sessionRate = sessionRate
    self.rateFactor = rateFactor
    self.roundTrip = roundTrip
    self.queueLimit = queueLimit
    self.lossRate = lossRate
    self.uplinkRate = uplinkRate
    self.nameLookup = nameLookup
    self.promotion = promotion
    self.radioIdle = radioIdle
  }
}

/// A change of the access network in the middle of a session.
public struct HandOver: Sendable, Equatable {
  /// When the old network is lost and when the new one carries packets, nanoseconds since the
  /// session's start.
  public var from, until: Int64
  /// Whether the address stays. When it changes, QUIC connections migrate with one round trip (RFC
  /// 9000 section 9) and TCP connections are gone.
  public var keepsConnections: Bool

  public init(from: Int64, until: Int64, keepsConnections: Bool) {
    precondition(from >= 0 && until >= from, "a hand-over ends after it began")
    self.from = from
    self.until = until
    self.keepsConnections = keepsConnections
  }
}

extension NetworkProfile {
  /// When a session that began at `start` has the new network of one of its ``handOvers``.
  ///
  /// - Precondition: the profile has a ``timeline``, as one with hand-overs does.
  public func end(of change: HandOver, for start: Instant) -> Instant {
    let up = timeline!.upTime(from: change.until)
    return start.advanced(saturatingBy: TimeSpan(nanoseconds: up))
  }

  /// The loss process of the downlink.
  public var loss: PacketLoss {
    if lossRate <= 0 { return .none }
    return lossBurst > 1 ? .bursts(rate: lossRate, meanBurst: lossBurst) : .independent(lossRate)
  }

  /// The cheapest tier that is exact enough on this link.
  public func tier(_ transport: TransportConfiguration) -> TransferTier {
    TransferTier(
      lossRate: lossRate, congestion: transport.congestion, receiveWindow: transport.receiveWindow)
  }
}
