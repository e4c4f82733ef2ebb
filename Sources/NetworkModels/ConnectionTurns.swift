import SimulationKernel

/// One connection's sender: whose turn it is, and whether it pauses.
///
/// As ``StreamDealer`` deals a connection's bytes, for a link whose rate and other transfers change
/// while they come: a response has a turn of ``StreamDealer/turnBytes`` and goes behind the others,
/// a new one waits behind those that are there. A weight makes turns longer or shorter.
struct ConnectionTurns {
  /// Until when the sender pauses.
  var pausedUntil = Int64.min
  /// The ``Flow/place`` of the response whose turn it is, or -1 when nobody's is.
  var holder = -1
  /// Wire bytes that are left of its turn.
  var left = 0.0
  /// The place behind all others.
  var next = 0

  /// The next response begins its turn.
  mutating func begin(_ place: Int, weight: Double) {
    holder = place
    left += ConnectionTurns.turn(weight)
    // What the turn before had too much does not make this one less than a packet.
    if left < ConnectionTurns.leastTurn { left = ConnectionTurns.leastTurn }
  }

  /// The only response there goes on, turn after turn.
  mutating func renew(weight: Double) {
    let turn = ConnectionTurns.turn(weight)
    let over = left < 0 ? -left : 0
    left = turn - (over - Double(Int64(over / turn)) * turn)
  }

  /// Nobody's turn is left over for the next one.
  mutating func end() {
    holder = -1
    left = 0
  }

  /// A place behind all others.
  mutating func takePlace() -> Int {
    next += 1
    return next - 1
  }

  private static let leastTurn = 1_502.0

  /// Wire bytes of a turn.
  private static func turn(_ weight: Double) -> Double {
    // Payload and headers of full packets, as network.md section 7 has them.
    Double(StreamDealer.turnBytes) * (1_502.0 / 1_448.0) * weight
  }
}

/// How the transfers of a link move on, connection by connection: a view of memory that others own.
///
/// - Complexity: a step costs two passes over the transfers.
struct TurnMotion {
  /// What is done of the link's time in a step.
  struct Use {
    /// Whether a transfer for the current item was on the link, and the share of prefetches.
    var isWaitedFor = false
    var prefetch = 0.0
  }

  /// Connections that a viewer has where responses take turns: to the edge and to the feed's host.
  static let connections = 2

  let flows: UnsafeMutablePointer<Flow>
  let count: Int
  /// By ``place(of:)``: senders, what they have to send and when they pause on the way.
  let senders: UnsafeMutablePointer<ConnectionTurns>
  let streams: UnsafeMutablePointer<SenderPauses>

  /// What never comes takes at least so long, nanoseconds.
  private static let longest = 4e18

  /// The sender of a connection, by its number.
  @inline(__always)
  static func place(of connection: Int) -> Int { connection == 0 ? 0 : 1 }

  /// What a connection does at a time.
  private struct Activity {
    /// Place of the transfer that is served, or -1.
    var served = -1
    /// Transfers that are there, the one that is served among them.
    var present = 0
    /// The largest of their weights; zero while the sender pauses.
    var weight = 0.0
  }

  /// Whose turn it is on a connection at `time`; who has none yet gets it.
  private func look(at sender: Int, _ time: Int64) -> Activity {
    var activity = Activity()
    var first = -1
    for index in 0..<count
    where TurnMotion.place(of: flows[index].connection) == sender
      && flows[index].usesLink(at: time)
    {
      activity.present += 1
      if flows[index].weight > activity.weight { activity.weight = flows[index].weight }
      if flows[index].place == senders[sender].holder { activity.served = index }
      if first < 0 || flows[index].place < flows[first].place { first = index }
    }
    if activity.present == 0 { return activity }
    if senders[sender].pausedUntil > time {
      activity.weight = 0
      activity.served = -1
      return activity
    }
    if activity.served < 0 {
      activity.served = first
      senders[sender].begin(flows[first].place, weight: flows[first].weight)
    }
    return activity
  }

