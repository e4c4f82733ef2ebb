/// The chunk tier: senders that share a drop-tail FIFO, one event per acknowledgement.
///
/// Every connection runs Linux's rules per acknowledgement (CUBIC with HyStart, NewReno or BBR v1;
/// RACK, proportional rate reduction, loss probes, timeouts, delayed acknowledgements), which
/// decides who gets how much of the queue. Left out: queueing on the uplink between connections,
/// limits of the receiver's window, pacing of CUBIC and NewReno (Linux does none), spurious
/// reductions (Linux undoes them).
public enum ChunkModel {
  /// Runs one replication.
  ///
  /// - Returns: flows that never end have the duration `Int64.max`.
  public static func run(
    _ input: TransferCase, replication: UInt16, recordsRounds: Bool
  ) -> TransferResult {
    var simulation = ChunkSimulation(
      input, replication: replication, recordsRounds: recordsRounds)
    if input.resync {
      for flow in order(input) {
        simulation.restart(flow)
        simulation.run()
      }
    } else {
      simulation.scheduleFlows()
      simulation.run()
    }
    var timings: [TransferTiming] = []
    timings.reserveCapacity(input.flows.count)
    for flow in 0..<input.flows.count { timings.append(simulation.timing(flow)) }
    return TransferResult(tier: .chunks, timings: timings, rounds: simulation.shared.rounds)
  }

  /// Payload of each flow that is at the client at `time` on the case's clock, bytes.
  static func arrived(_ input: TransferCase, by time: Int64, replication: UInt16 = 0) -> [Int64] {
    var simulation = ChunkSimulation(input, replication: replication)
    simulation.scheduleFlows()
    simulation.count(until: time)
    simulation.run(until: time)
    var result: [Int64] = []
    for flow in simulation.shared.flows { result.append(flow.arrived) }
    return result
  }

  /// Flows in the order of their starts, ties in their own order.
  private static func order(_ input: TransferCase) -> [Int] {
    var order = Array(0..<input.flows.count)
    order.sort { first, second in
      let (a, b) = (input.flows[first].start, input.flows[second].start)
      return a != b ? a < b : first < second
    }
    return order
  }
}
