import MediaUnits
import ServicePolicy

/// The breaker before the ranker, where there is one; without it every call passes.
///
/// Calls are numbered from 1, by the numbers of the pages that want them.
struct RankerBreaker: Sendable {
  private var machine: CircuitBreaker?
  private var commands: [CircuitBreaker.Command] = []

  init(_ configuration: CircuitBreaker.Configuration?) {
    machine = configuration.map { CircuitBreaker($0) }
  }

  /// Whether a page's call may go out.
  mutating func admits(page number: UInt32, at now: Instant) -> Bool {
    tell(.asked(call: UInt64(number) + 1), at: now)
    if case .refuse = commands.first { return false }
    return true
  }

  /// What became of a page's call.
  mutating func note(page number: UInt32, isInTime: Bool, at now: Instant) {
    let call = UInt64(number) + 1
    tell(isInTime ? .succeeded(call: call) : .failed(call: call), at: now)
  }

  private mutating func tell(_ event: CircuitBreaker.Event, at now: Instant) {
    commands.removeAll(keepingCapacity: true)
    machine?.handle(event, at: now, into: &commands)
  }
}
