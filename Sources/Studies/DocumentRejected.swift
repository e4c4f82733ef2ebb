import Foundation
import Scenario

/// Why a file or folder is not the document that was asked for: a baseline, a result, what a
/// backtest found.
public struct DocumentRejected: Error, Equatable, Sendable, CustomStringConvertible {
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

extension DocumentRejected {
  /// Bytes of a document at most.
  static let largestDocument = 1 << 30

  /// The bytes of the file at `path`.
  ///
  /// - Throws: why it cannot be read: there is no such file, it may not be read, it is a directory.
  public static func bytes(
    of path: String, expected: String
  ) throws(DocumentRejected) -> Data {
    do throws(InputFile.Failure) {
      return Data(try InputFile.bytes(at: path, limit: largestDocument))
    } catch {
      let isMissing = error.code == .missingFile
      throw DocumentRejected(
        path: path, expected: expected, got: isMissing ? "no such file" : error.got,
        isMissing: isMissing)
    }
  }
}
