import MediaUnits
import SimulationKernel

/// One transfer on a viewer's link.
struct Flow {
  enum Role: UInt8 { case current, prefetch, other }

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
  /// Whom it is for.
  var role: Role
  /// Number of its connection among the viewer's.
  var connection: Int
  /// What it would have been spared if it had had the link to itself, nanoseconds.
  var lost = 0.0
  /// Its number in the viewer's cell, or -1.
  var cellFlow = -1
  /// What arrives in this time is handed over at its end: a packet of another transfer on the same
  /// connection is missing before it.
  var held = HeldSpan()

  /// Whether its bytes are on the link: it has joined, and not all of them have come.
  func usesLink(at time: Int64) -> Bool { joinAt <= time && remaining > 0 }
}

/// A time in which the bytes of a connection wait for a lost packet, nanoseconds.
struct HeldSpan {
  var from: Int64 = 0
  var until: Int64 = 0

  func contains(_ time: Int64) -> Bool { time >= from && time < until }
}

/// How much of a link's time the current item's transfers lost to prefetches, nanoseconds.
struct Contention {
  /// Time in which a transfer for the current item used the link.
  var foreground = 0.0
  /// The part of it that went to prefetches.
  var lost = 0.0
}

/// A viewer's downlink: a server that the transfers share in proportion to their weights.
///
/// Between events every transfer moves at weight/sum of weights of the rate of the second.
/// Included: the rate process, slow start and recovery as waiting time before the fluid part,
/// weights, rates of zero. Left out: the uplink as a shared resource.
struct AccessLink {
  var flows: [Flow] = []
  var rate: LinkRate
  /// Whether a cell moves the transfers; the link then keeps the books only.
  let isInCell: Bool
  let startedAt: Instant
  var contention = Contention()
  private var updatedAt: Int64

  init(rate: LinkRate, isInCell: Bool, at now: Instant) {
    self.rate = rate
    self.isInCell = isInCell
    startedAt = now
    updatedAt = now.nanoseconds
    flows.reserveCapacity(8)
  }

  /// Transfers under way, waiting ones included.
  var count: Int { flows.count }

  /// Total weight of the transfers that use the link at `now`.
  @inline(__always)
  private func activeWeight(_ now: Int64) -> Double {
    var sum = 0.0
    for index in 0..<flows.count where flows[index].usesLink(at: now) {
      sum += flows[index].weight
    }
    return sum
  }

  /// Rate that a connection would get whose transfers together weigh `weight`, bits per nanosecond:
  /// the transfers of other connections take their shares.
  ///
  /// Changes nothing; `mutating` because the compiler would copy the link otherwise.
  mutating func share(of connection: Int, weight: Double, at now: Instant) -> Double {
    var others = 0.0
    for index in 0..<flows.count
    where flows[index].usesLink(at: now.nanoseconds) && flows[index].connection != connection {
      others += flows[index].weight
    }
    return rate.rate * 1e-9 * weight / (others + weight)
  }

  /// Whether any transfer uses the link.
  @inline(__always)
  func isBusy(at now: Instant) -> Bool { activeWeight(now.nanoseconds) > 0 }

  mutating func add(_ flow: Flow) { flows.append(flow) }

  /// Takes a transfer away; nil when there is none.
  mutating func remove(request: Int) -> Flow? {
    for index in 0..<flows.count where flows[index].request == request {
      let flow = flows[index]
      flows.swapAt(index, flows.count - 1)
      flows.removeLast()
      return flow
    }
    return nil
  }

  /// The current item waits for this transfer from now on; what it has lost to others so far, or
  /// nil when there is no such transfer.
  mutating func promote(request: Int) -> Double? {
    for index in 0..<flows.count where flows[index].request == request {
      flows[index].weight = 1
      flows[index].role = .current
      return flows[index].lost
    }
    return nil
  }

  /// Moves the transfers forward to `now`. The rate must not have changed since the last call.
  mutating func advance(to now: Instant) {
    let end = now.nanoseconds
    if flows.count == 1 {
      advanceOnly(to: end)
      updatedAt = end
      return
    }
    while updatedAt < end && !flows.isEmpty {
      // Up to the next transfer that joins on the way.
      var until = end
      var weight = 0.0
      var prefetch = 0.0
      var isWaitedFor = false
      for flow in flows {
        if flow.usesLink(at: updatedAt) {
          weight += flow.weight
          if flow.role == .prefetch { prefetch += flow.weight }
          if flow.role == .current { isWaitedFor = true }
        } else if flow.joinAt > updatedAt && flow.joinAt < until {
          until = flow.joinAt
        }
      }
      if weight > 0 {
        let time = Double(until - updatedAt)
        let bytes = rate.rate * 1.25e-10 * time / weight
        for index in 0..<flows.count where flows[index].usesLink(at: updatedAt) {
          if !isInCell { flows[index].remaining -= bytes * flows[index].weight }
          if rate.rate > 0 { flows[index].lost += time * (1 - flows[index].weight / weight) }
        }
        if isWaitedFor && rate.rate > 0 {
          contention.foreground += time
          contention.lost += time * (prefetch / weight)
        }
      }
      updatedAt = until
    }
    updatedAt = end
  }

