/// Prints tokens in the one form, with the remarks and empty lines between them.
struct FormatPrinter {
  /// A block that is open: its column in the text and its indentation in the form.
  private struct Level {
    var column: Int
    var indent: Int
  }

  private let text: [Unicode.Scalar]
  private let tokens: [YAMLToken]
  private let file: String
  /// The remarks of the text, in order.
  let remarks: [YAMLRemark]
  private let emptyLines: Set<Int>
  private var place = 0
  private var nextRemark = 0
  private var lines: [String] = []
  /// The line under way; nil between two.
  private var line: String?
  /// Unicode scalars of the line under way, as columns are counted.
  private var width = 0
  /// The line of the text that its last token ends on.
  private var sourceLine = -1
  private var levels: [Level] = []
  /// The levels of the line before.
  private var lastLevels: [Level] = []

  init(_ text: [Unicode.Scalar], _ tokens: [YAMLToken], _ file: String) {
    self.text = text
    self.tokens = tokens
    self.file = file
    remarks = YAMLRemark.all(in: text, between: tokens)
    emptyLines = Set(
      text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        .filter { $0.element.allSatisfy { $0 == " " || $0 == "\t" } }.map(\.offset))
  }

  /// The whole text.
  ///
  /// - Throws: ``ScenarioRejected`` at the first thing that cannot be kept.
  mutating func document() throws(ScenarioRejected) -> String {
    if token.kind == .directive { throw refused("a text without directives") }
    if token.kind == .documentStart {
      startLine(at: token, indent: 0)
      write("---")
      next()
    }
    try node(base: 0, indent: 0, isAlone: true)
    if token.kind == .documentEnd {
      startLine(at: token, indent: 0)
      write("...")
      next()
    }
    if token.kind != .end { throw refused("one document") }
    endLine()
    writeRemarks(before: Int.max, next: nil)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Nodes

  /// A value: behind a key or a dash on the line under way, or alone.
  ///
  /// - Parameters:
  ///   - base: the indentation of what the value belongs to.
  ///   - indent: the indentation of what stands on lines of its own.
  private mutating func node(
    base: Int, indent: Int, isAlone: Bool = false, isEntry: Bool = false
  ) throws(ScenarioRejected) {
    while token.kind == .anchor {
      write(" " + source(token))
      next()
    }
    switch token.kind {
    case .scalar, .alias, .block, .flowSequence, .flowMapping:
      if isAlone || token.line > sourceLine {
        startLine(at: token, indent: isAlone ? indent : base + 2)
      } else {
        write(" ")
      }
      try inline(base: base)
    case .blockMapping:
      next()
      try mapping(indent: indent, isCompact: isEntry && token.line == sourceLine)
    case .blockSequence:
      next()
      try sequence(indent: indent, isCompact: isEntry && token.line == sourceLine)
      if token.kind == .blockEnd { next() }
    case .entry where !isEntry:
      // A list in the column of its key.
      try sequence(indent: indent, isCompact: false)
    case .tag: throw refused("a value without a tag")
    case .directive: throw refused("a text without directives")
    default: break
    }
  }

  private mutating func mapping(indent: Int, isCompact: Bool) throws(ScenarioRejected) {
    levels.append(Level(column: firstColumn, indent: indent))
    var isFirst = true
    while token.kind == .key {
      if token.isWritten { throw refused("a key without ?") }
      next()
      guard token.kind == .scalar, token.line == token.lastLine else {
        throw refused("a text as key")
      }
      if isFirst && isCompact {
        write(" ")
        lastLevels = levels
      } else {
        startLine(at: token, indent: indent)
      }
      isFirst = false
      write(source(token))
      next()
      guard token.kind == .value else { throw refused("a colon behind the key") }
      write(":")
      next()
      try node(base: indent, indent: indent + 2)
    }
    if token.kind != .blockEnd { throw refused("a key") }
    next()
    levels.removeLast()
  }

  private mutating func sequence(indent: Int, isCompact: Bool) throws(ScenarioRejected) {
    levels.append(Level(column: token.column, indent: indent))
    var isFirst = true
    while token.kind == .entry {
      if isFirst && isCompact {
        write(" ")
        lastLevels = levels
      } else {
        startLine(at: token, indent: indent)
      }
      isFirst = false
      write("-")
      next()
      try node(base: indent + 2, indent: indent + 2, isEntry: true)
    }
    levels.removeLast()
  }

  /// The column of the first written token from here.
  private var firstColumn: Int {
    tokens[place...].first { $0.isWritten }?.column ?? 0
  }

  // MARK: Values of one line, mostly

  private mutating func inline(base: Int) throws(ScenarioRejected) {
    switch token.kind {
    case .flowSequence, .flowMapping: try flow(base: base)
    case .block: try block(base: base)
    default:
      scalar(indent: base + 2)
      next()
    }
  }

  /// A scalar or an alias, whose further lines are indented.
  private mutating func scalar(indent: Int) {
    let parts = source(token).split(separator: "\n", omittingEmptySubsequences: false)
    write(String(parts[0]))
    for (number, part) in parts.enumerated().dropFirst() {
      trimLine()
      lines.append(line ?? "")
      let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
      let own = part.drop(while: blank)
      begin(
        own.isEmpty && number < parts.count - 1
          ? "" : String(repeating: " ", count: indent) + own)
    }
  }

  private mutating func trimLine() {
    while let last = line?.last, last == " " || last == "\t" {
      line?.removeLast()
      width -= 1
    }
  }

  /// What stands behind `|` or `>`.
  private mutating func block(base: Int) throws(ScenarioRejected) {
    let parts = source(token).split(separator: "\n", omittingEmptySubsequences: false)
    let head = parts[0].prefix { $0 != "#" && $0 != " " && $0 != "\t" }
    if head.contains(where: \.isNumber) { throw refused("a block without a stated indentation") }
    write(String(head))
    let first = parts.dropFirst().first { !$0.allSatisfy { $0 == " " } }
    let margin = first?.prefix { $0 == " " }.count ?? 0
    var body = parts.dropFirst().map { part in
      String(part.dropFirst(min(margin, part.prefix { $0 == " " }.count)))
    }
    // The last part is what begins behind the last line feed: nothing.
    if body.last == "" { body.removeLast() }
    if !head.contains("+") { while body.last == "" { body.removeLast() } }
    sourceLine = token.line
    endLine()
    for text in body {
      lines.append(text.isEmpty ? "" : String(repeating: " ", count: base + 2) + text)
    }
    sourceLine = token.lastLine
    next()
  }

  /// A list in brackets or a mapping in braces, with the line ends that it has.
  private mutating func flow(base: Int) throws(ScenarioRejected) {
    // Of each open bracket the indentation of what it holds and of its own end.
    var open: [(inner: Int, end: Int)] = []
    var before: YAMLToken.Kind?
    repeat {
      let isEnd = token.kind == .flowSequenceEnd || token.kind == .flowMappingEnd
      if token.isWritten, before != nil {
        if token.line > sourceLine {
          startLine(at: token, indent: isEnd ? open.last?.end ?? base : open.last?.inner ?? base)
        } else if needsBlank(before, token.kind) {
          write(" ")
        }
      }
      switch token.kind {
      case .flowSequence, .flowMapping:
        let column = width
        let outer = open.last?.inner ?? base
        write(token.kind == .flowSequence ? "[" : "{")
        let isHanging = tokens[(place + 1)...].first { $0.isWritten }.map { $0.line > token.line }
        open.append(
          isHanging == true
            ? (inner: outer + 2, end: outer) : (inner: column + 1, end: column))
      case .flowSequenceEnd, .flowMappingEnd:
        write(token.kind == .flowSequenceEnd ? "]" : "}")
        open.removeLast()
      case .flowEntry: write(",")
      case .value: write(":")
      case .key:
        if token.isWritten { throw refused("a key without ?") }
      case .scalar, .alias, .anchor:
        if token.kind == .scalar {
          scalar(indent: open.last?.inner ?? base)
        } else {
          write(source(token))
        }
      case .tag: throw refused("a value without a tag")
      default: throw refused("the end of a list or a mapping")
      }
      if token.isWritten || token.kind == .value { before = token.kind }
      next()
    } while !open.isEmpty
  }

  private func needsBlank(_ before: YAMLToken.Kind?, _ kind: YAMLToken.Kind) -> Bool {
    switch (before, kind) {
    case (_, .flowEntry), (_, .value): false
    case (.flowEntry, _): true
    // A colon right before a bracket would be a part of the key.
    case (.value, _): true
    case (.anchor, _): true
    default: false
    }
  }

  // MARK: Lines

  private var token: YAMLToken { tokens[place] }

  private mutating func next() {
    if token.isWritten { sourceLine = max(sourceLine, token.lastLine) }
    place = min(place + 1, tokens.count - 1)
  }

  private func source(_ token: YAMLToken) -> String {
    String(String.UnicodeScalarView(text[token.range]))
  }

  private mutating func write(_ text: String) {
    if line == nil { begin("") }
    line?.append(text)
    width += text.unicodeScalars.count
  }

  private mutating func begin(_ text: String) {
    line = text
    width = text.unicodeScalars.count
  }

  /// Ends the line under way and begins one for a token, behind the remarks before it.
  private mutating func startLine(at token: YAMLToken, indent: Int) {
    endLine()
    writeRemarks(before: token.line, next: Level(column: token.column, indent: indent))
    writeEmpty(before: token.line)
    begin(String(repeating: " ", count: indent))
    lastLevels = levels
  }

  /// Ends the line under way, with the remark behind it.
  private mutating func endLine() {
    guard line != nil else { return }
    trimLine()
    if nextRemark < remarks.count, remarks[nextRemark].line == sourceLine,
      remarks[nextRemark].isTrailing
    {
      write(String(repeating: " ", count: max(2, remarks[nextRemark].column - width)))
      write(remarks[nextRemark].text)
      nextRemark += 1
    }
    lines.append(line ?? "")
    line = nil
  }

  private mutating func writeRemarks(before end: Int, next: Level?) {
    while nextRemark < remarks.count, remarks[nextRemark].line < end {
      let remark = remarks[nextRemark]
      writeEmpty(before: remark.line)
      lines.append(String(repeating: " ", count: indent(of: remark, next: next)) + remark.text)
      nextRemark += 1
    }
  }

  /// A remark is indented as what follows, or, further in, as the block before that it is in.
  private func indent(of remark: YAMLRemark, next: Level?) -> Int {
    let inside = lastLevels.last { $0.column <= remark.column }
    if let next, remark.column <= next.column { return next.indent }
    guard let inside, inside.column > (next?.column ?? -1) else { return next?.indent ?? 0 }
    return inside.indent
  }

  private mutating func writeEmpty(before number: Int) {
    if emptyLines.contains(number - 1), let last = lines.last, !last.isEmpty { lines.append("") }
  }

  private func refused(_ expected: String) -> ScenarioRejected {
    let got = token.isWritten ? Excerpt.oneLine(source(token), limit: 40) : "something else"
    return ScenarioFormat.refusal(
      at: .file(file, line: token.line + 1, column: token.column + 1), expected, got)
  }
}
