import Foundation
import Scenario

/// What a report reads of a run: the members of `result.json`. Reading the document, and not the
/// result in memory, makes a report a pure function of the run folder, and lets it show tiers,
/// labels and metrics that it has never heard of.
struct RunRecord: Decodable, Sendable {
  struct Scenario: Decodable, Sendable {
    var name: String
    var digest: String
    var description: String
    var short: Bool
  }

  /// Of a world other than the feed: its name, and what each metric means.
  struct World: Decodable, Sendable {
    struct Metric: Decodable, Sendable {
      var metric: String
      var meaning: String
    }
    var name: String
    var summary: String
    var metrics: [Metric]
  }

  /// The busiest ten seconds of each place of the CDN.
  struct PeakLoad: Decodable, Sendable {
    struct Place: Decodable, Sendable {
      var place: String
      var requestsPerSecond: Double
      var bitsPerSecond: Double
    }

    var spanSeconds: Double
    var busiestSeconds: Double
    var deliveredBitsPerSecond: Double
    var places: [Place]
  }

  struct Replications: Decodable, Sendable {
    var run: Int
    var cap: Int
    var looks: [Int]
    var partial: Bool
  }

  /// A metric's value with what it rests on.
  struct Estimate: Decodable, Sendable {
    var value: Double?
    var unit: String
    var interval: [Double]?
    var replications: Int
    var samples: Int64
    var isLowerBound: Bool

    var text: EstimateText {
      let ends = interval.flatMap { $0.count == 2 ? min($0[0], $0[1])...max($0[0], $0[1]) : nil }
      return EstimateText(
        value: value, interval: ends, unit: MetricReference.Unit(word: unit),
        isLowerBound: isLowerBound)
    }
  }

  struct Metric: Decodable, Sendable {
    var name: MetricName
    var estimate: Estimate

    private enum Keys: CodingKey { case metric }

    init(from decoder: any Decoder) throws {
      name = MetricName(
        try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .metric))
      estimate = try Estimate(from: decoder)
    }
  }

  struct Budget: Decodable, Sendable {
    var metric: String
    var limit: String
    var level: String
    var verdict: String
    var reason: String
    var margin: Double?
    var decidedAt: Int?
    var place: String
    var estimate: Estimate

    private enum Keys: CodingKey {
      case metric, limit, level, verdict, reason, margin, decidedAt, place
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Keys.self)
      metric = try members.decode(String.self, forKey: .metric)
      limit = try members.decode(String.self, forKey: .limit)
      level = try members.decode(String.self, forKey: .level)
      verdict = try members.decode(String.self, forKey: .verdict)
      reason = try members.decode(String.self, forKey: .reason)
      margin = try members.decodeIfPresent(Double.self, forKey: .margin)
      decidedAt = try members.decodeIfPresent(Int.self, forKey: .decidedAt)
      place = try members.decode(String.self, forKey: .place)
      estimate = try Estimate(from: decoder)
    }
  }

  /// Buckets are lower end, upper end (nil: none), started, censored.
  struct Histogram: Decodable, Sendable {
    var network: String
    var metric: String
    var fixedBuckets: [[Double?]]
    var buckets: [[Double?]]
  }

  struct Band: Decodable, Sendable {
    struct Part: Decodable, Sendable {
      var part: String
      var nanoseconds: Int64
    }
    struct Exemplar: Decodable, Sendable {
      var replication: Int64
      var session: Int64
      var item: Int64
    }
    var views: Int64
    var totalNanoseconds: Int64
    var parts: [Part]
    var exemplar: Exemplar?
  }

  struct Breakdown: Decodable, Sendable {
    var p50: Band
    var p95: Band
    var waited: Band
  }

  struct Late: Decodable, Sendable {
    struct Part: Decodable, Sendable {
      var part: String
      var started: Int64
      var startedWithEdgeMiss: Int64
      var notStarted: Int64
      var notStartedWithEdgeMiss: Int64
      var total: Int64 { started + notStarted }
      var misses: Int64 { startedWithEdgeMiss + notStartedWithEdgeMiss }
    }
    /// A view that started late or never.
    struct View: Decodable, Sendable {
      var replication: Int64
      var session: Int64
      var item: Int64
      var started: Bool
      var waitedNanoseconds: Int64
    }
    var limitMilliseconds: Double
    var started: Int64
    var notStarted: Int64
    var byPart: [Part]
    /// The first thousand; nil in results from before they were listed.
    var views: [View]?
  }

  struct Cohort: Decodable, Sendable {
    var network: String
    var device: String
    var views: Int64
    var started: Int64
    var notStarted: Int64
    var startupNanoseconds: Int64
    var playedNanoseconds: Int64
    var stalledNanoseconds: Int64
    var stalls: Int64
    var viewsWithStall: Int64
  }

  struct Bytes: Decodable, Sendable {
    var network: String
    var device: String
    var delivered: Int64
    var rendered: Int64
    var wasted: Int64
    var stillBuffered: Int64
    var prefetched: Int64
    var prefetchedWasted: Int64
  }

  struct Tier: Decodable, Sendable {
    var tier: String
    var `class`: String
    var outcome: String
    var requests: Int64
    var bytes: Int64
  }

  struct Link: Decodable, Sendable {
    var network: String
    var model: String
    var tier: String
    var foregroundNanoseconds: Int64
    var lostNanoseconds: Int64
  }

  struct Comparison: Decodable, Sendable {
    struct Row: Decodable, Sendable {
      var metric: String
      var ours: Double?
      var peer: Double?
      var oursIsLowerBound: Bool
      var peerIsLowerBound: Bool
      var difference: Double?
      var interval: [Double]?
      var pairs: Int
    }
    struct Part: Decodable, Sendable {
      var part: String
      var oursMilliseconds: Double
      var peerMilliseconds: Double
    }
    var model: String
    var replications: Int
    var metrics: [Row]
    var oursStarted: Double
    var peerStarted: Double
    var startup: [Part]
  }

  struct Load: Decodable, Sendable {
    var window: String
    var tier: String
    var requestsPerSecond: Double
    var requestsPerSecondLower, requestsPerSecondUpper: Double?
    var bitsPerSecond: Double
    var bitsPerSecondLower, bitsPerSecondUpper: Double?
    var samples: Int64
  }

  var schema: Int
  var scenario: Scenario
  /// Results of before there was a load have none.
  var load: [Load]?
  var seed: UInt64
  var shuffleTies: UInt64?
  var fingerprint: String
  var verdict: String
  var exitCode: Int
  var replications: Replications
  var events: Int64
  var simulatedSeconds: Double
  var views: Int64
  var sessions: Int64
  var budgets: [Budget]
  var metrics: [Metric]
  var histograms: [Histogram]
  var startupBreakdown: Breakdown
  var lateStarts: Late
  var cohorts: [Cohort]
  var bytes: [Bytes]
  var tiers: [Tier]
  /// Absent with fewer than three edges.
  var peakLoad: PeakLoad?
  var links: [Link]
  var networkComparisons: [Comparison]
  /// By name.
  var counters: [String: Int64]
  /// Of a mixed feed, by name; nil in results from before there were any.
  var surface: [String: Int64]?
  /// Of a live run.
  var live: Live?
  /// nil: the feed.
  var world: World?

  /// The values of a member in the order of their first use.
  static func ordered<Row>(_ rows: [Row], by name: (Row) -> String) -> [String] {
    var names: [String] = []
    for row in rows where !names.contains(name(row)) { names.append(name(row)) }
    return names
  }

  func metric(_ name: String) -> Metric? { metrics.first { $0.name.text == name } }
}

