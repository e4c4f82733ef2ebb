import SimulationKernel

/// A queue that connections share, told what comes as time goes by: the chunk tier for who does not
/// know all flows beforehand.
///
/// The clock is the bottleneck's, which is the clients': what a server sends is offered to the
/// queue half a round trip later, which is when its first byte would be with the client over an
/// empty link. So what a server does at a time matters here half a round trip later, and up to then
/// the queue's future is known.
///
/// - Complexity: an event is an acknowledgement, a timer or a burst, O(log connections); memory
///   grows with what is in flight.
struct ChunkQueue {
  /// What a client has got.
  struct Report: Equatable {
    var flow: Int
    var time: Int64
    /// Whether all of it is there, or what its mark is about.
    var isEnd: Bool
  }

  private var shared: ChunkShared
  private var connections: [ChunkConnection] = []
  /// When each connection acts next, and when flows begin and when servers stop them.
  private var heap = IndexedHeap<Int64>(entities: 0)
  private var starts = IndexedHeap<Int64>(entities: 0)
  private var stops = IndexedHeap<Int64>(entities: 0)
  /// What is known and has not been told: twice a flow's number, and one more for its end.
  private var reports = IndexedHeap<Int64>(entities: 0)
  private var freeConnections: [Int32] = []
  private var freeLinks: [Int32] = []
  private var freeFlows: [Int32] = []
  /// Flows that were withdrawn and of which packets are under way.
  private var withdrawn = FrontQueue<Int32>()
  /// Whether a flow's answer interests nobody any more.
  private var isWithdrawn: [Bool] = []
  private(set) var now: Int64 = 0
  /// Events so far.
  private(set) var events = 0

  init(_ settings: ChunkShared.Settings, link: ChunkLink) {
    shared = ChunkShared(
      settings: settings, link: link, pool: ChunkPool(capacity: 64), flows: [],
      recordsRounds: false)
  }

  // MARK: - Links behind the queue

  /// A link of so many bits per second that some connections pass behind the queue.
  mutating func openLink(rate: Double) -> Int {
    let link = TandemLink(rate: rate)
    if let free = freeLinks.popLast() {
      shared.links[Int(free)] = link
      return Int(free)
    }
    shared.links.append(link)
    return shared.links.count - 1
  }

  /// Its rate is another one for what leaves the queue from now on.
  mutating func changeLink(_ link: Int, to rate: Double) { shared.links[link].change(to: rate) }

  mutating func closeLink(_ link: Int) { freeLinks.append(Int32(truncatingIfNeeded: link)) }

  // MARK: - Connections

  /// A connection whose handshake is over, with no data sent.
  ///
  /// - Parameters:
  ///   - sample: round trip of its last flight, queueing included; nil without one.
  ///   - link: what its packets pass behind the queue; -1 for nothing.
  mutating func open(
    roundTrip: Int64, sample: Int64?, loss: LossGaps, link: Int = -1
  ) -> Int {
    let place = freeConnections.popLast().map { Int($0) } ?? connections.count
    var connection = ChunkConnection(
      number: place, settings: shared.settings, loss: loss, warmWindow: nil)
    connection.join(roundTrip: roundTrip, sample: sample, link: link)
    if place < connections.count {
      connections[place] = connection
    } else {
      connections.append(connection)
      heap.reserve(connections.count)
    }
    return place
  }

  /// A connection is given up, with all that is under way on it.
  mutating func close(_ connection: Int) {
    for flow in 0..<shared.flows.count
    where Int(shared.flows[flow].connection) == connection {
      forget(flow)
    }
    connections[connection].abandon(&shared.pool)
    heap.remove(connection)
    freeConnections.append(Int32(truncatingIfNeeded: connection))
  }

  // MARK: - Flows

  /// A response of `bytes` of payload begins on a connection: its first packet is offered at
  /// `time`, which may be to come, or when the window allows.
  ///
  /// - Parameter mark: payload that the client waits for; 0 for none.
  /// - Returns: its number until it has ended or is withdrawn.
  mutating func begin(bytes: Int64, mark: Int64, on connection: Int, at time: Int64) -> Int {
    let flow = takeFlow()
    shared.flows[flow] = ChunkFlow(connection: connection, bytes: bytes, mark: mark, at: time)
    isWithdrawn[flow] = false
    starts.set(flow, to: time > now ? time : now)
    return flow
  }

  private mutating func takeFlow() -> Int {
    while !withdrawn.isEmpty && isGone(Int(withdrawn.first)) {
      freeFlows.append(withdrawn.first)
      withdrawn.drop(from: 0, to: 1)
    }
    if let free = freeFlows.popLast() { return Int(free) }
    shared.flows.append(ChunkFlow(connection: -1, bytes: 0, mark: 0, at: 0))
    isWithdrawn.append(false)
    reports.reserve(2 * shared.flows.count)
    starts.reserve(shared.flows.count)
    stops.reserve(shared.flows.count)
    return shared.flows.count - 1
  }

