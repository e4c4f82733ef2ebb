import Models
import Scenario

/// HTTPS, one object: connect, TLS done, first byte and total.
enum SecureFetch {
  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let rows = try reference.rows("kernel_tls", of: SecureRow.self)
    let cases = rows.map { row in
      let link = KernelCase(
        rateMbps: row.rateMbps, rttMs: row.rttMs, queuePackets: row.bufferPkts,
        handshake: row.proto == "tls12" ? .tls12 : .tls13,
        http: row.proto == "h2" ? .http2 : .http1)
      return link.entry(
        "tls \(row.proto) \(row.rateMbps) \(row.rttMs)", [KernelCase.flow(row.size)])
    }
    return Family("tls", cases) { results in
      let parts = ["connect", "TLS done", "first byte", "total"]
      let names = parts.map { ours(results, $0) }
      var table = ErrorTable()
      for (result, row) in zip(results, rows) {
        let timing = result.replications[0].timings[0]
        let truths = [row.connectMs, row.appconnectMs, row.ttfbMs, row.totalMs]
        let times = [timing.connect, timing.secure ?? 0, timing.firstByte, timing.duration]
        for part in parts.indices {
          table.add(names[part], Sample.milliseconds(times[part]), truths[part])
        }
      }
      var gates = parts.indices.map {
        FidelityGate("\(parts[$0]), median", table.summary(names[$0]).median, atMost: 0.05)
      }
      gates.append(FidelityGate("first byte, worst", table.summary(names[2]).max, atMost: 0.1))
      return FamilyReport("tls", "HTTPS, 30 kB", table.lines, gates: gates)
    }
  }
}

/// HTTP/2, equal objects at once on one connection.
///
/// curl's first byte of an object that waited for the connection counts from when TLS was done, its
/// total from the beginning: it starts such a transfer's clock anew when the connection is ready.
enum Multiplexed {
  /// The same rows as a feed prices them, whose connections deal their bytes in turns or whose
  /// transfers share by weight. A feed has no TLS records, and its first byte is not curl's.
  static func feed(_ reference: Reference) throws(ReferenceError) -> Family {
    let rows = try reference.rows("kernel_h2_multiplex", of: MultiplexRow.self)
    let cases = rows.map { entry($0).transfers }
    return Family("h2 in feeds", []) { _ in
      var table = ErrorTable()
      for (sharing, name) in [
        (LinkSharing.turns, "a feed in turns"), (.weights, "a feed by weights"),
      ] {
        for (input, row) in zip(cases, rows) {
          let own = FeedPricing.run(input, sharing: sharing)
            .map { Sample.milliseconds($0.duration) }.sorted()
          for rank in 0..<row.objects { table.add(name, own[rank], truth(row, rank, 1)) }
        }
      }
      let own = table.summary("a feed in turns")
      return FamilyReport(
        "h2 in feeds", "the same rows as a feed with network.sharing=turns has them", table.lines,
        gates: [
          FidelityGate("total, median", own.median, atMost: 0.03),
          FidelityGate("total, worst", own.max, atMost: 0.1),
        ])
    }
  }

  private static func entry(_ row: MultiplexRow) -> TransferCaseEntry {
    let link = KernelCase(
      rateMbps: row.rateMbps, rttMs: row.rttMs, queuePackets: 1_000, handshake: .tls13,
      http: .http2)
    let flows = (0..<row.objects).map { _ in KernelCase.flow(row.size) }
    return link.entry("h2 \(row.rateMbps) \(row.size) \(row.objects)", flows)
  }

  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let rows = try reference.rows("kernel_h2_multiplex", of: MultiplexRow.self)
    let cases = rows.map { entry($0) }
    return Family("h2", cases) { results in
      let (totals, firsts) = (ours(results, "total"), ours(results, "first byte"))
      var table = ErrorTable()
      for (result, row) in zip(results, rows) {
        // Which stream is which is not known: both sides in the order of their times. The truth of
        // a rank is the median of the repeats.
        let own = (0..<row.objects).map { result.duration($0) }.sorted()
        let timings = result.replications[0].timings
        let waited = timings[0].secure ?? 0
        let first = (0..<row.objects).map {
          Sample.milliseconds(timings[$0].firstByte - ($0 > 0 ? waited : 0))
        }.sorted()
        for rank in 0..<row.objects {
          table.add(totals, own[rank], truth(row, rank, 1))
          table.add(firsts, first[rank], truth(row, rank, 0))
        }
      }
      return FamilyReport(
        "h2", "HTTP/2, equal objects at once on one connection", table.lines,
        gates: [
          FidelityGate("total, median", table.summary(totals).median, atMost: 0.05),
          FidelityGate("first byte, median", table.summary(firsts).median, atMost: 0.1),
        ])
    }
  }

  private static func truth(_ row: MultiplexRow, _ rank: Int, _ part: Int) -> Double {
    Sample.median(
      row.firstByteTotalMsPerStream.map { streams in
        streams.map { $0[part] }.sorted()[rank]
      })
  }
}
