import Models

/// A file of transfer cases: JSON, a list of cases (contract.md section 4).
public struct TransferCaseFile: Sendable, Equatable {
  /// In the order of the file; at least one.
  public var cases: [TransferCaseEntry]

  /// Reads a file.
  /// - Throws: every problem of the file in one pass, each with line, column, index and key.
  public static func load(_ path: String) throws(ScenarioRejected) -> TransferCaseFile {
    let bytes: [UInt8]
    do throws(InputFile.Failure) {
      bytes = try InputFile.bytes(at: path, limit: YAMLReader.Limits.dataBytes)
    } catch {
      var problems = Problems()
      problems.add(
        Problem(
          error.code, at: .file(path, line: 1, column: 1), keyPath: "", expected: error.expected,
          got: error.got))
      throw ScenarioRejected(problems)
    }
    return try parse(bytes, file: path)
  }

  /// Reads text that stands in a file called `file`.
  public static func parse(
    _ text: String, file: String
  ) throws(ScenarioRejected) -> TransferCaseFile {
    try parse(Array(text.utf8), file: file)
  }

  static func parse(
    _ bytes: [UInt8], file: String
  ) throws(ScenarioRejected) -> TransferCaseFile {
    var problems = Problems()
    guard
      let node = YAMLReader.read(
        bytes, file: file, limit: YAMLReader.Limits.dataBytes, into: &problems)
    else {
      throw ScenarioRejected(problems)
    }
    var reader = TransferCaseReader()
    let entries = reader.entries(node)
    problems.add(reader.problems)
    guard problems.isEmpty else { throw ScenarioRejected(problems) }
    return TransferCaseFile(cases: entries)
  }
}
