import MediaUnits
import Models
import Scenario
import Studies

extension RunRecord {
  private static let partNames = StartupPart.allCases.map { "\($0.name)" }

  // MARK: Histograms

  struct Histogram: RecordedObject {
    var network = ""
    var metric = ""
    var started: Int64 = 0
    var censored: Int64 = 0
    /// Lower end, upper end (nil: none), started, censored.
    var fixedBuckets: [[Double?]] = []
    var buckets: [[Double?]] = []

    private static let bucket: ResultShape = .row([
      (name: "lower end, ms", shape: .number),
      (name: "upper end, ms; null: none", shape: .optional(.number)),
      (name: "views that started", shape: .count),
      (name: "views left before the first frame, by when they were left", shape: .count),
    ])

    /// - Parameter wholes: the place from which on the numbers of a row are whole.
    private static func text(_ rows: [[Double?]], wholes: Int) -> JSONText {
      .array(
        rows.map { row in
          .array(
            row.enumerated().map { place, number in
              number.map { place < wholes ? .number($0) : .integer(Int64($0)) } ?? .null
            })
        })
    }

    static let form = ResultForm<Histogram>([
      .text("network", "label of the access network", \.network),
      .word(
        "metric", "the clock", ReplicationDigest.Clock.allCases.map(\.metric), \.metric),
      .count("started", "views that started", \.started).later,
      .count("censored", "views left before the first frame", \.censored).later,
      ResultMember(
        "fixedBuckets",
        "exact counts; the first bucket is exactly zero: on the display when the clock "
          + "started", .list(bucket), \.fixedBuckets
      ) { text($0, wholes: 0) },
      ResultMember(
        "buckets", "fine buckets, each at most 1/64 of an octave wide; empty ones left out",
        .list(bucket), \.buckets
      ) { text($0, wholes: 2) },
    ])
  }

  // MARK: Breakdown

  struct Band: RecordedObject {
    struct Part: RecordedObject {
      var part = ""
      var nanoseconds: Int64 = 0
      var meanMilliseconds = 0.0

      static let form = ResultForm<Part>([
        .word("part", "the part of the startup", partNames, \.part),
        .count("nanoseconds", "sum over the views of the band", \.nanoseconds),
        .number("meanMilliseconds", "mean of a view of the band", \.meanMilliseconds).later,
      ])
    }

    struct Exemplar: RecordedObject {
      var replication: Int64 = 0
      var session: Int64 = 0
      var item: Int64 = 0

      static let form = ResultForm<Exemplar>([
        .count("replication", "number of the replication", \.replication),
        .count("session", "number of the session", \.session),
        .count("item", "position in the session's feed", \.item),
      ])
    }

    var views: Int64 = 0
    var totalNanoseconds: Int64 = 0
    var meanMilliseconds = 0.0
    var parts: [Part] = []
    var exemplar: Exemplar?

    static let form = ResultForm<Band>([
      .count("views", "started views in the band", \.views),
      .count(
        "totalNanoseconds", "sum of their TTFF; the parts sum to it exactly", \.totalNanoseconds),
      .number("meanMilliseconds", "mean TTFF of the band", \.meanMilliseconds).later,
      .list("parts", "where the time went", \.parts),
      .optionalObject(
        "exemplar", "a view in the middle of the band; null: no view", \.exemplar),
    ])
  }

  struct Breakdown: RecordedObject {
    var p50 = Band()
    var p95 = Band()
    var waited = Band()

    static let form = ResultForm<Breakdown>([
      .object("p50", "views within half a percent of the median TTFF", \.p50),
      .object("p95", "views within half a percent of the 95th percentile", \.p95),
      .object("waited", "all started views that waited for more than the display", \.waited),
    ])
  }

  // MARK: Late starts

  struct Late: RecordedObject {
    struct Part: RecordedObject {
      var part = ""
      var started: Int64 = 0
      var startedWithEdgeMiss: Int64 = 0
      var notStarted: Int64 = 0
      var notStartedWithEdgeMiss: Int64 = 0
      var total: Int64 { started + notStarted }

      static let form = ResultForm<Part>([
        .word("part", "the part that took longest", partNames, \.part),
        .count("started", "views that started late", \.started),
        .count(
          "startedWithEdgeMiss", "of those, views whose start waited for an edge miss",
          \.startedWithEdgeMiss),
        .count("notStarted", "views left before a first frame", \.notStarted),
        .count(
          "notStartedWithEdgeMiss", "of those, views whose start waited for an edge miss",
          \.notStartedWithEdgeMiss),
      ])
    }

    /// Late views by who answered what they waited for longest, and why it was no hit.
    struct Answer: RecordedObject {
      var tier = ""
      var reason = ""
      var views: Int64 = 0
      var waitNanoseconds: Int64 = 0

      static let form = ResultForm<Answer>([
        .word(
          "tier", "who answered the request that waited longest behind the edge", answererNames,
          \.tier),
        .word(
          "reason", "why the edge did not; none: nothing waited behind the edge", reasonNames,
          \.reason),
        .count("views", "late views", \.views),
        .count("waitNanoseconds", "sum of those waits", \.waitNanoseconds),
      ])
    }

    /// A view that started late or never.
    struct View: RecordedObject {
      var replication: Int64 = 0
      var session: Int64 = 0
      var item: Int64 = 0
      var started = false
      var waitedNanoseconds: Int64 = 0
      var part = ""
      var `class` = ""
      var tier = ""
      var reason = "none"
      var waitNanoseconds: Int64 = 0

