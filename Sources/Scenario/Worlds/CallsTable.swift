import CallSignalling

/// The keys of the world `calls`.
enum CallsTable {
  static let section = ObjectShape([
    Field("audience", .object(audience), default: "{}", "Who calls whom, and when"),
    Field("trouble", .object(trouble), default: "{}", "What befalls clients and the server"),
    Field("network", .object(network), default: "{}", "Messages, and how the server is found"),
    Field(
      "users", .object(users), default: "{}", "What users do when it rings and while they talk"),
    Field("media", .object(media), default: "{}", "How two clients reach each other"),
    Field("quality", .object(quality), default: "{}", "Pictures, losses and devices"),
    Field("protocol", .object(callProtocol), default: "{}", "The shipped machines' settings"),
  ])

  private static let longest: Int64 = 86_400_000_000_000

  static let audience = ObjectShape([
    Field("callers", .integer(1...10_000), default: "40", "Users who call"),
    Field("interpreters", .integer(1...10_000), default: "20", "Users who are called"),
    Field(
      "duration", .time(60_000_000_000...longest), default: "2 h",
      "Simulated time of a replication"),
    Field(
      "warmUp", .time(0...longest), default: "2 min",
      "Nothing is counted before; part of the duration"),
    Field(
      "callsPerHour", .real(RealRange(0, 1_000_000)), default: "240",
      "Wishes for a call, of all callers together", source: "assumed"),
    Field(
      "together", .integer(1...10_000), default: "1", "Wishes that come at the same time",
      source: "ICC-016"),
    Field(
      "togetherWithin", .time(0...3_600_000_000_000), default: "200 ms",
      "How close together they come"),
    Field(
      "tries", .integer(1...100), default: "3", "Requests that a caller makes for one wish",
      source: "assumed"),
    Field(
      "retryAfter", .law(.time), default: "{kind: uniform, min: 1 s, max: 3 s}",
      "Wait between two of them", source: "assumed"),
  ])

  static let trouble = ObjectShape([
    rate("outagesPerHour", "Times that a network is gone, by client"),
    .outageLength(longest: "10 min"),
    rate("deadPerHour", "Times that a connection is dead and neither end is told, by client"),
    rate("awayPerHour", "Times that an app goes to the background, by client"),
    Field(
      "awayLength", .law(.time), default: "{kind: uniform, min: 10 s, max: 2 min}",
      "How long it stays there", source: "assumed"),
    rate("killsPerHour", "Times that a process ends, by client"),
    Field(
      "killLength", .law(.time), default: "{kind: uniform, min: 2 s, max: 30 s}",
      "Until it is started again", source: "assumed"),
    rate("stopsPerHour", "Stops of the server, which forgets everything"),
    Field(
      "stopLength", .law(.time), default: "{kind: uniform, min: 1 s, max: 5 s}",
      "Until the server is back", source: "assumed"),
  ])

  private static func rate(_ name: String, _ summary: String) -> Field {
    Field(name, .real(RealRange(0, 3_600)), default: "0", summary)
  }

  static let network = ObjectShape([
    .oneWay,
    Field(
      "secure", .boolean, default: "true", "WebSockets over TLS, which cost a round trip more",
      source: "ICC-053; parameters.md section 10"),
    Field(
      "discovery", .law(.time), default: "{kind: uniform, min: 100 ms, max: 1.5 s}",
      "Until the server is found in the local network", source: "ICC-002; assumed"),
    Field(
      "discoveryDenied", .ratio, default: "0",
      "Clients that may not look for it and have its address typed", source: "ICC-002"),
    Field(
      "typing", .law(.time), default: "{kind: uniform, min: 8 s, max: 25 s}",
      "Until the address is typed; it is kept from then on", source: "assumed"),
  ])

