import SimulationKernel

/// Several connections over one bottleneck, event by event.
///
/// The events are those of connections (an acknowledgement, a timer, a burst, a flight of the
/// handshake) and of flows (a start, a request that reaches the server); a heap holds the next one
/// of each, ties go to the lower number, connections first. An acknowledgement covers one packet
/// at the start of a connection and two later on, and releases as many as it should: that is the
/// chunk.
///
/// - Complexity: O(log(connections + flows)) per event; memory grows with what is in flight.
struct ChunkSimulation {
  private let input: TransferCase
  private(set) var shared: ChunkShared
  private(set) var connections: [ChunkConnection] = []
  private var heap: IndexedHeap<Int64>
  /// Heads of the lists of flows that wait for a flow's end, linked by `nextAfter`.
  private var followers: [Int32]
  private var nextAfter: [Int32]
  private(set) var now: Int64 = 0
  /// By how much restarts have set the clock back.
  private var turnedBack: Int64 = 0
  /// Events so far.
  private(set) var events = 0

  init(_ input: TransferCase, replication: UInt16, recordsRounds: Bool = false) {
    self.input = input
    let streams = RandomStreams(seed: input.seed, replication: replication)
    let settings = ChunkShared.Settings(
      segmentSize: input.segmentSize, overhead: input.overhead,
      uplinkByteTime: input.uplinkRate > 0 ? 8e9 / input.uplinkRate : 0,
      roundTrip: input.roundTrip, congestion: input.congestion, http: input.http, quic: input.quic,
      initialWindow: input.initialWindow, receiveWindow: input.receiveWindow,
      idleRestart: input.idleRestart, streams: streams)
    var count = 0
    for flow in input.flows where flow.connection >= count { count = flow.connection + 1 }
    connections.reserveCapacity(count)
    for number in 0..<count {
      let loss = LossGaps(input.loss, connection: UInt64(number), streams: streams)
      connections.append(
        ChunkConnection(
          number: number, settings: settings, loss: loss, warmWindow: input.warmWindow))
    }
    let isWhole = input.handshake.hasTLSRecords && input.http == .http1
    var flows: [ChunkFlow] = []
    flows.reserveCapacity(input.flows.count)
    for flow in input.flows { flows.append(ChunkFlow(flow, isWhole: isWhole)) }
    shared = ChunkShared(
      settings: settings, link: ChunkLink(input.downlink, limit: input.queue),
      pool: ChunkPool(capacity: 4096), flows: flows, recordsRounds: recordsRounds)
    heap = IndexedHeap(entities: count + flows.count)
    followers = [Int32](repeating: -1, count: flows.count)
    nextAfter = [Int32](repeating: -1, count: flows.count)
  }

  /// Puts the start of every flow in the heap, or that of what it waits for; nothing ever happens
  /// without an uplink.
  mutating func scheduleFlows() {
    if input.uplinkRate <= 0 { return }
    for index in 0..<input.flows.count {
      if let other = input.flows[index].after {
        nextAfter[index] = followers[other]
        followers[other] = Int32(truncatingIfNeeded: index)
      } else {
        heap.set(connections.count + index, to: input.flows[index].start)
      }
    }
  }

  /// Starts one flow alone on an empty link at its own time, whatever the simulation's clock says.
  mutating func restart(_ flow: Int) {
    if input.uplinkRate <= 0 { return }
    let start = input.flows[flow].start
    if now > start { turnedBack += now - start }
    let connection = input.flows[flow].connection
    connections[connection].turnBack(to: turnedBack)
    connections[connection].abandon(&shared.pool)
    heap.remove(connection)
    now = start
    shared.link.clear(at: start)
    heap.set(connections.count + flow, to: start)
  }

  // MARK: - Events

  /// Leaves payload that arrives after `time` out of ``ChunkFlow/arrived``.
  mutating func count(until time: Int64) { shared.horizon = time }

  /// Runs until nothing is left to do, or to the last event not after `limit`.
  mutating func run(until limit: Int64 = TransferClock.never) {
    while !heap.isEmpty && heap.firstKey <= limit { step() }
  }

  /// Whether nothing is left to do.
  var isDone: Bool { heap.isEmpty }

  mutating func step() {
    let entity = heap.first
    now = heap.firstKey
    events += 1
    if entity < connections.count {
      if connections[entity].requests.opening.at <= now {
        connections[entity].answer(input.handshake, at: now, &shared)
        serve(entity)
      } else {
        connections[entity].run(at: now, &shared)
      }
      reschedule(entity)
    } else {
      heap.remove(entity)
      advance(entity - connections.count)
    }
    if shared.ended >= 0 { finishFlows() }
  }

  private mutating func reschedule(_ connection: Int) {
    heap.set(connection, to: connections[connection].wake(shared.pool), notBefore: now)
  }

  private mutating func advance(_ flow: Int) {
    let connection = Int(shared.flows[flow].connection)
    if shared.flows[flow].stage == .waiting {
      shared.flows[flow].start = now
      begin(flow, connection)
    } else {
      connections[connection].respond(flow, at: now, &shared)
      reschedule(connection)
    }
  }

  // MARK: - Requests

  private mutating func begin(_ flow: Int, _ connection: Int) {
    shared.flows[flow].stage = .queued
    let isOpener = connections[connection].want(
      flow, over: input.handshake, at: now, roundTrip: roundTrip(of: flow), &shared)
    if isOpener { shared.flows[flow].isOpener = true }
    serve(connection)
    reschedule(connection)
  }

  private func roundTrip(of flow: Int) -> Int64 { input.flows[flow].roundTrip ?? input.roundTrip }

  /// Sends the requests of queued flows: all of them, or with HTTP/1.1 the next one when none is
  /// under way.
  private mutating func serve(_ connection: Int) {
    while let flow = connections[connection].nextRequest(isShared: isShared, &shared) {
      shared.flows[flow].stage = .requested
      let arrival = connections[connection].request(
        input.flows[flow].requestBytes, at: now, roundTrip: roundTrip(of: flow), shared.settings)
      heap.set(connections.count + flow, to: arrival)
    }
  }

  /// Whether several flows of a connection may be under way.
  private var isShared: Bool { input.http != .http1 }

  private mutating func finishFlows() {
    while shared.ended >= 0 {
      let flow = Int(shared.ended)
      shared.ended = shared.flows[flow].nextEnded
      let end = shared.flows[flow].endedAt
      let connection = Int(shared.flows[flow].connection)
      connections[connection].end(flow, at: end, isShared: isShared)
      serve(connection)
      var follower = followers[flow]
      while follower >= 0 {
        let start = TransferClock.sum(end, input.flows[Int(follower)].gap)
        heap.set(connections.count + Int(follower), to: start)
        follower = nextAfter[Int(follower)]
      }
    }
  }

  // MARK: - Results

  /// What is known of a flow; times that never came are `Int64.max`.
  func timing(_ flow: Int) -> TransferTiming {
    let state = shared.flows[flow]
    if state.stage == .waiting && input.flows[flow].after != nil {
      return TransferTiming(start: .max, connect: 0, secure: nil, firstByte: .max, duration: .max)
    }
    func span(_ time: Int64) -> Int64 { time < 0 ? .max : time - state.start }
    let opening = connections[Int(state.connection)].requests.opening
    let hasTLS = state.isOpener && input.handshake != .none && input.handshake != .tcp
    return TransferTiming(
      start: state.start, connect: state.isOpener ? span(opening.connectedAt) : 0,
      secure: hasTLS ? span(opening.securedAt) : nil, firstByte: span(state.firstByteAt),
      duration: span(state.endedAt))
  }
}
