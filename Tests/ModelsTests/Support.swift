import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// A scenario for tests: S01's world with a small audience, and changes as `--set` has them.
func scenario(
  _ changes: [String] = [], window: String = "90 s", file: String = "scenarios/test.yaml"
) throws -> FeedStudy {
  let text = "version: 1\nname: test\ncdn: {ttl: {segments: {maxAge: 7 d}}}\n"
  return try FeedStudy.parse(
    text, file: file,
    overrides: (["audience.window=\(window)"] + changes).map { Override(set: $0) })
}

/// One replication of a scenario.
func run(_ scenario: FeedStudy, replication: UInt16 = 0) throws -> FeedRunResult {
  let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
  return try FeedRun.run(
    scenario.configuration, plan: plan, seed: scenario.seed, replication: replication)
}

/// A link and devices without any variation, so that times can be computed by hand.
let constantWorld = [
  "network.access[0].sessionRate=20 Mbps", "network.access[0].rateSigma=0",
  "network.access[0].outageStart=0", "network.access[0].roundTrip=30 ms",
  "network.access[0].loss=0", "network.access[0].uplink=100 Gbps",
  "network.access[0].nameLookup=25 ms", "feed.latency=20 ms",
  "cdn.edge.serviceTime=4 ms", "cdn.start={kind: everything}",
  "devices=[{kind: mid, playerCreation: 10 ms, decoderSetup: 100 ms, decoderReuse: 8 ms, "
    + "firstDecode: 30 ms, presentation: none, mainThread: none, stress: none}]",
  "catalogue.duration=20 s", "catalogue.titleScale=1", "catalogue.segmentVariation=0.05",
  "catalogue.firstSegmentRatio=1", "policy.abr={kind: fixed, rung: 1}",
  "policy.player.posters=false",
]

extension FeedRunResult {
  /// The views of each session in their order, by session.
  var sessions: [[ViewRecord]] { FeedRunResult.grouped(measures.views) }

  /// Views by session, in their order.
  static func grouped(_ views: [ViewRecord]) -> [[ViewRecord]] {
    var order: [UInt32: Int] = [:]
    var sessions: [[ViewRecord]] = []
    for view in views {
      if let place = order[view.session] {
        sessions[place].append(view)
      } else {
        order[view.session] = sessions.count
        sessions.append([view])
      }
    }
    return sessions.sorted { $0[0].session < $1[0].session }
  }
}

/// The value at a share of a sorted list.
func percentile(_ values: [Int64], _ p: Double) -> Int64 {
  let sorted = values.sorted()
  precondition(!sorted.isEmpty)
  return sorted[min(sorted.count - 1, Int(Double(sorted.count) * p))]
}

/// Segment hit ratio of a stationary start less that of a warm-up of `minutes`, in one replication.
func stationaryExcess(
  _ set: [String], minutes: Int, replication: UInt16
) throws -> Double {
  func ratio(_ start: String) throws -> Double {
    let edge = try run(
      scenario(set + ["cdn.start=\(start)"], window: "20 min"), replication: replication
    ).measures.edge
    let all = CacheOutcome.allCases.reduce(0) { $0 + edge.requests(.segment, $1) }
    return Double(edge.requests(.segment, .hit)) / Double(all)
  }
  return try ratio("{kind: stationary}") - ratio("{kind: warmed, period: \(minutes) min}")
}
