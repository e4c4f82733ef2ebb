import MediaUnits
import SimulationKernel

/// When each session asked first for anything of each of its items.
public struct FirstRequests {
  private var places = LookupTable(capacity: 1024)
  private var times: [Instant] = []

  public init() {}

  /// The time of a session's first request for an item; nil when there was none.
  public func known(_ item: UInt32, of session: UInt32) -> Instant? {
    places[UInt64(session) << 32 | UInt64(item)].map { times[Int($0)] }
  }

  /// Notes a session's first request for an item.
  public mutating func add(_ item: UInt32, of session: UInt32, at now: Instant) {
    places.set(UInt64(session) << 32 | UInt64(item), to: UInt32(times.count))
    times.append(now)
  }
}
