import MediaUnits
import Scenario
import SimulationKernel

/// What the viewers of one replication asked their edges, in the order in which it arrived there,
/// as a trace that `firstframe replay cache` reads: `time,id,size,node`.
public enum SimulatedRequests {
  public static let header = "time,id,size,node"

  /// Runs one replication of a scenario.
  ///
  /// An id is what the edge knows the object by; the part above 32 bits is the value of a key that
  /// has several for one object.
  public static func lines(
    _ scenario: FeedStudy, replication: UInt16 = 0, pilots: Pilots = Pilots()
  ) throws(SimulationError) -> [String] {
    let rows = try SimulatedRows(scenario, replication: replication, pilots: pilots)
    return [header]
      + rows.requests.map { request in
        let nanoseconds = (request.at - Instant.zero).nanoseconds
        let fraction = String(nanoseconds % 1_000_000_000)
        let zeros = String(repeating: "0", count: 9 - fraction.utf8.count)
        return "\(nanoseconds / 1_000_000_000).\(zeros)\(fraction),\(request.key),"
          + "\(request.bytes),\(request.edge)"
      }
  }
}