      static let form = ResultForm<View>([
        .count("replication", "the replication", \.replication),
        .count("session", "the session", \.session),
        .count("item", "the item of the session", \.item),
        .boolean("started", "whether a first frame was rendered", \.started),
        .count(
          "waitedNanoseconds", "to the first frame, or to when the view was left",
          \.waitedNanoseconds),
        .word("part", "the part that took longest", partNames, \.part).later,
        .word(
          "class", "class of the request that waited longest behind the edge",
          MetricReference.classes, \.class
        ).later,
        .word("tier", "who answered it", answererNames, \.tier).later,
        .word(
          "reason", "why the edge did not; none: nothing waited behind the edge", reasonNames,
          \.reason
        ).later,
        .count("waitNanoseconds", "how long it waited behind the edge", \.waitNanoseconds).later,
      ])
    }

    private static let reasonNames = MissReason.allCases.map { "\($0.name)" }
    private static let answererNames = AnsweringTier.allCases.map { "\($0.name)" }

    var limitMilliseconds = 0.0
    var started: Int64 = 0
    var notStarted: Int64 = 0
    var byPart: [Part] = []
    var byAnswer: [Answer] = []
    /// The first thousand.
    var views: [View] = []

    static let form = ResultForm<Late>([
      .number("limitMilliseconds", "a start later than this is late", \.limitMilliseconds),
      .count("started", "views that started late", \.started),
      .count("notStarted", "views that the viewer left before a first frame", \.notStarted),
      .list("byPart", "by the part that took longest", \.byPart),
      .list(
        "byAnswer", "by who answered what they waited for longest, and why no hit", \.byAnswer
      ).later,
      .list("views", "late views one by one, the first thousand", \.views).later,
    ])
  }
}

// MARK: From a result

extension RunRecord.Histogram {
  static func all(_ result: StudyResult) -> [RunRecord.Histogram] {
    result.histograms.enumerated().flatMap { network, clocks in
      clocks.enumerated().map { clock, counts in
        RunRecord.Histogram(
          network: result.scenario.networks[network],
          metric: ReplicationDigest.Clock.allCases[clock].metric, counts)
      }
    }
  }

  private init(network: String, metric: String, _ counts: ClockHistogram) {
    let edges = TimeHistogram.coarseEdges
    self.init(
      network: network, metric: metric, started: counts.started.total,
      censored: counts.censored.total,
      fixedBuckets: edges.indices.map { index in
        [
          Double(edges[index]), index + 1 < edges.count ? Double(edges[index + 1]) : nil,
          Double(counts.started.coarse[index]), Double(counts.censored.coarse[index]),
        ]
      },
      buckets: RunRecord.Histogram.usedBuckets(counts).map {
        [$0.lower, $0.upper, Double($0.started), Double($0.censored)]
      })
  }

  /// The used buckets of both histograms.
  static func usedBuckets(
    _ counts: ClockHistogram
  ) -> [(lower: Double, upper: Double, started: Int64, censored: Int64)] {
    let (started, censored) = (counts.started.counts, counts.censored.counts)
    return (0..<max(started.count, censored.count)).compactMap { index in
      let row = (
        lower: TimeHistogram.lower(index), upper: TimeHistogram.upper(index),
        started: index < started.count ? started[index] : 0,
        censored: index < censored.count ? censored[index] : 0
      )
      return row.started + row.censored > 0 ? row : nil
    }
  }
}

extension RunRecord.Band {
  init(_ band: BreakdownBand) {
    func mean(_ nanoseconds: Int64) -> Double {
      band.views > 0 ? Double(nanoseconds) / Double(band.views) / 1e6 : 0
    }
    self.init(
      views: band.views, totalNanoseconds: band.total, meanMilliseconds: mean(band.total),
      parts: StartupPart.allCases.map {
        let time = band.parts[$0.rawValue]
        return Part(part: "\($0.name)", nanoseconds: time, meanMilliseconds: mean(time))
      },
      exemplar: band.exemplar.map {
        Exemplar(
          replication: Int64($0.replication), session: Int64($0.session), item: Int64($0.item))
      })
  }
}

extension RunRecord.Late {
  init(_ result: StudyResult) {
    let late = result.late
    self.init(
      limitMilliseconds: result.lateLimit.milliseconds, started: late.started.reduce(0, +),
      notStarted: late.notStarted.reduce(0, +),
      byPart: StartupPart.allCases.map { part in
        let index = part.rawValue
        return Part(
          part: "\(part.name)", started: late.started[index],
          startedWithEdgeMiss: late.startedWithEdgeMiss[index],
          notStarted: late.notStarted[index],
          notStartedWithEdgeMiss: late.notStartedWithEdgeMiss[index])
      },
      byAnswer: AnsweringTier.allCases.flatMap { tier in
        MissReason.allCases.compactMap { reason in
          let sum = late.answers[tier, reason]
          return sum.views == 0
            ? nil
            : Answer(
              tier: "\(tier.name)", reason: "\(reason.name)", views: sum.views,
              waitNanoseconds: sum.wait)
        }
      }, views: late.answers.views.map { View($0) })
  }
}

extension RunRecord.Late.View {
  init(_ view: LateView) {
    self.init(
      replication: Int64(view.replication), session: Int64(view.session), item: Int64(view.item),
      started: view.hasStarted, waitedNanoseconds: view.waited, part: "\(view.part.name)",
      class: MetricReference.classes[Int(view.answer.asset.rawValue)],
      tier: "\(view.answer.tier.name)", reason: "\(view.answer.reason.name)",
      waitNanoseconds: max(0, view.answer.wait))
  }
}
