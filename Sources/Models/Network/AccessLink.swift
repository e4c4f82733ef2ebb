import MediaUnits
import SimulationKernel

/// One transfer on a viewer's link.
struct Flow {
  /// The request it answers.
  var request: Int
  /// When it starts to use the link; before that it waits in slow start.
  var joinAt: Int64
  /// Bytes on the wire still to come.
  var remaining: Double
  /// Wire bytes remaining at which the next mark is passed; negative when no mark is left.
  var markAt: Double
  /// Weight in the sharing.
  var weight: Double
}

/// A viewer's downlink: a server that the transfers share in proportion to their weights.
///
/// Between events every transfer moves at weight/sum of weights of the rate of the second. Included:
/// the rate process, slow start as waiting time before the fluid part, weights. Left out: queues of
/// other users, the uplink as a shared resource.
struct AccessLink {
  private(set) var flows: [Flow] = []
  var rate: LinkRate
  let startedAt: Instant
  private var updatedAt: Int64

  init(rate: LinkRate, at now: Instant) {
    self.rate = rate
    startedAt = now
    updatedAt = now.nanoseconds
    flows.reserveCapacity(8)
  }

  /// Transfers under way, waiting ones included.
  var count: Int { flows.count }

  /// Total weight of the transfers that use the link at `now`.
  private func activeWeight(_ now: Int64) -> Double {
    var sum = 0.0
    for flow in flows where flow.joinAt <= now { sum += flow.weight }
    return sum
  }

  /// Rate that one more transfer of `weight` would get, bits per nanosecond.
  func share(weight: Double, at now: Instant) -> Double {
    rate.rate * 1e-9 * weight / (activeWeight(now.nanoseconds) + weight)
  }

  /// Whether any transfer uses the link.
  func isBusy(at now: Instant) -> Bool { activeWeight(now.nanoseconds) > 0 }

  /// Wire bytes that the present transfers still bring.
  var backlog: Double {
    var sum = 0.0
    for flow in flows { sum += flow.remaining }
    return sum
  }

  mutating func add(_ flow: Flow) { flows.append(flow) }

  /// Takes a transfer away and returns its remaining wire bytes, or nil when there is none.
  mutating func remove(request: Int) -> Double? {
    for index in 0..<flows.count where flows[index].request == request {
      let remaining = flows[index].remaining
      flows.swapAt(index, flows.count - 1)
      flows.removeLast()
      return remaining
    }
    return nil
  }

  mutating func changeWeight(request: Int, to weight: Double) {
    for index in 0..<flows.count where flows[index].request == request {
      flows[index].weight = weight
    }
  }

  /// Moves the transfers forward to `now`. The rate must not have changed since the last call.
  mutating func advance(to now: Instant) {
    let elapsed = Double(now.nanoseconds - updatedAt)
    if elapsed > 0 && !flows.isEmpty {
      // No transfer joins between two events: joining is an event of its own.
      let weight = activeWeight(updatedAt)
      if weight > 0 {
        let bytes = rate.rate * 1.25e-10 * elapsed / weight
        for index in 0..<flows.count where flows[index].joinAt <= updatedAt {
          flows[index].remaining -= bytes * flows[index].weight
        }
      }
    }
    updatedAt = now.nanoseconds
  }

  /// The session second that contains `now`.
  func second(at now: Instant) -> Int64 { (now - startedAt).nanoseconds / 1_000_000_000 }

  /// When the next transfer joins, passes a mark, ends, or the second is over; nil when idle.
  func nextChange(after now: Instant) -> Instant? {
    if flows.isEmpty { return nil }
    let current = now.nanoseconds
    let weight = activeWeight(current)
    var next = startedAt.nanoseconds + (second(at: now) + 1) * 1_000_000_000
    let perWeight = rate.rate * 1.25e-10 / (weight > 0 ? weight : 1)
    for flow in flows {
      if flow.joinAt > current {
        if flow.joinAt < next { next = flow.joinAt }
        continue
      }
      var bytes = flow.remaining
      if flow.markAt >= 0 && flow.remaining > flow.markAt { bytes -= flow.markAt }
      let time = bytes / (perWeight * flow.weight)
      if time < Double(next - current) {
        let at = current + (time > 0 ? Int64(time.rounded(.up)) : 0)
        if at < next { next = at }
      }
    }
    return Instant(nanoseconds: next)
  }

  /// A transfer that has passed its mark or ended at the present time, marks first; nil when none has.
  mutating func takeFinished(at now: Instant) -> (request: Int, isEnd: Bool)? {
    for index in 0..<flows.count where flows[index].joinAt <= now.nanoseconds {
      if flows[index].markAt >= 0 && flows[index].remaining <= flows[index].markAt + 1e-3 {
        flows[index].markAt = -1
        return (flows[index].request, false)
      }
    }
    for index in 0..<flows.count where flows[index].joinAt <= now.nanoseconds {
      if flows[index].remaining <= 1e-3 {
        let request = flows[index].request
        flows.swapAt(index, flows.count - 1)
        flows.removeLast()
        return (request, true)
      }
    }
    return nil
  }

  mutating func removeAll() { flows.removeAll(keepingCapacity: true) }
}