  /// Wire bytes until something happens to the transfer that is served.
  private func step(_ activity: Activity, of sender: Int) -> Double {
    let flow = flows[activity.served]
    var bytes = flow.remaining
    if flow.markAt >= 0 && bytes > flow.markAt + AccessLink.leastBytes { bytes -= flow.markAt }
    if activity.present > 1 && senders[sender].left < bytes { bytes = senders[sender].left }
    let pause = streams[sender].next
    return pause < bytes ? pause : bytes
  }

  /// When something happens next after `time`: a transfer comes, a turn or a pause begins or ends,
  /// one passes its mark or ends, or may tell so; `.max` for never.
  ///
  /// - Parameter rate: of the link, bytes a nanosecond.
  /// - Returns: also whether any transfer uses the link until then.
  func next(after time: Int64, rate: Double) -> (time: Int64, isUsed: Bool) {
    var next = Int64.max
    for index in 0..<count {
      if flows[index].joinAt > time {
        if flows[index].joinAt < next { next = flows[index].joinAt }
      } else if flows[index].held.contains(time) && flows[index].held.until < next {
        next = flows[index].held.until
      }
    }
    let edge = look(at: 0, time)
    let service = look(at: 1, time)
    let weight = edge.weight + service.weight
    for sender in 0..<TurnMotion.connections {
      let activity = sender == 0 ? edge : service
      if activity.present == 0 { continue }
      if activity.served < 0 {
        if senders[sender].pausedUntil < next { next = senders[sender].pausedUntil }
        continue
      }
      // A rate of zero makes this infinite.
      let byte = weight / (rate * activity.weight) + streams[sender].dilution
      let span = step(activity, of: sender) * byte
      if span < (next == .max ? TurnMotion.longest : Double(next - time)) {
        let end = time + Int64(span) + 1
        if end < next { next = end }
      }
    }
    return (next, weight > 0)
  }

  /// Moves the transfers from `time` to `end`, which is not after what happens next.
  func move(from time: Int64, to end: Int64, rate: Double) -> Use {
    var use = Use()
    let edge = look(at: 0, time)
    let service = look(at: 1, time)
    let weight = edge.weight + service.weight
    if weight <= 0 { return use }
    let span = Double(end - time)
    for sender in 0..<TurnMotion.connections {
      let activity = sender == 0 ? edge : service
      if activity.served < 0 { continue }
      let share = activity.weight / weight
      for index in 0..<count
      where TurnMotion.place(of: flows[index].connection) == sender
        && flows[index].usesLink(at: time)
      {
        if flows[index].role == .current { use.isWaitedFor = true }
        if rate > 0 { flows[index].lost += span * (index == activity.served ? 1 - share : 1) }
      }
      if flows[activity.served].role == .prefetch { use.prefetch += share }
      let byte = 1 / (rate * share) + streams[sender].dilution
      serve(activity, of: sender, span / byte, at: end)
    }
    return use
  }

  /// The transfer in turn has got so many bytes by `now`.
  private func serve(_ activity: Activity, of sender: Int, _ bytes: Double, at now: Int64) {
    let flow = flows + activity.served
    let wasBeforeMark = flow.pointee.remaining > flow.pointee.markAt + AccessLink.leastBytes
    flow.pointee.remaining -= bytes
    if flow.pointee.remaining <= AccessLink.leastBytes { flow.pointee.remaining = 0 }
    streams[sender].serve(bytes)
    senders[sender].left -= bytes
    let isAtMark = flow.pointee.remaining <= flow.pointee.markAt + AccessLink.leastBytes
    if flow.pointee.markAt >= 0 && wasBeforeMark && isAtMark {
      hold(flow, for: flow.pointee.stallAfterMark, at: now)
      flow.pointee.stallAfterMark = 0
    }
    let isOver = flow.pointee.remaining == 0
    if isOver {
      hold(flow, for: flow.pointee.waitAtEnd, at: now)
      senders[sender].end()
    } else if senders[sender].left <= AccessLink.leastBytes {
      if activity.present > 1 {
        flow.pointee.place = senders[sender].takePlace()
        senders[sender].holder = -1
      } else {
        senders[sender].renew(weight: flow.pointee.weight)
      }
    }
    if streams[sender].next > AccessLink.leastBytes { return }
    let span = streams[sender].take()
    let hasMore = !isOver || activity.present > 1
    if hasMore && span > 0 { senders[sender].pausedUntil = now &+ span }
  }

