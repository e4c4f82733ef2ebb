import MediaUnits
import Models

/// The kinds of access networks: random processes with defaults by network, constant and stepped
/// links, traces, and named presets.
extension ScenarioTable {
  typealias LinkSection = Section<NetworkProfile>

  static let accessKinds = PluginFamily<LinkSection>(
    accessTable.map { process($0) } + LinkPresets.all.map { preset($0) }
      + [
        .init(
          "constant", "A link whose rate never changes",
          LinkSection(share + [rate(.required, "the file")] + LinkPath.plain.rows)),
        .init(
          "steps", "A link whose rate changes at given times of each session", steps),
        .init("trace", "A link that follows recorded traces", trace),
      ])

  private static func process(_ row: AccessDefaults) -> PluginFamily<LinkSection>.Row {
    let source = "parameters.md section 1.7"
    let process: [LinkSection.Row] = [
      .built(
        "sessionRate", .law(.bitRate),
        default: .text("{kind: lognormal, median: \(row.rate), sigma: \(row.rateSigma)}"),
        "Mean downlink rate of a session", source: source
      ) { $0.sessionRate = $2.tables.table($1, limit: 1e13, isPositive: true) },
      .key(
        "rateSigma", .real(RealRange(0, 3)), default: .text(row.sigma),
        "Standard deviation of the log rate inside a session", source: source, to: \.process.sigma),
      .key(
        "rateCorrelation", .real(RealRange(0, 0.999)), default: .text(row.correlation),
        "Correlation of the log rate from second to second", source: source,
        to: \.process.correlation),
      .key(
        "outageStart", .ratio, default: .text(row.start),
        "Probability per second that an outage begins", source: source, to: \.process.outageStart),
      .key(
        "outageEnd", .ratio, default: .text(row.end), "Probability per second that an outage ends",
        source: source, to: \.process.outageEnd),
      .key(
        "outageRate", .bitRate(1_000...highestRate), default: "250 kbps", "Rate in an outage",
        source: "parameters.md section 1.1: bad is below 0.5 Mbps", to: \.process.outageRate),
    ]
    let path = LinkPath(
      roundTrip: .text("{kind: lognormal, median: \(row.roundTrip), sigma: \(row.roundTripSigma)}"),
      queue: .text(row.queue), loss: .text(row.loss), uplink: .text(row.uplink),
      name: .text(row.name), promotion: .text(row.promotion), source: source)
    return .init(row.word, row.summary, LinkSection(share + process + path.rows))
  }

  /// Share of the sessions, label, and a factor.
  private static let share: [LinkSection.Row] = [
    .elsewhere("weight", .real(weights), default: "1", "Share of the sessions"),
    .elsewhere(
      "name", .optional(.text(.name)), default: "none", "The label network; none takes the kind"),
    .key(
      "rateFactor", .real(RealRange(1e-6, 1e6)), default: "1",
      "Factor on the downlink rate, outages included: twice the bandwidth is 2", to: \.rateFactor),
  ]

  private static func rate(_ preset: Field.Default, _ source: String) -> LinkSection.Row {
    .key(
      "rate", .bitRate(1_000...highestRate), default: preset, "Downlink rate", source: source
    ) { $0.traces = [RateTrace(constant: $1.number())] }
  }

  /// Defaults of what a link has beside its rate.
  private struct LinkPath {
    var roundTrip, queue, loss, uplink, name, promotion: Field.Default
    var source: String

    static let plain = LinkPath(
      roundTrip: .required, queue: "200 ms", loss: "0", uplink: "10 Mbps", name: "20 ms",
      promotion: "0", source: "assumed")

