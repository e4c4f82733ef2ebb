import Models
import Scenario
import Studies

extension ResultForms {
  private static let models = NetworkModel.allCases.map(\.word)
  private static let partNames = StartupPart.allCases.map { "\($0.name)" }

  static let link = ResultForm<LinkUse>([
    .text("network", "label of the access network") { $0.network },
    .word("model", "whose idea of a transfer", models) { $0.model.word },
    .word(
      "tier", "detail of our model: closed form, one step a round trip, one event a few packets",
      TransferTier.allCases.map(\.word)
    ) { $0.tier.word },
    .count("foregroundNanoseconds", "time in which a current item's transfer used its link") {
      $0.contention.foreground
    },
    .count("lostNanoseconds", "the part of it that the link spent on prefetches") {
      $0.contention.lost
    },
  ])

  private struct PartRow: Sendable {
    var part: StartupPart
    var ours, peer: Double
  }

  static let comparison = ResultForm<NetworkComparison>([
    .word("model", "the published simulator", models) { $0.model.word },
    .count("replications", "pairs of replications") { Int64($0.replications) },
    .list("metrics", "metrics by network", difference) { $0.differences },
    .number("oursStarted", "share of views that started") { $0.ourStarts },
    .number("peerStarted", "share of views that started") { $0.peerStarts },
    .list("startup", "mean of a started view by part, milliseconds", part) { comparison in
      StartupPart.allCases.map {
        PartRow(
          part: $0, ours: comparison.ourParts[$0.rawValue], peer: comparison.peerParts[$0.rawValue])
      }
    },
  ])

  private static let difference = ResultForm<NetworkDifference>([
    .text("metric", "metric{label=value}.stat") { $0.metric.description },
    .optionalNumber("ours", "mean of the pairs; null: no data") { $0.ours },
    .optionalNumber("peer", "mean of the pairs; null: no data") { $0.peer },
    .boolean("oursIsLowerBound", "the percentile lies above the value") { $0.isOursLowerBound },
    .boolean("peerIsLowerBound", "the percentile lies above the value") { $0.isPeerLowerBound },
    .optionalNumber(
      "difference", "peer minus ours, paired; null: fewer than two pairs, or a lower bound"
    ) {
      $0.difference?.value
    },
    ResultMember(
      name: "interval", summary: "95 %, two-sided, of the difference",
      shape: .optional(
        .row([(name: "lower end", shape: .number), (name: "upper end", shape: .number)]))
    ) { row in
      row.difference.map { [.number($0.interval.lower), .number($0.interval.upper)] } ?? .null
    },
    .count("pairs", "pairs of replications that have data") { Int64($0.pairs) },
  ])

  private static let part = ResultForm<PartRow>([
    .word("part", "the part of the startup", partNames) { "\($0.part.name)" },
    .number("oursMilliseconds", "under our network") { $0.ours / 1e6 },
    .number("peerMilliseconds", "under the peer's") { $0.peer / 1e6 },
  ])
}
