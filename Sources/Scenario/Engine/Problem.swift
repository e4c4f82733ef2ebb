/// One thing wrong with a scenario.
///
/// Prints as `file:line:column: key.path: expected …, got … (did you mean …?)`.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
  /// The stable name of what is wrong, e.g. `unknown-key`; see ``Code``.
  public var code: Code
  /// Where it stands.
  public var origin: Origin
  /// The key path; empty for the whole file.
  public var keyPath: String
  /// What should stand there.
  public var expected: String
  /// What stands there.
  public var got: String
  /// What was probably meant.
  public var suggestion: String?

  /// The stable names. They never change their meaning; new ones may come.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// An alias without its anchor, or aliases that copy too much.
    case alias = "alias"
    /// Files that extend each other.
    case circular = "circular-extends"
    /// Too many files extend one another.
    case deepExtends = "deep-extends"
    /// More than one YAML document.
    case documents = "several-documents"
    /// A key twice in one mapping.
    case duplicateKey = "duplicate-key"
    /// Nothing but blanks and remarks.
    case emptyFile = "empty-file"
    /// Bytes that are not UTF-8.
    case encoding = "not-utf-8"
    /// A list element that does not exist.
    case index = "no-such-element"
    /// Values that contradict each other.
    case inconsistent = "inconsistent"
    /// A text that is no key path.
    case keyPath = "bad-key-path"
    /// A NUL byte or another control character.
    case binary = "binary-file"
    /// A file longer than ``YAMLReader/Limits/bytes``.
    case largeFile = "large-file"
    /// The key `<<`.
    case mergeKey = "merge-key"
    /// A file that does not exist.
    case missingFile = "missing-file"
    /// A required key that is not there.
    case missingKey = "missing-key"
    /// A bare number where a unit belongs.
    case missingUnit = "missing-unit"
    /// Lists and mappings too deep in each other.
    case nesting = "deep-nesting"
    /// A value beyond its bounds.
    case outOfRange = "out-of-range"
    /// Not YAML.
    case syntax = "syntax"
    /// A tab in the indentation.
    case tab = "tab"
    /// A YAML tag.
    case tag = "tag"
    /// YAML that ``ScenarioFormat`` cannot keep as it is.
    case unformattable = "cannot-format"
    /// A key that the table does not have.
    case unknownKey = "unknown-key"
    /// A plug-in that does not exist.
    case unknownKind = "unknown-kind"
    /// A directory, or a file that may not be read.
    case unreadable = "unreadable"
    /// Too few or too many elements.
    case wrongCount = "wrong-count"
    /// A value of another form than the table asks for.
    case wrongType = "wrong-type"
    /// A unit of another family, or none that exists.
    case wrongUnit = "wrong-unit"
    /// A word that is not one of the choices.
    case wrongWord = "wrong-word"
  }

  /// A problem at a place.
  public init(
    _ code: Code, at origin: Origin, keyPath: String, expected: String, got: String,
    suggestion: String? = nil
  ) {
    self.code = code
    self.origin = origin
    self.keyPath = keyPath
    self.expected = expected
    self.got = got
    self.suggestion = suggestion
  }

  /// The file; the option or the default's source when the value stands in no file.
  public var file: String { origin.file ?? origin.place }
  /// The 1-based line; 0 outside a file.
  public var line: Int {
    if case .file(_, let line, _) = origin { return line }
    return 0
  }
  /// The 1-based column; 0 outside a file.
  public var column: Int {
    if case .file(_, _, let column) = origin { return column }
    return 0
  }

  /// The message, one line, without a full stop. The whole file is called `(file)`.
  public var description: String {
    let path = keyPath.isEmpty ? "(file)" : Excerpt.oneLine(keyPath, limit: 200)
    let hint = suggestion.map { " (did you mean \($0)?)" } ?? ""
    return "\(origin.place): \(path): expected \(expected), got \(got)\(hint)"
  }
}

