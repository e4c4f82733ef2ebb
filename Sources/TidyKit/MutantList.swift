/// A seeded fault: a piece of a source file, what replaces it, and the test that must notice.
public struct Mutant: Equatable, Sendable {
  public let name: String
  /// Where the entry starts: the list and the line, from 1.
  public let list: String
  public let line: Int
  /// The source file, from the root of the repository.
  public var file = ""
  /// The kind of fault, such as `guard dropped`.
  public var fault = ""
  /// The name of the test that must fail, alone or as `Suite / name`.
  public var test = ""
  /// The text to replace, which stands exactly once in the file unless ``occurrence`` is given.
  public var find = ""
  public var replacement = ""
  /// Which of several occurrences is meant, from 1.
  public var occurrence: Int?

  init(name: String, list: String, line: Int) {
    self.name = name
    self.list = list
    self.line = line
  }

  /// The source with the fault; nil when the text does not stand there as often as it should.
  public func applied(to source: String) -> String? {
    // Bytes: a search by characters would compare grapheme clusters.
    let bytes = Array(source.utf8)
    let needle = Array(find.utf8)
    if needle.isEmpty { return nil }
    var places: [Int] = []
    var at = 0
    while at + needle.count <= bytes.count {
      if bytes[at] == needle[0] && bytes[at..<at + needle.count].elementsEqual(needle) {
        places.append(at)
        at += needle.count
      } else {
        at += 1
      }
    }
    let chosen = occurrence ?? 1
    guard chosen >= 1, chosen <= places.count, occurrence != nil || places.count == 1 else {
      return nil
    }
    let place = places[chosen - 1]
    let result = bytes[..<place] + Array(replacement.utf8) + bytes[(place + needle.count)...]
    return String(decoding: result, as: UTF8.self)
  }

  /// The tests of that name, and of that suite if one is given.
  public func subjects(among cases: [TestCase]) -> [TestCase] {
    cases.filter { test == $0.name || test == "\($0.suite) / \($0.name)" }
  }
}

/// A file of seeded faults, `Tests/Mutants/*.txt`.
///
/// An entry is a line `== name`, the lines `file: …`, `fault: …`, `test: …` and perhaps
/// `occurrence: N`, then the text to replace in lines after `- ` and the replacement in lines after
/// `+ ` (none: the text is taken out). Several lines are joined by line ends; white space counts.
/// Lines that start with `#` are comments.
public struct MutantList: Sendable {
  public static let folder = "Tests/Mutants/"

  public private(set) var mutants: [Mutant] = []
  /// Lines that cannot be read and entries that are incomplete.
  public private(set) var findings: [Finding] = []

  public init(_ source: SourceText) {
    var entry: (mutant: Mutant, find: [String], replacement: [String])?
    func finish() {
      guard var mutant = entry?.mutant else { return }
      mutant.find = entry?.find.joined(separator: "\n") ?? ""
      mutant.replacement = entry?.replacement.joined(separator: "\n") ?? ""
      let isWhole = ![mutant.file, mutant.fault, mutant.test, mutant.find].contains("")
      if isWhole && mutant.find != mutant.replacement {
        mutants.append(mutant)
      } else {
        add(
          source.path, mutant.line,
          "'\(mutant.name)' lacks a part, use file, fault, test and a '- ' line that changes")
      }
    }
    for (index, bytes) in source.lines.enumerated() {
      let line = String(decoding: bytes, as: UTF8.self)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("== ") {
        finish()
        let name = String(line.dropFirst(3))
        entry = (Mutant(name: name, list: source.path, line: index + 1), [], [])
      } else if entry == nil {
        add(source.path, index + 1, "a line before the first entry, use '== name' first")
      } else if line.hasPrefix("- ") || line == "-" {
        entry?.find.append(String(line.dropFirst(2)))
      } else if line.hasPrefix("+ ") || line == "+" {
        entry?.replacement.append(String(line.dropFirst(2)))
      } else if let (key, value) = Self.pair(line) {
        switch key {
        case "file": entry?.mutant.file = value
        case "fault": entry?.mutant.fault = value
        case "test": entry?.mutant.test = value
        case "occurrence" where Int(value) != nil: entry?.mutant.occurrence = Int(value)
        default: add(source.path, index + 1, "unreadable '\(key)', use file, fault or test")
        }
      } else {
        add(source.path, index + 1, "an unreadable line, use 'file: …', '- …' or '+ …'")
      }
    }
    finish()
  }

  private static func pair(_ line: String) -> (key: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].drop { $0 == " " }
    return (String(line[..<colon]), String(value))
  }

  private mutating func add(_ path: String, _ line: Int, _ message: String) {
    findings.append(Finding(path: path, line: line, rule: "mutant", message: message))
  }

  /// All lists among the files.
  public static func all(in sources: [SourceText]) -> [MutantList] {
    sources.filter { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".txt") }.map(MutantList.init)
  }
}

extension Tidy {
  /// Seeded faults that no longer fit their source, or whose test is gone. A fault of a file that
  /// is not there is left alone.
  func mutantFindings(_ sources: [SourceText], _ lexed: [LexedSource?]) -> [Finding] {
    let lists = MutantList.all(in: sources)
    if lists.isEmpty { return [] }
    var cases: [TestCase] = []
    for (source, code) in zip(sources, lexed) where source.path.hasPrefix("Tests/") {
      if let code { cases += TestIndex(path: source.path, code).cases }
    }
    var findings = lists.flatMap(\.findings)
    for mutant in lists.flatMap(\.mutants) {
      guard let file = sources.first(where: { $0.path == mutant.file }) else { continue }
      if let problem = mutant.problem(in: file.text, cases: cases) {
        findings.append(
          Finding(path: mutant.list, line: mutant.line, rule: "mutant", message: problem))
      }
    }
    return findings
  }
}

extension Mutant {
  /// Why the fault cannot be tried on this source with these tests; nil when it can.
  func problem(in source: String, cases: [TestCase]) -> String? {
    if applied(to: source) == nil {
      return "the text of '\(name)' does not stand exactly once in \(file), use its present text"
    }
    let count = subjects(among: cases).count
    if count != 1 {
      return "'\(name)' names \(count) tests, use the name of one, or 'Suite / name'"
    }
    return nil
  }
}
