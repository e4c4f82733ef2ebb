import Foundation
import MediaUnits
import Models
import Scenario
import Testing

@testable import Studies

/// Dashboards' names: of metrics that every result has, as the reference has them, and with the
/// values that their own definitions give for the same stream of events.
@Suite struct IndustryNameTests {
  @Test func `each name is that of a metric which every result holds`() throws {
    let standard = Study.standardMetrics(try SmallScenario.make())
    for names in IndustryNames.allCases {
      #expect(!names.document.isEmpty && Set(names.rows.map(\.name)).count == names.rows.count)
      for row in names.rows {
        if let metric = row.metric { #expect(standard.contains(metric), "\(row.name)") }
        #expect(row.metric != nil || !row.difference.isEmpty, "\(row.name)")
      }
    }
  }

  @Test func `the reference has every row as it is`() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/reference/industry-names.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let documented = text.split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| theirs")
    }.map(String.init)
    let rows = IndustryNames.allCases.flatMap { names in
      names.rows.map { row in
        let ours = row.metric.map { "`\(row.unit == .rest ? "1 - " : "")\($0)`" } ?? "–"
        return "| \(row.name) | \(ours) | \(row.difference) |"
      }
    }
    #expect(documented == rows)
  }

  // MARK: The same stream of events

  /// What a player tells of a view, in order.
  private enum Event {
    case playAsked(Instant)
    case firstFrame(Instant)
    case stalled(times: Int, seconds: Double)
    case played(seconds: Double)
    case ended(Instant)
  }

  private static func events(_ view: ViewRecord) -> [Event] {
    let asked = view.settledAt + (view.ttff - view.ttffPlay)
    var events = [Event.playAsked(asked)]
    if view.hasStarted { events.append(.firstFrame(asked + view.ttffPlay)) }
    if view.stalls > 0 {
      events.append(.stalled(times: Int(view.stalls), seconds: view.stalled.seconds))
    }
    events.append(.played(seconds: view.played.seconds))
    if !view.flags.contains(.cut) {
      let wall = view.ttffPlay + view.played + view.stalled
      events.append(.ended(asked + wall))
    }
    return events
  }

  /// A view as a dashboard puts it together.
  private struct Session {
    var startup: Double?
    var stalls = 0
    var stalled = 0.0
    var played = 0.0
    /// Nil: it goes on.
    var wall: Double?

    init(_ events: [Event]) {
      var asked = Instant.zero
      for event in events {
        switch event {
        case .playAsked(let at): asked = at
        case .firstFrame(let at): startup = (at - asked).seconds
        case .stalled(let times, let seconds): (stalls, stalled) = (times, seconds)
        case .played(let seconds): played = seconds
        case .ended(let at): wall = (at - asked).seconds
        }
      }
    }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// The least value with at least the share at or below it.
  private static func quantile(_ values: [Double], _ p: Double) -> Double {
    let sorted = values.sorted()
    return sorted[max(0, Int((p * Double(sorted.count)).rounded(.up)) - 1)]
  }

  @Test func `both sides of the table give one number for one stream of events`() throws {
    let made = try #require(
      SmallScenario.make([
        "network.access=[{kind: 3g}, {kind: lte}]", "policy.prefetch.itemsAhead=0",
        "audience.viewsPerDayPerEdge=10000000", "audience.sessionLength=1 min",
      ]).feed)
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let result = try FeedRun.run(made.configuration, plan: plan, seed: 1, replication: 0)
    let views = result.measures.views
    let sessions = views.map { Session(Self.events($0)) }
    #expect(sessions.count > 100 && result.measures.counts.sessionsCut == 0)
    let started = sessions.filter { $0.startup != nil }
    let left = sessions.filter { $0.startup == nil && $0.wall != nil }
    #expect(!left.isEmpty && started.contains { $0.stalls > 0 })
    let startups = started.compactMap(\.startup)
    let stalled = sessions.reduce(0) { $0 + $1.stalled }
    let played = sessions.reduce(0) { $0 + $1.played }
    var success = started.map { _ in 100.0 }
    for session in left where (session.wall ?? 0) >= 1 { success.append(50) }
    // Their watch time holds every wait, ours of this metric begins when the swipe has settled.
    let settling = views.reduce(0) { $0 + ($1.ttff - $1.ttffPlay).seconds }
    let watched = sessions.reduce(settling) { $0 + ($1.wall ?? 0) }
    let smoothness = zip(views, sessions).filter { $0.0.hasStarted }.map { view, session in
      let wall = (session.wall ?? 0) + (view.ttff - view.ttffPlay).seconds
      let share = wall > 0 ? session.stalled / wall : 0
      return 50 / (1 + pow(Double(session.stalls) / 2, 2)).squareRoot() + 50 * exp(-10 * share)
    }
    let theirs: [(String, Double)] = [
      ("ttff_play_ms.p50_started", 1000 * Self.quantile(startups, 0.5)),
      ("ttff_play_ms.p95_started", 1000 * Self.quantile(startups, 0.95)),
      ("startup_score_mux.mean", Self.mean(startups.map { 800 / (8 + $0) })),
      ("not_started_ratio.ratio", Double(left.count) / Double(sessions.count)),
      ("rebuffer_ratio_mux.ratio", stalled / watched),
      (
        "rebuffers_per_minute_mux.rate",
        Double(sessions.reduce(0) { $0 + $1.stalls }) / (watched / 60)
      ),
      ("smoothness_score_mux.mean", Self.mean(smoothness)),
      ("rebuffer_ratio.ratio", stalled / (stalled + played)),
      ("ttff_ms.mean", 1000 * Self.mean(views.filter(\.hasStarted).map(\.ttff.seconds))),
      (
        "stalls_per_view.mean",
        Double(sessions.reduce(0) { $0 + $1.stalls }) / Double(sessions.count)
      ),
    ]
    let digest = ReplicationDigest(
      result, replication: 0, feed: made.feed, metrics: theirs.map { .known($0.0) },
      lateLimit: .seconds(1))
    for ((name, value), sample) in zip(theirs, digest.samples) {
      let ours = try #require(sample.value, "\(name)")
      #expect(abs(ours - value) <= 1e-4 * max(1, abs(value)), "\(name): \(ours), theirs \(value)")
    }
    // Who left within a second of the settling has no score; of the call of play() it may be less.
    let score = ReplicationDigest(
      result, replication: 0, feed: made.feed,
      metrics: [.known("playback_success_score_mux.mean")], lateLimit: .seconds(1)
    ).samples[0]
    #expect(abs((score.value ?? 0) - Self.mean(success)) < 1)
  }
}