/// Collects every problem of one pass; after ``limit`` they are only counted.
public struct Problems: Sendable {
  /// The most problems kept, far beyond what anybody reads, so that a hostile file stays cheap.
  public static let limit = 5_000

  private var list: [Problem] = []
  /// How many came after the limit.
  public private(set) var omitted = 0

  /// An empty collection.
  public init() {}

  /// True when nothing is wrong so far.
  public var isEmpty: Bool { list.isEmpty }

  /// Adds one.
  public mutating func add(_ problem: Problem) {
    if list.count < Problems.limit { list.append(problem) } else { omitted += 1 }
  }

  /// Adds those of another collection.
  public mutating func add(_ others: Problems) {
    for problem in others.list { add(problem) }
    omitted += others.omitted
  }

  /// Changes each of them.
  mutating func amend(_ change: (inout Problem) -> Void) {
    for index in list.indices { change(&list[index]) }
  }

  /// All of them once, ordered by file, line, column, key path and text: files first, then the
  /// command line, then defaults.
  public var sorted: [Problem] {
    var seen: Set<Problem> = []
    return list.filter { seen.insert($0).inserted }.sorted(by: Problems.precedes)
  }

  private static func precedes(_ a: Problem, _ b: Problem) -> Bool {
    let (left, right) = (rank(a.origin), rank(b.origin))
    if left != right { return left < right }
    if a.file != b.file { return a.file < b.file }
    if a.line != b.line { return a.line < b.line }
    if a.column != b.column { return a.column < b.column }
    return (a.keyPath, a.code.rawValue, a.expected, a.got)
      < (b.keyPath, b.code.rawValue, b.expected, b.got)
  }

  private static func rank(_ origin: Origin) -> Int {
    switch origin {
    case .file: 0
    case .commandLine: 1
    case .preset: 2
    }
  }
}

/// A scenario that cannot be used, with every reason found in one pass.
public struct ScenarioRejected: Error, Sendable, CustomStringConvertible {
  /// What a caller turns into an exit code: 66 or 65 (`contract.md` section 2).
  public enum Kind: Hashable, Sendable {
    /// A file that does not exist: the scenario itself or one it extends.
    case missingFile
    /// Everything else.
    case badData
  }

  /// The kind.
  public let kind: Kind
  /// The reasons in the order of ``Problems/sorted``; never empty.
  public let problems: [Problem]
  /// How many more there were than ``Problems/limit``.
  public let omitted: Int

  /// Wraps the collected problems.
  /// - Precondition: there is at least one.
  public init(_ problems: Problems) {
    self.problems = problems.sorted
    precondition(!self.problems.isEmpty, "a rejection needs a problem")
    omitted = problems.omitted
    kind = self.problems.contains { $0.code == .missingFile } ? .missingFile : .badData
  }

  /// One line for each problem, and one for those left out.
  public var description: String {
    let more = omitted > 0 ? ["and \(omitted) more problems"] : []
    return (problems.map(\.description) + more).joined(separator: "\n")
  }
}

/// Finds what was probably meant.
public enum Spelling {
  /// The candidate nearest to `word`: at most 2 edits away (1 for words of up to 3 letters), the
  /// first in the given order among equals.
  public static func nearest(to word: String, in candidates: [String]) -> String? {
    let typed = Array(word.unicodeScalars.prefix(65))
    if typed.count > 64 || typed.isEmpty { return nil }
    var best: String?
    var bestDistance = 3
    for candidate in candidates {
      let scalars = Array(candidate.unicodeScalars)
      if abs(scalars.count - typed.count) > 2 { continue }
      let limit = min(scalars.count, typed.count) <= 3 ? 1 : 2
      let distance = edits(typed, scalars)
      if distance <= limit && distance < bestDistance {
        best = candidate
        bestDistance = distance
      }
    }
    return best
  }

  /// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal
  /// string alignment: Damerau 1964, doi:10.1145/363958.363994, no substring edited twice).
  static func edits(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
