import Models
import Scenario
import SimulationKernel

/// One replication of a feed, simulated by itself for what a result does not keep: every view, and
/// every request to an edge.
public struct SimulatedRows: Sendable {
  public let replication: UInt16
  /// In the order in which they settled.
  public let views: [ViewRecord]
  /// In the order in which they arrived at the edges. What an app sends again counts again; pages
  /// of the feed and posts do not go to an edge.
  public let requests: [EdgeRequest]

  /// Runs one replication of a scenario.
  ///
  /// - Parameters:
  ///   - shuffleTies: permutes simultaneous events with this seed, as in the study.
  ///   - keepsRequests: without it there are no requests.
  public init(
    _ scenario: FeedStudy, replication: UInt16 = 0, shuffleTies: UInt64? = nil,
    keepsRequests: Bool = true, pilots: Pilots = Pilots()
  ) throws(SimulationError) {
    let plan = try pilots.plan(
      scenario.configuration, seed: scenario.seed, replication: replication)
    let result = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: replication,
      shuffleTies: shuffleTies, keepsRequests: keepsRequests)
    self.replication = replication
    views = result.measures.views.sorted {
      ($0.settledAt, $0.session, $0.item) < ($1.settledAt, $1.session, $1.item)
    }
    requests = result.edgeRequests ?? []
  }
}
