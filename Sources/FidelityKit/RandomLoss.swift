import Models
import Scenario

/// Scenario b: one fetch with independent loss, by mean, median and 95th percentile of the runs.
///
/// The measured figures are of 20 or 60 runs. Ours are of more, so that chance is on one side of
/// the comparison only.
enum RandomLoss {
  private static let runs = 1_000

  static func families(_ reference: Reference) throws(ReferenceError) -> [Family] {
    let truth = try reference.rows("kernel_b_random_loss", of: LossRow.self)
    let packetLevel = try reference.rows("ns3_b_random_loss", of: LossRow.self)
    return [
      family(
        "b cubic 0.5 %", "random loss, CUBIC", truth.filter { $0.cc == "cubic" && $0.loss < 0.01 },
        packetLevel),
      family(
        "b cubic 2 %", "random loss, CUBIC", truth.filter { $0.cc == "cubic" && $0.loss >= 0.01 },
        packetLevel),
      family("b bbr", "random loss, BBR", truth.filter { $0.cc == "bbr" }, []),
      tails(truth.filter { $0.p95Ms != nil }),
    ]
  }

  private static func link(_ row: LossRow) -> KernelCase {
    KernelCase(
      rateMbps: row.rateMbps, rttMs: row.rttMs, queuePackets: row.bufferPkts ?? 1_000,
      congestion: KernelCase.congestion(row.cc), lossRate: row.loss)
  }

  /// All rows together, by the 95th percentile.
  private static func tails(_ rows: [LossRow]) -> Family {
    let cases = rows.map { row in
      link(row).entry(
        "b tails \(row.cc) \(row.loss) \(row.rateMbps) \(row.rttMs) \(row.size)",
        [KernelCase.flow(row.size)], replications: max(row.seeds, runs))
    }
    return Family("b tails", cases) { results in
      let name = ours(results, "p95")
      var table = ErrorTable()
      for (result, row) in zip(results, rows) {
        guard let truth = row.p95Ms else { continue }
        table.add(name, Sample.quantile(result.durations(), 0.95), truth)
      }
      return FamilyReport(
        "b tails", "random loss, all rows, 95th percentile", table.lines,
        gates: [FidelityGate("p95, median", table.summary(name).median, atMost: 0.07)])
    }
  }

  private static func family(
    _ name: String, _ subject: String, _ rows: [LossRow], _ packetLevel: [LossRow]
  ) -> Family {
    let links = rows.map { link($0) }
    let cases = zip(rows, links).map { row, link in
      link.entry(
        "\(name) \(row.rateMbps) \(row.rttMs) \(row.size)", [KernelCase.flow(row.size)],
        replications: max(row.seeds, runs))
    }
    return Family(name, cases) { results in
      let (means, medians) = (ours(results, "mean"), ours(results, "p50"))
      var table = ErrorTable()
      for (index, row) in rows.enumerated() {
        let durations = results[index].durations()
        let fine = packetLevel.first {
          $0.cc == "TcpCubic" && $0.minRtoMs == 1_000 && $0.loss == row.loss
            && $0.rateMbps == row.rateMbps && $0.rttMs == row.rttMs && $0.size == row.size
        }
        table.add(means, Sample.mean(durations), row.meanMs)
        table.add(medians, Sample.median(durations), row.p50Ms)
        table.add("ns-3 mean", fine?.meanMs, row.meanMs)
        table.add("ns-3 p50", fine?.p50Ms, row.p50Ms)
        table.add(links[index].peers(row.size), row.meanMs)
      }
      return FamilyReport(
        name, subject, table.lines,
        gates: [
          FidelityGate("mean, median", table.summary(means).median, atMost: 0.05),
          FidelityGate("p50, median", table.summary(medians).median, atMost: 0.05),
        ])
    }
  }
}
