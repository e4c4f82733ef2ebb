/// One piece of Swift code as the rules see it: comments are gone, string contents are one token.
public struct Token: Equatable, Sendable {
  public enum Kind: Sendable {
    /// An identifier or keyword; a raw identifier keeps its backticks, so it equals no keyword.
    case word
    case number
    /// The text of a string or regular expression literal, without the interpolated code.
    case string
    /// A single byte of punctuation.
    case symbol
  }

  public let kind: Kind
  public let text: String
  /// The line the token starts on, from 1.
  public let line: Int
  /// Byte offsets of the token: `start..<end`.
  public let start: Int
  public let end: Int

  func `is`(_ other: String) -> Bool { kind != .string && text == other }
}

/// One comment with its markers.
public struct Comment: Equatable, Sendable {
  public let text: String
  /// The line the comment starts on, from 1.
  public let line: Int
}

/// A Swift file taken apart.
public struct LexedSource: Sendable {
  public var tokens: [Token] = []
  public var comments: [Comment] = []
  /// Lines that lie wholly inside a multi-line string literal.
  public var stringLines: Set<Int> = []
}
