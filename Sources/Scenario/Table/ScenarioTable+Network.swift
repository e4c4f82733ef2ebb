import Models

extension ScenarioTable {
  static let network = Section<TransportConfiguration>([
    .elsewhere(
      "access", .list(.kinds(accessKinds.kinds), count: 1...20), default: "[{kind: wifi-good}]",
      "Access networks and their shares; the label network is the name, or the kind"),
    .word(
      "model", networkModels, default: "firstframe", "Whose idea of a transfer is followed",
      source: "this program; the others are published simulators", to: \.model),
    .elsewhere(
      "compare", .list(.word(comparedModels.words), count: 0...3), default: "[]",
      "Network models of published simulators whose predictions the report puts beside ours"),
    .word(
      "http", httpVersions, default: "2", "HTTP version", source: "parameters.md section 2",
      to: \.http),
    .key(
      "connectionsPerHost", .optional(.integer(1...6)), default: "none",
      "Most connections to one host, with HTTP/1.1 only; none takes 6", source: "browsers' limit"
    ) { made, value in
      made.connectionsPerHost = made.http == .http1 ? Int(value.optionalInteger() ?? 6) : 1
    },
    .word(
      "congestion", TransferCaseTable.congestion, default: "cubic",
      "The servers' congestion control", source: "RFC 9438; Linux's default", to: \.congestion),
    .key(
      "handshake", .word(handshakes.words), default: "auto",
      "How a connection to a new host is opened; auto is tcp+tls13, or quic with HTTP/3",
      source: "RFC 8446, RFC 9000"
    ) { $0.handshake = handshakes.value($1) ?? ($0.http == .http3 ? .quic : .tls13) },
    .key(
      "resumedHandshake", .word(handshakes.words), default: "auto",
      "How it is opened with a TLS session of the host at hand; auto is tcp+tls13-resumed,"
        + " or quic", source: "RFC 8446, RFC 9000"
    ) { made, value in
      made.resumedHandshake =
        handshakes.value(value) ?? (made.http == .http3 ? .quic : .tls13Resumed)
    },
    .key(
      "resumption", .ratio, default: "0",
      "Share of sessions that begin with a TLS session of every host at hand",
      source: "parameters.md section 2 has 80 % as a target; 0 is the worst case",
      to: \.resumption),
    .key(
      "initialWindow", .integer(1...1000), default: "10", "Initial congestion window, segments",
      source: "RFC 6928", to: \.initialWindow),
    .key(
      "receiveWindow", .optional(.bytes(1_000...1 << 30)), default: "none",
      "What receivers let be in flight at most; none when they are never the limit",
      source: "Linux and iOS tune it up; assumed not to bind; most: RFC 7323", to: \.receiveWindow),
    .key(
      "idleClose", .time(positiveTimes), default: "60 s", "An unused connection closes after this",
      source: "parameters.md section 2", to: \.idleClose),
    .key(
      "prefetchWeight", .real(RealRange(0.001, 1000)), default: "1",
      "Weight of prefetches on the link; 1 shares equally", to: \.prefetchWeight),
    .word(
      "sharing", linkSharing, default: "weights",
      "How transfers at one time share a viewer's link", source: "docs/decisions/0036",
      to: \.sharing),
  ])

  static let linkSharing = Choice<LinkSharing>([
    .init("weights", "each transfer for itself, by weight", value: .weights),
    .init(
      "turns",
      "the responses of an HTTP/2 or HTTP/3 connection have one sender and are served in turns",
      value: .turns),
    .init(
      "queue", "as weights; connections of HTTP/1.1 wait for each other's packets in one queue",
      value: .queue),
  ])

  static let networkModels = Choice<NetworkModel>([
    .init(
      "firstframe", "this program's: handshakes, slow start, loss, shared links",
      value: .firstFrame),
    .init("pensieve", "80 ms and the bytes at 95 % of the rate", value: .pensieve),
    .init("sabre", "one round trip and the bytes at the rate", value: .sabre),
    .init("mm22", "Pensieve's, as the ACM MM 2022 challenge has it", value: .mm22),
  ])

  /// Those of the others, whose meaning stands above.
  static let comparedModels = Choice<NetworkModel>(
    networkModels.rows.filter { $0.value != .firstFrame }
      .map { .init($0.word.spelling, value: $0.value) })

