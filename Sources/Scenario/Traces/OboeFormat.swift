/// The traces published with Oboe (Akhtar et al. 2018, SIGCOMM; github USC-NSL/Oboe, `README.md`):
/// milliseconds and kbit/s, two lines for each chunk that was downloaded.
///
/// The lines of a chunk are its start and its end and repeat its mean rate. Between the end of one
/// chunk and the start of the next the rate is said to go over linearly; here it is the mean of
/// both, which carries the same bits. A session begins at the first line's time. No program fixes
/// what follows the last line; ABR work loops it as it loops the cooked form.
///
/// Told from ``CookedFormat`` by its pairs.
enum OboeFormat: TraceFormatReader {
  static let summary =
    "ms and kbit/s, two lines of one rate for the start and end of a chunk; loops"
  static let defaultEnd = TraceEnd.loop

  /// What tells the formats of two numeric columns apart.
  struct Look {
    /// Whether lines 1 and 2, 3 and 4 and so on have the same rate.
    var isPaired: Bool
    /// Whether all lines have the same rate.
    var isConstant: Bool
    var median: Double
  }

  static func look(_ sample: TraceSample) -> Look {
    let rates = sample.column(1, of: 2)
    let pairs = rates.count / 2
    let equal = (0..<pairs).count { rates[2 * $0] == rates[2 * $0 + 1] }
    return Look(
      isPaired: pairs > 0 && equal * 4 >= pairs * 3, isConstant: Set(rates).count <= 1,
      median: rates.isEmpty ? 0 : rates.sorted()[rates.count / 2])
  }

  static func fits(_ sample: TraceSample) -> Bool {
    guard sample.hasNumbers(2) else { return false }
    let look = look(sample)
    return look.isPaired && look.median >= 10
  }

  /// One line.
  private struct Row {
    var line: TraceText.Line
    var time: Int64
    var rate: Double
  }

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    let times = TraceQuantity.milliseconds("time")
    let rates = TraceQuantity.kilobits("rate")
    var fields: [TraceText.Field] = []
    var rows = TraceRows()
    var (last, before): (Row?, Row?) = (nil, nil)
    var isEnd = false
    for line in text.lines {
      text.fill(&fields, of: line, .blanks)
      var current: Row?
      defer {
        isEnd.toggle()
        before = current
      }
      guard report.hasFields(2, fields, line, expected: "two numbers: milliseconds and kbit/s")
      else { continue }
      let time = report.number(fields[0], line, times)
      let rate = report.number(fields[1], line, rates)
      guard let time, let rate else { continue }
      let row = Row(line: line, time: TraceTime.milliseconds(time), rate: rate)
      if let last {
        if row.time < last.time || (isEnd && row.time == last.time) {
          let bound =
            "\(isEnd ? "after" : "not before") the last line's, \(last.time / 1_000_000) ms"
          report.add(.inconsistent, fields[0], line, "time", expected: "a time \(bound)")
        } else {
          let held = isEnd ? row.rate : (last.rate + row.rate) / 2
          rows.append(held * 1e3, for: row.time - last.time)
        }
      }
      if isEnd, let before, row.rate != before.rate {
        report.add(
          .inconsistent, fields[1], line, "rate",
          expected: "the rate of line \(before.line.number), as both are one chunk")
      }
      current = row
      last = row
    }
    if isEnd, let line = text.lines.last {
      report.add(
        .wrongCount, line: Int(line.number), "", expected: "two lines for each chunk",
        got: "a start without its end on the last line")
    }
    if rows.starts.isEmpty { report.addEmpty("the two lines of a chunk", got: "one line") }
    return rows.starts.isEmpty ? [] : [rows]
  }
}
