/// Why a file or folder is not the document that was asked for: a baseline, a result, what a
/// backtest found.
public struct DocumentRejected: Error, Sendable, CustomStringConvertible {
  public var path: String
  public var expected: String
  public var got: String
  /// There is no such file.
  public var isMissing: Bool

  public init(path: String, expected: String, got: String, isMissing: Bool = false) {
    self.path = path
    self.expected = expected
    self.got = got
    self.isMissing = isMissing
  }

  public var description: String { "\(path): expected \(expected), got \(got)" }
}
