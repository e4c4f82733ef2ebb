import Foundation
import MediaUnits
import Testing

@testable import CacheModel
@testable import CallsModel
@testable import FeedModel
@testable import MessagingModel
@testable import Scenario
@testable import ServiceModel
@testable import Studies

/// The rows of metrics: complete, told apart by name, read from measures, and in the reference.
@Suite struct MetricRowTests {
  @Test func `every row of the feed says what reports and judges need`() {
    for row in FeedMetrics.all {
      #expect(!row.words.isEmpty && !row.samples.isEmpty && !row.stats.isEmpty, "\(row.name)")
      #expect(row.standard.whole.allSatisfy { row.stats.contains($0) }, "\(row.name)")
      #expect(row.standard.cohorts.allSatisfy { row.stats.contains($0) }, "\(row.name)")
      #expect(row.standard.windows.allSatisfy { row.stats.contains($0) }, "\(row.name)")
      #expect(row.standard.cohorts.isEmpty || row.labels.contains("network"), "\(row.name)")
      #expect(row.standard.windows.isEmpty || row.labels.contains("window"), "\(row.name)")
      #expect(row.requiredLabel.map { row.labels.contains($0) } ?? true, "\(row.name)")
      #expect(!row.isOfViews || (row.range == .share && row.samples == "views"), "\(row.name)")
      // What is said of a metric of another version by the end of its name is true of ours.
      if row.unit != .number {
        #expect(row.name.hasSuffix("_ms") == (row.unit == .milliseconds), "\(row.name)")
      }
    }
  }

  @Test func `names are those of one row, in the feed and in each world`() {
    #expect(Set(FeedMetrics.names).count == FeedMetrics.names.count)
    for kind in World.kinds {
      let names = Set(kind.metrics.map(\.reference.metric))
      #expect(names.isDisjoint(with: FeedMetrics.names), "\(kind.name)")
      #expect(Set(kind.references).count == kind.references.count)
      for metric in kind.metrics {
        #expect(!metric.summary.isEmpty && !metric.samples.isEmpty, "\(metric.reference)")
      }
    }
  }

