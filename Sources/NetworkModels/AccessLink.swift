import MediaUnits
import ModelBasics
import SimulationKernel

/// One transfer on a viewer's link.
public struct Flow {
  /// What a transfer is for.
  public enum Role: UInt8 { case current, prefetch, other }

  /// When it starts to use the link, or goes on; before that it waits in slow start.
  public var joinAt: Int64
  /// Bytes on the wire still to come.
  public var remaining: Double
  /// Wire bytes remaining at which the next mark is passed. Negative when no mark is left: minus
  /// the bytes that remained at the last one, or -1.
  public var markAt: Double
  /// Nanoseconds for which it leaves the link again once the mark is passed: rounds of slow start
  /// and recovery that come after the mark.
  public var stallAfterMark: Int64
  /// Nanoseconds for which its last bytes wait for repairs, where responses take turns.
  var waitAtEnd: Int64 = 0
  /// Weight in the sharing.
  public var weight: Double
  /// What it would have been spared if it had had the link to itself, nanoseconds.
  public var lost = 0.0
  /// What arrives in this time is handed over at its end: a packet of another transfer on the same
  /// connection is missing before it.
  public var held = HeldSpan()
  /// The request it answers.
  @Packed<Int16> public private(set) var request: Int
  /// Number of its connection among the viewer's.
  @Packed<Int8> public private(set) var connection: Int
  /// Whom it is for.
  var role: Role
  /// Its number in the viewer's cell, or -1.
  @Packed<Int32> public var cellFlow = -1
  /// Where it stands among the responses of its connection that take turns: the least is next.
  @Packed<Int32> var place = 0

  public init(
    request: Int, joinAt: Int64, remaining: Double, markAt: Double, stallAfterMark: Int64 = 0,
    weight: Double, role: Role, connection: Int, held: HeldSpan = HeldSpan()
  ) {
    self.joinAt = joinAt
    self.remaining = remaining
    self.markAt = markAt
    self.stallAfterMark = stallAfterMark
    self.weight = weight
    self.held = held
    self.role = role
    self.request = request
    self.connection = connection
  }

  /// The mark is passed: what it still waits for comes before its next byte.
  @inline(__always)
  mutating func passMark(at time: Int64) {
    markAt = remaining > 1 ? -remaining : -1
    if stallAfterMark > 0 { joinAt = time + stallAfterMark }
  }

  /// Bytes of `left` that have not come yet, at a rate in bytes a nanosecond. The rounds of slow
  /// start after the mark are a wait at first and bytes afterwards; really they bring bytes, round
  /// by round, which is taken as evenly from the mark to the end.
  func spread(_ left: Double, rate: Double, at time: Int64) -> Double {
    if markAt >= 0 || stallAfterMark == 0 || rate <= 0 { return left }
    let since = Double(time - joinAt + stallAfterMark)
    let rest = left / rate + Double(joinAt > time ? joinAt - time : 0)
    let even = since + rest > 0 ? -markAt * rest / (since + rest) : left
    return even < left ? even : left
  }

  /// Whether its bytes are on the link: it has joined, and not all of them have come.
  func usesLink(at time: Int64) -> Bool { joinAt <= time && remaining > 0 }
}

/// A time in which the bytes of a connection wait for a lost packet, nanoseconds.
public struct HeldSpan {
  public var from: Int64 = 0
  public var until: Int64 = 0

  public init(from: Int64 = 0, until: Int64 = 0) {
    self.from = from
    self.until = until
  }

  func contains(_ time: Int64) -> Bool { time >= from && time < until }
}

/// How much of a link's time the current item's transfers lost to prefetches, nanoseconds.
public struct Contention {
  /// Time in which a transfer for the current item used the link.
  public var foreground = 0.0
  /// The part of it that went to prefetches.
  public var lost = 0.0

  public init() {}
}

