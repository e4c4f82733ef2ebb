/// A test function of the repository.
public struct TestCase: Equatable, Sendable {
  public let path: String
  /// The line of the name, from 1.
  public let line: Int
  /// The types around it, outermost first, joined by `/`; empty at file scope.
  public let suite: String
  /// The name without its backticks.
  public let name: String
  /// The rows that the name, the comments directly above, or those of a suite around it name.
  public let rows: [String]
}

/// Finds the tests of one file and the requirement rows they name.
///
/// The rows of a test stand in its name, in the comment lines directly above its attributes, or
/// between these and its name; those in the name of a suite or directly above it hold for all its
/// tests.
struct TestIndex {
  private(set) var cases: [TestCase] = []
  /// Rows in comments that belong to no test and no suite.
  private(set) var loose: [RowMention] = []

  private struct Scope {
    var name = ""
    var rows: [String] = []
  }

  private static let types: Set<String> = ["struct", "enum", "class", "actor", "extension"]
  /// Words that end a run of attributes without being a test or a suite.
  private static let others: Set<String> = [
    "var", "let", "case", "init", "subscript", "typealias", "import", "protocol", "macro",
  ]

  private let path: String
  private let tokens: [Token]
  private let comments: [Comment]
  private let tokenLines: Set<Int>
  /// Places in `comments` by the line a comment ends on.
  private let commentByEnd: [Int: Int]
  private var used: Set<Int> = []

  init(path: String, _ lexed: LexedSource) {
    self.path = path
    tokens = lexed.tokens
    comments = lexed.comments
    tokenLines = Set(lexed.tokens.map(\.line))
    var byEnd: [Int: Int] = [:]
    for (place, comment) in lexed.comments.enumerated() {
      byEnd[comment.line + comment.text.utf8.count { $0 == ascii("\n") }] = place
    }
    commentByEnd = byEnd
    walk()
    for (place, comment) in comments.enumerated() where !used.contains(place) {
      loose += RowScanner.mentions(in: comment.text, from: comment.line)
    }
  }

  private mutating func walk() {
    var scopes: [Scope] = []
    var pending = Scope()
    var attributes: (line: Int, hasTest: Bool)?
    var index = 0
    while index < tokens.count {
      let token = tokens[index]
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      if token.is("@"), let next {
        attributes = (
          attributes?.line ?? token.line, attributes?.hasTest ?? false || next.is("Test")
        )
        index = endOfAttribute(at: index)
      } else if token.is("func"), let next {
        if let attributes, attributes.hasTest { add(next, from: attributes.line, in: scopes) }
        attributes = nil
      } else if Self.types.contains(token.text), token.kind == .word, let next, isName(next),
        index == 0 || !tokens[index - 1].is(".")
      {
        pending = Scope(
          name: bare(next.text), rows: rows(of: next, from: attributes?.line ?? token.line))
        attributes = nil
      } else if token.is("{") {
        scopes.append(pending)
        (pending, attributes) = (Scope(), nil)
      } else if token.is("}") {
        _ = scopes.popLast()
        attributes = nil
      } else if token.kind == .word, Self.others.contains(token.text) {
        attributes = nil
      }
      index += 1
    }
  }

  private func isName(_ token: Token) -> Bool {
    token.kind == .word && token.text != "func" && !Self.others.contains(token.text)
  }

  private func bare(_ name: String) -> String { name.filter { $0 != "`" } }

  /// The last token of the attribute at `index`: its name, or the parenthesis that closes it.
  private func endOfAttribute(at index: Int) -> Int {
    guard index + 2 < tokens.count, tokens[index + 2].is("(") else { return index + 1 }
    var depth = 0
    for place in index + 2..<tokens.count where tokens[place].kind == .symbol {
      if tokens[place].text == "(" { depth += 1 }
      if tokens[place].text == ")" { depth -= 1 }
      if depth == 0 { return place }
    }
    return tokens.count - 1
  }

  private mutating func add(_ name: Token, from line: Int, in scopes: [Scope]) {
    var seen: Set<String> = []
    let own = rows(of: name, from: line)
    cases.append(
      TestCase(
        path: path, line: name.line,
        suite: scopes.map(\.name).filter { $0 != "" }.joined(separator: "/"),
        name: bare(name.text),
        rows: (own + scopes.reversed().flatMap(\.rows)).filter { seen.insert($0).inserted }))
  }

  /// The rows of a declaration whose attributes start on `line`.
  private mutating func rows(of name: Token, from line: Int) -> [String] {
    var places: [Int] = []
    var below = line
    while let place = commentByEnd[below - 1], !tokenLines.contains(comments[place].line) {
      places.append(place)
      below = comments[place].line
    }
    places.reverse()
    for (place, comment) in comments.enumerated()
    where comment.line >= line && comment.line <= name.line {
      places.append(place)
    }
    used.formUnion(places)
    let above = places.flatMap { RowScanner.mentions(in: comments[$0].text).map(\.row) }
    return RowScanner.mentions(in: name.text).map(\.row) + above
  }
}
