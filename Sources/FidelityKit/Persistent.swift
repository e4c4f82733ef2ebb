import Models
import Scenario

/// Scenario f: objects one after another on one connection.
enum Persistent {
  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let rows = try reference.rows("kernel_f_persistent", of: PersistentRow.self)
    let packetLevel = try reference.rows("ns3_f_persistent", of: PersistentPrediction.self)
    let links = rows.map {
      KernelCase(
        rateMbps: $0.rateMbps, rttMs: $0.rttMs, queuePackets: $0.bufferPkts,
        congestion: KernelCase.congestion($0.cc))
    }
    let cases = zip(rows, links).map { row, link in
      let flows = row.totalMsPerObject.indices.map {
        KernelCase.flow(row.size, after: $0 > 0 ? $0 - 1 : nil)
      }
      return link.entry("f \(row.cc) \(row.rateMbps) \(row.rttMs)", flows)
    }
    return Family("f", cases) { results in
      let own = ours(results)
      var table = ErrorTable()
      for (index, row) in rows.enumerated() {
        let fine = packetLevel.first {
          $0.cc == "TcpCubic" && $0.idleS == 0 && $0.rateMbps == row.rateMbps
            && $0.rttMs == row.rttMs && $0.size == row.size
        }
        for (object, truth) in row.totalMsPerObject.enumerated() {
          table.add(own, results[index].duration(object), truth)
          if row.cc == "cubic", let fine, object < fine.requestToLastMs.count {
            let opening = object == 0 ? fine.connectMs : 0
            table.add("ns-3", opening + fine.requestToLastMs[object], truth)
          }
          table.add(links[index].peers(row.size), truth)
        }
      }
      return FamilyReport(
        "f", "objects one after another on one connection", table.lines,
        gates: [
          FidelityGate("median", table.summary(own).median, atMost: 0.02),
          FidelityGate("worst", table.summary(own).max, atMost: 0.1),
        ])
    }
  }
}
