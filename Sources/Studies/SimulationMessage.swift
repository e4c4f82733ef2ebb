import ForeignPolicies
import MediaUnits
import SimulationKernel

extension SimulationError {
  /// What the simulation ran into, with the event at which it stopped as its world calls it.
  public var message: String {
    let most: String
    switch code {
    case .eventLimit: most = "at most \(limit) events in a replication"
    case .sameInstantLimit: most = "at most \(limit) events at one instant"
    case .policyFailed:
      return ForeignFailure.first
        ?? "policy.prefetch: expected a policy of the program here, got a process"
    }
    return "internal error: expected \(most), got more; the last was \"\(event)\" for \(target) "
      + "from \(source) at \((time - Instant.zero).seconds) s"
  }
}
