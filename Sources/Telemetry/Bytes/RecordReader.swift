import Scenario

/// What came of the attempt to read one more record.
enum RecordStep: Equatable {
  case record
  /// A line that is none; the reader goes on with the next line.
  case fault(RecordFault)
  case end
}

/// What keeps a line from being a record.
enum RecordFault: Equatable {
  case tooLong
  case openQuote
  case textAfterQuote
  case tooManyFields
  case noObject
  case noLogLine

  var expected: String {
    switch self {
    case .tooLong: "a record of at most \(ByteStream.capacity >> 20) MiB"
    case .openQuote: "a closing quotation mark"
    case .textAfterQuote: "a delimiter after the closing quotation mark"
    case .tooManyFields: "at most \(RecordField.limit) fields"
    case .noObject: "a JSON object on one line"
    case .noLogLine: "host ident user [date] \"request\" status bytes"
    }
  }

  var got: String {
    switch self {
    case .tooLong: "a longer one"
    case .openQuote: "none up to the end of the file"
    case .textAfterQuote: "other text"
    case .tooManyFields: "more"
    // What stands there may name somebody.
    case .noObject, .noLogLine: "other text"
    }
  }
}

/// Where a field stands in the buffer, and whether its text is written in another way.
struct RecordField {
  enum Escape: UInt8 {
    case none
    /// `""` stands for `"`.
    case doubledQuotes
    /// Escapes of JSON strings.
    case json
    /// `\xHH`, `\"` and `\\`, as servers write their logs.
    case log
  }

  var start: Int
  var count: Int
  var escape = Escape.none
  /// Whether it stood in quotation marks.
  var isQuoted = false

  /// The most fields of a record.
  static let limit = 4_096
  /// A field that is not there.
  static let absent = RecordField(start: 0, count: 0)
}

/// Where a record begins in the buffer and in its file.
struct RecordPlace {
  let base: UnsafePointer<UInt8>
  let start: Int
  let line: Int

  /// The line and the column of a byte of the record; columns count Unicode scalars. For messages
  /// alone.
  func origin(_ file: String, _ index: Int) -> Origin {
    var (line, column) = (line, 1)
    for place in start..<max(start, index) {
      if base[place] == 0x0A {
        (line, column) = (line + 1, 1)
      } else if base[place] & 0xC0 != 0x80 {
        column += 1
      }
    }
    return .file(file, line: line, column: column)
  }
}