  /// Whether nothing of a withdrawn flow is under way, and its client waits for nothing before it.
  private func isGone(_ flow: Int) -> Bool {
    let state = shared.flows[flow]
    return state.stage != .responding && state.missing == 0
      && (state.firstSequence < 0 || state.firstByteAt >= 0)
  }

  /// A response is not wanted any more: nothing more is told of it, and its server sends no more of
  /// it from `time` on, which may be to come; what is under way then still comes.
  mutating func withdraw(_ flow: Int, at time: Int64) {
    reports.remove(2 * flow)
    reports.remove(2 * flow + 1)
    isWithdrawn[flow] = true
    stops.set(flow, to: time > now ? time : now)
  }

  /// Payload that has not come, what is in the queue not among it.
  func left(of flow: Int) -> Int64 {
    let state = shared.flows[flow]
    return state.bytes - state.arrived
  }

  private mutating func forget(_ flow: Int) {
    reports.remove(2 * flow)
    reports.remove(2 * flow + 1)
    starts.remove(flow)
    shared.flows[flow].connection = -1
    // One that was stopped stands in the other list.
    if isWithdrawn[flow] && !stops.contains(flow) {
      shared.flows[flow].stage = .done
      shared.flows[flow].missing = 0
      shared.flows[flow].firstSequence = -1
    } else {
      stops.remove(flow)
      freeFlows.append(Int32(truncatingIfNeeded: flow))
    }
  }

  // MARK: - Time

  /// When something happens in it next, `.max` for never: after that time its future is not known.
  var nextEvent: Int64 {
    var next = heap.isEmpty ? .max : heap.firstKey
    if !starts.isEmpty && starts.firstKey < next { next = starts.firstKey }
    if !stops.isEmpty && stops.firstKey < next { next = stops.firstKey }
    return next
  }

  /// When a client has got what is known and has not been told, `.max` when there is nothing.
  var nextReport: Int64 { reports.isEmpty ? .max : reports.firstKey }

  /// Works out everything up to `time`: of what comes at one time connections act first, then
  /// flows begin, then they are stopped.
  mutating func advance(to time: Int64) {
    while true {
      let next = nextEvent
      if next > time || next == .max { break }
      now = next
      events += 1
      let connection: Int
      if !heap.isEmpty && heap.firstKey == now {
        connection = heap.first
        connections[connection].run(at: now, &shared)
      } else if !starts.isEmpty && starts.firstKey == now {
        let flow = starts.first
        starts.remove(flow)
        connection = Int(shared.flows[flow].connection)
        connections[connection].respond(flow, at: now, &shared)
      } else {
        stop(stops.first)
        continue
      }
      reschedule(connection)
      note()
    }
    if time > now && time < .max { now = time }
  }

  /// The server of a flow that is not wanted stops.
  private mutating func stop(_ flow: Int) {
    stops.remove(flow)
    starts.remove(flow)
    let state = shared.flows[flow]
    if state.stage == .responding && !state.isSent {
      connections[Int(state.connection)].drop(flow, &shared)
    }
    withdrawn.append(Int32(truncatingIfNeeded: flow))
  }

  /// What a client has got by `time`, earliest first, marks before ends; nil when all is told.
  ///
  /// The number of a flow that has ended is another's from then on.
  mutating func takeReport(by time: Int64) -> Report? {
    if reports.isEmpty || reports.firstKey > time { return nil }
    let entity = reports.first
    let report = Report(flow: entity / 2, time: reports.firstKey, isEnd: entity % 2 == 1)
    reports.remove(entity)
    if report.isEnd {
      shared.flows[report.flow].connection = -1
      freeFlows.append(Int32(truncatingIfNeeded: report.flow))
    }
    return report
  }

  private mutating func reschedule(_ connection: Int) {
    heap.set(connection, to: connections[connection].wake(shared.pool), notBefore: now)
  }

  /// Takes over what has become known.
  private mutating func note() {
    while shared.seen >= 0 {
      let flow = Int(shared.seen)
      shared.seen = shared.flows[flow].nextSeen
      if !isWithdrawn[flow] { reports.set(2 * flow, to: shared.flows[flow].firstByteAt) }
    }
    while shared.ended >= 0 {
      let flow = Int(shared.ended)
      shared.ended = shared.flows[flow].nextEnded
      if !isWithdrawn[flow] { reports.set(2 * flow + 1, to: shared.flows[flow].endedAt) }
    }
  }
}
