import Models
import Scenario

/// Scenario c: several fetches at once through one queue, by their mean completion.
enum SharedBottleneckFamily {
  static func families(_ reference: Reference) throws(ReferenceError) -> [Family] {
    let truth = try reference.rows("kernel_c_shared_bottleneck", of: SharedRow.self)
    let packetLevel = try reference.rows("ns3_c_shared_bottleneck", of: SharedRow.self)
    let lv08 = try reference.rows("simgrid_lv08_c", of: FlowLevelSharedRow.self)
    return ["cubic", "bbr"].map { cc in
      family("c \(cc)", truth.filter { $0.cc == cc }, cc == "cubic" ? packetLevel : [], lv08)
    }
  }

  private static func family(
    _ name: String, _ rows: [SharedRow], _ packetLevel: [SharedRow], _ lv08: [FlowLevelSharedRow]
  ) -> Family {
    let links = rows.map {
      KernelCase(
        rateMbps: $0.rateMbps, rttMs: $0.rttMs, queuePackets: $0.bufferPkts,
        congestion: KernelCase.congestion($0.cc))
    }
    let cases = zip(rows, links).map { row, link in
      // The processes that fetch are started one after another, about a millisecond apart.
      let flows = (0..<row.flows).map {
        KernelCase.flow(row.size, startMs: Double($0), connection: $0)
      }
      return link.entry("\(name) \(row.buffer) \(row.rateMbps) \(row.rttMs) \(row.flows)", flows)
    }
    return Family(name, cases) { results in
      let own = ours(results)
      var table = ErrorTable()
      for (index, row) in rows.enumerated() {
        let mean = Sample.mean((0..<row.flows).map { results[index].duration($0) })
        table.add(own, mean, row.meanFctMs)
        let fine = packetLevel.first {
          $0.cc == "TcpCubic" && $0.buffer == row.buffer && $0.startJitterS == 0.001
            && $0.rateMbps == row.rateMbps && $0.rttMs == row.rttMs && $0.flows == row.flows
        }
        table.add("ns-3", fine?.meanFctMs, row.meanFctMs)
        let coarse = lv08.first {
          $0.startJitterS == 0.001 && $0.rateMbps == row.rateMbps && $0.rttMs == row.rttMs
            && $0.flows == row.flows
        }
        table.add("SimGrid LV08 + 1.5 RTT", coarse?.meanPlus15RttMs, row.meanFctMs)
        // Equal shares: every fetch sees the rate divided by their number.
        var shared = links[index]
        shared.rateMbps /= Double(row.flows)
        table.add(shared.peers(row.size), row.meanFctMs)
      }
      return FamilyReport(
        name, "fetches at once through one queue, mean", table.lines,
        gates: [FidelityGate("median", table.summary(own).median, atMost: 0.05)])
    }
  }
}
