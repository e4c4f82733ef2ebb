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
  /// The bytes of the file at `path`.
  ///
  /// - Throws: why it cannot be read: there is no such file, it may not be read, it is a directory.
  public static func bytes(
    of path: String, expected: String
  ) throws(DocumentRejected) -> Data {
    do throws(InputFile.Failure) {
      return Data(try InputFile.bytes(at: path, limit: JSONReader.Limits.document.bytes))
    } catch {
      let isMissing = error.code == .missingFile
      throw DocumentRejected(
        path: path, expected: expected, got: isMissing ? "no such file" : error.got,
        isMissing: isMissing)
    }
  }
}

extension DocumentRejected {
  /// A document that is not what was expected at one place: `file:line:column: key.path`.
  ///
  /// - Parameter advice: what stands behind the message, such as the command that writes another.
  public init(_ fault: JSONReader.Fault, in path: String, advice: String = "") {
    self.init(
      path: "\(path):\(fault.place)", expected: fault.expected, got: fault.got + advice)
  }

  /// A member that is another one than expected.
  public init(
    _ path: String, member: String, of data: Data, expected: String, got: String,
    advice: String = ""
  ) {
    let (line, column) = JSONReader.place(of: [member], in: data)
    self.init(
      JSONReader.Fault(line: line, column: column, keyPath: member, expected: expected, got: got),
      in: path, advice: advice)
  }

  /// The document in the bytes of a file.
  ///
  /// - Throws: where it is none, and what stands there.
  public static func decode<Document: Decodable>(
    _ type: Document.Type, from data: Data, path: String, advice: String = ""
  ) throws(DocumentRejected) -> Document {
    do throws(JSONReader.Fault) {
      return try JSONReader.decode(type, from: data, within: .told)
    } catch {
      throw DocumentRejected(error, in: path, advice: advice)
    }
  }
}
