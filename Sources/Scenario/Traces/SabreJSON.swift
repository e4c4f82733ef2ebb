/// Just enough JSON (RFC 8259) for a list of flat objects of numbers, with places for messages.
struct SabreJSON {
  private let text: TraceText
  private var index: Int
  /// Number of the line in ``TraceText/lines`` that holds ``index``.
  private var place = 0

  init(_ text: TraceText) {
    self.text = text
    index = Int(text.lines[0].start)
  }

  /// Why reading stopped.
  private struct Failure: Error {
    var expected: String
  }

  /// Calls `body` with the fields of each object, in the order of ``SabreFormat/columns``.
  mutating func read(
    _ report: inout TraceReport,
    _ body: ([TraceText.Field], TraceText.Line, inout TraceReport) -> Void
  ) {
    do throws(Failure) {
      try take(0x5B, "a list")
      if peek() == 0x5D {
        index += 1
      } else {
        try readPeriods(&report, body)
      }
      if peek() != nil { throw Failure(expected: "the end of the file after the list") }
    } catch {
      addFailure(error, &report)
    }
  }

  private mutating func addFailure(_ failure: Failure, _ report: inout TraceReport) {
    _ = peek()
    let field = TraceText.Field(start: index, end: min(index + 1, text.bytes.count))
    report.add(
      .syntax, field, line, "", expected: failure.expected,
      got: index < text.bytes.count ? "\"\(text.string(field))\"" : "the end of the file")
  }

  private mutating func readPeriods(
    _ report: inout TraceReport,
    _ body: ([TraceText.Field], TraceText.Line, inout TraceReport) -> Void
  ) throws(Failure) {
    while true {
      _ = peek()
      let (start, startLine) = (index, line)
      var fields: [TraceText.Field?] = [nil, nil, nil]
      try readPeriod(&fields, &report)
      let missing = zip(SabreFormat.columns, fields).filter { $0.1 == nil }.map { $0.0 }
      for key in missing {
        report.add(
          .missingKey, line: Int(startLine.number), column: text.column(start, in: startLine), key,
          expected: "a period with \(key)", got: "none")
      }
      if missing.isEmpty { body(fields.compactMap { $0 }, startLine, &report) }
      if peek() == 0x5D {
        index += 1
        return
      }
      try take(0x2C, "\",\" or \"]\" after a period")
    }
  }

  private mutating func readPeriod(
    _ fields: inout [TraceText.Field?], _ report: inout TraceReport
  ) throws(Failure) {
    try take(0x7B, "a period, {…}")
    while true {
      let key = try readKey()
      try take(0x3A, "\":\" after a key")
      let value = try readValue()
      let name = text.string(key)
      if let column = SabreFormat.columns.firstIndex(of: name) {
        if fields[column] != nil {
          report.add(.duplicateKey, key, line, name, expected: "each key once")
        }
        fields[column] = value
      } else {
        report.add(
          .unknownKey, key, line, "",
          expected: "one of \(SabreFormat.columns.joined(separator: ", "))",
          suggestion: Spelling.nearest(to: name, in: SabreFormat.columns))
      }
      if peek() == 0x7D {
        index += 1
        return
      }
      try take(0x2C, "\",\" or \"}\" after a value")
    }
  }

  /// A text without escapes; the field is what stands between the quotes.
  private mutating func readKey() throws(Failure) -> TraceText.Field {
    try take(0x22, "a key in double quotes")
    let start = index
    while index < text.bytes.count && text.bytes[index] != 0x22 && text.bytes[index] != 0x0A {
      index += 1
    }
    guard index < text.bytes.count, text.bytes[index] == 0x22 else {
      throw Failure(expected: "the end of a key")
    }
    index += 1
    return TraceText.Field(start: start, end: index - 1)
  }

  /// Whatever stands up to the next comma, brace, bracket or blank: checked as a number later.
  private mutating func readValue() throws(Failure) -> TraceText.Field {
    _ = peek()
    let start = index
    while index < text.bytes.count {
      switch text.bytes[index] {
      case 0x20, 0x09, 0x0D, 0x0A, 0x2C, 0x7D, 0x5D, 0x7B, 0x5B, 0x3A:
        if index == start { throw Failure(expected: "a number") }
        return TraceText.Field(start: start, end: index)
      default: index += 1
      }
    }
    throw Failure(expected: "a number and the rest of the list")
  }

  private mutating func take(_ byte: UInt8, _ expected: String) throws(Failure) {
    guard peek() == byte else { throw Failure(expected: expected) }
    index += 1
  }

  /// The next byte that is not blank; nil at the end.
  private mutating func peek() -> UInt8? {
    while index < text.bytes.count {
      switch text.bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return text.bytes[index]
      }
    }
    return nil
  }

  /// The line that holds ``index``, or the last one.
  private var line: TraceText.Line {
    mutating get {
      while place + 1 < text.lines.count && Int(text.lines[place + 1].start) <= index { place += 1 }
      return text.lines[place]
    }
  }
}
