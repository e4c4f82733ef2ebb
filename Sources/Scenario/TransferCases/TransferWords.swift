import Models

/// The words of cases and scenarios and the values of the model behind them.
extension TransferCaseTable {
  static let tiers: [(word: String, tier: TransferTier?)] = [
    ("auto", nil), ("closed", .closed), ("rounds", .rounds), ("chunks", .chunks),
  ]

  /// `nil`: what the version of HTTP usually runs over.
  static let handshakes: [(word: String, handshake: Handshake?)] = [
    ("auto", nil), ("none", Handshake.none), ("tcp", .tcp), ("tcp+tls12", .tls12),
    ("tcp+tls13", .tls13),
    ("tcp+tls13-resumed", .tls13Resumed), ("tcp+tls13-early", .tls13Early), ("quic", .quic),
    ("quic-0rtt", .quicZeroRTT),
  ]

  static func congestion(_ word: String) -> CongestionControl {
    switch word {
    case "bbr": .bbr
    case "newreno": .newReno
    default: .cubic
    }
  }

  static func http(_ word: String) -> HTTPVersion {
    switch word {
    case "2": .http2
    case "3": .http3
    default: .http1
    }
  }
}

extension TransferTier {
  /// The word of the cases file and of the results.
  public var word: String {
    switch self {
    case .closed: "closed"
    case .rounds: "rounds"
    case .chunks: "chunks"
    }
  }
}

extension TransferRound.Phase {
  /// The phase in words.
  public var word: String {
    switch self {
    case .slowStart: "slow start"
    case .avoidance: "avoidance"
    case .recovery: "recovery"
    case .timeout: "timeout"
    case .startup: "startup"
    case .drain: "drain"
    case .probeBandwidth: "probe bandwidth"
    case .probeRoundTrip: "probe round trip"
    }
  }
}