  static let users = ObjectShape([
    Field(
      "answering", .law(.time),
      default: """
        {kind: mixture, parts: [{weight: 0.9, law: {kind: uniform, min: 1 s, max: 7 s}}, \
        {weight: 0.1, law: {kind: uniform, min: 7 s, max: 14 s}}]}
        """,
      "Until a ring is answered; some are too late", source: "assumed"),
    Field("declines", .ratio, default: "5 %", "Rings that are declined", source: "assumed"),
    Field("ignores", .ratio, default: "5 %", "Rings that nobody answers", source: "assumed"),
    Field(
      "talking", .law(.time),
      default: "{kind: lognormal, median: 3 min, sigma: 0.8, clip: {min: 10 s, max: 1 h}}",
      "How long calls last", source: "assumed"),
  ])

  static let media = ObjectShape([
    Field(
      "symmetric", .ratio, default: "12 %", "Clients behind a symmetric translator",
      source: "parameters.md section 11"),
    Field(
      "restricted", .ratio, default: "50 %", "Clients behind a port-restricted one",
      source: "parameters.md section 11"),
    Field(
      "blocksUDP", .ratio, default: "4.5 %", "Clients whose network lets no UDP through",
      source: "parameters.md section 11"),
    Field(
      "onlyTLS", .ratio, default: "22 %", "Of the relayed over TCP: those that need TLS",
      source: "parameters.md section 11: 2 of 9"),
    Field(
      "relays", .integer(0...100_000), default: "5", "Calls that the relays carry at once",
      source: "ICC-038"),
    Field(
      "checking", .law(.time),
      default: """
        {kind: mixture, parts: [{weight: 0.98, law: {kind: uniform, min: 50 ms, max: 1 s}}, \
        {weight: 0.02, law: {kind: uniform, min: 1 s, max: 14 s}}]}
        """,
      "Connectivity checks", source: "RFC 8445: 50 ms a pair; the tail is assumed"),
    Field(
      "tcpExtra", .law(.time), default: "{kind: uniform, min: 0.5 s, max: 2 s}",
      "What a relay over TCP or TLS takes longer: checks over UDP come first",
      source: "parameters.md section 11: 2 to 4 s in all"),
    Field(
      "describing", .law(.time), default: "{kind: uniform, min: 30 ms, max: 300 ms}",
      "Until a description is made", source: "assumed"),
    Field(
      "cameraStart", .law(.time), default: "{kind: uniform, min: 200 ms, max: 600 ms}",
      "Until the camera's first picture", source: "assumed; ICC-042"),
    Field(
      "keyFrame", .law(.time), default: "{kind: uniform, min: 50 ms, max: 150 ms}",
      "Until the first key frame", source: "parameters.md section 11"),
    Field(
      "timeout", .time(1_000_000_000...600_000_000_000), default: "15 s",
      "Media that is cut for so long has failed",
      source: "parameters.md section 11: libwebrtc's write time-out; ICC-045"),
  ])

  static let quality = ObjectShape([
    Field(
      "bitRate", .bitRate(50_000...100_000_000), default: "2 Mbps", "The stream",
      source: "ICC-041; parameters.md section 11: 1.5 to 2.5 Mbps"),
    Field(
      "narrowestUplink", .bitRate(10_000...10_000_000_000), default: "1 Mbps",
      "Uplinks lie evenly between this", source: "assumed"),
    Field(
      "widestUplink", .bitRate(10_000...10_000_000_000), default: "10 Mbps", "and this",
      source: "assumed"),
    Field(
      "loss", .ratio, default: "0.5 %", "Packets lost outside of spells",
      source: "parameters.md section 1"),
    Field(
      "spellsPerHour", .real(RealRange(0, 3_600)), default: "6",
      "Spells of a worse network, by end of a call", source: "assumed"),
    Field(
      "spellLength", .law(.time), default: "{kind: uniform, min: 2 s, max: 20 s}",
      "How long they last", source: "assumed"),
    Field("spellLoss", .ratio, default: "15 %", "Packets lost in them", source: "ICC-043"),
    Field(
      "repeats", .boolean, default: "true", "Whether lost packets are asked for again",
      source: "ICC-043"),
    Field(
      "redundancy", .ratio, default: "10 %", "Packets of redundancy for each packet",
      source: "ICC-043"),
    Field(
      "slowShare", .ratio, default: "10 %", "Clients on slow devices", source: "ICC-056"),
    Field(
      "slowFrameRate", .real(RealRange(1, 120)), default: "24", "Pictures a second there",
      source: "assumed"),
    Field(
      "hotAfter", .time(0...longest), default: "10 min", "Until such a device is hot",
      source: "assumed"),
    Field(
      "hotFrameRate", .real(RealRange(1, 120)), default: "15", "Pictures a second from then on",
      source: "assumed"),
  ])

