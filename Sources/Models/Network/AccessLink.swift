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
/// Between events every transfer moves at weight/sum of weights of the rate of the second.
/// Included: the rate process, slow start as waiting time before the fluid part, weights. Left out:
/// queues of other users, the uplink as a shared resource.
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
    let end = now.nanoseconds
    while updatedAt < end && !flows.isEmpty {
      // Up to the next transfer that joins on the way.
      var until = end
      var weight = 0.0
      for flow in flows {
        if flow.joinAt <= updatedAt {
          weight += flow.weight
        } else if flow.joinAt < until {
          until = flow.joinAt
        }
      }
      if weight > 0 {
        let bytes = rate.rate * 1.25e-10 * Double(until - updatedAt) / weight
        for index in 0..<flows.count where flows[index].joinAt <= updatedAt {
          flows[index].remaining -= bytes * flows[index].weight
        }
      }
      updatedAt = until
    }
    updatedAt = end
  }

  /// The session second that contains `now`.
  func second(at now: Instant) -> Int64 { (now - startedAt).nanoseconds / 1_000_000_000 }

  /// When something may change next: a transfer joins others, passes a mark or ends, or the second
  /// is over; nil when idle. A transfer that joins an unused link alone is followed to its end at
  /// once.
  func nextChange(after now: Instant) -> Instant? {
    if flows.isEmpty { return nil }
    let current = now.nanoseconds
    let boundary = startedAt.nanoseconds + (second(at: now) + 1) * 1_000_000_000
    if flows.count == 1 {
      let begin = flows[0].joinAt > current ? flows[0].joinAt : current
      if begin >= boundary { return Instant(nanoseconds: begin) }
      return Instant(nanoseconds: finish(flows[0], from: begin, perWeight: 1, before: boundary))
    }
    var next = boundary
    let weight = activeWeight(current)
    let perWeight = weight > 0 ? 1 / weight : 1
    for flow in flows {
      if flow.joinAt > current {
        if flow.joinAt < next || weight == 0 && next == boundary { next = flow.joinAt }
      } else {
        let share = flow.weight * perWeight
        next = finish(flow, from: current, perWeight: share, before: next)
      }
    }
    return Instant(nanoseconds: next)
  }

  /// When a transfer with a share of the link passes its mark or ends, if that is before `limit`.
  private func finish(
    _ flow: Flow, from begin: Int64, perWeight share: Double, before limit: Int64
  ) -> Int64 {
    var bytes = flow.remaining
    if flow.markAt >= 0 && flow.remaining > flow.markAt { bytes -= flow.markAt }
    let time = bytes / (rate.rate * 1.25e-10 * share)
    if time >= Double(limit - begin) { return limit }
    return begin + (time > 0 ? Int64(time) + 1 : 0)
  }

  /// A transfer that has passed its mark or ended at the present time, marks first; nil when none
  /// has.
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
