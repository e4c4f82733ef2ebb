import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What the viewers of one replication asked their edges, in the order in which it arrived there,
/// as a trace that `firstframe replay cache` reads: `time,id,size,node`.
public enum SimulatedRequests {
  public static let header = "time,id,size,node"

  /// Runs one replication of a scenario.
  ///
  /// An id is what the edge knows the object by; the part above 32 bits is the value of a key that
  /// has several for one object. What an app sends again counts again; pages of the feed and posts
  /// do not go to an edge.
  public static func lines(
    _ scenario: FeedStudy, replication: UInt16 = 0, pilots: Pilots = Pilots()
  ) throws(SimulationError) -> [String] {
    let plan = try pilots.plan(
      scenario.configuration, seed: scenario.seed, replication: replication)
    let result = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: replication,
      keepsRequests: true)
    return [header]
      + (result.edgeRequests ?? []).map { request in
        let nanoseconds = (request.at - Instant.zero).nanoseconds
        let fraction = String(nanoseconds % 1_000_000_000)
        let zeros = String(repeating: "0", count: 9 - fraction.utf8.count)
        return "\(nanoseconds / 1_000_000_000).\(zeros)\(fraction),\(request.key),"
          + "\(request.bytes),\(request.edge)"
      }
  }
}
