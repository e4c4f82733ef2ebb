import Models
import Scenario

/// Scenario d: two classes of round trips share a queue, by the ratio of their goodputs.
///
/// Every flow gets the bytes that the kernel carried for it in 30 s; the ratio of the goodputs that
/// the durations imply is compared with the kernel's.
enum TwoClasses {
  private static let window = 30.0

  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let rows = try reference.rows("kernel_d_two_rtt", of: TwoClassRow.self)
    let packetLevel = try reference.rows("ns3_d_two_rtt", of: TwoClassPrediction.self)
    let lv08 = try reference.rows("simgrid_lv08_d", of: TwoClassPrediction.self)
    let cases = rows.map { entry($0) }
    return Family("d", cases) { results in
      let own = ours(results)
      var table = ErrorTable()
      var factors: [Double] = []
      var wrong = 0
      for (index, row) in rows.enumerated() {
        let ratio = ratio(results[index], cases[index], row)
        table.add(own, ratio, row.ratioAOverB)
        factors.append(max(ratio / row.ratioAOverB, row.ratioAOverB / ratio))
        if (ratio > 1) != (row.ratioAOverB > 1) { wrong += 1 }
        func isSame(_ other: TwoClassPrediction) -> Bool {
          other.rateMbps == row.rateMbps && other.rttAMs == row.rttAMs
            && other.rttBMs == row.rttBMs && other.flowsPerClass == row.flowsPerClass
        }
        if row.cc == "cubic" {
          let fine = packetLevel.first {
            $0.cc == "TcpCubic" && $0.buffer == row.buffer && isSame($0)
          }
          table.add("ns-3, 10 to 60 s", fine?.bulkRatioAOverB, row.ratioAOverB)
        }
        let coarse = lv08.first(where: isSame)
        table.add("SimGrid LV08, 10 to 60 s", coarse?.bulkRatioAOverB, row.ratioAOverB)
      }
      return FamilyReport(
        "d", "ratio of the goodputs of two round trips, 30 s", table.lines,
        gates: [
          FidelityGate("median factor", Sample.median(factors), atMost: 1.5, unit: .factor),
          FidelityGate("the other class ahead", Double(wrong) / Double(rows.count), atMost: 0.1),
        ])
    }
  }

  private static func entry(_ row: TwoClassRow) -> TransferCaseEntry {
    let link = KernelCase(
      rateMbps: row.rateMbps, rttMs: row.rttAMs, queuePackets: row.bufferPkts,
      congestion: KernelCase.congestion(row.cc))
    func bytes(_ goodputs: [Double]) -> Int64 {
      Int64(Sample.mean(goodputs) * 1e6 / 8 * window / Double(row.flowsPerClass))
    }
    let flows = (0..<2 * row.flowsPerClass).map { index in
      // The classes start in turns, a millisecond apart.
      let isFirst = index % 2 == 0
      return KernelCase.flow(
        bytes(isFirst ? row.goodputAMbps : row.goodputBMbps), startMs: Double(index),
        connection: index, rttMs: isFirst ? row.rttAMs : row.rttBMs)
    }
    return link.entry(
      "d \(row.cc) \(row.buffer) \(row.rateMbps) \(row.rttAMs) \(row.rttBMs) \(row.flowsPerClass)",
      flows)
  }

  private static func ratio(
    _ result: TransferCaseResult, _ entry: TransferCaseEntry, _ row: TwoClassRow
  ) -> Double {
    var goodputs = (a: 0.0, b: 0.0)
    for (index, flow) in entry.transfers.flows.enumerated() {
      let rate = Double(flow.bytes) / result.duration(index)
      if index % 2 == 0 { goodputs.a += rate } else { goodputs.b += rate }
    }
    return goodputs.a / goodputs.b
  }
}
