import MediaUnits
import SimulationKernel

/// The rounds tier (and the closed one): connections that use the link one at a time.
///
/// Each connection sees the link as its own; flows that overlap on different connections do not
/// disturb each other here, which is what the chunk tier is for.
struct RoundModel {
  let input: TransferCase
  let tier: TransferTier
  let integral: RateIntegral
  let recordsRounds: Bool
  var timings: [TransferTiming]
  /// Flows whose starts are known and that have not been run, by start, ties by number.
  private var heap: IndexedHeap<Int64>
  /// Heads of the lists of flows that wait for a flow's end, linked by `nextAfter`.
  private var followers: [Int32]
  private var nextAfter: [Int32]
  var connections: [RoundConnection] = []
  var rounds: [TransferRound] = []

  static func run(
    _ input: TransferCase, tier: TransferTier, replication: UInt16, recordsRounds: Bool
  ) -> TransferResult {
    var model = RoundModel(
      input: input, tier: tier, replication: replication, recordsRounds: recordsRounds)
    model.run()
    return TransferResult(tier: tier, timings: model.timings, rounds: model.rounds)
  }

  private init(
    input: TransferCase, tier: TransferTier, replication: UInt16, recordsRounds: Bool
  ) {
    self.input = input
    self.tier = tier
    integral = input.downlink.integral
    self.recordsRounds = recordsRounds
    let never = TransferTiming(start: 0, connect: 0, secure: nil, firstByte: .max, duration: .max)
    timings = [TransferTiming](repeating: never, count: input.flows.count)
    heap = IndexedHeap(entities: input.flows.count)
    followers = [Int32](repeating: -1, count: input.flows.count)
    nextAfter = [Int32](repeating: -1, count: input.flows.count)
    let streams = RandomStreams(seed: input.seed, replication: replication)
    let count = (input.flows.map { $0.connection }.max() ?? -1) + 1
    for index in 0..<count {
      connections.append(
        RoundConnection(
          number: index, input: input, tier: tier, integral: integral, streams: streams,
          recordsRounds: recordsRounds))
    }
    for (index, flow) in input.flows.enumerated() {
      if let other = flow.after, !input.resync {
        nextAfter[index] = followers[other]
        followers[other] = Int32(truncatingIfNeeded: index)
      } else {
        start(index, at: flow.start)
      }
    }
  }

  /// Notes when a flow starts.
  private mutating func start(_ flow: Int, at time: Int64) {
    heap.set(flow, to: time)
    if isShared { connections[input.flows[flow].connection].pending.append((flow, time)) }
  }

  /// Whether a connection carries several responses at once.
  private var isShared: Bool { input.http != .http1 && !input.resync }

  /// Flows in order of their starts; a flow that follows another one is started by its end.
  private mutating func run() {
    while !heap.isEmpty {
      let next = heap.first
      let time = heap.firstKey
      let connection = input.flows[next].connection
      if isShared {
        share(connection)
      } else {
        finish(next, connections[connection].fetch(next, input: input, at: time))
      }
    }
    for index in 0..<connections.count {
      rounds.append(contentsOf: connections[index].dealer.rounds)
    }
    if recordsRounds { rounds.sort { $0.start < $1.start } }
  }

  private mutating func finish(_ flow: Int, _ timing: TransferTiming) {
    timings[flow] = timing
    heap.remove(flow)
    let end = timing.start < .max ? TransferClock.sum(timing.start, timing.duration) : .max
    var follower = Int(followers[flow])
    while follower >= 0 {
      start(follower, at: TransferClock.sum(end, input.flows[follower].gap))
      follower = Int(nextAfter[follower])
    }
  }

  /// Runs a connection that several responses share until none of its known flows is left.
  private mutating func share(_ connection: Int) {
    while !connections[connection].pending.isEmpty {
      var pending = connections[connection].pending
      connections[connection].pending = []
      pending.sort { $0.start < $1.start || $0.start == $1.start && $0.flow < $1.flow }
      for (flow, timing) in connections[connection].share(pending, input: input) {
        finish(flow, timing)
      }
    }
  }
}
