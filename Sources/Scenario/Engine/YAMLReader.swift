internal import CYaml

/// Turns scenario text into a ``Node`` tree with places, and says everything that is wrong with it.
///
/// YAML 1.2 as libyaml reads it, so JSON too; one document, UTF-8. It walks the parser's events and
/// not a composed tree, so duplicate keys are found with their places. A syntax error ends the
/// reading; everything else is collected. Not supported, each with a message: merge keys (`<<`),
/// tags, keys that are not text. Aliases are copied out within ``Limits``.
public enum YAMLReader {
  /// What a file may cost. The values are the project's own choice: far above any scenario.
  public enum Limits {
    /// The longest file, in bytes: 4 MiB.
    public static let bytes = 4 << 20
    /// The longest file of cases or measurements: 64 MiB.
    public static let dataBytes = 64 << 20
    /// The deepest nesting of lists and mappings.
    public static let depth = 64
    /// The most values, copies by aliases not counted.
    public static let values = 4_000_000
    /// The most values that all aliases of a file together may copy.
    public static let aliasedValues = 10_000
  }

  /// Reads the bytes of a file called `file`; nil when there is no tree to speak of.
  public static func read(
    _ bytes: [UInt8], file: String, limit: Int = Limits.bytes, into problems: inout Problems
  ) -> Node? {
    read(bytes, at: { .file(file, line: $0, column: $1) }, limit: limit, into: &problems)
  }

  /// Reads text that stands in a file called `file`.
  public static func read(_ text: String, file: String, into problems: inout Problems) -> Node? {
    read(Array(text.utf8), file: file, into: &problems)
  }

  /// Reads text that stands outside any file; every value gets `origin`.
  public static func read(
    _ text: String, from origin: Origin, under path: TreePath = TreePath(),
    into problems: inout Problems
  ) -> Node? {
    read(Array(text.utf8), at: { _, _ in origin }, under: path, into: &problems)
  }

  private static func read(
    _ bytes: [UInt8], at origin: @escaping (Int, Int) -> Origin, under path: TreePath = TreePath(),
    limit: Int = Limits.bytes, into problems: inout Problems
  ) -> Node? {
    if let (line, column, problem) = unusable(bytes, limit: limit) {
      problems.add(
        Problem(
          problem.code, at: origin(line, column), keyPath: path.description,
          expected: problem.expected, got: problem.got))
      return nil
    }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let source = JSONEscapes.joiningSurrogates(hasMark ? Array(bytes.dropFirst(3)) : bytes)
    let walker = EventWalker(source, origin: origin, path: path)
    defer { walker.release() }
    let node = walker.document()
    problems.add(walker.problems)
    return node
  }

  /// What keeps these bytes from being text at all, with its line and column.
  private static func unusable(
    _ bytes: [UInt8], limit: Int
  ) -> (line: Int, column: Int, problem: (code: Problem.Code, expected: String, got: String))? {
    if bytes.count > limit {
      return (1, 1, (.largeFile, Limits.sizeExpectation(limit), ByteText.approximate(bytes.count)))
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return (1, 1, (.encoding, "UTF-8 text", "UTF-16 text"))
    }
    var (line, column) = (1, 1)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == 0 { return (line, column, (.binary, "UTF-8 text", "a binary file (a NUL byte)")) }
      guard let width = UTF8Check.width(bytes, at: index) else {
        let got = "a byte that is not UTF-8 (0x\(String(byte, radix: 16, uppercase: true)))"
        return (line, column, (.encoding, "UTF-8 text", got))
      }
      index += width
      (line, column) = byte == 0x0A ? (line + 1, 1) : (line, column + 1)
    }
    return nil
  }
}

extension YAMLReader.Limits {
  static func sizeExpectation(_ limit: Int) -> String {
    "a file of at most \(limit >> 20) MiB"
  }
  static let depthExpectation = "at most \(depth) levels of nesting"
}

/// The shape of well-formed UTF-8 (RFC 3629 section 4).
enum UTF8Check {
  /// The number of bytes of the scalar that starts at `index`; nil when none does.
  static func width(_ bytes: [UInt8], at index: Int) -> Int? {
    bytes.withUnsafeBytes { width($0, at: index) }
  }

