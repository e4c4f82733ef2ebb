import Foundation

/// Reads a document of JSON (RFC 8259), whoever has written it: a kept result, a server's answer, a
/// client's line.
///
/// The bytes are walked through once before anything is built of them. What is too long, nested too
/// deep or of too many values is refused then, with its place, and so is what is no JSON; a decoder
/// only sees documents within ``Limits``. Every reader of JSON that builds a value goes through
/// here; those of telemetry, which build none, have cursors of their own with the same depth.
public enum JSONReader {
  /// What a document may cost. The values are the project's own choice: far above any document of
  /// ours.
  public struct Limits: Sendable, Equatable {
    /// The longest document, in bytes.
    public var bytes: Int
    /// The most texts, numbers, words, lists and objects together.
    public var values: Int
    /// Whether texts may hold control characters other than tabs and line ends.
    public var controls: Controls

    /// The deepest nesting of lists and objects, of every document.
    public static let depth = 64

    /// What becomes of control characters in texts.
    public enum Controls: Sendable {
      /// The document is refused.
      case refused
      /// They are read as escapes that people see (``VisibleText``).
      case shown
      case kept
    }

    public init(bytes: Int, values: Int, controls: Controls = .refused) {
      self.bytes = bytes
      self.values = values
      self.controls = controls
    }

    /// A document that the program has written: at most 512 MiB and 32 million values.
    public static let document = Limits(bytes: 512 << 20, values: 32 << 20)
    /// The same of one that holds what others have said: names of files, what a server has
    /// answered.
    public static let told = Limits(bytes: 512 << 20, values: 32 << 20, controls: .shown)
    /// A line of a file of JSON lines, or a message: at most 16 MiB and a million values.
    public static let line = Limits(bytes: 16 << 20, values: 1 << 20)
    /// What another program sends, which may say in its texts what it likes.
    public static let message = Limits(bytes: 64 << 20, values: 1 << 20, controls: .kept)
    /// For documents that were checked before.
    static let none = Limits(bytes: .max, values: .max, controls: .kept)
  }

  /// Why a document cannot be used, and where.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1; columns count Unicode scalars.
    public var line: Int
    public var column: Int
    /// `records[3].samples`; empty where the document is no JSON.
    public var keyPath: String
    public var expected: String
    public var got: String

    public init(line: Int, column: Int, keyPath: String = "", expected: String, got: String) {
      self.line = line
      self.column = column
      self.keyPath = keyPath
      self.expected = expected
      self.got = got
    }

    /// `line:column: key.path: expected …, got …`
    public var description: String { "\(place): expected \(expected), got \(got)" }