/// A viewer's downlink: a server that the transfers share in proportion to their weights, or a
/// connection at a time by its sender (``LinkSharing``).
///
/// Between events every transfer moves at weight/sum of weights of the rate of the second.
/// Included: the rate process, slow start and recovery as waiting time before the fluid part and at
/// its mark, weights, rates of zero. Left out: the uplink as a shared resource. Where responses
/// take turns that holds for connections, and their rounds lie where their senders pause.
public struct AccessLink: ~Copyable {
  private let byAddress = ByAddress()
  /// Its transfers.
  public var flows = FlowList()
  /// Its rate over time.
  public var rate: LinkRate
  /// Whether a cell moves the transfers; the link then keeps the books only.
  let isInCell: Bool
  let startedAt: Instant
  /// What prefetches have cost so far.
  public var contention = Contention()
  /// Whose turn it is; nil where transfers share by weight.
  let turns: UnsafeMutablePointer<LinkTurns>?
  private var updatedAt: Int64

  public init(rate: LinkRate, isInCell: Bool, at now: Instant) {
    self.init(rate: rate, isInCell: isInCell, turns: nil, at: now)
  }

  /// - Parameter turns: of a link without transfers; it outlives this one.
  init(
    rate: LinkRate, isInCell: Bool, turns: UnsafeMutablePointer<LinkTurns>?, at now: Instant
  ) {
    self.rate = rate
    self.isInCell = isInCell
    self.turns = turns
    startedAt = now
    updatedAt = now.nanoseconds
  }

  /// Bytes that are taken for none: a transfer with so little left has ended.
  static let leastBytes = 1e-3

  /// Transfers under way, waiting ones included.
  public var count: Int { flows.count }

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
  public func share(of connection: Int, weight: Double, at now: Instant) -> Double {
    if turns != nil {
      return rate.rate * 1e-9 * shareInTurns(of: connection, weight: weight, at: now.nanoseconds)
    }
    var others = 0.0
    for index in 0..<flows.count
    where flows[index].usesLink(at: now.nanoseconds) && flows[index].connection != connection {
      others += flows[index].weight
    }
    return rate.rate * 1e-9 * weight / (others + weight)
  }

  /// What a transfer gets of the link at `now`, bytes a nanosecond.
  func share(of flow: Flow, at now: Instant) -> Double {
    if turns != nil {
      return rate.rate * 1.25e-10 * shareInTurns(of: flow, at: now.nanoseconds)
    }
    let own = flow.usesLink(at: now.nanoseconds) ? flow.weight : 0
    let others = activeWeight(now.nanoseconds) - own
    return rate.rate * 1.25e-10 * flow.weight / (others + flow.weight)
  }

  /// The part of the link that a connection would get whose largest weight is `weight` at least.
  private func shareInTurns(of connection: Int, weight: Double, at now: Int64) -> Double {
    var own = weight
    var others = 0.0
    for index in 0..<flows.count where flows[index].usesLink(at: now) {
      let flow = flows[index]
      if flow.connection == connection {
        if flow.weight > own { own = flow.weight }
      } else if flow.weight > others {
        others = flow.weight
      }
    }
    return own / (own + others)
  }

  /// The part of the link that a transfer gets, turns of its connection taken together.
  private func shareInTurns(of flow: Flow, at now: Int64) -> Double {
    var sum = flow.usesLink(at: now) ? 0 : flow.weight
    for index in 0..<flows.count
    where flows[index].connection == flow.connection && flows[index].usesLink(at: now) {
      sum += flows[index].weight
    }
    let share = shareInTurns(of: flow.connection, weight: flow.weight, at: now)
    return share * flow.weight / sum
  }

  /// What a connection has to send, behind which an answer begins; nil where transfers share by
  /// weight.
  func stream(of connection: Int) -> UnsafeMutablePointer<SenderPauses>? {
    guard let turns else { return nil }
    let stream = turns.pointee.streams + TurnMotion.place(of: connection)
    for index in 0..<flows.count
    where flows[index].connection == connection && flows[index].remaining > 0 {
      return stream
    }
    stream.pointee = SenderPauses()
    turns.pointee.senders[TurnMotion.place(of: connection)].pausedUntil = .min
    return stream
  }

