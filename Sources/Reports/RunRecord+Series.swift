import MediaUnits
import Models
import Scenario
import Studies

extension RunRecord {
  /// A run over time.
  struct Series: RecordedObject {
    /// A metric or a load, by part of the measured time.
    struct Row: RecordedObject {
      var name = ""
      var unit = ""
      /// nil: no data.
      var values: [Double?] = []
      /// Ends of the intervals; nil without.
      var lower: [Double?] = []
      var upper: [Double?] = []
      /// Parts whose values are lower bounds.
      var bounds: [Int] = []

      static let form = ResultForm<Row>([
        .text("name", "metric{label=value}.stat, or a load", \.name),
        .word("unit", "of the values", ["ms", "ratio", "number"], \.unit),
        numbers(
          "values",
          "of each part in order: ratio of sums, percentile of the views whose clock started in "
            + "it, mean rate in it; sessions at its end; null: no data", \.values),
        numbers("lower", "lower ends of the 95 % intervals; null: none", \.lower),
        numbers("upper", "upper ends", \.upper),
        ResultMember(
          "bounds",
          "parts, from 0 on, where so many views never started that the percentile lies above the "
            + "value", .list(.count), \.bounds
        ) { .array($0.map { .integer(Int64($0)) }) },
      ])

      private static func numbers(
        _ name: String, _ summary: String, _ place: any ResultMember<Row>.Place<[Double?]>
      ) -> ResultMember<Row> {
        ResultMember(name, summary, .list(.optional(.number)), place) {
          .array($0.map { $0.map { .number($0) } ?? .null })
        }
      }
    }

    /// What the scenario does to the run at a time.
    struct Happening: RecordedObject {
      static let kinds = ["crowd", "outage", "purge", "new version"]

      var kind = ""
      var name = ""
      var fromSeconds = 0.0
      var toSeconds = 0.0

      static let form = ResultForm<Happening>([
        .word("kind", "what it is", kinds, \.kind),
        .text("name", "in words", \.name),
        .number("fromSeconds", "from the start of the measured time", \.fromSeconds),
        .number("toSeconds", "likewise, the end; of an instant the same", \.toSeconds),
      ])
    }

    var partSeconds = 0.0
    var rows: [Row] = []
    var happenings: [Happening] = []

    static let form = ResultForm<Series>([
      .number("partSeconds", "length of a part", \.partSeconds),
      .list("rows", "metrics and loads, each with as many values as there are parts", \.rows),
      .list("happenings", "what the scenario does at which time", \.happenings),
    ])

    func row(_ name: String) -> Row? { rows.first { $0.name == name } }
  }
}

// MARK: From a result

extension RunRecord.Series {
  init?(_ result: StudyResult) {
    guard let series = result.series else { return nil }
    self.init(
      partSeconds: series.length.seconds, rows: series.rows.map { Row($0) },
      happenings: result.scenario.feed.map { Happening.all($0.feed) } ?? [])
  }
}

extension RunRecord.Series.Row {
  init(_ row: RunSeries.Row) {
    self.init(
      name: row.name, unit: row.unit.word, values: row.values.map(\.value),
      lower: row.values.map { $0.interval?.lower }, upper: row.values.map { $0.interval?.upper },
      bounds: row.values.indices.filter { row.values[$0].isLowerBound })
  }
}

extension RunRecord.Series.Happening {
  /// In order of time.
  static func all(_ feed: FeedWorldPlan) -> [RunRecord.Series.Happening] {
    let configuration = feed.configuration
    let begin = Instant.zero + configuration.cdn.warmUp
    func happening(_ kind: String, _ name: String, _ from: Instant, _ to: Instant) -> Self {
      Self(
        kind: kind, name: name, fromSeconds: (from - begin).seconds,
        toSeconds: (to - begin).seconds)
    }
    // The windows end with one for each crowd.
    let names = feed.windows.suffix(configuration.audience.crowds.count)
    var all = zip(configuration.audience.crowds, names).map { crowd, name in
      happening("crowd", "crowd \(name)", begin + crowd.from, begin + crowd.from + crowd.length)
    }
    let faults = configuration.cdn.faults
    all += faults.outages.map { happening("outage", "origin outage", $0.begin, $0.end) }
    for (place, provider) in configuration.cdn.providers.enumerated() {
      let name = place < feed.providers.count ? feed.providers[place] : "\(place + 1)"
      all += provider.outages.map { happening("outage", "outage of \(name)", $0.begin, $0.end) }
    }
    all += faults.purges.map { happening("purge", "purge", $0.at, $0.at) }
    all += configuration.catalogue.republishes.map {
      happening("new version", "new versions", begin + $0.at, begin + $0.at)
    }
    return all.enumerated().sorted {
      ($0.element.fromSeconds, $0.offset) < ($1.element.fromSeconds, $1.offset)
    }.map(\.element)
  }
}
