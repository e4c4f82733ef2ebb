import Models

/// The words of cases and scenarios and the values of the model behind them.
extension TransferCaseTable {
  static let tiers = Choice<TransferTier?>(
    [.init("auto", value: nil)]
      + [TransferTier.closed, .rounds, .chunks].map { .init($0.word, value: $0) })

  /// `nil`: what the version of HTTP usually runs over.
  static let handshakes = Choice<Handshake?>([
    .init("auto", value: nil), .init("none", value: Handshake.none), .init("tcp", value: .tcp),
    .init("tcp+tls12", value: .tls12), .init("tcp+tls13", value: .tls13),
    .init("tcp+tls13-resumed", value: .tls13Resumed),
    .init("tcp+tls13-early", value: .tls13Early), .init("quic", value: .quic),
    .init("quic-0rtt", value: .quicZeroRTT),
  ])

  static let congestion = Choice<CongestionControl>([
    .init("cubic", value: .cubic), .init("newreno", value: .newReno), .init("bbr", value: .bbr),
  ])

  static let pacing = Choice<Pacing>([
    .init("none", value: .none), .init("rfc9002", value: .rfc9002),
    .init("aioquic", value: .aioquic),
  ])

  static let http = Choice<HTTPVersion>([
    .init("1.1", value: .http1), .init("2", value: .http2), .init("3", value: .http3),
  ])
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
