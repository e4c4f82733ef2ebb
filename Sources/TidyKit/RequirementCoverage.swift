/// Which tests, scenarios and answers name each row of `docs/requirements.csv`.
///
/// A row is named by a test as ``TestCase/rows`` says, by a scenario in its comments, and by an
/// answer of `results/answers` in its text. That a row is named says that someone looked, not that
/// all of it is kept.
public struct RequirementCoverage: Sendable {
  /// One row with all that names it, each sorted.
  public struct Entry: Sendable {
    public let requirement: Requirement
    /// Names of tests, in the order of files and lines.
    public internal(set) var tests: [String] = []
    /// Names of scenarios without their ending.
    public internal(set) var scenarios: [String] = []
    /// Names of answers without their ending.
    public internal(set) var answers: [String] = []

    public var isCovered: Bool { !(tests.isEmpty && scenarios.isEmpty && answers.isEmpty) }
  }

  /// In the order of the table.
  public private(set) var entries: [Entry]
  /// Broken lines of the table and rows that are named and not in it.
  public private(set) var findings: [Finding]
  /// Rows that a comment of a test file names where no test takes them up, as `path:line: row`.
  public private(set) var loose: [String] = []
  public let areas: [String]
  private var places: [String: Int] = [:]
  private let table: RequirementTable

  /// nil when there is no `docs/requirements.csv` among the files.
  public init?(_ sources: [SourceText]) {
    self.init(sources, sources.map { $0.kind == .swift ? Lexer.lex($0.bytes) : nil })
  }

  init?(_ sources: [SourceText], _ lexed: [LexedSource?]) {
    guard let file = sources.first(where: { $0.path == RequirementTable.path }) else { return nil }
    table = RequirementTable(file)
    entries = table.rows.map { Entry(requirement: $0) }
    findings = table.findings
    areas = table.areas
    for (index, row) in table.rows.enumerated() { places[row.row] = index }
    for (source, code) in zip(sources, lexed) {
      if let code {
        take(source.path, code)
      } else if source.kind == .yaml {
        takeComments(of: source)
      } else if source.kind == .markdown {
        takeText(of: source)
      }
    }
  }

  private mutating func take(_ path: String, _ code: LexedSource) {
    for comment in code.comments {
      check(RowScanner.mentions(in: comment.text, from: comment.line), in: path)
    }
    for token in code.tokens where token.kind == .word && token.text.hasPrefix("`") {
      check(RowScanner.mentions(in: token.text, from: token.line), in: path)
    }
    guard path.hasPrefix("Tests/") else { return }
    let index = TestIndex(path: path, code)
    for test in index.cases {
      for row in test.rows { add(test.name, to: \.tests, of: row) }
    }
    loose += index.loose.map { "\(path):\($0.line): \($0.row)" }
  }

  private mutating func takeComments(of source: SourceText) {
    let name = Self.name(of: source.path, in: "scenarios/")
    for (index, line) in source.lines.enumerated() {
      guard let comment = Self.comment(of: line) else { continue }
      let mentions = RowScanner.mentions(in: comment, from: index + 1)
      check(mentions, in: source.path)
      guard let name else { continue }
      for mention in mentions { add(name, to: \.scenarios, of: mention.row) }
    }
  }

  private mutating func takeText(of source: SourceText) {
    let mentions = RowScanner.mentions(in: source.text)
    check(mentions, in: source.path)
    guard let name = Self.name(of: source.path, in: "results/answers/") else { return }
    for mention in RowScanner.mentions(in: name) + mentions {
      add(name, to: \.answers, of: mention.row)
    }
  }

  private mutating func add(
    _ name: String, to list: WritableKeyPath<Entry, [String]>, of row: String
  ) {
    guard let place = places[row] else { return }
    if !entries[place][keyPath: list].contains(name) {
      entries[place][keyPath: list].append(name)
    }
  }

  private mutating func check(_ mentions: [RowMention], in path: String) {
    for mention in mentions where !table.contains(mention.row) {
      findings.append(
        Finding(
          path: path, line: mention.line, rule: "requirement",
          message: "'\(mention.row)' is no row, use one of \(RequirementTable.path)"))
    }
  }

  /// The path below the folder, without the ending; nil when it is elsewhere.
  private static func name(of path: String, in folder: String) -> String? {
    guard path.hasPrefix(folder), let dot = path.lastIndex(of: ".") else { return nil }
    return String(path[..<dot].dropFirst(folder.count))
  }

  /// What stands after a `#` that is outside quotes and starts a word.
  private static func comment(of line: ArraySlice<UInt8>) -> String? {
    var quote: UInt8?
    for place in line.indices {
      let byte = line[place]
      if byte == quote {
        quote = nil
      } else if quote == nil {
        let isFirst = place == line.startIndex || line[place - 1] == ascii(" ")
        if byte == ascii("#") && isFirst {
          return String(decoding: line[place...], as: UTF8.self)
        }
        // An apostrophe inside a word quotes nothing.
        let before = place == line.startIndex ? ascii(" ") : line[place - 1]
        if byte == ascii("\"") || (byte == ascii("'") && !isWordByte(before)) { quote = byte }
      }
    }
    return nil
  }
}

extension Tidy {
  /// Rows named anywhere that the table does not have; nothing where there is no table.
  func requirementFindings(_ sources: [SourceText], _ lexed: [LexedSource?]) -> [Finding] {
    RequirementCoverage(sources, lexed)?.findings ?? []
  }
}
