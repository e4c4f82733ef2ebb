import Foundation

/// Columns under a header (RFC 4180, but a quoted field ends on its line): `id` and any of `time`,
/// `size`, `ttl`, `node`, in any order; other columns are passed over.
///
/// `id` and `node` are any text, `time` and `ttl` seconds, `size` bytes. An empty `size` is 1, an
/// empty `ttl` never expires, nor does 0; an empty `node` is a node of its own.
struct CacheCSVFormat: CacheLineFormat {
  private enum Column: String, CaseIterable { case id, time, size, ttl, node }

  /// A field without its quotes.
  private struct Field {
    var range: Range<Int>
    /// Whether it holds doubled quotes.
    var hasDoubled = false
  }

  private var columns: [Column?]?
  private var isUsable = true
  private var unused: [String] = []
  private var fields: [Field] = []
  private var scratch: [UInt8] = []

  static func fits(_ first: CacheTraceLine) -> Bool {
    var format = CacheCSVFormat()
    guard format.split(first) == nil else { return false }
    return format.fields.contains { format.name($0, first) == Column.id.rawValue }
  }

  mutating func read(
    _ line: CacheTraceLine, _ builder: inout CacheTraceBuilder, _ report: inout CacheTraceReport
  ) {
    if !isUsable { return }
    if let open = split(line) {
      report.add(
        line.problem(
          .syntax, open, "", expected: "a quoted field that ends on its line, then a comma"))
      if columns == nil { isUsable = false }
      return
    }
    guard let columns else {
      header(line, &report)
      return
    }
    guard fields.count == columns.count else {
      report.add(
        line.problem(
          .wrongCount, at: line.line.start, "",
          expected: "\(columns.count) field\(columns.count == 1 ? "" : "s")",
          got: "\(fields.count)"))
      return
    }
    row(line, columns, &builder, &report)
  }

  func finish(file: String, _ report: inout CacheTraceReport) {
    if !unused.isEmpty {
      report.notes.append("\(file): columns not used: \(unused.joined(separator: ", "))")
    }
  }

  // MARK: Lines

  private mutating func header(_ line: CacheTraceLine, _ report: inout CacheTraceReport) {
    var found: [Column?] = []
    for field in fields {
      let name = name(field, line)
      let column = Column(rawValue: name)
      if let column, found.contains(column) {
        report.add(
          line.problem(.duplicateKey, field.range, name, expected: "a column that comes once"))
        isUsable = false
      }
      if column == nil { unused.append(Excerpt.oneLine(name, limit: 40)) }
      found.append(column)
    }
    if !found.contains(.id) {
      report.add(
        line.problem(
          .missingKey, line.range, "id",
          expected: "a header with the columns id and any of "
            + "time, size, ttl, node"))
      isUsable = false
    } else if found.contains(.ttl) && !found.contains(.time) {
      report.add(
        line.problem(
          .inconsistent, line.range, "ttl", expected: "a column time beside the column ttl"))
      isUsable = false
    }
    columns = found
  }

  private mutating func row(
    _ line: CacheTraceLine, _ columns: [Column?], _ builder: inout CacheTraceBuilder,
    _ report: inout CacheTraceReport
  ) {
    var request = CacheTraceBuilder.Request(object: 0)
    var isWhole = true
    var clock = line.range
    // The identity comes last, so that a line with a fault names no object.
    var identity: Field?
    for (field, column) in zip(fields, columns) {
      guard let column else { continue }
      switch column {
      case .id: identity = field
      case .time:
        clock = field.range
        request.time = CacheTraceText.nanoseconds(line.bytes, field.range)
        if request.time == nil {
          isWhole = false
          report.add(line.problem(.wrongType, field.range, "time", expected: Self.seconds))
        }
      case .size:
        if field.range.isEmpty { continue }
        if let size = CacheTraceText.whole(line.bytes, field.range) {
          request.size = size
        } else {
          isWhole = false
          report.add(
            line.problem(.wrongType, field.range, "size", expected: "a whole number of bytes"))
        }
      case .ttl:
        if field.range.isEmpty { continue }
        if let lifetime = CacheTraceText.nanoseconds(line.bytes, field.range) {
          request.lifetime = lifetime
        } else {
          isWhole = false
          report.add(line.problem(.wrongType, field.range, "ttl", expected: Self.seconds))
        }
      case .node:
        if let node = node(field, line, &builder) {
          request.node = node
        } else {
          isWhole = false
          report.add(
            line.problem(.outOfRange, field.range, "node", expected: "at most 65536 nodes"))
        }
      }
    }
    guard isWhole, let identity else { return }
    request.object = handle(identity, line, &builder.identities)
    if let fault = builder.append(request) {
      let expected = fault.expectation(latest: builder.latest)
      report.add(line.problem(.inconsistent, clock, "", expected: expected))
    }
  }

  private static let seconds = "seconds from 0 to \(CacheTraceText.latestSecond)"

  private mutating func node(
    _ field: Field, _ line: CacheTraceLine, _ builder: inout CacheTraceBuilder
  ) -> UInt16? {
    UInt16(exactly: handle(field, line, &builder.nodeNames))
  }

  private mutating func handle(
    _ field: Field, _ line: CacheTraceLine, _ table: inout IdentityTable
  ) -> UInt32 {
    if !field.hasDoubled { return table.handle(of: line.bytes, field.range) }
    scratch.removeAll(keepingCapacity: true)
    var wasQuote = false
    for byte in line.bytes[field.range] {
      wasQuote = byte == 0x22 && !wasQuote
      if !wasQuote { scratch.append(byte) }
    }
    return table.handle(of: scratch, 0..<scratch.count)
  }

  /// A heading, in lower case.
  private func name(_ field: Field, _ line: CacheTraceLine) -> String {
    line.text(field.range).lowercased()
  }

  /// Cuts a line at its commas into ``fields``.
  /// - Returns: nil, or a quoted field that does not end.
  private mutating func split(_ line: CacheTraceLine) -> Range<Int>? {
    fields.removeAll(keepingCapacity: true)
    let bytes = line.bytes
    var index = line.line.start
    let end = line.line.end
    while true {
      while index < end && (bytes[index] == 0x20 || bytes[index] == 0x09) { index += 1 }
      if index < end && bytes[index] == 0x22 {
        let open = index
        guard let next = quoted(bytes, from: open, end) else { return open..<end }
        index = next
      } else {
        let first = index
        while index < end && bytes[index] != 0x2C { index += 1 }
        var last = index
        while last > first && (bytes[last - 1] == 0x20 || bytes[last - 1] == 0x09) { last -= 1 }
        fields.append(Field(range: first..<last))
      }
      if index >= end { return nil }
      index += 1
    }
  }

  /// Takes the field whose opening quote stands at `open`.
  /// - Returns: the place of the comma after it, or the line's end; nil when there is neither.
  private mutating func quoted(_ bytes: [UInt8], from open: Int, _ end: Int) -> Int? {
    var index = open + 1
    var hasDoubled = false
    while index < end {
      if bytes[index] == 0x22 {
        if index + 1 < end && bytes[index + 1] == 0x22 {
          hasDoubled = true
          index += 1
        } else {
          break
        }
      }
      index += 1
    }
    if index >= end { return nil }
    fields.append(Field(range: (open + 1)..<index, hasDoubled: hasDoubled))
    index += 1
    while index < end && (bytes[index] == 0x20 || bytes[index] == 0x09) { index += 1 }
    return index == end || bytes[index] == 0x2C ? index : nil
  }
}