  static let httpVersions = Choice<HTTPVersion>([
    .init("1.1", "several connections, one request at a time on each", value: .http1),
    .init("2", "one connection that all requests share", value: .http2),
    .init(
      "3", "the same over QUIC: a lost packet holds up its own stream only", value: .http3),
  ])

  /// `nil`: what the version of HTTP usually runs over.
  static let handshakes = Choice<Handshake?>([
    .init("auto", "as the HTTP version has it", value: nil),
    .init("tcp", "TCP alone: 1 round trip", value: .tcp),
    .init("tcp+tls12", "3 round trips", value: .tls12),
    .init("tcp+tls13", "2 round trips", value: .tls13),
    .init("tcp+tls13-resumed", "2 round trips", value: .tls13Resumed),
    .init(
      "tcp+tls13-early", "1 round trip, the request in early data", value: .tls13Early),
    .init("quic", "1 round trip", value: .quic),
    .init("quic-0rtt", "the request in the first packet", value: .quicZeroRTT),
    .init("none", "open already", value: Handshake.none),
  ])

  /// The numbers of one access network; all from parameters.md section 1.7 unless noted there.
  struct AccessDefaults {
    var word, summary, rate, rateSigma, sigma, correlation, start, end: String
    var roundTrip, roundTripSigma, queue, loss, uplink, name, promotion: String
  }

  static let accessTable: [AccessDefaults] = [
    AccessDefaults(
      word: "wifi-good", summary: "Good Wi-Fi", rate: "40.4473 Mbps", rateSigma: "0.8",
      sigma: "0.3", correlation: "0.6", start: "0.004", end: "0.5", roundTrip: "20 ms",
      roundTripSigma: "0.35", queue: "60 ms", loss: "0.1 %", uplink: "15 Mbps", name: "20 ms",
      promotion: "0"),
    AccessDefaults(
      word: "wifi-poor", summary: "Poor Wi-Fi", rate: "4.0552 Mbps", rateSigma: "0.7",
      sigma: "0.55", correlation: "0.6", start: "0.03", end: "0.4", roundTrip: "35 ms",
      roundTripSigma: "0.6", queue: "250 ms", loss: "0.8 %", uplink: "2 Mbps", name: "35 ms",
      promotion: "0"),
    AccessDefaults(
      word: "5g", summary: "5G", rate: "33.1155 Mbps", rateSigma: "1.0", sigma: "0.5",
      correlation: "0.5", start: "0.03", end: "0.6", roundTrip: "32 ms", roundTripSigma: "0.35",
      queue: "100 ms", loss: "0.3 %", uplink: "15 Mbps", name: "30 ms", promotion: "250 ms"),
    AccessDefaults(
      word: "lte", summary: "LTE", rate: "9.9742 Mbps", rateSigma: "0.8", sigma: "0.5",
      correlation: "0.45", start: "0.04", end: "0.7", roundTrip: "50 ms", roundTripSigma: "0.35",
      queue: "200 ms", loss: "0.5 %", uplink: "6 Mbps", name: "50 ms", promotion: "300 ms"),
    AccessDefaults(
      word: "lte-driving", summary: "LTE while driving", rate: "7.3891 Mbps", rateSigma: "0.9",
      sigma: "0.6", correlation: "0.42", start: "0.076", end: "0.74", roundTrip: "55 ms",
      roundTripSigma: "0.4", queue: "250 ms", loss: "1.1 %", uplink: "4 Mbps", name: "55 ms",
      promotion: "300 ms"),
    AccessDefaults(
      word: "3g", summary: "3G", rate: "2.4596 Mbps", rateSigma: "0.7", sigma: "0.6",
      correlation: "0.56", start: "0.083", end: "0.33", roundTrip: "130 ms",
      roundTripSigma: "0.5", queue: "600 ms", loss: "2 %", uplink: "0.7 Mbps", name: "150 ms",
      promotion: "600 ms"),
    AccessDefaults(
      word: "congested-cell", summary: "A congested cell", rate: "1.1052 Mbps",
      rateSigma: "0.35", sigma: "0.43", correlation: "0.25", start: "0.02", end: "0.4",
      roundTrip: "80 ms", roundTripSigma: "0.3", queue: "800 ms", loss: "1 %",
      uplink: "0.5 Mbps", name: "100 ms", promotion: "300 ms"),
  ]
}
