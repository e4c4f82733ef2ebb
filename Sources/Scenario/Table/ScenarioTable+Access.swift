import MediaUnits
import Models

/// The kinds of access networks: random processes with defaults by network, constant and stepped
/// links, traces, and named presets.
extension ScenarioTable {
  /// What makes a link of a kind's own keys: its rate.
  typealias LinkRule =
    @Sendable (
      inout ScenarioBuilder, _ part: ResolvedTree, _ link: inout NetworkProfile
    ) -> Void

  static let accessKinds = PluginFamily<LinkRule>(
    accessTable.map { .init(processKind($0), value: process) }
      + LinkPresets.all.map { .init(presetKind($0), value: constant) }
      + [
        .init(constantKind, value: constant), .init(stepsKind, value: steps),
        .init(traceKind, value: trace),
      ])

  // MARK: What they build

  private static let process: LinkRule = { builder, part, link in
    link.sessionRate = builder.tables.table(part, "sessionRate", limit: 1e13, isPositive: true)
    link.rateSigma = part.real("rateSigma")
    link.rateCorrelation = part.real("rateCorrelation")
    link.outageStart = part.ratio("outageStart")
    link.outageEnd = part.ratio("outageEnd")
    link.outageRate = Double(part.bitRate("outageRate"))
  }

  private static let constant: LinkRule = { _, part, link in
    link.traces = [RateTrace(constant: Double(part.bitRate("rate")))]
  }

  private static let steps: LinkRule = { builder, part, link in
    if let steps = builder.steps(part) { link.traces = [steps] }
  }

  private static let trace: LinkRule = { builder, part, link in
    link.traces = builder.recorded(part)
    link.startsAnywhere = traceStarts.value(part, "start")
  }

  // MARK: Their keys

  private static func processKind(_ row: AccessDefaults) -> Kind {
    let source = "parameters.md section 1.7"
    let process = [
      Field(
        "sessionRate", .law(.bitRate),
        default: .text("{kind: lognormal, median: \(row.rate), sigma: \(row.rateSigma)}"),
        "Mean downlink rate of a session", source: source),
      Field(
        "rateSigma", .real(RealRange(0, 3)), default: .text(row.sigma),
        "Standard deviation of the log rate inside a session", source: source),
      Field(
        "rateCorrelation", .real(RealRange(0, 0.999)), default: .text(row.correlation),
        "Correlation of the log rate from second to second", source: source),
      Field(
        "outageStart", .ratio, default: .text(row.start),
        "Probability per second that an outage begins", source: source),
      Field(
        "outageEnd", .ratio, default: .text(row.end),
        "Probability per second that an outage ends", source: source),
      Field(
        "outageRate", .bitRate(1_000...highestRate), default: "250 kbps",
        "Rate in an outage", source: "parameters.md section 1.1: bad is below 0.5 Mbps"),
    ]
    let path = LinkPath(
      roundTrip: .text("{kind: lognormal, median: \(row.roundTrip), sigma: \(row.roundTripSigma)}"),
      queue: .text(row.queue), loss: .text(row.loss), uplink: .text(row.uplink),
      name: .text(row.name), promotion: .text(row.promotion), source: source)
    return Kind(row.word, row.summary, share + process + path.fields)
  }

  /// Share of the sessions, label, and a factor.
  private static let share = [
    Field("weight", .real(weights), default: "1", "Share of the sessions"),
    Field(
      "name", .optional(.text(.name)), default: "none",
      "The label network; none takes the kind"),
    Field(
      "rateFactor", .real(RealRange(1e-6, 1e6)), default: "1",
      "Factor on the downlink rate, outages included: twice the bandwidth is 2"),
  ]

  /// Defaults of what a link has beside its rate.
  private struct LinkPath {
    var roundTrip, queue, loss, uplink, name, promotion: Field.Default
    var source: String

    static let plain = LinkPath(
      roundTrip: .required, queue: "200 ms", loss: "0", uplink: "10 Mbps", name: "20 ms",
      promotion: "0", source: "assumed")