  /// What is missing before a mark or an end has to come once more.
  private func hold(_ flow: UnsafeMutablePointer<Flow>, for wait: Int64, at now: Int64) {
    let until = now &+ wait
    if wait > 0 && until > flow.pointee.held.until {
      flow.pointee.held = HeldSpan(from: now, until: until)
    }
  }

  /// Whether a transfer has passed its mark or ended and may tell so at `time`.
  func isAnyDue(at time: Int64) -> Bool {
    for index in 0..<count
    where flows[index].joinAt <= time && !flows[index].held.contains(time) {
      let remaining = flows[index].remaining
      if remaining <= AccessLink.leastBytes { return true }
      if flows[index].markAt >= 0
        && remaining <= flows[index].markAt + AccessLink.leastBytes
      {
        return true
      }
    }
    return false
  }
}

/// What a link whose responses take turns keeps beside its transfers.
struct LinkTurns: ~Copyable {
  /// By ``TurnMotion/place(of:)``; behind them those of the trial.
  let senders: UnsafeMutablePointer<ConnectionTurns>
  let streams: UnsafeMutablePointer<SenderPauses>
  /// Transfers of the trial.
  private var tried: UnsafeMutablePointer<Flow>
  private var capacity = LinkTurns.step

  /// Room for transfers that is there from the beginning.
  private static let step = 8
  /// Senders of the link and of the trial.
  private static let places = 2 * TurnMotion.connections

  init() {
    senders = .allocate(capacity: LinkTurns.places)
    senders.initialize(repeating: ConnectionTurns(), count: LinkTurns.places)
    streams = .allocate(capacity: LinkTurns.places)
    streams.initialize(repeating: SenderPauses(), count: LinkTurns.places)
    tried = .allocate(capacity: LinkTurns.step)
  }

  deinit {
    senders.deallocate()
    streams.deallocate()
    tried.deallocate()
  }

  /// Memory of one, bytes.
  static var bytes: Int {
    places * (MemoryLayout<ConnectionTurns>.stride + MemoryLayout<SenderPauses>.stride)
      + step * MemoryLayout<Flow>.stride
  }

  /// As for a link without transfers.
  mutating func reset() {
    for place in 0..<TurnMotion.connections {
      senders[place] = ConnectionTurns()
      streams[place] = SenderPauses()
    }
  }

  /// How these transfers move.
  func motion(of flows: borrowing FlowList) -> TurnMotion? {
    guard let first = flows.flows else { return nil }
    return TurnMotion(flows: first, count: flows.count, senders: senders, streams: streams)
  }

  /// How copies of them would, which changes nothing that others see.
  mutating func trial(of flows: borrowing FlowList) -> TurnMotion {
    if flows.count > capacity {
      tried.deallocate()
      while capacity < flows.count { capacity += capacity }
      tried = .allocate(capacity: capacity)
    }
    for index in 0..<flows.count { (tried + index).initialize(to: flows[index]) }
    for place in 0..<TurnMotion.connections {
      senders[TurnMotion.connections + place] = senders[place]
      streams[TurnMotion.connections + place] = streams[place]
    }
    return TurnMotion(
      flows: tried, count: flows.count, senders: senders + TurnMotion.connections,
      streams: streams + TurnMotion.connections)
  }
}
