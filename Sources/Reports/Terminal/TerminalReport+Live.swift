extension ReportWriter {
  // MARK: Live runs

  /// Whom a live run asked and how the generator was; nothing for a simulated run.
  func live() -> [String] {
    guard let live = record.live else { return [] }
    var lines = [
      "  \(live.target), \(live.edge); \(live.link)",
      "  \(Figures.count(live.requests)) requests, \(Figures.bytes(live.bytes)) in "
        + "\(Figures.duration(live.seconds)); \(Figures.count(live.starts)) sessions began, "
        + "\(Figures.count(live.lateStarts)) of them late",
    ]
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
    let failures = live.failures.filter { $0.count > 0 }
    let told = failures.map { "\(Figures.count($0.count)) \($0.kind)" }.joined(separator: ", ")
    lines += live.notes.flatMap { wrapped("note: \($0)", indent: "  ") }
    return lines + wrapped(failures.isEmpty ? "no request failed" : told, indent: "  ")
  }
}
