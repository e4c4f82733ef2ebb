import Models

/// What `firstframe peer mm22` is asked for, as written on the command line.
public struct MM22Request: Sendable, Equatable {
  /// `--data`: a folder with `network_traces/<class>/<i>` (rows of `seconds Mbit/s`),
  /// `short_video_size/<video>/video_size_<level>` (a chunk size in bytes on each line) and
  /// `user_ret/<video>` (rows of `second share`).
  public var data: String
  /// `--watch`: a JSON object of watch times in milliseconds, a list with one for each video under
  /// the name of each sample.
  public var watch: String

  /// A request.
  public init(data: String, watch: String) {
    self.data = data
    self.watch = watch
  }

  /// The words of `--policy`.
  public static let policyNames = MM22Policy.allCases.map(\.peerName)

  /// The result columns (contract.md section 6). `startup_stall_ms` is the part of `rebuffer_ms` in
  /// videos of which nothing had been shown, `mid_stall_ms` the rest, `session_ms` the sum of the
  /// delays, `chunks` the downloads.
  public static let columns = [
    "score", "qoe", "bandwidth_bytes", "wasted_bytes", "downloaded_over_watched", "rebuffer_ms",
    "startup_stall_ms", "mid_stall_ms", "session_ms", "chunks",
  ]

  /// Runs a session for every sample over every trace of a class: rows by sample in the order of
  /// the watch file, and by trace number in each.
  /// - Throws: everything that is wrong with the options and the files, in one pass.
  public func table(policy: String, networkClass: String) throws(ScenarioRejected) -> PeerTable {
    var problems = Problems()
    let rule = MM22Policy.allCases.first { $0.peerName == policy }
    if rule == nil {
      problems.add(
        Problem(
          .unknownKind, at: .commandLine(option: "--policy", argument: policy),
          keyPath: "policy",
          expected: "one of \(MM22Request.policyNames.joined(separator: ", "))",
          got: Excerpt.oneLine(policy),
          suggestion: Spelling.nearest(to: policy, in: MM22Request.policyNames)))
    }
    let input = load(into: &problems)
    let traces = MM22Data.traces(at: data, networkClass: networkClass, into: &problems)
    guard problems.isEmpty, let rule, let input, let first = traces.first else {
      throw ScenarioRejected(problems)
    }
    var table = PeerTable(identity: ["sample", "trace"], columns: MM22Request.columns)
    guard let sample = input.samples.first else { return table }
    var session = MM22Session(videos: input.videos, over: first.trace, watch: sample.watch)
    for sample in input.samples {
      for trace in traces {
        let outcome = session.run(rule, over: trace.trace, watch: sample.watch)
        let names = [sample.name, trace.name]
        table.append(PeerRow(names: names, values: MM22Request.cells(of: outcome)))
      }
    }
    return table
  }

  /// The videos and the samples; nil after adding a problem.
  func load(into problems: inout Problems) -> (videos: [MM22Video], samples: [MM22Sample])? {
    let videos = MM22Data.videos(at: data, into: &problems)
    let samples = MM22WatchFile.load(watch, videos: videos, into: &problems)
    guard let videos, let samples else { return nil }
    return (videos.map(\.video), samples)
  }

  private static func cells(of outcome: MM22Outcome) -> [PeerValue] {
    [
      .number(outcome.score), .number(outcome.qoe), .integer(outcome.bytes),
      .integer(outcome.wasted), .number(outcome.downloadedOverWatched),
      .integer(outcome.stalled), .integer(outcome.stalledAtStart),
      .integer(outcome.stalledMidway), .integer(outcome.length), .integer(Int64(outcome.chunks)),
    ]
  }
}

extension MM22Policy {
  /// The peer's word for the policy.
  public var peerName: String {
    switch self {
    case .fixedPreload: "fixed_preload"
    case .nextOne: "next_one"
    case .noSave: "no_save"
    }
  }
}
