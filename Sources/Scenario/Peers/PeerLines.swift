/// A text file of the peers' data: lines of fields, each with its place.
struct PeerLines {
  /// One field.
  struct Field {
    var text: String
    var origin: Origin
  }

  /// One line that holds something.
  struct Line {
    /// 1-based, blank lines counted.
    var number: Int
    var fields: [Field]
  }

  /// What stands between fields.
  enum Separator {
    /// Any run of blanks and tabs.
    case blanks
    /// One comma; blanks around a field do not belong to it.
    case comma
    /// Any run of blanks, tabs and commas.
    case either
  }

  /// The path as given.
  let path: String
  /// The lines that are not blank.
  private(set) var lines: [Line] = []

  /// Splits a text; lines end in LF or CRLF.
  init(_ bytes: [UInt8], path: String, separator: Separator) {
    self.path = path
    // Not split at once: a file of line ends would cost many times what it is long.
    var (start, number) = (0, 0)
    while start <= bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      number += 1
      let fields = PeerLines.fields(bytes[start..<end], path: path, number: number, separator)
      if fields.contains(where: { !$0.text.isEmpty }) {
        lines.append(Line(number: number, fields: fields))
      }
      start = end + 1
    }
  }

  /// Reads a file; nil after adding a problem.
  static func load(
    _ path: String, separator: Separator = .blanks, into problems: inout Problems
  ) -> PeerLines? {
    guard let bytes = bytes(of: path, into: &problems) else { return nil }
    return PeerLines(bytes, path: path, separator: separator)
  }

  /// The bytes of a file; nil after adding a problem.
  static func bytes(of path: String, into problems: inout Problems) -> [UInt8]? {
    do throws(InputFile.Failure) {
      return try InputFile.bytes(at: path, limit: YAMLReader.Limits.dataBytes)
    } catch {
      problems.add(
        Problem(
          error.code, at: .file(path, line: 1, column: 1), keyPath: "", expected: error.expected,
          got: error.got))
      return nil
    }
  }

  static func fields(
    _ line: ArraySlice<UInt8>, path: String, number: Int, _ separator: Separator
  ) -> [Field] {
    let isComma = separator == .comma
    let parts = line.split(omittingEmptySubsequences: !isComma) { byte in
      switch byte {
      case 0x2C: separator != .blanks
      case 0x20, 0x09, 0x0D: !isComma
      default: false
      }
    }
    return parts.map { part in
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
      let trimmed = part.drop(while: isBlank)
      let end = trimmed.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? trimmed.startIndex
      let origin = Origin.file(
        path, line: number, column: trimmed.startIndex - line.startIndex + 1)
      let text = String(decoding: trimmed[trimmed.startIndex..<end], as: UTF8.self)
      return Field(text: text, origin: origin)
    }
  }

  /// A problem of the whole file.
  func problem(_ code: Problem.Code, expected: String, got: String, line: Int = 1) -> Problem {
    Problem(
      code, at: .file(path, line: line, column: 1), keyPath: "", expected: expected, got: got)
  }
}

extension PeerLines.Field {
  /// The field as a number within `range`; nil after adding a problem.
  func real(
    _ key: String, in range: ClosedRange<Double>, into problems: inout Problems
  ) -> Double? {
    let value: Double
    do throws(QuantityFault) {
      value = try PlainNumber.real(of: text)
    } catch {
      problems.add(problem(error.code, key, expected: error.expected))
      return nil
    }
    if range.contains(value) { return value }
    let (low, high) = (PlainNumber.text(range.lowerBound), PlainNumber.text(range.upperBound))
    problems.add(problem(.outOfRange, key, expected: "a number from \(low) to \(high)"))
    return nil
  }

  /// The field as a whole number within `range`; nil after adding a problem.
  func integer(
    _ key: String, in range: ClosedRange<Int64>, into problems: inout Problems
  ) -> Int64? {
    let value: Int64
    do throws(QuantityFault) {
      value = try PlainNumber.integer(of: text)
    } catch {
      problems.add(problem(error.code, key, expected: error.expected))
      return nil
    }
    if range.contains(value) { return value }
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    problems.add(problem(.outOfRange, key, expected: expected))
    return nil
  }

  func problem(_ code: Problem.Code, _ key: String, expected: String) -> Problem {
    let got = text.isEmpty ? "nothing" : Excerpt.oneLine(text)
    return Problem(code, at: origin, keyPath: key, expected: expected, got: got)
  }
}