    var fields: [Field] {
      [
        Field(
          "roundTrip", .law(.time), default: roundTrip, "Base round trip to the edge",
          source: source),
        Field(
          "queueLimit", .time(0...aDay), default: queue,
          "Most that the link's own backlog adds to a round trip", source: source),
        Field("loss", .ratio, default: loss, "Probability of losing a packet", source: source),
        Field(
          "lossBurst", .real(RealRange(1, 1000)), default: "1",
          "Mean length of a run of lost packets; 1 for independent losses",
          source: "parameters.md section 1.7: 2 to 4 where losses come in bursts"),
        Field(
          "uplink", .bitRate(1_000...highestRate), default: uplink, "Uplink rate", source: source),
        Field("nameLookup", .time(0...aDay), default: name, "A cold name look-up", source: source),
        Field(
          "promotion", .time(0...aDay), default: promotion, "Radio promotion after idling",
          source: source),
        Field(
          "radioIdle", .time(0...aDay), default: "10 s", "How long a radio stays awake",
          source: "parameters.md section 1.6"),
        Field(
          "cell", .optional(.object(cell)), default: "none",
          "Capacity that the viewers of this network share; none when each has his own"),
        Field(
          "events", .list(.kinds(linkEvents.kinds), count: 0...100), default: "[]",
          "What happens to the link in each session, by time since its start"),
      ]
    }
  }

  private static let cell = ObjectShape([
    Field(
      "rate", .bitRate(1_000...highestRate), default: .required, "Capacity of one cell",
      source: "the file"),
    Field(
      "count", .integer(1...100_000), default: "1", "Cells at each edge; sessions spread evenly"),
    Field(
      "roundTripBias", .real(RealRange(-3, 3)), default: "0",
      "Exponent of the shares' dependence on the round trip: positive favours short ones",
      source: "network.md section 6: 0 where a deep queue hides round trips"),
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

  private static let constantKind = Kind(
    "constant", "A link whose rate never changes",
    share
      + [
        Field(
          "rate", .bitRate(1_000...highestRate), default: .required, "Downlink rate",
          source: "the file")
      ] + LinkPath.plain.fields)

  /// A throttling preset of another tool, by its name there.
  private static func presetKind(_ preset: LinkPreset) -> Kind {
    let path = LinkPath(
      roundTrip: .text("\(preset.roundTrip / 1_000_000) ms"), queue: "200 ms", loss: "0",
      uplink: .text("\((preset.uplink ?? preset.downlink) / 1_000) kbps"), name: "20 ms",
      promotion: "0", source: preset.source)
    let rate = Field(
      "rate", .bitRate(1_000...highestRate), default: .text("\(preset.downlink / 1_000) kbps"),
      "Downlink rate", source: preset.source)
    return Kind(preset.name, "The throttling preset of that name", share + [rate] + path.fields)
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

  private static let stepsKind = Kind(
    "steps", "A link whose rate changes at given times of each session",
    share
      + [
        Field(
          "steps",
          .list(
            .object(
              ObjectShape([
                Field(
                  "at", .time(0...aYear), default: .required, "Since the session's start",
                  source: "the file"),
                Field(
                  "rate", .bitRate(0...highestRate), default: .required,
                  "Downlink rate from then on",
                  source: "the file"),
              ])), count: 1...100_000), default: .required, "Times, increasing, and rates",
          source: "the file"),
        Field("end", .word(stepEnds.words), default: "hold", "What follows the last step"),
        Field(
          "length", .time(0...aYear), default: "0",
          "With loop or silence: when the steps end; longer than the last step's start"),
      ] + LinkPath.plain.fields)

  private static let traceKind = Kind(
    "trace", "A link that follows recorded traces",
    share
      + [
        Field(
          "files", .list(.text(), count: 1...1000), default: .required,
          "Trace files or folders of them, seen from the scenario's folder; sessions choose one",
          source: "the file"),
        Field(
          "format", .word(traceFormats.words), default: "detect", "How the files are written"),
        Field(
          "end", .word(traceEnds.words), default: "format", "What follows a trace's end"),
        Field(
          "start", .word(traceStarts.words), default: "anywhere",
          "Where in its trace a session starts"),
      ] + LinkPath.plain.fields)
}
