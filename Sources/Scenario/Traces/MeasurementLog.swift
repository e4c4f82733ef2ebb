/// What the logs from Norway and Belgium share: six numbers a row, separated by white space.
///
/// Clock time, milliseconds since some start, latitude, longitude, bytes received since the last
/// row and milliseconds since the last row. A row's rate is bytes over milliseconds and holds for
/// that long; rows follow each other, and time that no row covers is left out, as in the
/// conversions that Pensieve publishes. A first row without a time before it is skipped. The clock
/// only tells the two logs apart.
struct MeasurementLog {
  var format: TraceFormat
  /// The unit of the first column.
  var clock: TraceQuantity
  /// The smallest clock time.
  var earliest: Double

  /// Whether the clock of most rows of six numbers is of this log.
  func fits(_ sample: TraceSample) -> Bool {
    let clocks = sample.column(0, of: 6)
    return sample.hasNumbers(6) && clocks.count { hasClock($0) } * 2 >= clocks.count
  }

  private func hasClock(_ value: Double) -> Bool { value >= earliest && value <= clock.limit }

  func read(_ text: TraceText, _ report: inout TraceReport) -> [TraceRows] {
    let since = TraceQuantity.milliseconds("since_start_ms", limit: 1e15)
    let volume = TraceQuantity(key: "bytes", unit: "bytes", limit: 1e12)
    let elapsed = TraceQuantity.milliseconds("elapsed_ms")
    var fields: [TraceText.Field] = []
    var rows = TraceRows()
    var last: Double?
    for line in text.lines {
      text.fill(&fields, of: line, .blanks)
      guard report.hasFields(6, fields, line, expected: "six numbers of \(format.rawValue)")
      else { continue }
      checkClock(fields, line, &report)
      let time = report.number(fields[1], line, since)
      let bytes = report.number(fields[4], line, volume)
      let length = report.number(fields[5], line, elapsed)
      guard let time, let bytes, let length else { continue }
      if let last, time <= last {
        report.add(
          .inconsistent, fields[1], line, since.key,
          expected: "a time after the last row's, \(Int64(last)) ms")
      }
      let isFirst = last == nil
      last = time
      if length == 0 {
        if !isFirst || bytes > 0 {
          report.add(
            .outOfRange, fields[5], line, elapsed.key, expected: "more than 0 milliseconds")
        }
        continue
      }
      let rate = bytes * 8_000 / length
      if rate > 1e11 {
        report.add(.outOfRange, fields[4], line, volume.key, expected: "at most 100 Gbit/s")
        continue
      }
      rows.append(rate, for: TraceTime.milliseconds(length))
    }
    return rows.starts.isEmpty ? [] : [rows]
  }

  private func checkClock(
    _ fields: [TraceText.Field], _ line: TraceText.Line, _ report: inout TraceReport
  ) {
    for (field, key) in [(fields[2], "latitude"), (fields[3], "longitude")]
    where report.text.number(field) == nil {
      report.add(.wrongType, field, line, key, expected: "a number of degrees")
    }
    guard let value = report.number(fields[0], line, clock), value < earliest else { return }
    report.add(
      .outOfRange, fields[0], line, clock.key, expected: "\(clock.unit) since 1970",
      got: report.text.string(fields[0]))
  }
}
