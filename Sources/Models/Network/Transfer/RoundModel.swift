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
  /// Start of each flow, once known.
  var starts: [Int64?]
  var isDone: [Bool]
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
    isDone = [Bool](repeating: false, count: input.flows.count)
    starts = input.flows.map { flow in
      flow.after == nil || input.resync ? flow.start : nil
    }
    let streams = RandomStreams(seed: input.seed, replication: replication)
    let count = (input.flows.map { $0.connection }.max() ?? -1) + 1
    for index in 0..<count {
      connections.append(
        RoundConnection(
          number: index, input: input, tier: tier, integral: integral, streams: streams,
          recordsRounds: recordsRounds))
    }
  }

  /// Flows in order of their starts; a flow that follows another one is started by its end.
  private mutating func run() {
    while let next = earliest() {
      let connection = input.flows[next].connection
      if input.http == .http1 || input.resync {
        finish(next, connections[connection].fetch(next, input: input, at: starts[next] ?? 0))
      } else {
        share(connection)
      }
    }
    for index in 0..<connections.count {
      rounds.append(contentsOf: connections[index].dealer.rounds)
    }
    if recordsRounds { rounds.sort { $0.start < $1.start } }
  }

  private func earliest() -> Int? {
    var best: Int?
    for index in 0..<input.flows.count where !isDone[index] {
      guard let start = starts[index] else { continue }
      if best == nil || start < (starts[best ?? 0] ?? .max) { best = index }
    }
    return best
  }

  private mutating func finish(_ flow: Int, _ timing: TransferTiming) {
    timings[flow] = timing
    isDone[flow] = true
    if input.resync { return }
    for index in 0..<input.flows.count where input.flows[index].after == flow && !isDone[index] {
      if timing.duration == .max || timing.start == .max {
        starts[index] = .max
      } else {
        starts[index] = timing.start + timing.duration + input.flows[index].gap
      }
    }
  }

  /// Runs a connection that several responses share until none of its known flows is left.
  private mutating func share(_ connection: Int) {
    while true {
      var pending: [(flow: Int, start: Int64)] = []
      for index in 0..<input.flows.count where !isDone[index] {
        if input.flows[index].connection == connection, let start = starts[index] {
          pending.append((index, start))
        }
      }
      if pending.isEmpty { return }
      pending.sort { $0.start < $1.start || $0.start == $1.start && $0.flow < $1.flow }
      for (flow, timing) in connections[connection].share(pending, input: input) {
        finish(flow, timing)
      }
    }
  }
}
