/// Something a rule objects to, printed as `path:line: error: …, use … [rule]`.
public struct Finding: Equatable, Comparable, Sendable, CustomStringConvertible {
  public let path: String
  /// From 1.
  public let line: Int
  /// The stable name of the rule, the one an allow comment names.
  public let rule: String
  public let message: String

  public init(path: String, line: Int, rule: String, message: String) {
    self.path = path
    self.line = line
    self.rule = rule
    self.message = message
  }

  public var description: String { "\(path):\(line): error: \(message) [\(rule)]" }

  public static func < (a: Finding, b: Finding) -> Bool {
    (a.path, a.line, a.rule, a.message) < (b.path, b.line, b.rule, b.message)
  }
}

/// A finding that a comment in the source accepts, with the reason it gives.
public struct Allowance: Equatable, Comparable, Sendable, CustomStringConvertible {
  public let path: String
  /// The line of the comment, from 1.
  public let line: Int
  public let rule: String
  public let reason: String

  public var description: String { "\(path):\(line): allowed: \(rule) because \(reason)" }

  public static func < (a: Allowance, b: Allowance) -> Bool {
    (a.path, a.line, a.rule) < (b.path, b.line, b.rule)
  }
}

/// What one pass over a repository found.
public struct TidyReport: Sendable {
  public var filesRead = 0
  /// Sorted by path and line.
  public var findings: [Finding] = []
  /// Sorted by path and line; each accepted at least one finding.
  public var allowances: [Allowance] = []
}
