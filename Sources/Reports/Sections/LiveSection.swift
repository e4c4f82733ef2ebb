extension ReportSection {
  static let live = ReportSection(
    .live, of: .any, title: "LIVE", lines: { $0.live() }, page: { $0.writeLive(to: &$1) })
}

extension ReportWriter {
  // MARK: Live runs

  /// Whom a live run asked and how the generator was; nothing for a simulated run.
  func live() -> [String] {
    guard let live = record.live else { return [] }
    var lines = wrapped("\(live.target), \(live.edge); \(live.link)", indent: "  ")
    lines.append(
      "  \(Figures.count(live.requests)) requests, \(Figures.bytes(live.bytes)) in "
        + "\(Figures.duration(live.seconds)); \(Figures.count(live.starts)) sessions began, "
        + "\(Figures.count(live.lateStarts)) of them late")
    if live.checkedBodies > 0 {
      lines.append("  \(Figures.count(live.checkedBodies)) media bodies checked and right")
    }
    if live.lateAnswers > 0 {
      lines.append(
        "  \(Figures.count(live.lateAnswers)) pieces of answers came when nobody waited for them, "
          + "with \(Figures.bytes(live.lateBytes))")
    }
    var readings = TextTable([.left, .right, .right, .left])
    for reading in live.health {
      readings.add([
        TextCell(reading.name), TextCell("\(Figures.decimal(reading.value, 2)) \(reading.unit)"),
        TextCell(
          reading.limit.map { "limit \(Figures.decimal($0, 2)) \(reading.unit)" } ?? "", .faint),
        reading.good ? TextCell("good", .green) : TextCell("BAD", .red),
      ])
    }
    lines += readings.lines(color: color)
    lines += live.reasons.flatMap { wrapped("not to be believed: \($0)", indent: "  ") }
    if !live.latencies.isEmpty {
      var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
      table.heading(["whole answers, ms", "n", "P50", "P95", "P99", "max", "P99 from due"])
      for row in live.latencies {
        table.add(
          [TextCell(row.class), TextCell(Figures.count(row.count))]
            + row.sentMilliseconds.map { TextCell(Figures.decimal($0, 1)) }
            + [TextCell(row.dueText)])
      }
      lines += table.lines(color: color)
    }
    lines += live.mediaDataLines.flatMap { wrapped($0, indent: "  ") }
    if !live.hopRows.isEmpty {
      var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
      table.heading(RunRecord.Live.hopHeadings)
      for row in live.hopRows { table.add(row.map { TextCell($0) }) }
      lines += table.lines(color: color)
    }
    let failures = live.failures.filter { $0.count > 0 }
    let told = failures.map { "\(Figures.count($0.count)) \($0.kind)" }.joined(separator: ", ")
    lines += live.notes.flatMap { wrapped("note: \($0)", indent: "  ") }
    return lines + wrapped(failures.isEmpty ? "no request failed" : told, indent: "  ")
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
    for line in live.mediaDataLines { paragraph("\(line).", to: &body) }
    if !live.hopRows.isEmpty {
      let headings = RunRecord.Live.hopHeadings
      var hops = HTMLTable(
        "What servers said", [.text("Server")] + headings.dropFirst().map { .number($0) })
      for row in live.hopRows { hops.add(row.map { .text($0) }) }
      hops.write(to: &body)
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