  static let departures = PluginFamily<@Sendable (ResolvedTree) -> DepartureRule>([
    .init("literal", "Available: a known fault") { _ in .available },
    .init("unavailable", "Unavailable until the presence expires") { _ in .unavailable },
    .init("removed", "Not registered any more") { _ in .removed },
    .init(
      "grace", "Hidden with its call for so long, then removed",
      [Field("time", .time(0...600_000_000_000), default: "10 s", "How long")]
    ) { .grace($0.span("time")) },
  ])

  static let locks = Choice<LockRule>([
    .init("atomic", "look and change in one step", value: .atomic),
    .init(
      "check-then-act", "look, ask a store, change: a known fault", value: .checkThenAct),
  ])

  static let returns = Choice<ReturnRule>([
    .init("token", "whoever has the registration's token", value: .token),
    .init("waiting", "nobody before the presence expires", value: .waiting),
  ])

  static let iceClocks = Choice<IceClock>([
    .init("accept", "from the accept on", value: .accept),
    .init("answer", "from the answer on", value: .answer),
  ])

  static let callProtocol = ObjectShape([
    Field(
      "heartbeat", .time(100_000_000...3_600_000_000_000), default: "15 s",
      "Between two heartbeats", source: "ICC-006; OQ-17"),
    Field(
      "heartbeatJitter", .ratio, default: "10 %", "How much later one may be",
      source: "parameters.md section 10"),
    Field(
      "presenceLife", .time(100_000_000...3_600_000_000_000), default: "20 s",
      "A user without a heartbeat for so long is not present", source: "ICC-007; OQ-17"),
    Field(
      "departure", .kinds(departures.kinds), default: "{kind: removed}",
      "What becomes of an interpreter whose connection or heartbeat is lost",
      source: "ICC-025; OQ-18"),
    Field(
      "signallingGrace", .time(0...600_000_000_000), default: "0 s",
      "How long a client keeps its call without a connection to the server", source: "ICC-027"),
    Field(
      "lock", .word(locks.words), default: "atomic",
      "How a request keeps others from the interpreter",
      source: "ICC-016, ICC-048"),
    Field(
      "returning", .word(returns.words), default: "token",
      "Who may take up a name that an old connection holds",
      source: "ICC-005"),
    Field(
      "missLimit", .integer(0...1_000), default: "0",
      "Unanswered rings in a row that make an interpreter unavailable; 0 for never",
      source: "ICC-023"),
    Field("timeouts", .object(timeouts), default: "{}", "Of a call, on the server's clock"),
    Field(
      "quality", .kinds(ScenarioTable.monitors.kinds), default: "{kind: monitor}",
      "Who warns of a call's poor quality", source: "ICC-044", isSaidAtDefault: false),
  ])

  static let timeouts = ObjectShape([
    timeout("ring", "10 s", "From the request to the accept", "ICC-018"),
    timeout("offerAnswer", "10 s", "From the accept to the answer", "ICC-028"),
    timeout("ice", "15 s", "Until the media connection", "ICC-029; OQ-19"),
    Field(
      "iceClock", .word(iceClocks.words), default: "answer", "Where that begins",
      source: "ICC-031; OQ-19"),
    timeout("connecting", "20 s", "From the accept until both see each other", "ICC-030"),
  ])

  private static func timeout(
    _ name: String, _ value: String, _ summary: String, _ source: String
  ) -> Field {
    Field(
      name, .time(100_000_000...600_000_000_000), default: .text(value), summary, source: source)
  }
}
