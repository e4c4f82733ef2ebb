import MediaUnits
import SimulationKernel

/// When each session asked for each of its titles first.
struct FirstRequests {
  private var places = LookupTable(capacity: 1024)
  private var times: [Instant] = []

  /// The time of a session's first request for a title; `now` when this is the one.
  mutating func first(_ title: UInt32, of session: UInt32, at now: Instant) -> Instant {
    let key = UInt64(session) << 32 | UInt64(title)
    if let place = places[key] { return times[Int(place)] }
    places.set(key, to: UInt32(times.count))
    times.append(now)
    return now
  }
}