    /// `line:column`, and the key path where there is one.
    public var place: String {
      keyPath.isEmpty ? "\(line):\(column)" : "\(line):\(column): \(keyPath)"
    }
  }

  /// Reads a document as a value.
  ///
  /// - Throws: ``Fault`` for what is beyond the limits, no JSON, or no such value.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, within limits: Limits = .document,
    by decoder: JSONDecoder = JSONDecoder()
  ) throws(Fault) -> Value {
    try check(data, within: limits)
    let data = limits.controls == .shown ? showingControls(data) : data
    do {
      return try decoder.decode(type, from: data)
    } catch let error as DecodingError {
      throw fault(error, in: data)
    } catch {
      throw Fault(line: 1, column: 1, expected: "JSON", got: "something else")
    }
  }

  /// Reads a document as dictionaries, arrays, texts and numbers.
  ///
  /// - Throws: ``Fault`` for what is beyond the limits or no JSON.
  public static func object(
    from data: Data, within limits: Limits = .document
  ) throws(Fault) -> Any {
    try check(data, within: limits)
    do {
      return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    } catch {
      throw Fault(line: 1, column: 1, expected: "JSON", got: "something else")
    }
  }

  /// Walks through a document.
  ///
  /// - Throws: ``Fault`` for what is beyond the limits or no JSON.
  public static func check(_ data: Data, within limits: Limits = .document) throws(Fault) {
    if data.count > limits.bytes {
      throw Fault(
        line: 1, column: 1, expected: "at most \(limits.bytes) bytes", got: "\(data.count)")
    }
    let fault = data.withUnsafeBytes { bytes -> Fault? in
      var walk = JSONWalk(bytes, limits)
      do throws(JSONWalk.Stop) {
        try walk.document()
        return nil
      } catch {
        return walk.fault(error)
      }
    }
    if let fault { throw fault }
  }

  /// Where a member of an object stands, or the last part of its path that is there.
  public static func place(of path: [String], in data: Data) -> (line: Int, column: Int) {
    let steps = path.map { JSONWalk.Step.member($0) }
    return data.withUnsafeBytes { bytes in
      let walk = JSONWalk(bytes, .none)
      return walk.place(walk.find(steps))
    }
  }

  /// The bytes of a document without blanks between its values and without one of the outermost
  /// members: equal for documents that say the same, however they are laid out.
  ///
  /// - Precondition: ``check(_:within:)`` has passed.
  public static func contents(of data: Data, without member: String) -> [UInt8] {
    data.withUnsafeBytes { bytes in
      var walk = JSONWalk(bytes, .none)
      return walk.contents(without: member)
    }
  }

  /// A document with control characters of its texts as escapes that people see.
  private static func showingControls(_ data: Data) -> Data {
    data.withUnsafeBytes { bytes in
      let walk = JSONWalk(bytes, .none)
      return walk.showingControls().map { Data($0) }
    } ?? data
  }

  // MARK: What a decoder says

  private static func fault(_ error: DecodingError, in data: Data) -> Fault {
    let (keys, expected): ([any CodingKey], String)
    switch error {
    case .keyNotFound(let key, let context):
      (keys, expected) = (context.codingPath, "a member \(Excerpt.oneLine(key.stringValue))")
    case .typeMismatch(let type, let context):
      (keys, expected) = (context.codingPath, noun(type))
    case .valueNotFound(let type, let context): (keys, expected) = (context.codingPath, noun(type))
    case .dataCorrupted(let context):
      (keys, expected) = (context.codingPath, context.codingPath.isEmpty ? "JSON" : "another value")
    @unknown default: (keys, expected) = ([], "another document")
    }
    let steps = keys.map { key in
      key.intValue.map { JSONWalk.Step.element($0) } ?? .member(key.stringValue)
    }
    var path = TreePath()
    for step in steps {
      switch step {
      case .element(let index): path = path.index(index)
      case .member(let name): path = path.key(name)
      }
    }
    return data.withUnsafeBytes { bytes in
      let walk = JSONWalk(bytes, .none)
      let index = walk.find(steps)
      let (line, column) = walk.place(index)
      var got = walk.excerpt(index)
      if case .keyNotFound = error { got = "none" }
      return Fault(
        line: line, column: column, keyPath: Excerpt.oneLine(path.description, limit: 200),
        expected: expected, got: got)
    }
  }

  private static func noun(_ type: Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is Double.Type: "a number"
    case is any FixedWidthInteger.Type: "a whole number"
    default:
      "\(type)".hasPrefix("Array")
        ? "a list" : "\(type)".hasPrefix("Dict") ? "an object" : "a value"
    }
  }
}

/// One pass over the bytes of a document. It goes down by calls of itself, as deep as
/// ``JSONReader/Limits/depth`` and no deeper.
struct JSONWalk {
  /// Why the walk ended, and at which byte.
  struct Stop: Error {
    var at: Int
    var expected: String
    var got: String?
  }

  enum Step: Hashable {
    case member(String)
    case element(Int)
  }

  private let bytes: UnsafeRawBufferPointer
  private let limits: JSONReader.Limits
  private var index: Int
  private var values = 0