    var rows: [LinkSection.Row] {
      [
        .key(
          "roundTrip", .law(.time), default: roundTrip, "Base round trip to the edge",
          source: source, to: \.roundTrip),
        .key(
          "queueLimit", .time(0...aDay), default: queue,
          "Most that the link's own backlog adds to a round trip", source: source,
          to: \.queueLimit),
        .key(
          "loss", .ratio, default: loss, "Probability of losing a packet", source: source,
          to: \.lossRate),
        .key(
          "lossBurst", .real(RealRange(1, 1000)), default: "1",
          "Mean length of a run of lost packets; 1 for independent losses",
          source: "parameters.md section 1.7: 2 to 4 where losses come in bursts", to: \.lossBurst),
        .key(
          "uplink", .bitRate(1_000...highestRate), default: uplink, "Uplink rate", source: source,
          to: \.uplinkRate),
        .key(
          "nameLookup", .time(0...aDay), default: name, "A cold name look-up", source: source,
          to: \.nameLookup),
        .optional(
          "nameFailure", nameFailure, "How look-ups of names fail; none: no look-up does",
          of: NameFailure(unanswered: 0, refused: 0, timeout: .zero, tries: 1), to: \.nameFailure),
        .key(
          "promotion", .time(0...aDay), default: promotion, "Radio promotion after idling",
          source: source, to: \.promotion),
        .key(
          "radioIdle", .time(0...aDay), default: "10 s", "How long a radio stays awake",
          source: "parameters.md section 1.6", to: \.radioIdle),
        .optional(
          "cell", cell,
          "Capacity that the viewers of this network share; none when each has his own",
          of: CellConfiguration(capacity: 1), to: \.cell),
        .key(
          "events", .list(.kinds(linkEvents.kinds), count: 0...100), default: "[]",
          "What happens to the link in each session, by time since its start"
        ) { made, list in
          let events = list.elements().map {
            LinkEvent(at: $0.time("at"), linkEvents.value($0)($0))
          }
          made.timeline = events.isEmpty ? nil : LinkTimeline(events)
        },
      ]
    }
  }

  private static let nameFailure = Section<NameFailure>([
    .key(
      "unanswered", .ratio, default: "0", "Probability that a try of a look-up is not answered",
      source: "parameters.md section 2.1: no rate is published for apps", to: \.unanswered),
    .key(
      "refused", .ratio, default: "0",
      "Probability that a try is answered with a failure (SERVFAIL)",
      source: "parameters.md section 2.1: no rate is published for apps", to: \.refused),
    .key(
      "timeout", .time(0...aDay), default: "5 s", "How long a try waits for an answer",
      source: "resolv.conf(5), RES_TIMEOUT; Android's resolver likewise", to: \.timeout),
    .key(
      "tries", .integer(1...100), default: "2", "Tries of one look-up",
      source: "resolv.conf(5), RES_DFLRETRY; Android's resolver likewise", to: \.tries),
  ])

  private static let cell = Section<CellConfiguration>([
    .key(
      "rate", .bitRate(1_000...highestRate), default: .required, "Capacity of one cell",
      source: "the file", to: \.capacity),
    .key(
      "count", .integer(1...100_000), default: "1", "Cells at each edge; sessions spread evenly",
      to: \.count),
    .key(
      "roundTripBias", .real(RealRange(-3, 3)), default: "0",
      "Exponent of the shares' dependence on the round trip: positive favours short ones",
      source: "network.md section 6: 0 where a deep queue hides round trips", to: \.bias.exponent),
    .key(
      "queue", .optional(.time(1_000_000...aDay)), default: "none",
      "Longest wait in a queue that all its viewers share, first in, first out;"
        + " none: a scheduler shares between queues of their own",
      source: "docs/decisions/0036", to: \.queue),
  ])

  private static let aDay: Int64 = 86_400_000_000_000
  private static let aYear: Int64 = 365 * aDay

