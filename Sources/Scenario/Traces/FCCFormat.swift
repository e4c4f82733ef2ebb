/// The raw files of the FCC's Measuring Broadband America: `curr_webget…csv`, the web browsing
/// test, and `curr_httpgetmt…csv`, the download test, which ABR work since Pensieve cuts into
/// traces.
///
/// Both begin with `unit_id, dtime, target, address, fetch_time, bytes_total, bytes_sec`; later
/// releases put `ddate` after `dtime`; releases before 2017 may lack the header (Pensieve's
/// `traces/fcc/load_webget_data.py`, github UCBoulder/bclear `data_download_scripts`). Columns are
/// found by their names, else by this order. The rate is `bytes_sec`, bytes per second; the
/// download test's `bytes_sec_interval`, the rate since the row before in the same test, goes first
/// where it is filled. Rows whose rate is NULL or empty are left out.
///
/// A trace is a unit and a target, named `unit target`, its rows ordered by `dtime` and
/// `sequence`. A measurement happens once an hour or so; each one stands for 5 s, one after the
/// other, as in Pensieve's conversion (``TraceOptions/sampleLength``). Traces so converted are in
/// ``CookedFormat`` or ``MahimahiFormat``. The conversion loops.
enum FCCFormat: TraceFormatReader {
  static let summary = "curr_webget or curr_httpgetmt CSV, bytes_sec for 5 s each; loops"
  static let defaultEnd = TraceEnd.loop
  static let columns = [
    "unit_id", "dtime", "target", "address", "fetch_time", "bytes_total", "bytes_sec",
  ]

  static func fits(_ sample: TraceSample) -> Bool {
    if sample.header.contains("unit_id") { return true }
    let rows = sample.cells.filter { $0.count >= columns.count && isTime($0[1].utf8) }
    return rows.count * 2 >= sample.cells.count
  }

  /// Whether a text is `yyyy-mm-dd hh:mm:ss`, with or without quotes.
  private static func isTime(_ text: some BidirectionalCollection<UInt8>) -> Bool {
    let isQuoted = text.first == 0x22 && text.last == 0x22 && text.count > 2
    let bare = text.dropFirst(isQuoted ? 1 : 0).dropLast(isQuoted ? 1 : 0)
    return bare.count == timeShape.count
      && zip(bare, timeShape).allSatisfy { byte, shape in
        shape == 0x30 ? byte >= 0x30 && byte <= 0x39 : byte == shape
      }
  }

  private static let timeShape = Array("0000-00-00 00:00:00".utf8)

  /// One measurement.
  private struct Row {
    var time: String
    var sequence: Double
    var rate: Double
  }

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    guard let layout = layout(text, &report) else { return [] }
    let places = (unit: layout.columns["unit_id"]!, target: layout.columns["target"]!)
    let bodies = layout.isNamed ? text.lines.dropFirst() : text.lines[...]
    var fields: [TraceText.Field] = []
    var names: [String] = []
    var series: [String: [Row]] = [:]
    for line in bodies {
      text.fill(&fields, of: line, .commas)
      // Repeated headers come from files that were put together.
      if isHeader(text, fields[0]) { continue }
      guard isWhole(fields, layout.columns, line, &report),
        let row = row(fields, layout.columns, line, &report)
      else { continue }
      let unit = text.string(unquoted(fields[places.unit], text))
      let name = unit + " " + text.string(unquoted(fields[places.target], text))
      if series[name] == nil { names.append(name) }
      series[name, default: []].append(row)
    }
    return names.map { name in
      var rows = TraceRows(name: name)
      for row in ordered(series[name]!) { rows.append(row.rate, for: options.sampleLength) }
      return rows
    }
  }

  private static func layout(
    _ text: TraceText, _ report: inout TraceReport
  ) -> (columns: CSVColumns, isNamed: Bool)? {
    let first = text.lines[0]
    let fields = text.fields(of: first, .commas)
    if !isHeader(text, fields[0]) && fields.count > 1 && isTime(text.bytes(fields[1])) {
      return (CSVColumns(columns, count: fields.count), false)
    }
    let required = ["unit_id", "dtime", "target", "bytes_sec"]
    let layout = CSVColumns(
      first, known: required + ["bytes_sec_interval", "sequence"], required: required,
      isStrict: false, &report)
    return report.problems.isEmpty ? (layout, true) : nil
  }

  /// Whether a line's first field is the name of the first column.
  private static func isHeader(_ text: TraceText, _ first: TraceText.Field) -> Bool {
    guard let byte = text.bytes(first).first, byte < 0x30 || byte > 0x39 else { return false }
    return CSVColumns.plain(text.string(first)) == "unit_id"
  }

  /// Whether a row has the file's columns.
  private static func isWhole(
    _ fields: [TraceText.Field], _ columns: CSVColumns, _ line: TraceText.Line,
    _ report: inout TraceReport
  ) -> Bool {
    report.hasFields(
      columns.count, fields, line, expected: "\(columns.count) fields as in the first line")
  }

  /// The measurement of a row; nil for one without a rate, or with a problem.
  private static func row(
    _ fields: [TraceText.Field], _ columns: CSVColumns, _ line: TraceText.Line,
    _ report: inout TraceReport
  ) -> Row? {
    let text = report.text
    let time = fields[columns["dtime"]!]
    guard isTime(text.bytes(time)) else {
      report.add(
        .wrongType, time, line, "dtime", expected: "a time as 2016-06-01 00:00:00")
      return nil
    }
    for key in ["bytes_sec_interval", "bytes_sec"] {
      guard let place = columns[key] else { continue }
      let value = unquoted(fields[place], text)
      if isNothing(text.bytes(value)) { continue }
      let quantity = TraceQuantity(
        key: key, unit: "bytes per second", limit: 12_500_000_000, hint: nil)
      guard let rate = report.number(value, line, quantity) else {
        return nil
      }
      let sequence = columns["sequence"].flatMap { text.number(unquoted(fields[$0], text)) } ?? 0
      return Row(time: text.string(unquoted(time, text)), sequence: sequence, rate: rate * 8)
    }
    return nil
  }

  /// Whether a value is absent: nothing, `NULL` or MySQL's `\N`.
  private static func isNothing(_ value: ArraySlice<UInt8>) -> Bool {
    value.isEmpty || value.elementsEqual("\\N".utf8)
      || (value.count == 4 && value.map { $0 | 0x20 }.elementsEqual("null".utf8))
  }

  private static func unquoted(_ field: TraceText.Field, _ text: TraceText) -> TraceText.Field {
    guard field.end - field.start >= 2, text.bytes[field.start] == 0x22,
      text.bytes[field.end - 1] == 0x22
    else { return field }
    return TraceText.Field(start: field.start + 1, end: field.end - 1)
  }

  /// By time and sequence; equal ones stay in the file's order.
  private static func ordered(_ rows: [Row]) -> [Row] {
    rows.enumerated().sorted {
      ($0.element.time, $0.element.sequence, $0.offset)
        < ($1.element.time, $1.element.sequence, $1.offset)
    }.map(\.element)
  }
}
