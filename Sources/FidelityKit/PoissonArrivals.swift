import Models
import Scenario

/// Scenario g: connections that arrive as a Poisson process, by mean and median of each size.
enum PoissonArrivals {
  /// Arrivals before this many seconds are not judged.
  private static let warmUp = 10.0

  static func families(_ reference: Reference) throws(ReferenceError) -> [Family] {
    let rows = try reference.rows("kernel_g_poisson", of: PoissonRow.self)
    return ["cubic", "bbr"].map { cc in family("g \(cc)", rows.filter { $0.cc == cc }) }
  }

  private static func family(_ name: String, _ rows: [PoissonRow]) -> Family {
    let links = rows.map {
      KernelCase(
        rateMbps: $0.rateMbps, rttMs: $0.rttMs, queuePackets: $0.bufferPkts,
        congestion: KernelCase.congestion($0.cc))
    }
    // A case for each seed of a row.
    var cases: [TransferCaseEntry] = []
    for (row, link) in zip(rows, links) {
      for (seed, arrivals) in row.arrivalsSizeStartS.enumerated() {
        let flows = arrivals.enumerated().map { index, arrival in
          KernelCase.flow(Int64(arrival[0]), startMs: arrival[1] * 1_000, connection: index)
        }
        cases.append(link.entry("\(name) \(row.dist) \(row.load) seed \(seed)", flows))
      }
    }
    return Family(name, cases) { results in
      let (means, medians) = (ours(results, "mean"), ours(results, "p50"))
      var table = ErrorTable()
      var next = 0
      for (row, link) in zip(rows, links) {
        let seeds = row.arrivalsSizeStartS.indices.map { results[next + $0] }
        next += seeds.count
        for size in row.bySize {
          let durations = durations(row, seeds, size: size.size)
          table.add(means, Sample.mean(durations), size.meanMs)
          table.add(medians, Sample.median(durations), size.p50Ms)
          table.add(link.peers(size.size), size.meanMs)
        }
      }
      let (mean, median) = (table.summary(means), table.summary(medians))
      return FamilyReport(
        name, "Poisson arrivals on one queue, by size", table.lines,
        gates: [
          FidelityGate("mean, median", mean.median, atMost: 0.07),
          FidelityGate("p50, median", median.median, atMost: 0.07),
          FidelityGate("mean, worst row", mean.max, atMost: 0.20),
          FidelityGate("p50, worst row", median.max, atMost: 0.20),
        ])
    }
  }

  private static func durations(
    _ row: PoissonRow, _ seeds: [TransferCaseResult], size: Int64
  ) -> [Double] {
    var result: [Double] = []
    for (arrivals, seed) in zip(row.arrivalsSizeStartS, seeds) {
      for (index, arrival) in arrivals.enumerated()
      where arrival[1] >= warmUp && Int64(arrival[0]) == size {
        result.append(seed.duration(index))
      }
    }
    return result
  }
}
