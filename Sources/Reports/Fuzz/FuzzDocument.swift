import Scenario
import Studies

/// What `firstframe fuzz --json` prints.
public enum FuzzDocument {
  /// The document of a search.
  ///
  /// - Parameter files: where the kept failures are.
  public static func json(_ answer: FuzzSearch.Answer, files: [String]) -> JSONText {
    .object([
      .init("schema", 1), .init("kind", "firstframe.fuzz"),
      .init("target", .string(answer.target)), .init("holds", .boolean(answer.holds)),
      .init("isComplete", .boolean(answer.isComplete)),
      .init("seeds", .integer(Int64(answer.seeds))),
      .init("events", .integer(Int64(clamping: answer.events))),
      .init("fingerprint", .string(String(answer.fingerprint, radix: 16))),
      .init("properties", .array(answer.verdicts.map { verdict($0) })),
      .init("failures", .array(files.map { .string($0) })),
    ])
  }

  private static func verdict(_ verdict: FuzzVerdict) -> JSONText {
    [
      "name": .string(verdict.name), "kind": .string("\(verdict.kind)"),
      "statement": .string(verdict.statement), "broken": .integer(Int64(verdict.broken)),
      "reached": .integer(Int64(verdict.reached)), "isMissing": .boolean(verdict.isMissing),
    ]
  }
}
