extension HTMLPage {
  // MARK: Live runs

  func writeLive(to body: inout Markup) {
    guard let live = record.live else { return noData("the run was simulated", to: &body) }
    paragraph(
      "\(live.target), \(live.edge); \(live.link). \(HTMLPage.count(live.requests)) requests and "
        + "\(Figures.bytes(live.bytes)) in \(Figures.duration(live.seconds)). "
        + "\(HTMLPage.count(live.starts)) sessions began, \(HTMLPage.count(live.lateStarts)) of "
        + "them late. \(HTMLPage.count(live.checkedBodies)) media bodies were checked and "
        + "right; \(HTMLPage.count(live.lateAnswers)) pieces of answers with "
        + "\(Figures.bytes(live.lateBytes)) came when nobody waited for them.", to: &body)
    for reason in live.reasons { paragraph("Not to be believed: \(reason).", to: &body) }
    for note in live.notes { paragraph("\(note).", to: &body) }
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
      table.add(
        [.text(row.class), .text(HTMLPage.count(row.count))]
          + row.sentMilliseconds.map { .text(Figures.decimal($0, 1)) }
          + [.text(row.dueText)])
    }
    table.write(to: &body)
    paragraph(
      "From due: counted from the moment at which the request was due, so that a stalled target or "
        + "generator hides nothing.", faint: true, to: &body)
  }
}