  /// The same of bytes that lie somewhere.
  static func width(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    let first = bytes[index]
    if first < 0x80 { return 1 }
    let (width, low, high): (Int, UInt8, UInt8)
    switch first {
    case 0xC2...0xDF: (width, low, high) = (2, 0x80, 0xBF)
    case 0xE0: (width, low, high) = (3, 0xA0, 0xBF)
    case 0xED: (width, low, high) = (3, 0x80, 0x9F)
    case 0xE1...0xEF: (width, low, high) = (3, 0x80, 0xBF)
    case 0xF0: (width, low, high) = (4, 0x90, 0xBF)
    case 0xF1...0xF3: (width, low, high) = (4, 0x80, 0xBF)
    case 0xF4: (width, low, high) = (4, 0x80, 0x8F)
    default: return nil
    }
    guard index + width <= bytes.count, (low...high).contains(bytes[index + 1]) else { return nil }
    for offset in 2..<max(width, 2) where !(0x80...0xBF).contains(bytes[index + offset]) {
      return nil
    }
    return width
  }
}

/// Sizes in messages.
enum ByteText {
  /// A size to three digits, e.g. `100 MB`.
  static func approximate(_ bytes: Int) -> String {
    let (divisor, unit) = bytes < 1_000_000_000 ? (1_000_000, "MB") : (1_000_000_000, "GB")
    let tenths = (bytes + divisor / 20) / (divisor / 10)
    return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}

/// The one JSON escape that YAML reads differently: a pair of surrogates (RFC 8259 section 7).
enum JSONEscapes {
  /// Text for the parser, and how far columns moved: (line, column, shift) in ascending order.
  struct Source {
    var bytes: [UInt8]
    var shifts: [(line: Int, column: Int)] = []

    /// The column in the original text: two more for each joined pair before it on its line.
    func column(_ column: Int, line: Int) -> Int {
      if shifts.isEmpty { return column }
      return column + 2 * (shiftsBefore(line, column) - shiftsBefore(line, 0))
    }

    private func shiftsBefore(_ line: Int, _ column: Int) -> Int {
      var (low, high) = (0, shifts.count)
      while low < high {
        let middle = (low + high) / 2
        let shift = shifts[middle]
        if (shift.line, shift.column) < (line, column) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low
    }
  }

  /// Writes `\uD83D\uDE00` as `\U0001F600` inside the strings of a JSON text; other text is
  /// untouched.
  static func joiningSurrogates(_ bytes: [UInt8]) -> Source {
    let opening = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    guard opening == 0x7B || opening == 0x5B else { return Source(bytes: bytes) }
    var source = Source(bytes: [])
    source.bytes.reserveCapacity(bytes.count)
    var (index, line, column, isInString) = (0, 1, 1, false)
    while index < bytes.count {
      let byte = bytes[index]
      if isInString && byte == 0x5C {
        if let high = unit(bytes, at: index), (0xD800..<0xDC00).contains(high),
          let low = unit(bytes, at: index + 6), (0xDC00..<0xE000).contains(low)
        {
          let scalar = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
          let digits = String(scalar, radix: 16, uppercase: true)
          let padded = String(repeating: "0", count: 8 - digits.count) + digits
          source.bytes += Array("\\U\(padded)".utf8)
          source.shifts.append((line, column))
          (index, column) = (index + 12, column + 10)
        } else {
          source.bytes += bytes[index..<min(index + 2, bytes.count)]
          (index, column) = (index + 2, column + 2)
        }
        continue
      }
      if byte == 0x22 { isInString.toggle() }
      source.bytes.append(byte)
      if byte == 0x0A { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
      index += 1
    }
    return source
  }

  private static func unit(_ bytes: [UInt8], at index: Int) -> Int? {
    guard index + 6 <= bytes.count, bytes[index] == 0x5C, bytes[index + 1] == 0x75 else {
      return nil
    }
    return Int(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16)
  }
}

/// One pass over the parser's events.
private final class EventWalker {
  private struct Stop: Error {}
  private struct Built {
    var node: Node
    /// Values in it, itself included.
    var count: Int
    /// Levels of lists and mappings in it.
    var height: Int
  }
  private struct Event {
    enum Kind {
      case streamStart, streamEnd, documentStart, documentEnd
      case scalar(String, Node.Style)
      case alias(String)
      case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }
    var kind: Kind
    var anchor: String?
    var tag: String?
    var origin: Origin
  }

  private let source: JSONEscapes.Source
  private let input: UnsafeMutableBufferPointer<UInt8>
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let origin: (Int, Int) -> Origin
  private var path: TreePath
  private var anchors: [String: Built] = [:]
  private var aliasedValues = 0
  private var values = 0
  private(set) var problems = Problems()