  /// The same for a transfer that is alone, which loses nothing to others.
  @inline(__always)
  private mutating func advanceOnly(to end: Int64) {
    var flow = flows[0]
    let begin = flow.joinAt > updatedAt ? flow.joinAt : updatedAt
    if begin >= end || flow.remaining <= 0 || flow.weight <= 0 { return }
    let time = Double(end - begin)
    if !isInCell {
      let bytes = rate.rate * 1.25e-10 * time / flow.weight
      flow.remaining -= bytes * flow.weight
      flows[0].remaining = flow.remaining
    }
    if flow.role == .current && rate.rate > 0 { contention.foreground += time }
  }

  /// Whether transfers and rate are those of `now` already.
  @inline(__always)
  func isAt(_ now: Instant) -> Bool {
    updatedAt == now.nanoseconds && age(at: now) < rate.boundary
  }

  /// Moves the transfers and then the rate on to `now`.
  mutating func advance(
    to now: Instant, session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing LinkRate.Sources
  ) {
    advance(to: now)
    rate.advance(to: age(at: now), session: session, profile: profile, sources: sources)
  }

  /// The rate that a transfer is priced at, bits per nanosecond: a link that is down now is taken
  /// at its mean, because waiting for it is not slow start.
  @inline(__always)
  func usable(_ share: Double) -> Double {
    let priced = share > 0 ? share : rate.mean * 1e-9
    return priced < 1e-6 ? 1e-6 : priced
  }

  /// Nanoseconds since the session's start.
  func age(at now: Instant) -> Int64 { (now - startedAt).nanoseconds }

  /// When something may change next: a transfer joins others, passes a mark or ends, or the rate
  /// changes; nil when nothing ever will. A transfer that joins an unused link alone is followed to
  /// its end at once.
  func nextChange(after now: Instant) -> Instant? {
    if flows.isEmpty { return nil }
    let current = now.nanoseconds
    if isInCell { return nextBooking(after: current) }
    let boundary = rate.boundary == .max ? .max : startedAt.nanoseconds + rate.boundary
    if flows.count == 1 {
      let begin = flows[0].joinAt > current ? flows[0].joinAt : current
      if begin >= boundary { return Instant(nanoseconds: begin) }
      let end = finish(flows[0], from: begin, perWeight: 1, before: boundary)
      return end == .max ? nil : Instant(nanoseconds: end)
    }
    let weight = activeWeight(current)
    let perWeight = weight > 0 ? 1 / weight : 1
    // An unused link's rate does not matter before the first transfer joins.
    var next = weight > 0 ? boundary : Int64.max
    for flow in flows {
      if flow.joinAt > current {
        if flow.joinAt < next { next = flow.joinAt }
      } else {
        let share = flow.weight * perWeight
        next = finish(flow, from: current, perWeight: share, before: next)
      }
    }
    return next == .max ? nil : Instant(nanoseconds: next)
  }

  /// In a cell: when a transfer joins it, or the caps of those in it change.
  private func nextBooking(after current: Int64) -> Instant? {
    var next = Int64.max
    if rate.boundary != .max { next = startedAt.nanoseconds + rate.boundary }
    for flow in flows where flow.cellFlow < 0 && flow.joinAt < next {
      next = flow.joinAt > current ? flow.joinAt : current
    }
    return next == .max ? nil : Instant(nanoseconds: next)
  }

  /// When a transfer with a share of the link passes its mark or ends, if that is before `limit`.
  private func finish(
    _ flow: Flow, from begin: Int64, perWeight share: Double, before limit: Int64
  ) -> Int64 {
    var bytes = flow.remaining
    if flow.markAt >= 0 && flow.remaining > flow.markAt { bytes -= flow.markAt }
    var end = begin
    if bytes > 0 {
      // A rate of zero makes this infinite.
      let time = bytes / (rate.rate * 1.25e-10 * share)
      if time >= Double(limit - begin) { return limit }
      end += Int64(time) + 1
    }
    if flow.held.contains(end) { end = flow.held.until }
    return end < limit ? end : limit
  }

  /// A transfer that has passed its mark or ended at the present time, marks first, with what it
  /// lost to the others; nil when none has.
  mutating func takeFinished(at now: Instant) -> (request: Int, isEnd: Bool, lost: Double)? {
    let time = now.nanoseconds
    for index in 0..<flows.count
    where flows[index].joinAt <= time && !flows[index].held.contains(time) {
      if flows[index].markAt >= 0 && flows[index].remaining <= flows[index].markAt + 1e-3 {
        flows[index].markAt = -1
        return (flows[index].request, false, flows[index].lost)
      }
    }
    for index in 0..<flows.count
    where flows[index].joinAt <= time && !flows[index].held.contains(time) {
      if flows[index].remaining <= 1e-3 {
        let flow = flows[index]
        flows.swapAt(index, flows.count - 1)
        flows.removeLast()
        return (flow.request, true, flow.lost)
      }
    }
    return nil
  }

  mutating func removeAll() { flows.removeAll(keepingCapacity: true) }
}