  @Test func `headline metrics are metrics, and every result holds them`() throws {
    let made = try SmallScenario.make()
    let standard = Study.standardMetrics(made)
    for metric in MetricReference.headline { #expect(standard.contains(metric), "\(metric)") }
  }

  // MARK: Readings

  private static let time = Int64(2_000_000_000)

  /// Two views, one of which did not start, and some of everything that is counted.
  private static var measures: FeedMeasures {
    var measures = FeedMeasures(networks: 1, devices: 1)
    var view = ViewRecord(
      session: 0, item: 0, title: 0, network: 0, device: 0, flags: [.started, .cold],
      firstRung: 0, settledAt: .zero + .seconds(1), ttff: .seconds(2), ttffPlay: .seconds(1),
      played: .seconds(8), stalled: .seconds(2), stalls: 1, parts: StartupParts())
    view.parts[.feed] = time
    measures.views.append(view)
    view.flags = []
    view.parts = StartupParts()
    measures.views.append(view)
    measures.balances[0].delivered = 1000
    measures.balances[0].wasted = 400
    measures.shown[0] = shown
    for outcome in [CacheOutcome.hit, .miss] {
      measures.edge.count(.segment, outcome, bytes: 10)
    }
    measures.counts.requests = 4
    measures.counts.originRequests = 1
    measures.counts.deliveredBytes = 20
    measures.counts.originBytes = 5
    measures.counts.playerCreates = 2
    measures.counts.playerRetargets = 2
    measures.counts.decodersRefused = 1
    measures.counts.scrubLookups = 2
    measures.counts.spriteHits = 1
    measures.republish.views = 2
    measures.republish.oldViews = 1
    measures.republish.manifests = 2
    measures.republish.staleness = time
    measures.republish.largestStaleness = time
    measures.surface = surface
    measures.clientSide = client
    (measures.swipes[0].swipes, measures.swipes[0].views) = (1, 2)
    measures.swipeWaits[0].add(.seconds(1))
    measures.eventDelays.add(.seconds(1))
    measures.counts.sessions = 2
    measures.providers = providers
    return measures
  }

  private static var providers: ProvidersMeasures {
    var provider = ProviderMeasures()
    (provider.counts.requests, provider.counts.failures, provider.counts.bytes) = (4, 1, 10)
    provider.edge.count(.segment, .hit, bytes: 10)
    var all = ProvidersMeasures()
    all.each = [provider, provider]
    (all.switching.switches, all.switching.failovers) = (1, 2)
    (all.switching.hedges, all.switching.hedgesWon) = (2, 1)
    (all.switching.views, all.switching.troubledViews, all.switching.rescuedViews) = (4, 2, 1)
    return all
  }

  private static var shown: ShownMedia {
    var shown = ShownMedia()
    (shown.items, shown.switchedItems) = (2, 1)
    (shown.media, shown.topMedia, shown.bits) = (time, time / 2, 600_000)
    (shown.joints, shown.switches, shown.changes) = (2, 1, 300_000)
    (shown.played, shown.lengths) = (time, 2 * time)
    return shown
  }

  private static var surface: SurfaceMeasures {
    var seen = SurfaceMeasures()
    seen.sessionTime = time
    (seen.plays, seen.binds, seen.frameMessages, seen.mostPlaying) = (2, 2, 2, 1)
    return seen
  }

  private static var client: ClientMeasures {
    var client = ClientMeasures()
    (client.telemetry.delivered, client.telemetry.posts) = (3, 1)
    (client.pages, client.items, client.storedAhead, client.loops) = (1, 1, 1, 1)
    (client.offlineCuts, client.offlineWanted) = (1, time)
    return client
  }

  @Test func `every row of the feed reads a value for each of its stats`() throws {
    let scenario = try SmallScenario.make([
      "network.access=[{kind: wifi-good}]", "devices=[{kind: mid}]",
    ])
    let made = try #require(scenario.feed)
    let cells = made.networks.count * made.devices.count
    try #require(cells == 1)
    var cohort = CohortSums()
    for view in Self.measures.views { cohort.count(view) }
    var evaluator = MetricEvaluator(Self.measures, cohorts: [cohort], feed: made.feed)
    for row in FeedMetrics.all {
      let part = row.requiredLabel == nil ? "" : "{part=feed}"
      for stat in row.stats {
        let reference = try MetricReference.parse("\(row.name)\(part).\(stat)").get()
        let sample = evaluator.sample(reference)
        #expect(sample.samples > 0, "\(reference)")
        // Nothing waits in the first view but the one that is cold.
        if row.name != "ttff_swipe_ms" {
          #expect(sample.value != nil, "\(reference)")
        }
      }
    }
    func value(_ name: String) throws -> Double? {
      evaluator.sample(try MetricReference.parse(name).get()).value
    }
    #expect(try value("startup_ms{part=feed}.mean") == 2000)
    #expect(try value("not_started_ratio") == 0.5)
    #expect(try value("rebuffer_ratio") == 0.2)
    #expect(try value("hit_ratio") == 0.5)
    #expect(try value("origin_offload") == 0.75)
    #expect(try value("given_up_ratio") == 0)
    #expect(try value("watch_time_ratio") == 0.5)
    #expect(try value("exit_ratio") == 0)
    #expect(try value("switches_per_minute") == 30)
    #expect(abs((try value("smoothness_ratio") ?? 0) - (1 - 300_000 / 4_400_000.0)) < 1e-12)
    // Five times a fifth of stalls: nothing is kept of the one, and the other was left.
    #expect(try value("viewer_score") == 0)
    #expect(try value("stalls_per_view") == 1)
    #expect(try value("pool_create_ratio") == 1)
  }

  @Test func `rows of worlds make a sample for each metric, and none of nothing`() throws {
    func check<Plan, Measures>(
      _ rows: [WorldMetricRow<Plan, Measures>], _ kind: WorldKind, _ plan: Plan,
      _ nothing: Measures
    ) {
      #expect(rows.flatMap(\.metrics) == kind.metrics)
      let run = WorldRun(
        plan, nothing, rows, events: 0, end: .zero, fingerprint: .init())
      #expect(run.samples.count == kind.metrics.count)
      for (metric, sample) in zip(kind.metrics, run.samples) where metric.kind == .time {
        #expect(sample.value == nil && sample.samples == 0, "\(metric.reference)")
      }
    }
    for kind in World.kinds {
      let made = try StudyScenario.parse(
        "version: 1\nname: x\nworld: \(kind.name)\n", file: "w.yaml")
      switch made.plan {
      case .messages(let plan): check(MessagesPlan.metrics, kind, plan, MessagingMeasures())
      case .services(let plan): check(ServicesPlan.metrics, kind, plan, ServicesMeasures())
      case .pipeline(let plan): check(PipelinePlan.metrics, kind, plan, PipelineMeasures())
      case .calls(let plan): check(CallsPlan.metrics, kind, plan, CallsMeasures())
      case .feed, .mixedFeed: Issue.record("\(kind.name) is a world of its own")
      }
    }
  }

  // MARK: The reference

  /// A row of a table of `docs/reference/metrics.md`, by the table's headings.
  private static let documented: [[String: String]] = {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/reference/metrics.md")
    var rows: [[String: String]] = []
    // Of the table that a line is in; the first line of one is its headings.
    var headings: [String] = []
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if !line.hasPrefix("|") {
        headings = []
        continue
      }
      let cells = line.dropFirst().dropLast()
        .split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces) }
      if headings.isEmpty {
        headings = cells
      } else if headings[0] == "metric" {
        rows.append(Dictionary(uniqueKeysWithValues: zip(headings, cells)))
      }
    }
    return rows
  }()

  @Test func `the reference has every metric of the feed as its row has it`() throws {
    for row in FeedMetrics.all {
      let found = try #require(
        Self.documented.first { $0["metric"] == row.name }, "\(row.name) in metrics.md")
      #expect(found["unit"] == row.unit.word, "\(row.name)")
      #expect(found["better"] == (row.isWorseWhenHigher ? "less" : "more"), "\(row.name)")
      let stats = found["stats"] == "times" ? row.stats.joined(separator: ", ") : found["stats"]
      #expect(stats == row.stats.joined(separator: ", "), "\(row.name)")
      if found["stats"] == "times" { #expect(row.stats.count == 12, "\(row.name)") }
      let labels = (found["labels"] ?? "").replacing("(required)", with: "")
        .split(separator: " ").map { String($0) }
      #expect(labels == row.labels, "\(row.name)")
    }
  }

  @Test func `the reference has every metric of the other worlds`() {
    // A capital letter stands for several values of a label.
    func isNamed(_ metric: MetricReference, by text: String) -> Bool {
      let sides = text.split(separator: "{")
      guard sides.first.map({ String($0) }) == metric.metric else { return false }
      let labels = sides.dropFirst().first?.dropLast().split(separator: "=") ?? []
      guard let label = metric.labels.first else { return labels.isEmpty }
      guard labels.count == 2, labels[0] == label.name else { return false }
      return labels[1] == label.value
        || (labels[1].count == 1 && labels[1] == labels[1].uppercased())
    }
    for kind in World.kinds {
      for metric in kind.metrics {
        let rows = Self.documented.filter { row in
          isNamed(metric.reference, by: row["metric"] ?? "")
            && row["unit"] == metric.reference.unit.word
        }
        let better = metric.isWorseWhenHigher ? "less" : "more"
        #expect(
          rows.contains { ($0["better"] ?? "").contains(better) },
          "\(metric.reference) of \(kind.name) in metrics.md")
      }
    }
  }
}
