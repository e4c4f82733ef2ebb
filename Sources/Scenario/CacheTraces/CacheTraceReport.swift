/// What is wrong with the files of a trace or of telemetry: the first ``limit`` problems in full,
/// the rest counted.
struct CacheTraceReport {
  /// The most problems kept.
  static let limit = 20

  private let kind: InputRejected.Kind
  private(set) var problems: [Problem] = []
  private(set) var omitted = 0
  /// What the user should know although nothing is wrong, one line each.
  var notes: [String] = []

  init(_ kind: InputRejected.Kind = .trace) { self.kind = kind }

  /// The error to throw; nil when nothing is wrong.
  var rejection: InputRejected? {
    problems.isEmpty ? nil : InputRejected(kind, problems: problems, omitted: omitted)
  }

  /// Adds a problem; the texts are made only when there is room for them.
  mutating func add(_ problem: @autoclosure () -> Problem) {
    if problems.count < CacheTraceReport.limit { problems.append(problem()) } else { omitted += 1 }
  }

  /// Adds a problem with a whole file.
  mutating func add(_ failure: InputFile.Failure, file: String) {
    add(
      Problem(
        failure.code, at: .file(file, line: 1, column: 1), keyPath: "", expected: failure.expected,
        got: failure.got))
  }

  /// Adds a problem at a byte of a binary file, counted from 0.
  mutating func add(
    _ code: Problem.Code, file: String, byte: Int, expected: @autoclosure () -> String,
    got: @autoclosure () -> String
  ) {
    add(
      Problem(
        code, at: .file(file, line: 1, column: 1), keyPath: "byte \(byte)", expected: expected(),
        got: got()))
  }
}
