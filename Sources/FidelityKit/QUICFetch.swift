import Models
import Scenario

/// HTTP/3 by aioquic, by kind of row. The model was built beside the development rows; the held-out
/// ones are drawn from the same ranges by another seed.
enum QUICFetch {
  /// Runs of the model for a row with losses: so many that its own noise is small beside the row's.
  static let replications = 400

  static func families(_ reference: Reference) throws(ReferenceError) -> [Family] {
    var families: [Family] = []
    for (set, word) in [("development", ""), ("held_out", " held out")] {
      let file = try reference.file("quic_\(set)", of: QUICFile.self)
      var names: [String] = []
      for row in file.rows where !names.contains(row.family) { names.append(row.family) }
      for name in names {
        let rows = file.rows.filter { $0.family == name }
        families.append(family("quic \(name)\(word)", rows, file))
      }
    }
    return families
  }

  private static func family(_ name: String, _ rows: [QUICRow], _ file: QUICFile) -> Family {
    let cases = rows.enumerated().map { index, row in
      TransferCaseEntry(
        id: "\(name) \(index)", transfers: row.transfers(file.computing(row)),
        replications: row.loss > 0 ? replications : 1)
    }
    return Family(name, cases) { results in
      var table = ErrorTable()
      for (result, row) in zip(results, rows) { add(result, row, ours(results), to: &table) }
      let own = ours(results)
      func gate(_ part: String, _ limit: Double) -> FidelityGate {
        FidelityGate("\(part), median", table.summary("\(own) \(part)").median, atMost: limit)
      }
      var gates = [gate("total", 0.05), gate("first byte", 0.10)]
      if rows[0].loss > 0 { gates.append(gate("mean", 0.05)) }
      let subject = "HTTP/3 by aioquic: \(rows.count) rows, medians of \(rows[0].repeats) repeats"
      return FamilyReport(name, subject, table.lines, gates: gates)
    }
  }

  /// Compares a row's medians; which of parallel streams is which does not matter, so both sides
  /// are in the order of their times.
  private static func add(
    _ result: TransferCaseResult, _ row: QUICRow, _ own: String, to table: inout ErrorTable
  ) {
    var firsts: [Double] = []
    var totals: [Double] = []
    for flow in row.sizes.indices {
      let first = result.replications.map { Sample.milliseconds($0.timings[flow].firstByte) }
      firsts.append(Sample.median(first))
      totals.append(Sample.median(result.durations(flow)))
    }
    var trueFirsts = row.firstByteMs.map(\.median)
    var trueTotals = row.totalMs.map(\.median)
    if row.parallel {
      firsts.sort()
      totals.sort()
      trueFirsts.sort()
      trueTotals.sort()
    }
    if row.handshake != "early" {
      let connect = Sample.milliseconds(result.replications[0].timings[0].connect)
      if row.loss == 0 { table.add("\(own) handshake", connect, row.handshakeMs.median) }
    }
    for flow in row.sizes.indices {
      table.add("\(own) first byte", firsts[flow], trueFirsts[flow])
      table.add("\(own) total", totals[flow], trueTotals[flow])
    }
    if row.loss > 0, let mean = row.totalMs[0].mean, let p95 = row.totalMs[0].p95 {
      let durations = result.durations().sorted()
      let rank = Int((0.95 * Double(durations.count)).rounded(.up)) - 1
      table.add("\(own) mean", Sample.mean(durations), mean)
      table.add("\(own) p95", durations[rank], p95)
    }
  }
}
