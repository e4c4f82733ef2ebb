/// The two-column traces of Pensieve (Mao et al. 2017, github hongzimao/pensieve,
/// `sim/load_trace.py`) and of the ACM MM 2022 short-video challenge: seconds and Mbit/s.
///
/// A row's rate holds from the row before to its own time, so the first row's rate is never used.
/// The programs begin at the first row's time and, after the last row, at time 0, from which the
/// second row's rate holds; the period therefore is the last time. Times increase.
///
/// Oboe's files have two numeric columns too. Rows that do not come in pairs of one rate are a
/// cooked trace, and so are pairs with a median below 10, which no link has in kbit/s. Pairs with a
/// median of 100 and more are Oboe's. In between, and when all rates are the same, either may be
/// meant.
enum CookedFormat: TraceFormatReader {
  static let summary = "seconds and Mbit/s; a row's rate holds up to its time; loops"
  static let defaultEnd = TraceEnd.loop

  static func fits(_ sample: TraceSample) -> Bool {
    guard sample.hasNumbers(2) else { return false }
    let look = OboeFormat.look(sample)
    return !look.isPaired || look.isConstant || look.median < 100
  }

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    let times = TraceQuantity.seconds("time")
    let rates = TraceQuantity.megabits("rate")
    var fields: [TraceText.Field] = []
    var rows = TraceRows()
    var last: Int64?
    for line in text.lines {
      text.fill(&fields, of: line, .blanks)
      guard report.hasFields(2, fields, line, expected: "two numbers: seconds and Mbit/s")
      else { continue }
      let seconds = report.number(fields[0], line, times)
      let rate = report.number(fields[1], line, rates)
      guard let seconds else { continue }
      let time = TraceTime.seconds(seconds)
      if let last, time <= last {
        report.add(
          .inconsistent, fields[0], line, "time",
          expected: "a time after the last row's, \(Double(last) / 1e9) s")
      } else if let last {
        rows.append((rate ?? 0) * 1e6, for: rows.starts.isEmpty ? time : time - last)
      } else {
        rows.origin = time
      }
      last = time
    }
    if rows.starts.isEmpty {
      report.addEmpty("at least two rows, as the first one's rate is not used", got: "one row")
      return []
    }
    return [rows]
  }
}
