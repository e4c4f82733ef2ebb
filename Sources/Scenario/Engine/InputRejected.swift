/// Files beside the scenario that cannot be used, with the reasons found in one pass.
public struct InputRejected: Error, Sendable, CustomStringConvertible {
  /// What the files are, as messages call them.
  public enum Kind: String, Sendable {
    case trace
    case telemetry
    case mapping = "mapping file"
  }

  public let kind: Kind
  /// The first reasons, in the order of the files; never empty.
  public let problems: [Problem]
  /// How many more there were.
  public let omitted: Int

  public init(_ kind: Kind, problems: [Problem], omitted: Int = 0) {
    self.kind = kind
    self.problems = problems
    self.omitted = omitted
  }

  /// Whether the reason is that there is no such file.
  public var isMissingFile: Bool { problems.contains { $0.code == .missingFile } }

  /// One line for each problem, and one for those left out.
  public var description: String {
    let more =
      omitted > 0
      ? ["and \(omitted) more problem\(omitted == 1 ? "" : "s") in this \(kind.rawValue)"] : []
    return (problems.map(\.description) + more).joined(separator: "\n")
  }
}
