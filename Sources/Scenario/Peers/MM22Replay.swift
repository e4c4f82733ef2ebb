import Models

/// The answer of `firstframe peer mm22 --replay`: how many rows of the peer's step list the model
/// does not reproduce.
public struct MM22Replay: Hashable, Sendable {
  /// The first difference.
  public struct Difference: Hashable, Sendable {
    /// The row, counted from 1 without the header.
    public var row: Int
    /// The column of the step list; `video` for a step that the model cannot take.
    public var column: String
    /// What the step list says.
    public var expected: Double
    /// What the model says; nil for a step that it cannot take.
    public var got: Double?
  }

  /// The rows compared.
  public var rows = 0
  /// The rows of them with a difference.
  public var mismatches = 0
  /// The first difference; nil without any.
  public var first: Difference?

  /// How far numbers may be apart and still be equal.
  static let tolerance = 1e-6

  /// `{"schema":1,"mismatches":…,"first":{"row","column","expected","got"}|null,"rows":…}`.
  public func json() -> JSONText {
    var difference = JSONText.null
    if let first {
      difference = [
        "row": .integer(Int64(first.row)), "column": .string(first.column),
        "expected": .number(first.expected), "got": first.got.map { .number($0) } ?? .null,
      ]
    }
    return [
      "schema": 1, "mismatches": .integer(Int64(mismatches)), "first": difference,
      "rows": .integer(Int64(rows)),
    ]
  }

  fileprivate mutating func compare(_ step: MM22Step?, with row: MM22StepRow) {
    rows += 1
    guard let difference = row.difference(from: step, row: rows) else { return }
    mismatches += 1
    if first == nil { first = difference }
  }
}

extension MM22Request {
  /// Takes the decisions of a step list and compares what each leads to. Every combination of
  /// policy, class and trace in the list is a session of its own; the name of the policy decides
  /// nothing.
  /// - Parameters:
  ///   - steps: `--replay`, a CSV file with the columns ``MM22StepRow/columns``.
  ///   - sample: `--sample`; may be nil when the watch file holds one sample only.
  /// - Throws: everything that is wrong with the options and the files, in one pass.
  public func replay(steps: String, sample: String?) throws(ScenarioRejected) -> MM22Replay {
    var problems = Problems()
    let rows = MM22StepRow.load(steps, into: &problems)
    let input = load(into: &problems)
    let watch = input.flatMap { self.watch(of: sample, in: $0.samples, into: &problems) }
    let traces = traces(of: rows ?? [], into: &problems)
    guard problems.isEmpty, let rows, let input, let watch else {
      throw ScenarioRejected(problems)
    }
    var sessions: [MM22StepRow.Key: MM22Session] = [:]
    var replay = MM22Replay()
    for row in rows {
      guard let trace = traces[row.key.network] else { continue }
      let key = row.key
      let fresh = { MM22Session(videos: input.videos, over: trace, watch: watch) }
      let step = sessions[key, default: fresh()].apply(row.decision)
      replay.compare(step, with: row)
    }
    return replay
  }

  private func watch(
    of name: String?, in samples: [MM22Sample], into problems: inout Problems
  ) -> [Int64]? {
    if name == nil && samples.count == 1 { return samples[0].watch }
    if let name, let sample = samples.first(where: { $0.name == name }) { return sample.watch }
    let names = samples.map(\.name)
    let listed = names.prefix(10).map { Excerpt.oneLine($0) }.joined(separator: ", ")
    problems.add(
      Problem(
        .unknownKind, at: .commandLine(option: "--sample", argument: name ?? ""),
        keyPath: "sample",
        expected: "one of \(listed)\(names.count > 10 ? ", …" : "")",
        got: name.map { Excerpt.oneLine($0) } ?? "nothing",
        suggestion: name.flatMap { Spelling.nearest(to: $0, in: names) }))
    return nil
  }

  /// The traces that the rows name. A file that is missing is a problem of the first row naming it.
  private func traces(
    of rows: [MM22StepRow], into problems: inout Problems
  ) -> [MM22StepRow.Network: PeerTrace] {
    var seen: Set<MM22StepRow.Network> = []
    var traces: [MM22StepRow.Network: PeerTrace] = [:]
    for row in rows where seen.insert(row.key.network).inserted {
      let network = row.key.network
      let folder = PeerFolder.path(PeerFolder.path(data, "network_traces"), network.networkClass)
      let path = PeerFolder.path(folder, network.trace)
      if InputFile.canonicalPath(path) == nil {
        problems.add(
          Problem(
            .missingFile, at: row.origin, keyPath: "trace", expected: "the name of a trace file",
            got: Excerpt.oneLine(path, limit: 200)))
      } else if let lines = PeerLines.load(path, into: &problems) {
        traces[network] = PeerTraceFile.trace(lines, into: &problems)
      }
    }
    return traces
  }
}
