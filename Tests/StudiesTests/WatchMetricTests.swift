import MediaUnits
import Models
import Scenario
import Testing

@testable import FeedModel
@testable import Studies

/// What product people count, recomputed from the views of a small run.
@Suite struct WatchMetricTests {
  private struct Replication {
    let result: FeedRunResult
    let feed: FeedWorldPlan

    init(_ changes: [String]) throws {
      feed = try #require(SmallScenario.make(changes).feed).feed
      let plan = try FeedRun.plan(feed.configuration, seed: 1)
      result = try FeedRun.run(feed.configuration, plan: plan, seed: 1, replication: 0)
    }

    var views: [ViewRecord] { result.measures.views }

    func sample(_ name: String) throws -> MetricSample {
      ReplicationDigest(
        result, replication: 0, feed: feed, metrics: [try MetricReference.parse(name).get()],
        lateLimit: .seconds(1)
      ).samples[0]
    }

    func value(_ name: String) throws -> Double { try #require(try sample(name).value, "\(name)") }
  }

  /// Sessions that all end before the run does, on links that are slow enough for waits.
  private static let slow = [
    "network.access=[{kind: 3g}, {kind: lte}]", "audience.sessionLength=1 min",
    "audience.viewsPerDayPerEdge=20000000", "policy.prefetch.itemsAhead=0",
  ]

  @Test(arguments: ["", "audience.exits={perLateSecond: 0.3, perStalledSecond: 0.5}"])
  func `exits are the last views of sessions among those that had to wait`(_ exits: String)
    throws
  {
    let run = try Replication(Self.slow + (exits.isEmpty ? [] : [exits]))
    #expect(run.result.measures.counts.sessionsCut == 0)
    var sessions: [UInt32: ViewRecord] = [:]
    for view in run.views {
      if let other = sessions[view.session], other.settledAt > view.settledAt { continue }
      sessions[view.session] = view
    }
    func isLast(_ view: ViewRecord) -> Bool {
      sessions[view.session].map { $0.settledAt == view.settledAt } ?? false
    }
    let kinds: [(String, (ViewRecord) -> Bool)] = [
      ("exit_ratio{after=stall}", { $0.stalls > 0 }),
      ("exit_ratio{after=slow_start}", { $0.ttff > .seconds(2) }),
      ("exit_ratio{after=nothing}", { $0.stalls == 0 && $0.ttff <= .seconds(2) }),
      ("exit_ratio", { $0.stalls > 0 || $0.ttff > .seconds(2) }),
    ]
    for (name, belongs) in kinds {
      let views = run.views.filter(belongs)
      let sample = try run.sample(name)
      #expect(sample.samples == Int64(views.count) && sample.samples > 5, "\(name)")
      #expect(sample.numerator == Double(views.count(where: isLast)), "\(name)")
    }
    if !exits.isEmpty {
      #expect(try run.value("exit_ratio") > run.value("exit_ratio{after=nothing}"))
    }
  }

  @Test func `watch time is over the lengths of the titles of views that ended`() throws {
    let run = try Replication(Self.slow + ["catalogue.duration=20 s"])
    let known = run.views.filter { !$0.flags.contains(.cut) && $0.title != .max }
    let played = known.reduce(0) { $0 + $1.played.seconds }
    let value = try run.value("watch_time_ratio")
    #expect(known.count > 100 && known.contains { !$0.hasStarted })
    #expect(abs(value - played / (20 * Double(known.count))) < 1e-9)
    #expect(value > 0.1 && value < 1)
    let loops = try Replication([
      "catalogue.duration=8 s", "audience.maximumLoops=20",
      "audience.personas=[{kind: watcher, completionScale: 1.7}]",
    ])
    #expect(try loops.value("watch_time_ratio") > 1)
    let reference = MetricReference.known("watch_time_ratio")
    #expect(reference.bounds == 0...Double.infinity && !reference.isShare)
  }

