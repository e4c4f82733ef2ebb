/// A line of a text file that a format looks at: its bytes, where it stands, its fields.
struct CacheTraceLine {
  let file: String
  let bytes: [UInt8]
  let line: ByteSource.Line

  /// All of its bytes.
  var range: Range<Int> { line.start..<line.end }

  /// A problem at a byte of the line.
  func problem(
    _ code: Problem.Code, at byte: Int, _ key: String, expected: String, got: String,
    suggestion: String? = nil
  ) -> Problem {
    let place = min(max(byte, line.start), line.end)
    // Columns count Unicode scalars, whose later bytes are 10xxxxxx.
    let column = 1 + bytes[line.start..<place].count { $0 & 0xC0 != 0x80 }
    let end = line.isCutOff ? ", and the file ends inside this line" : ""
    return Problem(
      code, at: .file(file, line: line.number, column: column), keyPath: key, expected: expected,
      got: got + end, suggestion: suggestion)
  }

  /// A problem with a field.
  func problem(
    _ code: Problem.Code, _ field: Range<Int>, _ key: String, expected: String
  ) -> Problem {
    problem(code, at: field.lowerBound, key, expected: expected, got: excerpt(field))
  }

  /// The text of a field.
  func text(_ field: Range<Int>) -> String { String(decoding: bytes[field], as: UTF8.self) }

  /// The text of a field for a message.
  func excerpt(_ field: Range<Int>) -> String {
    if field.isEmpty { return "nothing" }
    let end = min(field.upperBound, field.lowerBound + 240)
    return Excerpt.oneLine(text(field.lowerBound..<end), limit: 40)
  }
}
