/// The keys of a file of transfer cases: one table for the reader and for the JSON Schema.
///
/// A key set to `null` is a key left out.
enum TransferCaseTable {
  /// The file: a list of cases.
  static let file = Shape.list(.object(entry), count: 1...1_000_000)

  static let entry = ObjectShape([
    Field("id", .text(), default: .required, "name of the case, unique in the file"),
    Field("link", .object(link), default: .required, "the bottleneck"),
    Field("transport", .object(transport), default: "{}", "how the senders behave"),
    Field(
      "http", .word(http.words), default: "\"1.1\"",
      "1.1 serves a connection's flows in order, 2 and 3 share it"),
    Field(
      "resync", .boolean, default: "false",
      "every flow starts at its own startMs with the connection's carried state"),
    Field(
      "replications", .integer(1...65_535), default: "1",
      "runs with other losses; above 1 every number of the result is a list"),
    Field(
      "tier", .word(tiers.words), default: "auto",
      "detail of the model: auto chooses by the case"),
    Field("seed", .integer(), default: "1", "key of the losses"),
    Field(
      "flows", .list(.object(flow), count: 1...1_000_000), default: .required,
      "what is fetched"),
  ])

  /// The most a rate may be, Mbit/s, and the least one that is not zero.
  static let largestRate = 1_000_000.0
  static let smallestRate = 0.001
  /// The longest time, milliseconds: more than eleven days.
  static let longestTime = 1_000_000_000.0
  /// The longest round trip, milliseconds.
  static let longestRoundTrip = 600_000.0
  private static let time = Shape.real(RealRange(0, longestTime))
  private static let roundTrip = Shape.real(RealRange(0, longestRoundTrip))
  private static let rate = Shape.real(RealRange(smallestRate, largestRate))

  static let link = ObjectShape([
    Field(
      "downMbps", .optional(rate), default: "none",
      "rate of the downlink, Mbit/s (1e6 bit/s); this or trace"),
    Field(
      "trace",
      .optional(
        .list(
          .list(.real(RealRange(0, largestRate)), count: 2...2), count: 1...1_000_000)),
      default: "none",
      "rate of the downlink over time: [second, Mbit/s] pairs; each rate holds until the next, "
        + "the first one also before it, the last for ever; 0 stops the link"),
    Field(
      "upMbps", .optional(rate), default: "none",
      "rate of the uplink, Mbit/s; without it the greatest rate of the downlink"),
    Field("rttMs", roundTrip, default: .required, "propagation round trip, ms"),
    Field(
      "lossRate", .real(RealRange(0, 0.99)), default: "0",
      "share of downlink packets lost after serialisation"),
    Field(
      "lossBurst", .optional(.real(RealRange(1, 1_000_000))), default: "none",
      "mean number of packets lost in a row (Gilbert-Elliott); without it losses are independent"),
    Field(
      "queuePackets", .optional(.integer(1...Int64.max)), default: "none",
      "limit of the queue in packets, without the one in transmission; 1000 unless this or "
        + "queueBytes is given"),
    Field(
      "queueBytes", .optional(.integer(1...Int64.max)), default: "none",
      "the same in bytes on the wire"),
  ])

  static let transport = ObjectShape([
    Field(
      "congestion", .word(congestion.words), default: "cubic",
      "the sender's congestion control"),
    Field(
      "handshake", .word(handshakes.words), default: "auto",
      "what opens a connection; none finds it open; auto is tcp, with HTTP/3 quic"),
    Field(
      "initialWindow", .real(RealRange(1, 100_000)), default: "10", "segments",
      source: "RFC 6928"),
    Field(
      "mss", .integer(64...65_495), default: "1448", "payload of a full packet, bytes"),
    Field(
      "overheadBytes", .integer(0...10_000), default: "54",
      "bytes of a packet on the wire beyond its payload"),
    Field(
      "idleRestart", .boolean, default: "true",
      "whether the window of an idle connection decays", source: "RFC 2861"),
    Field(
      "warmWindowSegments", .optional(.real(RealRange(1, 100_000))), default: "none",
      "window that connections start with instead of the initial one"),
    Field(
      "receiveWindowBytes", .optional(.integer(1_000...Int64.max)), default: "none",
      "what the receiver lets be in flight at most; none when it is never the limit"),
    Field("quic", .object(quic), default: "{}", "what QUIC leaves to its stack"),
  ])

  static let quic = ObjectShape([
    Field(
      "serverFlightBytes", .integer(1...1_000_000), default: "2000",
      "the server's first flight with its certificates; above 3600 it takes a round trip more",
      source: "RFC 9000 section 8.1"),
    Field(
      "earlyFlightBytes", .integer(0...1_000_000), default: "450",
      "the same for 0-RTT, in front of the answer"),
    Field("handshakeMs", time, default: "2.7", "computation of a handshake at both ends"),
    Field("firstAnswerMs", time, default: "0", "computation before a connection's first answer"),
    Field("laterAnswerMs", time, default: "0", "the same before a later one"),
    Field(
      "firstProbeMs", time, default: "999", "when a first packet without an answer is sent again",
      source: "RFC 9002 section 6.2.2"),
    Field(
      "validated", .boolean, default: "false",
      "whether the server knows the client's address, so that a 0-RTT answer is not held to three "
        + "times what the client sent"),
    Field(
      "pacing", .word(pacing.words), default: "none",
      "none: clocked by acknowledgements; rfc9002: 1.25 windows a round trip after a burst of the "
        + "initial window; aioquic: two, after a quarter of a window",
      source: "RFC 9002 section 7.7"),
    Field("ackDelayMs", time, default: "0", "how long an acknowledgement waits for more packets"),
    Field(
      "turnBytes", .integer(1...1_000_000_000), default: "65536",
      "bytes of one response in a row while several share the connection"),
    Field(
      "fieldsFirst", .boolean, default: "true",
      "whether header fields of all responses go before their bodies"),
    Field(
      "growsUnused", .boolean, default: "false",
      "whether the window grows while it is not the limit", source: "RFC 9002 section 7.8"),
  ])

  static let flow = ObjectShape([
    Field("startMs", time, default: "0", "start on the case's clock; not used with after"),
    Field(
      "after", .optional(.integer()), default: "none",
      "an earlier flow, counted from 0, whose end starts this one"),
    Field("gapMs", time, default: "0", "time between that end and this start"),
    Field("bytes", .integer(0...1_000_000_000_000), default: .required, "body of the response"),
    Field("requestBytes", .integer(0...1_000_000_000), default: "80", "the request"),
    Field(
      "responseHeaderBytes", .integer(0...1_000_000_000), default: "0",
      "header fields of the response, a packet of their own in front of the body when above 0"),
    Field(
      "connection", .text(), default: "a",
      "name of the connection; its first flow opens it"),
    Field("rttMs", .optional(roundTrip), default: "none", "round trip of this flow's path, ms"),
  ])
}