  /// Whether a connection's sender is still in rounds that do not fill the link.
  func isPausing(_ connection: Int) -> Bool {
    guard let turns else { return false }
    return !turns.pointee.streams[TurnMotion.place(of: connection)].isEmpty
  }

  /// Whether any transfer uses the link.
  @inline(__always)
  public func isBusy(at now: Instant) -> Bool { activeWeight(now.nanoseconds) > 0 }

  /// Lets a transfer begin.
  public mutating func add(_ flow: Flow) {
    flows.append(flow)
    if let turns {
      let sender = turns.pointee.senders + TurnMotion.place(of: flow.connection)
      flows[flows.count - 1].place = sender.pointee.takePlace()
    }
  }

  /// Takes a transfer away; nil when there is none.
  public mutating func remove(request: Int) -> Flow? {
    for index in 0..<flows.count where flows[index].request == request {
      let flow = flows.remove(at: index)
      if let turns {
        let sender = TurnMotion.place(of: flow.connection)
        if flow.remaining > 0 { turns.pointee.streams[sender].withdraw(flow.remaining) }
        if turns.pointee.senders[sender].holder == flow.place {
          turns.pointee.senders[sender].end()
        }
      }
      return flow
    }
    return nil
  }

  /// Wire bytes that the transfers of a link outside a cell still bring.
  public var backlog: Double {
    var sum = 0.0
    for index in 0..<flows.count where flows[index].remaining > 0 { sum += flows[index].remaining }
    return sum
  }

  /// What arrives on a connection in this time is handed over at its end.
  public mutating func hold(connection: Int, _ span: HeldSpan) {
    for index in 0..<flows.count where flows[index].connection == connection {
      flows[index].held = span
    }
  }

