/// What is wrong with one file, and the checks that all formats share.
struct TraceReport {
  /// The most problems kept; the rest is counted.
  static let limit = 20

  let text: TraceText
  private(set) var problems: [Problem] = []
  private(set) var omitted = 0

  init(_ text: TraceText) { self.text = text }

  /// The error to throw; nil when nothing is wrong.
  var rejection: InputRejected? {
    problems.isEmpty ? nil : InputRejected(.trace, problems: problems, omitted: omitted)
  }

  /// Counts a problem that there is no room for, before its texts are made.
  private mutating func isFull() -> Bool {
    if problems.count < TraceReport.limit { return false }
    omitted += 1
    return true
  }

  /// Adds a problem at a line and column.
  mutating func add(
    _ code: Problem.Code, line: Int = 1, column: Int = 1, _ key: String, expected: String,
    got: String, suggestion: String? = nil
  ) {
    if isFull() { return }
    problems.append(
      Problem(
        code, at: .file(text.file, line: line, column: column), keyPath: key, expected: expected,
        got: got, suggestion: suggestion))
  }

  /// Adds a problem at a field.
  mutating func add(
    _ code: Problem.Code, _ field: TraceText.Field, _ line: TraceText.Line, _ key: String,
    expected: String, got: String? = nil, suggestion: String? = nil
  ) {
    if isFull() { return }
    let written = field.isEmpty ? "nothing" : Excerpt.oneLine(text.string(field), limit: 40)
    add(
      code, line: Int(line.number), column: text.column(field.start, in: line), key,
      expected: expected, got: got ?? written, suggestion: suggestion)
  }

  /// Whether a line has that many fields; else a problem.
  mutating func hasFields(
    _ count: Int, _ fields: [TraceText.Field], _ line: TraceText.Line, expected: String
  ) -> Bool {
    if fields.count == count { return true }
    if isFull() { return false }
    var got = "\(fields.count) field\(fields.count == 1 ? "" : "s")"
    if fields.count < count && text.isCutOff(line) {
      got += ", and the file ends inside this line"
    }
    add(
      .wrongCount, line: Int(line.number), column: text.column(Int(line.start), in: line), "",
      expected: expected, got: got)
    return false
  }

  /// The number of a field in `range`; nil with a problem when it is none.
  mutating func number(
    _ field: TraceText.Field, _ line: TraceText.Line, _ quantity: TraceQuantity
  ) -> Double? {
    guard let value = text.number(field) else {
      add(.wrongType, field, line, quantity.key, expected: "a number of \(quantity.unit)")
      return nil
    }
    if field.end == text.bytes.count && text.bytes[field.end - 1] == 0x2E {
      add(
        .wrongType, field, line, quantity.key, expected: "a number of \(quantity.unit)",
        got: "\(text.string(field)), and the file ends inside this number")
      return nil
    }
    if value >= 0 && value <= quantity.limit { return value }
    if isFull() { return nil }
    let hint = value > 0 ? quantity.hint.map { ", which looks like \($0)" } ?? "" : ""
    add(
      .outOfRange, field, line, quantity.key,
      expected: "\(quantity.unit) from 0 to \(Int64(quantity.limit))",
      got: Excerpt.oneLine(text.string(field), limit: 40) + hint)
    return nil
  }

  /// Reports that no row of a file could be used; for files that have rows at all.
  mutating func addEmpty(_ expected: String, got: String) {
    if problems.isEmpty { add(.emptyFile, "", expected: expected, got: got) }
  }
}

/// A column: its name, its unit and its bounds, in which the wrong unit shows.
struct TraceQuantity {
  /// The column's name in messages.
  var key: String
  /// The unit in the plural.
  var unit: String
  /// The largest value that makes sense.
  var limit: Double
  /// What a larger one looks like.
  var hint: String?

  /// More than 100 Gbit/s is no access link: the column holds smaller units.
  static func megabits(_ key: String) -> TraceQuantity {
    TraceQuantity(key: key, unit: "Mbit/s", limit: 100_000, hint: "kbit/s or bit/s")
  }
  static func kilobits(_ key: String) -> TraceQuantity {
    TraceQuantity(key: key, unit: "kbit/s", limit: 100_000_000, hint: "bit/s")
  }
  /// Seconds since the start of a trace, at most 11 days.
  static func seconds(_ key: String) -> TraceQuantity {
    TraceQuantity(
      key: key, unit: "seconds since the start", limit: 1_000_000,
      hint: "a clock's time or milliseconds")
  }
  static func milliseconds(_ key: String, limit: Double = 1_000_000_000) -> TraceQuantity {
    TraceQuantity(key: key, unit: "milliseconds", limit: limit, hint: nil)
  }
}
