/// This program's own CSV: `time_s,down_mbps[,up_mbps][,rtt_ms][,loss]` with a header, in any
/// order.
///
/// A row holds from its time to the next row's; the first time is where the trace starts. A last
/// row with a time and nothing else says where the trace ends; without it the last step is as long
/// as the one before it, or 1 s when it is the only one; it needs its line end. `loss` is a
/// probability. Times increase.
enum FirstFrameFormat: TraceFormatReader {
  static let summary = "CSV with time_s, down_mbps and, if wanted, up_mbps, rtt_ms, loss; holds"
  static let defaultEnd = TraceEnd.hold
  static let columns = ["time_s", "down_mbps", "up_mbps", "rtt_ms", "loss"]

  static func fits(_ sample: TraceSample) -> Bool {
    sample.header.contains("time_s") || sample.header.contains("down_mbps")
  }

  /// One row; nil values did not read.
  private struct Row {
    var time: Int64
    /// In the order of ``columns`` without the time; 0 for a column that the file lacks.
    var values: [Double] = []
  }

  private static let quantities = [
    TraceQuantity.megabits("down_mbps"), .megabits("up_mbps"),
    .milliseconds("rtt_ms", limit: 60_000),
    TraceQuantity(key: "loss", unit: "a probability", limit: 1, hint: "per cent"),
  ]

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    let layout = CSVColumns(
      text.lines[0], known: columns, required: ["time_s", "down_mbps"], isStrict: true, &report)
    if layout["time_s"] == nil || layout["down_mbps"] == nil { return [] }
    var fields: [TraceText.Field] = []
    var list: [Row] = []
    var end: Int64?
    for line in text.lines.dropFirst() {
      text.fill(&fields, of: line, .commas)
      guard
        report.hasFields(
          layout.count, fields, line, expected: "\(layout.count) fields as in the header"),
        let time = time(fields[layout["time_s"]!], line, after: list.last?.time, &report)
      else { continue }
      if end != nil {
        report.add(
          .inconsistent, line: Int(line.number), "", expected: "no row after the one that ends it",
          got: "a row")
        break
      }
      if fields.count(where: { !$0.isEmpty }) == 1 && !list.isEmpty && !text.isCutOff(line) {
        end = time
        continue
      }
      list.append(Row(time: time, values: values(fields, layout, line, &report)))
    }
    guard report.problems.isEmpty, let first = list.first, let last = list.last else { return [] }
    let before = list.count > 1 ? last.time - list[list.count - 2].time : 1_000_000_000
    return [rows(list, from: first.time, to: end ?? last.time + before, layout)]
  }

  private static func time(
    _ field: TraceText.Field, _ line: TraceText.Line, after last: Int64?,
    _ report: inout TraceReport
  ) -> Int64? {
    guard let seconds = report.number(field, line, .seconds("time_s")) else { return nil }
    let time = TraceTime.seconds(seconds)
    if let last, time <= last {
      report.add(
        .inconsistent, field, line, "time_s",
        expected: "a time after the last row's, \(Double(last) / 1e9) s")
    }
    return time
  }

  private static func values(
    _ fields: [TraceText.Field], _ layout: CSVColumns, _ line: TraceText.Line,
    _ report: inout TraceReport
  ) -> [Double] {
    quantities.map { quantity in
      guard let place = layout[quantity.key] else { return 0 }
      return report.number(fields[place], line, quantity) ?? 0
    }
  }

  private static func rows(
    _ list: [Row], from start: Int64, to end: Int64, _ layout: CSVColumns
  ) -> TraceRows {
    var rows = TraceRows()
    for (index, row) in list.enumerated() {
      let until = index + 1 < list.count ? list[index + 1].time : end
      rows.append(row.values[0] * 1e6, for: until - row.time)
      if layout["up_mbps"] != nil { rows.uplinks.append(row.values[1] * 1e6) }
      if layout["rtt_ms"] != nil { rows.roundTrips.append(row.values[2]) }
      if layout["loss"] != nil { rows.losses.append(row.values[3]) }
    }
    return rows
  }
}