  /// The current item waits for this transfer from now on; what it has lost to others so far, or
  /// nil when there is no such transfer.
  public mutating func promote(request: Int) -> Double? {
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
    if let turns {
      advanceInTurns(to: end, turns)
      updatedAt = end
      return
    }
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
      for index in 0..<flows.count {
        if flows[index].usesLink(at: updatedAt) {
          weight += flows[index].weight
          if flows[index].role == .prefetch { prefetch += flows[index].weight }
          if flows[index].role == .current { isWaitedFor = true }
        } else if flows[index].joinAt > updatedAt && flows[index].joinAt < until {
          until = flows[index].joinAt
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

  /// The same where responses take turns.
  @inline(never)
  private mutating func advanceInTurns(to end: Int64, _ turns: UnsafeMutablePointer<LinkTurns>) {
    guard !flows.isEmpty, let motion = turns.pointee.motion(of: flows) else { return }
    let bytes = rate.rate * 1.25e-10
    while updatedAt < end {
      let next = motion.next(after: updatedAt, rate: bytes).time
      let until = next < end ? next : end
      let use = motion.move(from: updatedAt, to: until, rate: bytes)
      if use.isWaitedFor && bytes > 0 {
        let time = Double(until - updatedAt)
        contention.foreground += time
        contention.lost += time * use.prefetch
      }
      updatedAt = until
    }
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
  public func isAt(_ now: Instant) -> Bool {
    updatedAt == now.nanoseconds && age(at: now) < rate.boundary
  }

  /// Moves transfers and rate on to the last change of the rate before `now` that a transfer saw.
  ///
  /// - Returns: when the rate has changed; nil when nothing is left but ``advance(to:)`` and the
  ///   rate itself.
  @inline(__always)
  public mutating func step(
    before now: Instant, session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing DrawSources
  ) -> Instant? {
    if flows.isEmpty || age(at: now) <= rate.boundary { return nil }
    return stepOn(session: session, profile: profile, sources: sources)
  }

  @inline(never)
  private mutating func stepOn(
    session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing DrawSources
  ) -> Instant? {
    let change = startedAt + TimeSpan(nanoseconds: rate.boundary)
    if change.nanoseconds < updatedAt { return nil }
    advance(to: change)
    rate.advance(to: rate.boundary, session: session, profile: profile, sources: sources)
    return change
  }

  /// Moves the transfers and then the rate on to `now`.
  public mutating func advance(
    to now: Instant, session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing DrawSources
  ) {
    while step(before: now, session: session, profile: profile, sources: sources) != nil {}
    advance(to: now)
    rate.advance(to: age(at: now), session: session, profile: profile, sources: sources)
  }

  /// The rate that a transfer is priced at, bits per nanosecond: a link that is down now is taken
  /// at its mean, because waiting for it is not slow start.
  @inline(__always)
  public func usable(_ share: Double) -> Double {
    let priced = share > 0 ? share : rate.mean * 1e-9
    return priced < 1e-6 ? 1e-6 : priced
  }

  /// Nanoseconds since the session's start.
  func age(at now: Instant) -> Int64 { (now - startedAt).nanoseconds }

  /// When a transfer passes its mark or ends, if none joins and none is taken away until then; nil
  /// when none ever does. Joins and rates on the way are foreseen, step by step as ``advance(to:)``
  /// will take them; after very many of them the time of the last is given.
  public func nextChange(
    after now: Instant, session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing DrawSources
  ) -> Instant? {
    if flows.isEmpty { return nil }
    if isInCell { return nextBooking(after: now.nanoseconds) }
    if let turns {
      return nextInTurns(
        turns, after: now.nanoseconds, session: session, profile: profile, sources: sources)
    }
    if flows.count == 1 {
      // Nine in ten end before the rate changes.
      let begin = flows[0].joinAt > now.nanoseconds ? flows[0].joinAt : now.nanoseconds
      let boundary = rate.boundary == .max ? .max : startedAt.nanoseconds + rate.boundary
      if begin < boundary {
        let end = finish(
          flows[0], flows[0].remaining, from: begin, perWeight: 1, rate, before: boundary)
        if end < boundary { return Instant(nanoseconds: end) }
        if end == .max { return nil }
      }
    }
    if flows.count > AccessLink.mostForeseen {
      let step = step(from: now.nanoseconds, rate, Foreseen(of: flows))
      return step.time == .max ? nil : Instant(nanoseconds: step.time)
    }
    var left = Foreseen(of: flows)
    var present = rate
    var time = now.nanoseconds
    for _ in 0..<AccessLink.mostSteps {
      let step = step(from: time, present, left)
      if step.time == .max { return nil }
      if step.isEnd { return Instant(nanoseconds: step.time) }
      if step.weight > 0 {
        let bytes = present.rate * 1.25e-10 * Double(step.time - time) / step.weight
        for index in 0..<flows.count where left.usesLink(flows[index], index, at: time) {
          left.bytes[index] -= bytes * flows[index].weight
        }
      }
      time = step.time
      let age = time - startedAt.nanoseconds
      if age >= present.boundary {
        present.advance(to: age, session: session, profile: profile, sources: sources)
      }
      for index in 0..<flows.count
      where flows[index].joinAt <= time && !flows[index].held.contains(time) {
        let bytes = left.bytes[index]
        let isMarked = flows[index].markAt >= 0 && bytes <= flows[index].markAt + 1e-3
        if isMarked || bytes <= 1e-3 { return Instant(nanoseconds: time) }
      }
    }
    return Instant(nanoseconds: time)
  }

  /// The same where responses take turns; after very many turns the time of the last is given.
  @inline(never)
  private func nextInTurns(
    _ turns: UnsafeMutablePointer<LinkTurns>, after now: Int64, session: UInt32,
    profile: UnsafeMutablePointer<NetworkProfile>, sources: borrowing DrawSources
  ) -> Instant? {
    let motion = turns.pointee.trial(of: flows)
    var present = rate
    var time = now
    for _ in 0..<AccessLink.mostTurns {
      let bytes = present.rate * 1.25e-10
      let step = motion.next(after: time, rate: bytes)
      var next = step.time
      // An unused link's rate does not matter before the first transfer joins.
      if step.isUsed && present.boundary != .max {
        let boundary = startedAt.nanoseconds + present.boundary
        if boundary < next { next = boundary }
      }
      if next == .max { return nil }
      _ = motion.move(from: time, to: next, rate: bytes)
      time = next
      let age = time - startedAt.nanoseconds
      if age >= present.boundary {
        present.advance(to: age, session: session, profile: profile, sources: sources)
      }
      if motion.isAnyDue(at: time) { break }
    }
    return Instant(nanoseconds: time)
  }

  /// Transfers whose joins are foreseen, and steps.
  private static let mostForeseen = 16
  private static let mostSteps = 64
  private static let mostTurns = 256

  /// Bytes that transfers will have left at a later time.
  private struct Foreseen {
    var bytes: InlineArray<16, Double>

    @inline(__always)
    init(of flows: borrowing FlowList) {
      bytes = InlineArray(repeating: 0)
      let count = flows.count < AccessLink.mostForeseen ? flows.count : AccessLink.mostForeseen
      for index in 0..<count { bytes[index] = flows[index].remaining }
    }

    @inline(__always)
    func left(_ flow: Flow, _ index: Int) -> Double {
      index < AccessLink.mostForeseen ? bytes[index] : flow.remaining
    }

    @inline(__always)
    func usesLink(_ flow: Flow, _ index: Int, at time: Int64) -> Bool {
      flow.joinAt <= time && left(flow, index) > 0
    }
  }

  /// What happens next after `time`: a transfer passes its mark or ends, or else one joins or the
  /// rate changes; with the weight of those that use the link until then.
  @inline(__always)
  private func step(
    from time: Int64, _ rate: LinkRate, _ left: borrowing Foreseen
  ) -> (time: Int64, isEnd: Bool, weight: Double) {
    var weight = 0.0
    var next = Int64.max
    for index in 0..<flows.count {
      if flows[index].joinAt > time {
        if flows[index].joinAt < next { next = flows[index].joinAt }
      } else if left.left(flows[index], index) > 0 {
        weight += flows[index].weight
      }
    }
    // An unused link's rate does not matter before the first transfer joins.
    if weight > 0 && rate.boundary != .max {
      let boundary = startedAt.nanoseconds + rate.boundary
      if boundary < next { next = boundary }
    }
    let perWeight = weight > 0 ? 1 / weight : 1
    let limit = next
    for index in 0..<flows.count where flows[index].joinAt <= time {
      let share = flows.count == 1 ? 1 : flows[index].weight * perWeight
      next = finish(
        flows[index], left.left(flows[index], index), from: time, perWeight: share, rate,
        before: next)
    }
    return (next, next < limit, weight)
  }

  /// In a cell: when a transfer joins it, or the caps of those in it change.
  private func nextBooking(after current: Int64) -> Instant? {
    var next = Int64.max
    if rate.boundary != .max { next = startedAt.nanoseconds + rate.boundary }
    for index in 0..<flows.count
    where flows[index].cellFlow < 0 && flows[index].joinAt < next {
      next = flows[index].joinAt > current ? flows[index].joinAt : current
    }
    return next == .max ? nil : Instant(nanoseconds: next)
  }

  /// When a transfer with a share of the link passes its mark or ends, if that is before `limit`.
  private func finish(
    _ flow: Flow, _ left: Double, from begin: Int64, perWeight share: Double, _ rate: LinkRate,
    before limit: Int64
  ) -> Int64 {
    var bytes = left
    if flow.markAt >= 0 && left > flow.markAt { bytes -= flow.markAt }
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
  public mutating func takeFinished(at now: Instant) -> (request: Int, isEnd: Bool, lost: Double)? {
    let time = now.nanoseconds
    for index in 0..<flows.count
    where flows[index].joinAt <= time && !flows[index].held.contains(time) {
      if flows[index].markAt >= 0 && flows[index].remaining <= flows[index].markAt + 1e-3 {
        flows[index].passMark(at: time)
        return (flows[index].request, false, flows[index].lost)
      }
    }
    for index in 0..<flows.count
    where flows[index].joinAt <= time && !flows[index].held.contains(time) {
      if flows[index].remaining <= 1e-3 {
        let flow = flows.remove(at: index)
        return (flow.request, true, flow.lost)
      }
    }
    return nil
  }

  mutating func removeAll() { flows.removeAll() }
}
