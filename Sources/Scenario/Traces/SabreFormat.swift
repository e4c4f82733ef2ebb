/// Sabre's networks (Spiteri et al. 2018, MMSys; github UMass-LIDS/sabre, `example/`): periods of
/// milliseconds, kbit/s and a latency in milliseconds that each request waits once.
///
/// Either JSON, a list of objects with `duration_ms`, `bandwidth_kbps` and `latency_ms`, or a CSV
/// with those columns and, for several traces in one file, `trace`. The latency is read as the
/// round trip. Sabre starts the list anew after its end.
enum SabreFormat: TraceFormatReader {
  static let summary = "JSON or CSV of duration_ms, bandwidth_kbps, latency_ms [, trace]; loops"
  static let defaultEnd = TraceEnd.loop
  static let columns = ["duration_ms", "bandwidth_kbps", "latency_ms"]

  static func fits(_ sample: TraceSample) -> Bool {
    sample.cells.first?.first?.hasPrefix("[") == true
      || sample.header.contains("duration_ms") || sample.header.contains("bandwidth_kbps")
  }

  static let quantities = [
    TraceQuantity.milliseconds("duration_ms"), .kilobits("bandwidth_kbps"),
    .milliseconds("latency_ms", limit: 60_000),
  ]

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    let first = text.lines[0]
    if text.bytes[text.fields(of: first, .blanks)[0].start] == 0x5B {
      var rows = TraceRows()
      var reader = SabreJSON(text)
      reader.read(&report) { fields, line, report in add(fields, line, to: &rows, &report) }
      return rows.starts.isEmpty ? [] : [rows]
    }
    return readCSV(text, &report)
  }

  private static func readCSV(_ text: TraceText, _ report: inout TraceReport) -> [TraceRows] {
    let layout = CSVColumns(
      text.lines[0], known: ["trace"] + columns, required: columns, isStrict: true, &report)
    let places = columns.compactMap { layout[$0] }
    if places.count < columns.count { return [] }
    var fields: [TraceText.Field] = []
    var all: [TraceRows] = []
    var numbers: [String: Int] = [:]
    for line in text.lines.dropFirst() {
      text.fill(&fields, of: line, .commas)
      guard
        report.hasFields(
          layout.count, fields, line, expected: "\(layout.count) fields as in the header")
      else { continue }
      let name = layout["trace"].map { text.string(fields[$0]) }
      let number = numbers[name ?? ""] ?? all.count
      if number == all.count {
        numbers[name ?? ""] = number
        all.append(TraceRows(name: name))
      }
      add(places.map { fields[$0] }, line, to: &all[number], &report)
    }
    return all.filter { !$0.starts.isEmpty }
  }

  /// Adds a period; the fields are in the order of ``columns``.
  private static func add(
    _ fields: [TraceText.Field], _ line: TraceText.Line, to rows: inout TraceRows,
    _ report: inout TraceReport
  ) {
    let duration = report.number(fields[0], line, quantities[0])
    let rate = report.number(fields[1], line, quantities[1])
    let latency = report.number(fields[2], line, quantities[2])
    guard let duration, let rate, let latency else { return }
    let length = TraceTime.milliseconds(duration)
    if length == 0 {
      report.add(.outOfRange, fields[0], line, "duration_ms", expected: "more than 0 milliseconds")
      return
    }
    rows.append(rate * 1e3, for: length)
    rows.roundTrips.append(latency)
  }
}
