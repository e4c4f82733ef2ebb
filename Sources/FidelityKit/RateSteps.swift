import Models
import Scenario

/// Scenario e: the rate of the link falls and rises again during a fetch.
enum RateSteps {
  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let rows = try reference.rows("kernel_e_rate_steps", of: StepsRow.self)
    let packetLevel = try reference.rows("ns3_e_rate_steps", of: StepsRow.self)
    var links: [KernelCase] = []
    var cases: [TransferCaseEntry] = []
    for row in rows {
      guard let rates = row.ratesMbps, let times = row.stepAtS, rates.count == times.count + 1,
        row.totalMs != nil
      else { throw ReferenceError("kernel_e_rate_steps: expected rates and steps, got neither") }
      let link = KernelCase(
        rateMbps: rates[0], rttMs: row.rttMs, queuePackets: row.bufferPkts,
        congestion: KernelCase.congestion(row.cc),
        steps: zip([0] + times, rates).map { ($0, $1) })
      links.append(link)
      cases.append(
        link.entry(
          "e \(row.cc) \(row.bufferPkts) \(row.rttMs) \(row.size) \(rates[1]) \(times[0])",
          [KernelCase.flow(row.size)]))
    }
    let sentLinks = links
    return Family("e", cases) { results in
      var table = ErrorTable()
      for (index, row) in rows.enumerated() {
        table.add(ours(results), results[index].duration(), row.totalMs ?? 0)
      }
      for (index, row) in rows.enumerated() {
        let kind = row.ratesMbps?[1] == 0 ? "outages" : "steps"
        let name = ours(results, "\(row.cc) \(kind)")
        table.add(name, results[index].duration(), row.totalMs ?? 0)
      }
      for (index, row) in rows.enumerated() {
        guard let truth = row.totalMs else { continue }
        if row.cc == "cubic" {
          let fine = packetLevel.first {
            $0.cc == "TcpCubic" && $0.bufferPkts == row.bufferPkts && $0.rttMs == row.rttMs
              && $0.size == row.size && $0.ratesMbps == row.ratesMbps && $0.stepAtS == row.stepAtS
          }
          table.add("ns-3", fine?.totalMs, truth)
        }
        table.add(sentLinks[index].peers(row.size), truth)
      }
      return FamilyReport(
        "e", "a rate that falls and rises, or an outage of 3 s", table.lines,
        gates: [FidelityGate("median", table.summary(ours(results)).median, atMost: 0.01)])
    }
  }
}