/// The name of a metric taken apart, whatever its labels are called.
struct MetricName: Sendable, Equatable {
  /// `metric{label=value,…}.stat`
  var text: String
  var metric: String
  var labels: [(name: String, value: String)]
  var stat: String

  init(_ text: String) {
    self.text = text
    metric = String(text.prefix { $0 != "{" && $0 != "." })
    var rest = text.dropFirst(metric.count)
    labels = []
    if rest.first == "{", let close = rest.firstIndex(of: "}") {
      for pair in rest[rest.index(after: rest.startIndex)..<close].split(separator: ",") {
        let sides = pair.split(separator: "=", maxSplits: 1)
        if sides.count == 2 { labels.append((String(sides[0]), String(sides[1]))) }
      }
      rest = rest[rest.index(after: close)...]
    }
    stat = rest.first == "." ? String(rest.dropFirst()) : ""
  }

  static func == (a: MetricName, b: MetricName) -> Bool { a.text == b.text }

  func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }

  /// What the samples behind a value of the metric are; `samples` where this version does not know
  /// the metric.
  var sampleNoun: String {
    (try? MetricReference.parse(text).get())?.sampleNoun ?? "samples"
  }

  /// As a budget is usually written: a ratio has only one stat.
  var shortText: String { text.hasSuffix(".ratio") ? String(text.dropLast(6)) : text }

  /// The metric and stat in words.
  var words: String {
    let name =
      FeedMetrics.named(metric)?.words ?? metric.replacingOccurrences(of: "_", with: " ")
    let part =
      switch stat {
      case "ratio", "": ""
      case "mean", "max": ", " + stat
      case _ where stat.hasSuffix("_started"): ", \(stat.dropLast(8).uppercased()) of started"
      default: ", " + stat.uppercased()
      }
    let places = labels.map { name, value in name == "by" ? "by \(value)" : "\(name) \(value)" }
    return name + part + (places.isEmpty ? "" : " (\(places.joined(separator: ", ")))")
  }
}
