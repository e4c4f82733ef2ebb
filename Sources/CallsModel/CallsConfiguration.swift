import CallSignalling
import MediaUnits
import MessagingModel

/// How an address translator treats a client's packets (RFC 4787; parameters section 11).
public enum Translation: UInt8, Sendable, Equatable, CaseIterable {
  /// Anyone can reach the mapped address.
  case open
  /// Only whom the client has sent to, at that port.
  case restricted
  /// Another address for each peer.
  case symmetric
}

/// How two clients reach each other.
public enum MediaPath: UInt8, Sendable, Equatable, CaseIterable {
  case direct
  case relayUDP
  case relayTCP
  case relayTLS
  /// Not at all.
  case none

  /// Round trips until the client has this candidate: server-reflexive 1, relay 2, over TCP 3, over
  /// TLS 5 (parameters section 11).
  public var gatheringRoundTrips: Int64 {
    switch self {
    case .direct: return 1
    case .relayUDP: return 2
    case .relayTCP: return 3
    case .relayTLS, .none: return 5
    }
  }

  /// The best path between two clients, if relays have room (ICC-036, ICC-037).
  public static func between(
    _ a: (Translation, blocksUDP: Bool), _ b: (Translation, blocksUDP: Bool), usesTLS: Bool
  ) -> MediaPath {
    if a.blocksUDP || b.blocksUDP { return usesTLS ? .relayTLS : .relayTCP }
    switch (a.0, b.0) {
    case (.symmetric, .symmetric), (.symmetric, .restricted), (.restricted, .symmetric):
      return .relayUDP
    default: return .direct
    }
  }
}

/// The shares of translators among clients: relays are needed for 21 % of the pairs, 12.2 % over
/// UDP (parameters section 11).
public struct TranslationMix: Sendable, Equatable {
  public var symmetric: Double
  public var restricted: Double
  public var blocksUDP: Double
  /// Of those who need a relay over TCP: only TLS gets through. 2 of 9 (parameters section 11).
  public var onlyTLS: Double

  public init(
    symmetric: Double = 0.12, restricted: Double = 0.5, blocksUDP: Double = 0.045,
    onlyTLS: Double = 0.22
  ) {
    self.symmetric = symmetric
    self.restricted = restricted
    self.blocksUDP = blocksUDP
    self.onlyTLS = onlyTLS
  }

  /// The translator for a uniform number of (0, 1).
  public func translation(_ u: Double) -> Translation {
    if u < symmetric { return .symmetric }
    return u < symmetric + restricted ? .restricted : .open
  }
}

/// The relays: a number of calls that fit, and no queue (ICC-038).
public struct RelayPool: Sendable, Equatable {
  public let capacity: Int
  public private(set) var inUse = 0
  public private(set) var taken = 0
  public private(set) var blocked = 0
  public var isUp = true

  public init(capacity: Int) { self.capacity = capacity }

  /// Whether there was room.
  public mutating func take() -> Bool {
    if !isUp || inUse >= capacity {
      blocked += 1
      return false
    }
    inUse += 1
    taken += 1
    return true
  }

  public mutating func free() { if inUse > 0 { inUse -= 1 } }
}

/// Everything that one run of the call world depends on but its schedule.
public struct CallsConfiguration: Sendable, Equatable {
  public var server = CallServer.Configuration()
  public var client = CallClient.Configuration()
  /// The first clients are callers, the others interpreters.
  public var callers: UInt32 = 2
  /// One way between a client and the server. 20 to 120 ms, 2 % up to 600 ms (assumed: half of a
  /// loaded round trip, parameters section 1.7).
  public var network = DelayLaw(
    .milliseconds(20), .milliseconds(120), tailShare: 0.02, tail: .milliseconds(600))
  /// Round trips of a new WebSocket: name, TCP, TLS, upgrade (parameters section 10).
  public var connectRoundTrips: Int64 = 4
  /// A user's time to answer a ring: 1 to 14 s, so that some are too late (assumed).
  public var answering = DelayLaw(.seconds(1), .seconds(9), tailShare: 0.2, tail: .seconds(14))
  /// Of the rings, how many are declined, and how many are not answered (assumed).
  public var declines = 0.1
  public var ignores = 0.1
  /// How long calls last: 3 to 40 s, short so that a run has many (assumed).
  public var talking = DelayLaw(.seconds(3), .seconds(40))
  /// The time to make a description: 30 to 300 ms (assumed: camera and encoder are warm).
  public var describing = DelayLaw(.milliseconds(30), .milliseconds(300))
  /// Connectivity checks: paced at 50 ms a pair (RFC 8445), 1 to 20 pairs.
  public var checking = DelayLaw(
    .milliseconds(50), .milliseconds(1_000), tailShare: 0.05, tail: .seconds(12))
  /// The first key frame: 50 to 150 ms (parameters section 11).
  public var keyFrame = DelayLaw(.milliseconds(50), .milliseconds(150))
  /// Media that is cut for so long has failed. Default 15 s: libwebrtc's write time-out (parameters
  /// section 11).
  public var mediaTimeout = TimeSpan.seconds(15)
  public var mix = TranslationMix()
  /// Calls that the relays carry at once (ICC-038).
  public var relayCapacity = 5
  /// The store of the presence answers after this, with ``LockRule/checkThenAct``. 2 to 30 ms
  /// (assumed).
  public var store = DelayLaw(.milliseconds(2), .milliseconds(30))

  // Of measured runs; nothing and no time in searches.

  /// Until the camera's first picture on the own screen (ICC-042).
  public var cameraStart = DelayLaw(.zero, .zero)
  /// What a connection that needs a relay over TCP or TLS waits for the checks over UDP.
  public var tcpExtra = DelayLaw(.zero, .zero)
  /// Until the server is found in the local network or its address is typed (ICC-002).
  public var discovery = DelayLaw(.zero, .zero)
  public var addressTyping = DelayLaw(.zero, .zero)
  /// Clients that may not look for it.
  public var discoveryDenied = 0.0
  /// Requests that a caller makes for one wish, and the wait between two.
  public var tries = 1
  public var retryAfter = DelayLaw(.seconds(1), .seconds(3))
  public var quality = CallQuality()

  public init() {}
}