  static let linkEvents = PluginFamily<@Sendable (ResolvedTree) -> LinkEvent.Kind>([
    .init(
      "hand-over", "The access network changes: no packets, then a new address",
      [
        Field(
          "at", .time(0...aYear), default: .required, "When the old network is lost",
          source: "the file"),
        Field(
          "outage", .time(0...aYear), default: "1 s", "Until the new network carries packets",
          source: "parameters.md section 1.7: 0.5 to 3 s"),
        Field(
          "keepsConnections", .boolean, default: "false",
          "Whether the address stays; else TCP connections are opened anew, QUIC's migrate"),
      ]
    ) { part in
      .handOver(
        outage: part.time("outage"), keepsConnections: part.boolean("keepsConnections"))
    },
    .init(
      "tunnel", "No packets for a while; connections stay",
      [
        Field("at", .time(0...aYear), default: .required, "When it begins", source: "the file"),
        Field(
          "length", .time(1...aYear), default: "20 s", "How long it lasts",
          source: "parameters.md section 10: median of tunnels"),
      ]
    ) { .tunnel(length: $0.time("length")) },
    .init(
      "offline", "No packets from then on",
      [Field("at", .time(times), default: .required, "When it begins", source: "the file")]
    ) { _ in .offline },
  ])

  /// A throttling preset of another tool, by its name there.
  private static func preset(_ preset: LinkPreset) -> PluginFamily<LinkSection>.Row {
    let path = LinkPath(
      roundTrip: .text("\(preset.roundTrip / 1_000_000) ms"), queue: "200 ms", loss: "0",
      uplink: .text("\((preset.uplink ?? preset.downlink) / 1_000) kbps"), name: "20 ms",
      promotion: "0", source: preset.source)
    let rate = rate(.text("\(preset.downlink / 1_000) kbps"), preset.source)
    return .init(
      preset.name, "The throttling preset of that name", LinkSection(share + [rate] + path.rows))
  }

  static let stepEnds = Choice<TraceEnd>([
    .init("hold", "the last step lasts for ever", value: .hold),
    .init("loop", "the steps start anew", value: .loop),
    .init("silence", "the rate is zero from then on", value: .silence),
  ])

  /// `nil`: by the trace's format.
  static let traceEnds = Choice<TraceEnd?>(
    [.init("format", "as programs that use the format do", value: nil)]
      + stepEnds.rows.map { .init($0.word.spelling, $0.word.summary, value: $0.value) })

  /// `nil`: by the file's content.
  static let traceFormats = Choice<TraceFormat?>(
    [.init("detect", "by its content", value: nil)]
      + TraceFormat.allCases.map { .init($0.rawValue, value: $0) })

  /// Whether sessions start anywhere in their traces.
  static let traceStarts = Choice<Bool>([
    .init("anywhere", "at a random time", value: true),
    .init("beginning", "at its start", value: false),
  ])

  private static let step = ObjectShape([
    Field(
      "at", .time(0...aYear), default: .required, "Since the session's start", source: "the file"),
    Field(
      "rate", .bitRate(0...highestRate), default: .required, "Downlink rate from then on",
      source: "the file"),
  ])

  private static let steps = LinkSection(
    share + [
      .elsewhere(
        "steps", .list(.object(step), count: 1...100_000), default: .required,
        "Times, increasing, and rates", source: "the file"),
      .elsewhere("end", .word(stepEnds.words), default: "hold", "What follows the last step"),
      .elsewhere(
        "length", .time(0...aYear), default: "0",
        "With loop or silence: when the steps end; longer than the last step's start"),
    ] + LinkPath.plain.rows
  ) { link, part, builder in
    if let steps = builder.steps(part) { link.traces = [steps] }
  }

  private static let trace = LinkSection(
    share + [
      .elsewhere(
        "files", .list(.text(), count: 1...1000), default: .required,
        "Trace files or folders of them, seen from the scenario's folder; sessions choose one",
        source: "the file"),
      .elsewhere(
        "format", .word(traceFormats.words), default: "detect", "How the files are written"),
      .elsewhere("end", .word(traceEnds.words), default: "format", "What follows a trace's end"),
      .word(
        "start", traceStarts, default: "anywhere", "Where in its trace a session starts",
        to: \.startsAnywhere),
    ] + LinkPath.plain.rows
  ) { link, part, builder in link.traces = builder.recorded(part) }
}
