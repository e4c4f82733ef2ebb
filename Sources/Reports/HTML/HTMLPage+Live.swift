extension RunRecord {
  /// What a live run adds.
  struct Live: Decodable, Sendable, Equatable {
    struct Reading: Decodable, Sendable, Equatable {
      var name: String
      var value: Double
      var unit: String
      var limit: Double?
      var good: Bool
    }

    struct Latency: Decodable, Sendable, Equatable {
      var `class`: String
      var count: Int64
      var sentMilliseconds: [Double]
      var dueMilliseconds: [Double]
    }

    struct Count: Decodable, Sendable, Equatable {
      var kind: String
      var count: Int64
    }

    var target: String
    var edge: String
    var link: String
    var seconds: Double
    var requests: Int64
    var bytes: Int64
    var starts: Int64
    var lateStarts: Int64
    var checkedBodies, lateAnswers, lateBytes: Int64?
    var health: [Reading]
    var reasons: [String]
    var notes: [String]?
    var latencies: [Latency]
    var failures: [Count]
  }
}

extension HTMLPage {
  // MARK: Live runs

  func writeLive(to body: inout Markup) {
    guard let live = record.live else { return noData("the run was simulated", to: &body) }
    paragraph(
      "\(live.target), \(live.edge); \(live.link). \(HTMLPage.count(live.requests)) requests and "
        + "\(Figures.bytes(live.bytes)) in \(Figures.duration(live.seconds)). "
        + "\(HTMLPage.count(live.starts)) sessions began, \(HTMLPage.count(live.lateStarts)) of "
        + "them late. \(HTMLPage.count(live.checkedBodies ?? 0)) media bodies were checked and "
        + "right; \(HTMLPage.count(live.lateAnswers ?? 0)) pieces of answers with "
        + "\(Figures.bytes(live.lateBytes ?? 0)) came when nobody waited for them.", to: &body)
    for reason in live.reasons { paragraph("Not to be believed: \(reason).", to: &body) }
    for note in live.notes ?? [] { paragraph("\(note).", to: &body) }
    var readings = HTMLTable(
      "The generator", [.text("Reading"), .number("Value"), .number("Limit"), .text("Judged")])
    for reading in live.health {
      readings.add([
        .text(reading.name), .text("\(Figures.decimal(reading.value, 2)) \(reading.unit)"),
        .text(reading.limit.map { "\(Figures.decimal($0, 2)) \(reading.unit)" } ?? "none"),
        .text(reading.good ? "good" : "bad"),
      ])
    }
    readings.write(to: &body)
    if live.latencies.isEmpty {
      noData("no answer came whole", to: &body)
    } else {
      writeLatencies(live.latencies, to: &body)
    }
    var failures = HTMLTable("Failures", [.text("Kind"), .number("Requests")])
    for failure in live.failures where failure.count > 0 {
      failures.add([.text(failure.kind), .text(HTMLPage.count(failure.count))])
    }
    if live.failures.contains(where: { $0.count > 0 }) {
      failures.write(to: &body)
    } else {
      paragraph("No request failed.", to: &body)
    }
  }

  private func writeLatencies(_ rows: [RunRecord.Live.Latency], to body: inout Markup) {
    var table = HTMLTable(
      "Whole answers, ms",
      [
        .text("Class"), .number("n"), .number("P50"), .number("P95"), .number("P99"),
        .number("Max"), .number("P99 from due"),
      ])
    for row in rows {
      let due = row.dueMilliseconds.count > 2 ? Figures.decimal(row.dueMilliseconds[2], 1) : ""
      table.add(
        [.text(row.class), .text(HTMLPage.count(row.count))]
          + row.sentMilliseconds.map { .text(Figures.decimal($0, 1)) } + [.text(due)])
    }
    table.write(to: &body)
    paragraph(
      "From due: counted from the moment at which the request was due, so that a stalled target or "
        + "generator hides nothing.", faint: true, to: &body)
  }
}