  @Test func `a view's score falls by what waiting is known to take`() throws {
    let run = try Replication(Self.slow)
    var (sum, count) = (0.0, 0)
    for view in run.views where !view.flags.contains(.cut) {
      count += 1
      if !view.hasStarted { continue }
      let late = max(0, view.ttff.seconds - 2)
      let wall = view.played.seconds + view.stalled.seconds
      let share = wall > 0 ? view.stalled.seconds / wall : 0
      sum += 100 * max(0, 1 - 0.058 * late) * max(0, 1 - 5 * share)
    }
    let score = try run.value("viewer_score")
    #expect(abs(score - sum / Double(count)) < 1e-4)
    #expect(score > 0 && score < 99)
    let better = try Replication(["network.access=[{kind: wifi-good}]"])
    #expect(try better.value("viewer_score") > score)
    #expect(!MetricReference.known("viewer_score").isWorseWhenHigher)
  }

  @Test func `a fixed rung is steady, a cap that is lifted is not, and one rung has no data`()
    throws
  {
    let fixed = try Replication([
      "policy.abr={kind: fixed, rung: 1}", "policy.startupCap.rate=none",
    ])
    #expect(try fixed.value("switches_per_minute") == 0)
    #expect(try fixed.value("smoothness_ratio") == 1)
    let capped = try Replication(["policy.startupCap.rate=300 kbps"])
    let shown = capped.result.measures.shown.reduce(into: ShownMedia()) { $0.add($1) }
    let minutes = Double(shown.media) / 60e9
    let rate = try capped.value("switches_per_minute")
    #expect(abs(rate - Double(shown.switches) / minutes) < 1e-9)
    #expect(shown.switches >= shown.switchedItems && shown.switches < shown.joints)
    let smoothness = try capped.value("smoothness_ratio")
    #expect(smoothness > 0 && smoothness < 1)
    // Each change is at least one rung of the ladder, and at most all of it.
    let changes = Double(shown.changes)
    #expect(changes >= 300_000 * Double(shown.switches))
    #expect(changes <= 2_200_000 * Double(shown.switches))
    let single = try Replication(["catalogue.ladder=[600 kbps]"])
    #expect(try single.sample("smoothness_ratio").value == nil)
  }

  @Test func `labels of an exit are checked`() {
    func fault(_ text: String) -> String? {
      if case .failure(let fault) = MetricReference.parse(text) { return fault.expected }
      return nil
    }
    #expect(fault("exit_ratio{after=slow_start,network=3g}") == nil)
    #expect(fault("exit_ratio{after=noise}")?.contains("stall, slow_start, nothing") == true)
    #expect(fault("not_started_ratio{after=stall}")?.contains("a label of") == true)
  }

  @Test func `a mixed feed has no data of exits, and its scores all the same`() throws {
    let made = try FeedStudy.parse(
      "version: 1\nname: x\nsurface: {}\naudience: {window: 20 s}\n", file: "s.yaml")
    let names = Study.standardMetrics(made.scenario).map(\.description)
    #expect(!names.contains("exit_ratio.ratio") && names.contains("viewer_score.mean"))
    var measures = FeedMeasures(
      networks: made.feed.networks.count, devices: made.feed.devices.count)
    measures.views = [
      ViewRecord(
        session: 0, item: 0, title: 0, network: 0, device: 0, flags: [.started], firstRung: 0,
        settledAt: .zero, ttff: .seconds(3), ttffPlay: .seconds(3), played: .seconds(8),
        stalled: .zero, stalls: 1, parts: StartupParts())
    ]
    let cells = made.feed.networks.count * made.feed.devices.count
    var evaluator = MetricEvaluator(
      measures, cohorts: [CohortSums](repeating: CohortSums(), count: cells), feed: made.feed)
    let exits = evaluator.sample(.known("exit_ratio"))
    #expect(exits.value == nil && exits.samples == 0)
    #expect(evaluator.sample(.known("viewer_score")).value == 94.2)
  }
}
