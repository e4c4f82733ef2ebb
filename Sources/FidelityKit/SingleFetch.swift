import Models
import Scenario

/// Scenario a: one fetch without loss.
enum SingleFetch {
  /// The predictions of others.
  private struct Others: Sendable {
    var packetLevel: [SingleRow]
    var lv08: [FlowLevelRow]
    var cm02: [FlowLevelRow]

    func add(_ row: SingleRow, to table: inout ErrorTable) {
      if row.cc == "cubic" {
        let fine = packetLevel.first {
          $0.cc == "TcpCubic" && $0.buffer == row.buffer && $0.rateMbps == row.rateMbps
            && $0.rttMs == row.rttMs && $0.size == row.size
        }
        table.add("ns-3", fine?.totalMs, row.totalMs)
      }
      func same(_ other: FlowLevelRow) -> Bool {
        other.rateMbps == row.rateMbps && other.rttMs == row.rttMs && other.size == row.size
      }
      table.add(
        "SimGrid LV08 + 1.5 RTT", lv08.first(where: same)?.plus15RttMs, row.totalMs)
      table.add(
        "SimGrid CM02 + 1.5 RTT", cm02.first(where: same)?.plus15RttMs, row.totalMs)
    }
  }

  static func families(_ reference: Reference) throws(ReferenceError) -> [Family] {
    let truth = try reference.rows("kernel_a_single_noloss", of: SingleRow.self)
    let others = Others(
      packetLevel: try reference.rows("ns3_a_single_noloss", of: SingleRow.self),
      lv08: try reference.rows("simgrid_lv08_a", of: FlowLevelRow.self),
      cm02: try reference.rows("simgrid_cm02_a", of: FlowLevelRow.self))
    return [
      family(
        "a deep", "one fetch, CUBIC, no drops",
        truth.filter { $0.cc == "cubic" && $0.buffer == "deep" }, others, median: 0.01, p95: 0.05),
      family(
        "a bdp", "one fetch, CUBIC, a queue of one bandwidth-delay product",
        truth.filter { $0.cc == "cubic" && $0.buffer == "bdp" }, others, median: 0.02),
      family(
        "a bbr", "one fetch, BBR, both queues", truth.filter { $0.cc == "bbr" }, others,
        median: 0.05),
    ]
  }

  private static func family(
    _ name: String, _ subject: String, _ rows: [SingleRow], _ others: Others, median: Double,
    p95: Double? = nil
  ) -> Family {
    let links = rows.map {
      KernelCase(
        rateMbps: $0.rateMbps, rttMs: $0.rttMs, queuePackets: $0.bufferPkts,
        congestion: KernelCase.congestion($0.cc))
    }
    let cases = zip(rows, links).map { row, link in
      link.entry(
        "\(name) \(row.buffer) \(row.rateMbps) \(row.rttMs) \(row.size)",
        [KernelCase.flow(row.size)])
    }
    return Family(name, cases) { results in
      let own = ours(results)
      var table = ErrorTable()
      for (index, row) in rows.enumerated() {
        table.add(own, results[index].duration(), row.totalMs)
        others.add(row, to: &table)
        table.add(links[index].peers(row.size), row.totalMs)
      }
      var gates = [FidelityGate("median", table.summary(own).median, atMost: median)]
      if let p95 { gates.append(FidelityGate("p95", table.summary(own).p95, atMost: p95)) }
      return FamilyReport(name, subject, table.lines, gates: gates)
    }
  }
}
