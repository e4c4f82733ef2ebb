import Models

/// What `firstframe peer pensieve` is asked for, as written on the command line.
public struct PensieveRequest: Sendable, Equatable {
  /// `--traces`: a folder with a file of `seconds Mbit/s` rows for each trace.
  public var traces: String
  /// `--sizes`: a folder with `video_size_0` to `video_size_5`, one chunk size in bytes on each
  /// line; the first 48 are used.
  public var sizes: String
  /// `--policy`: `fixed0` to `fixed5`, `bb`, `rb`, or `levels:FILE` (see ``PensieveLevelsFile``).
  public var policy: String

  /// A request.
  public init(traces: String, sizes: String, policy: String) {
    self.traces = traces
    self.sizes = sizes
    self.policy = policy
  }

  /// The result columns (contract.md section 6).
  public static let columns = [
    "qoe_lin", "mean_bitrate_kbps", "startup_delay_ms", "rebuffer_s_after_first",
    "rebuffer_s_total", "bytes", "final_buffer_s", "sum_delay_ms", "levels",
  ]

  /// What a request needs from its files.
  public struct Input: Sendable {
    /// The chunk sizes.
    public var video: PensieveVideo
    /// The traces in the order of ``table()``.
    public var traces: [NamedPeerTrace]
    /// The policy for each trace.
    public var policies: [PensievePolicy]
  }

  /// Runs a session over every trace: one row for each, by name.
  /// - Throws: everything that is wrong with the options and the files, in one pass.
  public func table() throws(ScenarioRejected) -> PeerTable {
    let input = try load()
    var table = PeerTable(identity: ["trace"], columns: PensieveRequest.columns)
    for (trace, policy) in zip(input.traces, input.policies) {
      let outcome = PensieveSession.run(video: input.video, trace: trace.trace, policy: policy)
      table.append(PeerRow(names: [trace.name], values: PensieveRequest.cells(of: outcome)))
    }
    return table
  }

  /// Reads the files.
  /// - Throws: everything that is wrong with the options and the files, in one pass.
  public func load() throws(ScenarioRejected) -> Input {
    var problems = Problems()
    let named = PeerTraceFile.traces(at: traces, into: &problems)
    let video = video(into: &problems)
    let policies = policies(for: named.map(\.name), into: &problems)
    guard problems.isEmpty, let video, let policies else { throw ScenarioRejected(problems) }
    return Input(video: video, traces: named, policies: policies)
  }

  private func video(into problems: inout Problems) -> PensieveVideo? {
    let levels = PensieveVideo.rates.count
    guard let lists = PeerTraceFile.sizes(at: sizes, levels: levels, into: &problems) else {
      return nil
    }
    var isWhole = true
    for list in lists where list.sizes.count < PensieveVideo.chunks {
      isWhole = false
      problems.add(
        list.lines.problem(
          .wrongCount, expected: "at least \(PensieveVideo.chunks) sizes",
          got: "\(list.sizes.count)"))
    }
    return isWhole ? PensieveVideo(sizes: lists.map(\.sizes)) : nil
  }

  private func policies(
    for traces: [String], into problems: inout Problems
  ) -> [PensievePolicy]? {
    if policy.hasPrefix("levels:") {
      let file = String(policy.dropFirst("levels:".count))
      guard let levels = PensieveLevelsFile.load(file, traces: traces, into: &problems) else {
        return nil
      }
      return levels.map { .levels($0) }
    }
    let words = PensieveVideo.rates.indices.map { "fixed\($0)" } + ["bb", "rb"]
    guard let word = words.firstIndex(of: policy) else {
      problems.add(
        Problem(
          .unknownKind, at: .commandLine(option: "--policy", argument: policy),
          keyPath: "policy", expected: "one of \(words.joined(separator: ", ")), levels:FILE",
          got: Excerpt.oneLine(policy), suggestion: Spelling.nearest(to: policy, in: words)))
      return nil
    }
    let choices = PensieveVideo.rates.indices.map { PensievePolicy.fixed($0) }
    return traces.map { _ in (choices + [.bufferBased, .rateBased])[word] }
  }

  private static func cells(of outcome: PensieveOutcome) -> [PeerValue] {
    [
      .number(outcome.linearQoE), .number(outcome.meanRate), .number(outcome.startupDelay),
      .number(outcome.stalledAfterFirst), .number(outcome.stalled), .integer(outcome.bytes),
      .number(outcome.finalBuffer), .number(outcome.totalDelay),
      .text(outcome.levels.map(\.description).joined()),
    ]
  }
}
