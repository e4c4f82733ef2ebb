import Scenario

/// Records of a delimited file: RFC 4180 with any delimiter, line ends of LF or CRLF, fields in
/// quotation marks with line feeds and doubled quotation marks inside.
///
/// A quotation mark inside a bare field is text. An empty line is no record.
struct DelimitedRecords: ~Copyable {
  private var stream: ByteStream
  private let delimiter: UInt8
  private let hasQuotes: Bool
  /// The fields of the last record, places in ``base``.
  private(set) var fields: [RecordField] = []
  /// The line that the last record or fault began on, from 1.
  private(set) var line = 0
  /// The first byte of the last record.
  private var start = 0
  /// Where the last fault stands of which it was asked.
  private var faultPlace = (line: 0, column: 1)
  private var nextLine = 1

  private enum Scan {
    case record(end: Int, lines: Int)
    case more
    case fault(RecordFault, Int)
    case end
  }

  /// - Parameter stream: one that has begun.
  init(_ stream: consuming ByteStream, delimiter: UInt8, hasQuotes: Bool) {
    self.stream = stream
    self.delimiter = delimiter
    self.hasQuotes = hasQuotes
  }

  var base: UnsafePointer<UInt8> { UnsafePointer(stream.base) }
  var digest: WordDigest { stream.digest }
  var place: RecordPlace { RecordPlace(base: base, start: start, line: line) }

  /// Reads one more record into ``fields``.
  ///
  /// - Parameter placesFaults: whether ``fault(_:)`` will be asked; else no column is counted.
  mutating func next(
    placesFaults: Bool = true
  ) throws(InputFile.Failure) -> RecordStep {
    while true {
      line = nextLine
      switch scan() {
      case .record(let end, let lines):
        start = stream.start
        stream.skip(to: end)
        nextLine += lines
        if fields.count == 1 && fields[0].count == 0 && !fields[0].isQuoted { continue }
        return .record
      case .more:
        if try !stream.fill() && !stream.isAtEnd {
          return try skip(.tooLong, placesFaults ? stream.start : nil)
        }
      case .fault(let fault, let index): return try skip(fault, placesFaults ? index : nil)
      case .end: return .end
      }
    }
  }

  private mutating func skip(
    _ fault: RecordFault, _ index: Int?
  ) throws(InputFile.Failure) -> RecordStep {
    start = stream.start
    if let index, case .file(_, let line, let column) = place.origin("", index) {
      faultPlace = (line, column)
    }
    try stream.skipLine()
    nextLine += 1
    return .fault(fault)
  }

  private mutating func scan() -> Scan {
    fields.removeAll(keepingCapacity: true)
    let bytes = UnsafePointer(stream.base)
    let (end, isFinal) = (stream.end, stream.isAtEnd)
    var index = stream.start
    if index == end { return isFinal ? .end : .more }
    var lines = 1
    while true {
      if fields.count >= RecordField.limit { return .fault(.tooManyFields, index) }
      if hasQuotes && index < end && bytes[index] == 0x22 {
        guard let close = closing(bytes, index + 1, &lines) else {
          return isFinal ? .fault(.openQuote, index) : .more
        }
        index = close + 1
        if index < end && bytes[index] == 0x0D && (index + 1 == end || bytes[index + 1] == 0x0A) {
          index += 1
        }
        if index == end { return isFinal ? .record(end: end, lines: lines) : .more }
        if bytes[index] == 0x0A { return .record(end: index + 1, lines: lines) }
        if bytes[index] != delimiter { return .fault(.textAfterQuote, index) }
        index += 1
        continue
      }
      let first = index
      index = DelimitedRecords.next(delimiter, bytes, index, end)
      if index == end && !isFinal { return .more }
      let isLast = index == end || bytes[index] == 0x0A
      let last = isLast && index > first && bytes[index - 1] == 0x0D ? index - 1 : index
      fields.append(RecordField(start: first, count: last - first))
      if isLast { return .record(end: min(index + 1, end), lines: lines) }
      index += 1
    }
  }

  /// Where the quotation mark stands that ends a field; adds the field.
  private mutating func closing(
    _ bytes: UnsafePointer<UInt8>, _ first: Int, _ lines: inout Int
  ) -> Int? {
    var close = first
    var escape = RecordField.Escape.none
    while true {
      while close < stream.end && bytes[close] != 0x22 {
        if bytes[close] == 0x0A { lines += 1 }
        close += 1
      }
      if close == stream.end { return nil }
      if close + 1 == stream.end {
        if !stream.isAtEnd { return nil }
        break
      }
      if bytes[close + 1] != 0x22 { break }
      escape = .doubledQuotes
      close += 2
    }
    fields.append(
      RecordField(start: first, count: close - first, escape: escape, isQuoted: true))
    return close
  }

  /// The first delimiter or line feed from `start` on, eight bytes at a time.
  @inline(__always)
  private static func next(
    _ delimiter: UInt8, _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int
  ) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let (delimiters, feeds) = (ones &* UInt64(delimiter), ones &* 0x0A)
    let raw = UnsafeRawPointer(bytes)
    var index = start
    while index + 8 <= end {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      // The lowest mark is right: a borrow only makes false ones above a true one.
      let (a, b) = (word ^ delimiters, word ^ feeds)
      let marks = (((a &- ones) & ~a) | ((b &- ones) & ~b)) & highs
      if marks != 0 { return index + marks.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < end && bytes[index] != delimiter && bytes[index] != 0x0A { index += 1 }
    return index
  }
}

extension DelimitedRecords {
  /// The bytes of a field.
  func text(_ field: Int) -> TextSpan {
    TextSpan(base + fields[field].start, fields[field].count)
  }

  /// The fields as texts, for a line of names.
  var texts: [String] {
    fields.map { field in
      let text = TextSpan(base + field.start, field.count).trimmed.text
      return field.escape == .doubledQuotes
        ? text.split(separator: "\"\"", omittingEmptySubsequences: false).joined(separator: "\"")
        : text
    }
  }

  /// Where the last fault stands.
  func fault(_ file: String) -> Origin {
    .file(file, line: faultPlace.line, column: faultPlace.column)
  }
}
