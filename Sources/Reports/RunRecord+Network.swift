import MediaUnits
import Models
import Scenario
import Statistics
import Studies

extension RunRecord {
  private static let models = NetworkModel.allCases.map(\.word)
  private static let startupParts = StartupPart.allCases.map { "\($0.name)" }

  /// How a network was simulated, and what prefetches cost on it.
  struct Link: RecordedObject {
    var network = ""
    var model = ""
    var tier = ""
    var slowStartAfterIdle = true
    var foregroundNanoseconds: Int64 = 0
    var lostNanoseconds: Int64 = 0

    static let form = ResultForm<Link>([
      .text("network", "label of the access network", \.network),
      .word("model", "whose idea of a transfer", models, \.model),
      .word(
        "tier",
        "detail of our model: closed form, one step a round trip, one event a few packets",
        TransferTier.allCases.map(\.word), \.tier),
      .boolean(
        "slowStartAfterIdle", "whether the servers' windows decay while a connection idles",
        \.slowStartAfterIdle),
      .count(
        "foregroundNanoseconds", "time in which a current item's transfer used its link",
        \.foregroundNanoseconds),
      .count(
        "lostNanoseconds", "the part of it that the link spent on prefetches", \.lostNanoseconds),
    ])

    /// What becomes of a window while its connection idles; the peers' models have no windows.
    var idleWords: String {
      if model != NetworkModel.firstFrame.word { return "–" }
      return slowStartAfterIdle ? "decays" : "kept"
    }

    /// `firstframe, rounds`; the peers' models have no tiers.
    var words: String {
      model == NetworkModel.firstFrame.word ? "\(model), \(tier)" : model
    }
  }

  struct Comparison: RecordedObject {
    struct Row: RecordedObject {
      var metric = ""
      var ours: Double?
      var peer: Double?
      var oursIsLowerBound = false
      var peerIsLowerBound = false
      var difference: Double?
      var interval: [Double]?
      var pairs = 0

      static let form = ResultForm<Row>([
        .text("metric", "metric{label=value}.stat", \.metric),
        .optionalNumber("ours", "mean of the pairs; null: no data", \.ours),
        .optionalNumber("peer", "mean of the pairs; null: no data", \.peer),
        .boolean(
          "oursIsLowerBound", "the percentile lies above the value", \.oursIsLowerBound),
        .boolean(
          "peerIsLowerBound", "the percentile lies above the value", \.peerIsLowerBound),
        .optionalNumber(
          "difference", "peer minus ours, paired; null: fewer than two pairs, or a lower bound",
          \.difference),
        .interval("interval", "95 %, two-sided, of the difference", \.interval),
        .count("pairs", "pairs of replications that have data", \.pairs),
      ])
    }

    struct Part: RecordedObject {
      var part = ""
      var oursMilliseconds = 0.0
      var peerMilliseconds = 0.0

      static let form = ResultForm<Part>([
        .word("part", "the part of the startup", startupParts, \.part),
        .number("oursMilliseconds", "under our network", \.oursMilliseconds),
        .number("peerMilliseconds", "under the peer's", \.peerMilliseconds),
      ])
    }

    var model = ""
    var replications = 0
    var metrics: [Row] = []
    var oursStarted = 0.0
    var peerStarted = 0.0
    var startup: [Part] = []

    static let form = ResultForm<Comparison>([
      .word("model", "the published simulator", models, \.model),
      .count("replications", "pairs of replications", \.replications),
      .list("metrics", "metrics by network", \.metrics),
      .number("oursStarted", "share of views that started", \.oursStarted),
      .number("peerStarted", "share of views that started", \.peerStarted),
      .list("startup", "mean of a started view by part, milliseconds", \.startup),
    ])
  }
}

// MARK: From a result

extension RunRecord.Link {
  static func all(_ result: StudyResult) -> [RunRecord.Link] {
    result.world.transfers.enumerated().map { index, transfer in
      let contention = result.measures.contention[index]
      return RunRecord.Link(
        network: transfer.network, model: transfer.model.word, tier: transfer.tier.word,
        slowStartAfterIdle: result.world.restartsAfterIdle ?? true,
        foregroundNanoseconds: contention.foreground, lostNanoseconds: contention.lost)
    }
  }
}

extension RunRecord.Comparison {
  init(_ comparison: NetworkComparison) {
    self.init(
      model: comparison.model.word, replications: comparison.replications,
      metrics: comparison.differences.map { Row($0) }, oursStarted: comparison.ourStarts,
      peerStarted: comparison.peerStarts,
      startup: StartupPart.allCases.map {
        Part(
          part: "\($0.name)", oursMilliseconds: comparison.ourParts[$0.rawValue] / 1e6,
          peerMilliseconds: comparison.peerParts[$0.rawValue] / 1e6)
      })
  }
}

extension RunRecord.Comparison.Row {
  init(_ row: NetworkDifference) {
    self.init(
      metric: row.metric.description, ours: row.ours, peer: row.peer,
      oursIsLowerBound: row.isOursLowerBound, peerIsLowerBound: row.isPeerLowerBound,
      difference: row.difference?.value,
      interval: row.difference.map { [$0.interval.lower, $0.interval.upper] }, pairs: row.pairs)
  }
}