  init(_ bytes: UnsafeRawBufferPointer, _ limits: JSONReader.Limits) {
    self.bytes = bytes
    self.limits = limits
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  mutating func document() throws(Stop) {
    try value(0)
    skipBlanks()
    if index < bytes.count { throw Stop(at: index, expected: "the end of the document") }
  }

  // MARK: Values

  private mutating func value(_ depth: Int) throws(Stop) {
    values += 1
    if values > limits.values {
      skipBlanks()
      throw Stop(at: index, expected: "at most \(limits.values) values", got: "more")
    }
    switch next {
    case 0x22: try string()
    case 0x5B, 0x7B:
      if depth == JSONReader.Limits.depth {
        throw Stop(
          at: index, expected: "at most \(JSONReader.Limits.depth) levels of nesting", got: "more")
      }
      try container(depth + 1)
    case 0x2D, 0x30...0x39: try number()
    case 0x74: try word("true")
    case 0x66: try word("false")
    case 0x6E: try word("null")
    default: throw Stop(at: index, expected: "JSON")
    }
  }

  private mutating func container(_ depth: Int) throws(Stop) {
    let isObject = bytes[index] == 0x7B
    let end: UInt8 = isObject ? 0x7D : 0x5D
    index += 1
    if next == end {
      index += 1
      return
    }
    while true {
      if isObject {
        if next != 0x22 { throw Stop(at: index, expected: "a name in double quotes") }
        try string()
        if next != 0x3A { throw Stop(at: index, expected: "a colon after the name") }
        index += 1
      }
      try value(depth)
      if next == end {
        index += 1
        return
      }
      if next != 0x2C {
        throw Stop(at: index, expected: isObject ? "a comma or }" : "a comma or ]")
      }
      index += 1
    }
  }

  private mutating func word(_ word: StaticString) throws(Stop) {
    for place in 0..<word.utf8CodeUnitCount {
      if index + place >= bytes.count || bytes[index + place] != word.utf8Start[place] {
        throw Stop(at: index, expected: "JSON")
      }
    }
    index += word.utf8CodeUnitCount
  }

  private mutating func number() throws(Stop) {
    let start = index
    if bytes[index] == 0x2D { index += 1 }
    let first = index
    let whole = digits()
    if whole == 0 || (whole > 1 && bytes[first] == 0x30) {
      throw Stop(at: start, expected: "a number")
    }
    if index < bytes.count && bytes[index] == 0x2E {
      index += 1
      if digits() == 0 { throw Stop(at: start, expected: "a number") }
    }
    if index < bytes.count && bytes[index] | 0x20 == 0x65 {
      index += 1
      if index < bytes.count && (bytes[index] == 0x2B || bytes[index] == 0x2D) { index += 1 }
      if digits() == 0 { throw Stop(at: start, expected: "a number") }
    }
  }

  private mutating func digits() -> Int {
    let start = index
    while index < bytes.count && (0x30...0x39).contains(bytes[index]) { index += 1 }
    return index - start
  }

  private mutating func string() throws(Stop) {
    let start = index
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x22 {
        index += 1
        return
      }
      if byte == 0x5C {
        try escape()
      } else if byte < 0x20 {
        throw Stop(
          at: index, expected: "control characters of texts as escapes", got: "one as it is")
      } else if byte < 0x80 {
        if byte == 0x7F && limits.controls == .refused { throw control(0x7F) }
        index += 1
      } else {
        guard let width = UTF8Check.width(bytes, at: index) else {
          throw Stop(at: index, expected: "UTF-8 text", got: "a byte that is not UTF-8")
        }
        if byte == 0xC2 && bytes[index + 1] < 0xA0 && limits.controls == .refused {
          throw control(UInt32(bytes[index + 1]))
        }
        index += width
      }
    }
    throw Stop(at: start, expected: "a text that ends", got: "none")
  }

  private mutating func escape() throws(Stop) {
    guard index + 1 < bytes.count else {
      throw Stop(at: index, expected: "an escape", got: "the end of the document")
    }
    switch bytes[index + 1] {
    case 0x22, 0x2F, 0x5C, 0x6E, 0x72, 0x74: index += 2
    case 0x62, 0x66:
      if limits.controls == .refused { throw control(bytes[index + 1] == 0x62 ? 0x08 : 0x0C) }
      index += 2
    case 0x75:
      guard let unit = unit(at: index) else { throw Stop(at: index, expected: "an escape") }
      if JSONWalk.isControl(unit) && limits.controls == .refused { throw control(unit) }
      if (0xD800..<0xE000).contains(unit) {
        guard unit < 0xDC00, let low = self.unit(at: index + 6), (0xDC00..<0xE000).contains(low)
        else { throw Stop(at: index, expected: "a pair of surrogates") }
        index += 6
      }
      index += 6
    default: throw Stop(at: index, expected: "an escape")
    }
  }

  private func control(_ number: UInt32) -> Stop {
    let digits = String(number, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 4 - digits.count) + digits
    return Stop(
      at: index, expected: "texts without control characters", got: "the character U+\(padded)")
  }

  private func unit(at place: Int) -> UInt32? {
    guard place + 6 <= bytes.count, bytes[place] == 0x5C, bytes[place + 1] == 0x75 else {
      return nil
    }
    var unit: UInt32 = 0
    for byte in bytes[(place + 2)..<(place + 6)] {
      switch byte {
      case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: unit = unit << 4 | UInt32(byte - 0x37)
      case 0x61...0x66: unit = unit << 4 | UInt32(byte - 0x57)
      default: return nil
      }
    }
    return unit
  }

