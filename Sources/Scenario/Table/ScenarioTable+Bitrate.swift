import FeedPolicy
import ForeignPolicies
import MediaUnits

/// The rules that choose the rung. A new one is a row here and a case of ``BitrateRule``.
extension ScenarioTable {
  /// What is made of a rule's keys.
  struct BitrateRow: Sendable {
    /// The rule.
    let build: @Sendable (ResolvedTree) -> BitrateRule
    /// What the table cannot say: keys that contradict each other, or the ladder's rungs.
    var check: @Sendable (ResolvedTree, _ rungs: Int) -> Problem? = { _, _ in nil }
  }

  static let bitrateRules = PluginFamily(shippedBitrate, .rung, PolicyPackages.installed.bitrate)

  static let shippedBitrate: [PluginFamily<BitrateRow>.Row] = [
    .init(
      "fixed", "Always the same rung",
      [Field("rung", .integer(0...7), default: "1", "Rung from 0, the lowest")],
      value: BitrateRow(
        build: { .fixed(RungIndex(UInt32($0.integer("rung")))) },
        check: { part, rungs in
          part.integer("rung") < Int64(rungs)
            ? nil : part.problem(at: "rung", expected: "a rung below \(rungs)")
        })),
    .init(
      "throughput", "By the throughput estimate, as Media3's AdaptiveTrackSelection",
      [
        Field(
          "fraction", .real(RealRange(0, 10, excludesMinimum: true)), default: "0.7",
          "Usable share of the estimate", source: "parameters.md section 4.1"),
        Field(
          "minimumBufferToSwitchUp", .time(times), default: "10 s", "Media ahead for a switch up",
          source: "parameters.md section 4.1"),
        Field(
          "maximumBufferToSwitchDown", .time(times), default: "25 s",
          "Media ahead that makes a switch down unnecessary",
          source: "parameters.md section 4.1"),
      ],
      value: BitrateRow { part in
        .throughput(
          ThroughputRule(
            fraction: part.real("fraction"),
            minimumBufferToSwitchUp: part.span("minimumBufferToSwitchUp"),
            maximumBufferToSwitchDown: part.span("maximumBufferToSwitchDown")))
      }),
    .init(
      "bola", "By the buffer, as BOLA",
      [
        Field(
          "minimumBuffer", .time(positiveTimes), default: "10 s", "Buffer at the lowest rung",
          source: "parameters.md section 4.4"),
        Field(
          "target", .time(positiveTimes), default: "18 s", "Buffer aimed at",
          source: "parameters.md section 4.4"),
      ],
      value: BitrateRow(
        build: { part in
          .bola(BolaRule(minimumBuffer: part.span("minimumBuffer"), target: part.span("target")))
        },
        check: { part, _ in
          part.time("target") > part.time("minimumBuffer")
            ? nil : part.problem(at: "target", expected: "more than policy.abr.minimumBuffer")
        })),
  ]
}
