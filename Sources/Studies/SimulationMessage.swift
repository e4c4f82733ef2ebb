import MediaUnits
import SimulationKernel

extension SimulationError {
  /// What the simulation ran into, with the event at which it stopped as its world calls it.
  public var message: String {
    let most =
      switch code {
      case .eventLimit: "at most \(limit) events in a replication"
      case .sameInstantLimit: "at most \(limit) events at one instant"
      }
    return "internal error: expected \(most), got more; the last was \"\(event)\" for \(target) "
      + "from \(source) at \((time - Instant.zero).seconds) s"
  }
}