  private mutating func skipBlanks() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x0A, 0x0D, 0x09: index += 1
      default: return
      }
    }
  }

  /// The next byte that is not blank, without using it up; 0 at the end.
  private var next: UInt8 {
    mutating get {
      skipBlanks()
      return index < bytes.count ? bytes[index] : 0
    }
  }

  // MARK: Places

  /// What a stop says of the document.
  func fault(_ stop: Stop) -> JSONReader.Fault {
    let (line, column) = place(stop.at)
    return JSONReader.Fault(
      line: line, column: column, expected: stop.expected, got: stop.got ?? excerpt(stop.at))
  }

  /// Line and column of a byte, from 1.
  func place(_ byte: Int) -> (line: Int, column: Int) {
    let end = min(byte, bytes.count)
    var (line, start) = (1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? min(3, end) : 0)
    for place in start..<end where bytes[place] == 0x0A { (line, start) = (line + 1, place + 1) }
    return (line, bytes[start..<end].count { $0 & 0xC0 != 0x80 } + 1)
  }

  /// What stands at a byte, in a few words.
  func excerpt(_ byte: Int) -> String {
    guard byte < bytes.count else { return "the end of the document" }
    switch bytes[byte] {
    case 0x7B: return "an object"
    case 0x5B: return "a list"
    case 0x22:
      let text = bytes[(byte + 1)...].prefix { $0 != 0x22 && $0 >= 0x20 }.prefix(80)
      return "\"" + Excerpt.oneLine(String(decoding: text, as: UTF8.self), limit: 40) + "\""
    default:
      let word = bytes[byte...].prefix { $0 > 0x20 && ![0x2C, 0x5D, 0x7D].contains($0) }.prefix(80)
      let text = word.isEmpty ? bytes[byte...].prefix(1) : word
      return Excerpt.oneLine(String(decoding: text, as: UTF8.self), limit: 40)
    }
  }

  /// The byte at which the value of a path begins; where a part is not there, that of what is.
  ///
  /// - Precondition: the document is JSON within the limits.
  func find(_ path: [Step]) -> Int {
    var walk = self
    _ = walk.next
    var found = walk.index
    for step in path {
      guard walk.enter(step) else { return found }
      _ = walk.next
      found = walk.index
    }
    return found
  }

  /// Goes to the value of a member or an element; false without one.
  private mutating func enter(_ step: Step) -> Bool {
    let open = next
    index += 1
    if next == 0x5D || next == 0x7D { return false }
    var number = 0
    do throws(Stop) {
      while true {
        switch (step, open) {
        case (.element(let wanted), 0x5B): if number == wanted { return true }
        case (.member(let wanted), 0x7B):
          _ = next
          let start = index + 1
          try string()
          let isIt = bytes[start..<(index - 1)].elementsEqual(wanted.utf8)
          _ = next
          index += 1
          if isIt { return true }
        default: return false
        }
        try value(0)
        if next != 0x2C { return false }
        index += 1
        number += 1
      }
    } catch {
      return false
    }
  }

  /// The document with a text such as `\u{1B}` for each control character but tabs and line ends;
  /// nil where there is none.
  ///
  /// - Precondition: the document is JSON, whose backslashes stand in texts alone.
  func showingControls() -> [UInt8]? {
    var result: [UInt8] = []
    // What was copied ends here.
    var (done, place) = (0, 0)
    while place < bytes.count {
      guard let (number, length) = control(at: place) else {
        place += bytes[place] == 0x5C ? 2 : 1
        continue
      }
      result.append(contentsOf: bytes[done..<place])
      let digits = String(number, radix: 16, uppercase: true)
      result.append(contentsOf: "\\\\u{\(digits)}".utf8)
      place += length
      done = place
    }
    if done == 0 { return nil }
    result.append(contentsOf: bytes[done...])
    return result
  }

  /// The number of a control character that begins at a byte, and how many bytes it has.
  private func control(at place: Int) -> (UInt32, Int)? {
    switch bytes[place] {
    case 0x7F: return (0x7F, 1)
    case 0xC2 where place + 1 < bytes.count && bytes[place + 1] < 0xA0:
      return (UInt32(bytes[place + 1]), 2)
    case 0x5C where place + 1 < bytes.count:
      switch bytes[place + 1] {
      case 0x62: return (0x08, 2)
      case 0x66: return (0x0C, 2)
      default:
        guard let unit = unit(at: place), JSONWalk.isControl(unit) else { return nil }
        return (unit, 6)
      }
    default: return nil
    }
  }

  private static func isControl(_ unit: UInt32) -> Bool {
    unit < 0x20 && ![0x09, 0x0A, 0x0D].contains(unit) || (0x7F..<0xA0).contains(unit)
  }

  /// See ``JSONReader/contents(of:without:)``.
  mutating func contents(without member: String) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var left: Range<Int>?
    var other = self
    if other.next == 0x7B, other.enter(.member(member)) {
      _ = other.next
      let start = other.index
      do throws(Stop) { try other.value(0) } catch { return Array(bytes) }
      left = start..<other.index
    }
    while index < bytes.count {
      if let range = left, index == range.lowerBound {
        index = range.upperBound
        continue
      }
      let start = index
      switch bytes[index] {
      case 0x20, 0x0A, 0x0D, 0x09:
        index += 1
        continue
      case 0x22: do throws(Stop) { try string() } catch { return Array(bytes) }
      default: index += 1
      }
      result.append(contentsOf: bytes[start..<index])
    }
    return result
  }
}