  init(_ source: JSONEscapes.Source, origin: @escaping (Int, Int) -> Origin, path: TreePath) {
    self.source = source
    self.origin = origin
    self.path = path
    input = .allocate(capacity: max(source.bytes.count, 1))
    _ = input.initialize(from: source.bytes)
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    let isReady = yaml_parser_initialize(parser)
    precondition(isReady == 1, "the YAML parser could not be allocated")
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, source.bytes.count)
  }

  func release() {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// The one document of the stream; nil when there is none or reading had to stop.
  func document() -> Node? {
    do throws(Stop) {
      _ = try next()
      let first = try next()
      guard case .documentStart = first.kind else {
        throw stop(.emptyFile, at: origin(1, 1), "a mapping of keys", "an empty file")
      }
      let node = try value(try next(), depth: 0).node
      _ = try next()
      let following = try next()
      if case .documentStart = following.kind {
        report(.documents, at: following.origin, "one document", "a second one")
      }
      return node
    } catch {
      return nil
    }
  }

  private func value(_ event: Event, depth: Int) throws(Stop) -> Built {
    values += 1
    if values > YAMLReader.Limits.values {
      throw stop(
        .wrongCount, at: event.origin, "at most \(YAMLReader.Limits.values) values", "more")
    }
    if let tag = event.tag {
      report(.tag, at: event.origin, "a value without a tag", "the tag \(Excerpt.oneLine(tag))")
    }
    var built: Built
    switch event.kind {
    case .scalar(let text, let style):
      if let control = VisibleText.firstControl(in: text) {
        report(
          .binary, at: event.origin, "text without control characters",
          "the character \(VisibleText.escape(control))")
      }
      built = Built(node: Node(.scalar(text, style), origin: event.origin), count: 1, height: 0)
    case .alias(let name):
      return try copy(of: name, at: event.origin, depth: depth)
    case .sequenceStart:
      try checkDepth(depth + 1, at: event.origin)
      built = try sequence(event.origin, depth: depth + 1)
    case .mappingStart:
      try checkDepth(depth + 1, at: event.origin)
      built = try mapping(event.origin, depth: depth + 1)
    default:
      preconditionFailure("the YAML parser gave \(event.kind) where a value starts")
    }
    if let anchor = event.anchor { anchors[anchor] = built }
    return built
  }

  private func sequence(_ start: Origin, depth: Int) throws(Stop) -> Built {
    var elements: [Node] = []
    var (count, height) = (1, 0)
    while true {
      let event = try next()
      if case .sequenceEnd = event.kind { break }
      let outer = path
      path = path.index(elements.count)
      let built = try value(event, depth: depth)
      path = outer
      elements.append(built.node)
      count += built.count
      height = max(height, built.height)
    }
    return Built(node: Node(.sequence(elements), origin: start), count: count, height: height + 1)
  }

  private func mapping(_ start: Origin, depth: Int) throws(Stop) -> Built {
    var entries: [Node.Entry] = []
    var lines: [String: Origin] = [:]
    var (count, height) = (1, 0)
    while true {
      let event = try next()
      if case .mappingEnd = event.kind { break }
      let keyNode = try value(event, depth: depth).node
      let outer = path
      var key: String?
      if case .scalar(let text, let style) = keyNode.content {
        path = outer.key(text)
        if text == "<<" && style == .plain {
          report(
            .mergeKey, at: event.origin, "a key (a base file is shared with \"extends\")",
            "the merge key <<")
        } else {
          key = text
        }
      } else {
        report(.wrongType, at: event.origin, "a text as key", keyNode.excerpt)
      }
      let built = try value(try next(), depth: depth)
      if let key {
        if let first = lines.updateValue(lines[key] ?? event.origin, forKey: key) {
          let got = "it again (first at \(first.summary))"
          report(.duplicateKey, at: event.origin, "this key once", got)
        }
        entries.append(Node.Entry(key: key, keyOrigin: event.origin, value: built.node))
        count += built.count
        height = max(height, built.height)
      }
      path = outer
    }
    return Built(node: Node(.mapping(entries), origin: start), count: count, height: height + 1)
  }

  private func copy(of name: String, at place: Origin, depth: Int) throws(Stop) -> Built {
    guard let built = anchors[name] else {
      report(.alias, at: place, "an anchor defined before", "*\(Excerpt.oneLine(name))")
      return Built(node: Node(.scalar("", .plain), origin: place), count: 1, height: 0)
    }
    aliasedValues += built.count
    if aliasedValues > YAMLReader.Limits.aliasedValues {
      throw stop(
        .alias, at: place,
        "aliases that copy at most \(YAMLReader.Limits.aliasedValues) values", "more")
    }
    try checkDepth(depth + built.height, at: place)
    return built
  }

  private func checkDepth(_ depth: Int, at place: Origin) throws(Stop) {
    if depth <= YAMLReader.Limits.depth { return }
    throw stop(.nesting, at: place, YAMLReader.Limits.depthExpectation, "more")
  }

  private func report(_ code: Problem.Code, at place: Origin, _ expected: String, _ got: String) {
    problems.add(
      Problem(code, at: place, keyPath: path.description, expected: expected, got: got))
  }

  private func stop(
    _ code: Problem.Code, at place: Origin, _ expected: String, _ got: String
  ) -> Stop {
    // A deep path would drown the message.
    path.steps = Array(path.steps.prefix(8))
    report(code, at: place, expected, got)
    return Stop()
  }
}

extension EventWalker {
  private func next() throws(Stop) -> Event {
    var raw = yaml_event_t()
    guard yaml_parser_parse(parser, &raw) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&raw) }
    let place = origin(at: raw.start_mark)
    func text(_ pointer: UnsafeMutablePointer<UInt8>?) -> String? {
      pointer.map { String(cString: $0) }
    }
    switch raw.type {
    case YAML_STREAM_START_EVENT: return Event(kind: .streamStart, origin: place)
    case YAML_DOCUMENT_START_EVENT: return Event(kind: .documentStart, origin: place)
    case YAML_DOCUMENT_END_EVENT: return Event(kind: .documentEnd, origin: place)
    case YAML_ALIAS_EVENT:
      return Event(kind: .alias(text(raw.data.alias.anchor) ?? ""), origin: place)
    case YAML_SCALAR_EVENT:
      let scalar = raw.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let style: Node.Style = scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
      return Event(
        kind: .scalar(String(decoding: bytes, as: UTF8.self), style), anchor: text(scalar.anchor),
        tag: text(scalar.tag), origin: place)
    case YAML_SEQUENCE_START_EVENT:
      let start = raw.data.sequence_start
      return Event(
        kind: .sequenceStart, anchor: text(start.anchor), tag: text(start.tag), origin: place)
    case YAML_SEQUENCE_END_EVENT: return Event(kind: .sequenceEnd, origin: place)
    case YAML_MAPPING_START_EVENT:
      let start = raw.data.mapping_start
      return Event(
        kind: .mappingStart, anchor: text(start.anchor), tag: text(start.tag), origin: place)
    case YAML_MAPPING_END_EVENT: return Event(kind: .mappingEnd, origin: place)
    default: return Event(kind: .streamEnd, origin: place)
    }
  }

