/// Mahimahi's mm-link traces: each line is one millisecond at which up to 1500 bytes may leave.
///
/// Times are whole, count from 0 and do not decrease; a repeated line is a further opportunity. The
/// last line is the period after which the schedule starts anew (Netravali et al. 2015, USENIX ATC;
/// mm-link's source, `link_queue.cc` of github ravinet/mahimahi). Opportunities at ms t become the
/// rate of the millisecond that ends at t, so a packet that is waiting has left at t as there.
/// Lines of 0 coincide with the end of the period before and count there.
enum MahimahiFormat: TraceFormatReader {
  /// Bits of one opportunity.
  static let packetBits = 12_000.0
  /// The longest period, milliseconds: 11 days.
  static let limit = 1_000_000_000.0

  static let summary = "one whole number of ms per line, each an opportunity for 1500 bytes; loops"
  static let defaultEnd = TraceEnd.loop
  /// Single opportunities say little; their number in a second does.
  static let statisticsWindow: Int64 = 1_000_000_000

  static func fits(_ sample: TraceSample) -> Bool {
    let whole = sample.words.filter { $0.count == 1 && Int64($0[0]) != nil }
    return whole.count * 2 >= sample.words.count
  }

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    let quantity = TraceQuantity.milliseconds("time", limit: limit)
    var fields: [TraceText.Field] = []
    var runs: [(at: Int64, count: Int64)] = []
    for line in text.lines {
      text.fill(&fields, of: line, .blanks)
      guard report.hasFields(1, fields, line, expected: "one number of milliseconds"),
        let value = report.number(fields[0], line, quantity)
      else { continue }
      let time = Int64(value)
      if Double(time) != value {
        report.add(.wrongType, fields[0], line, "time", expected: "whole milliseconds")
      } else if let last = runs.last, time < last.at {
        report.add(
          .inconsistent, fields[0], line, "time", expected: "a time of at least \(last.at) ms")
        runs.append((time, 1))
      } else if let last = runs.last, time == last.at {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((time, 1))
      }
    }
    guard report.problems.isEmpty, let last = runs.last else { return [] }
    if last.at == 0 {
      report.addEmpty("a last time after 0 ms, the period", got: "only times of 0")
      return []
    }
    if runs[0].at == 0 {
      runs[runs.count - 1].count += runs[0].count
      runs.removeFirst()
    }
    var rows = TraceRows()
    for run in runs {
      rows.append(0, for: (run.at - 1) * 1_000_000 - rows.end)
      rows.append(Double(run.count) * packetBits * 1_000, for: 1_000_000)
    }
    return [rows]
  }
}
