/// The bytes of a table of traces, line by line.
///
/// A row as most are, four fields of which three are digits with a point where wanted, is read here
/// at some hundreds of megabytes a second. Every other one is split into texts with their places
/// (``PeerLines``) and read from these, with the same numbers and all messages.
struct SabreTable: ~Copyable {
  /// The path as given.
  let path: String
  private let bytes: UnsafeBufferPointer<UInt8>
  private var next: Int
  private var lines = 0
  /// The next line that holds something, once it was looked for.
  private var ahead: Line?
  private var isAhead = false
  private let durations = SabreReader.Bounds.duration.range
  private let bandwidths = SabreReader.Bounds.bandwidth.range
  private let latencies = SabreReader.Bounds.latency.range

  /// A line that holds something: its bytes without the end, and its number from 1.
  struct Line {
    let range: Range<Int>
    let number: Int
  }

  /// Of a row; the name is where it stands.
  struct PlainRow {
    let name: Range<Int>
    let duration, bandwidth, latency: Double
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    self.bytes = bytes
    self.path = path
    let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    next = hasMark ? 3 : 0
  }

  /// Whether no line is left.
  var isOver: Bool {
    mutating get {
      lookAhead()
      return ahead == nil
    }
  }

  mutating func nextLine() -> Line? {
    lookAhead()
    isAhead = false
    return ahead
  }

  private mutating func lookAhead() {
    if isAhead { return }
    isAhead = true
    ahead = nil
    while next < bytes.count {
      let start = next
      var end = start
      var holdsSomething = false
      while end < bytes.count && bytes[end] != 0x0A {
        if !SabreTable.isBlank(bytes[end]) && bytes[end] != 0x2C { holdsSomething = true }
        end += 1
      }
      next = end + 1
      lines += 1
      if holdsSomething {
        ahead = Line(range: start..<end, number: lines)
        return
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  /// A line as texts with their places.
  func line(_ line: Line) -> PeerLines.Line {
    PeerLines.Line(
      number: line.number,
      fields: PeerLines.fields(
        Array(bytes[line.range])[...], path: path, number: line.number, .comma))
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func areEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
    if a.count != b.count { return false }
    for offset in 0..<a.count
    where bytes[a.lowerBound + offset] != bytes[b.lowerBound + offset] {
      return false
    }
    return true
  }

  /// A row of plain numbers within their bounds under a name; nil for any other.
  ///
  /// - Parameter positions: of trace, duration, bandwidth and latency among the fields.
  func plainRow(_ line: Line, _ positions: [Int]) -> PlainRow? {
    var fields: (Range<Int>?, Double?, Double?, Double?) = (nil, nil, nil, nil)
    var start = line.range.lowerBound
    var field = 0
    while true {
      var end = start
      while end < line.range.upperBound && bytes[end] != 0x2C { end += 1 }
      if field == positions[0] {
        fields.0 = trimmed(start..<end)
      } else if field == positions[1] {
        fields.1 = number(trimmed(start..<end), durations)
      } else if field == positions[2] {
        fields.2 = number(trimmed(start..<end), bandwidths)
      } else if field == positions[3] {
        fields.3 = number(trimmed(start..<end), latencies)
      }
      if end == line.range.upperBound { break }
      start = end + 1
      field += 1
    }
    guard let name = fields.0, !name.isEmpty, let duration = fields.1,
      let bandwidth = fields.2, let latency = fields.3
    else { return nil }
    return PlainRow(name: name, duration: duration, bandwidth: bandwidth, latency: latency)
  }

  private func trimmed(_ field: Range<Int>) -> Range<Int> {
    var (start, end) = (field.lowerBound, field.upperBound)
    while start < end && SabreTable.isBlank(bytes[start]) { start += 1 }
    while end > start && SabreTable.isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Digits with a point between two of them where wanted, within bounds; nil for anything else.
  private func number(_ field: Range<Int>, _ bounds: ClosedRange<Double>) -> Double? {
    var mantissa: UInt64 = 0
    var digits = 0
    var scale = 0
    var point = false
    for index in field {
      let byte = bytes[index]
      if byte == 0x2E {
        if point || digits == 0 { return nil }
        point = true
        continue
      }
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30)
      digits += 1
      if point { scale += 1 }
    }
    guard digits > 0, digits <= 18, !point || scale > 0,
      let value = ExactDecimal.value(mantissa, over: scale), bounds.contains(value)
    else { return nil }
    return value
  }
}