  private func origin(at mark: yaml_mark_t) -> Origin {
    let line = Int(mark.line) + 1
    return origin(line, source.column(Int(mark.column) + 1, line: line))
  }

  private func syntaxError() -> Stop {
    let text = parser.pointee.problem.map { String(cString: $0) } ?? "an unknown error"
    if parser.pointee.error == YAML_READER_ERROR {
      let place = origin(ofByte: Int(parser.pointee.problem_offset))
      return stop(.binary, at: place, "text", "a control character")
    }
    let mark = parser.pointee.problem_mark
    let place = origin(at: mark)
    let character = scalar(line: Int(mark.line), column: Int(mark.column))
    if character == "\t" || text.contains("tab character") {
      return stop(.tab, at: place, "spaces for indentation", "a tab")
    }
    if text.hasPrefix("Maximum nesting level") {
      return stop(.nesting, at: place, YAMLReader.Limits.depthExpectation, "more")
    }
    var got = "\"\(Excerpt.oneLine(text, limit: 100))\""
    if let context = parser.pointee.context {
      let opened = Int(parser.pointee.context_mark.line) + 1
      got += " \(String(cString: context))"
      if opened != Int(mark.line) + 1 && place.file != nil {
        got += " that starts on line \(opened)"
      }
    }
    return stop(.syntax, at: place, "well-formed YAML", got)
  }

  private func scalar(line: Int, column: Int) -> Unicode.Scalar? {
    let lines = source.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard line < lines.count else { return nil }
    let scalars = String(decoding: lines[line], as: UTF8.self).unicodeScalars
    return scalars.dropFirst(column).first
  }

  private func origin(ofByte offset: Int) -> Origin {
    let before = source.bytes.prefix(offset)
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    return origin(line, source.column(column, line: line))
  }
}
