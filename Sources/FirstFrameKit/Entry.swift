import ArgumentParser
import Dispatch
import ForeignPolicies
import Reports
import Scenario

/// The command line of FirstFrame as a function, for a program of its own: with the policies of
/// whoever builds it among the kinds that scenarios may name (docs/how-to/policy-package.md).
///
/// A program that is linked with this one is linked with the GNU Scientific Library, whose licence
/// (GPL-3) is then that of the program. The policies, which need `MediaUnits` and the module whose
/// events they are told alone, and the app that ships them are not.
public struct FirstFrameTool: Sendable {
  private let name: String
  private let packages: PolicyPackages
  private let live: LiveVerbs?

  /// - Parameters:
  ///   - name: what the program is called in its help and in the commands that it proposes.
  ///   - prefetch: kinds of `policy.prefetch` beside the shipped ones.
  ///   - victim: kinds of `policy.pool.victim`.
  ///   - bitrate: kinds of `policy.abr`.
  ///   - release: kinds of `policy.startupCap.release`.
  ///   - gate: kinds of `client.gate`.
  ///   - retry: kinds of `client.retry`.
  ///   - admission: kinds of `admission` of each tier of `cdn`.
  ///   - lifetime: kinds of `ttl` of each tier.
  ///   - eviction: kinds of each tier.
  ///   - polls: kinds of `messages.protocol.polls`.
  ///   - quality: kinds of `calls.protocol.quality`.
  ///   - live: `.verbs` of FirstFrameLiveKit, for live runs with these policies; nil: none.
  public init(
    name: String = "firstframe", prefetch: [PrefetchPackage] = [],
    victim: [VictimPackage] = [], bitrate: [BitratePackage] = [],
    release: [ReleasePackage] = [], gate: [GatePackage] = [], retry: [RetryPackage] = [],
    admission: [AdmissionPackage] = [], lifetime: [LifetimePackage] = [],
    eviction: [EvictionPackage] = [], polls: [PollPackage] = [],
    quality: [QualityPackage] = [], live: LiveVerbs? = nil
  ) {
    self.name = name
    self.live = live
    var packages = PolicyPackages()
    packages.prefetch = prefetch
    packages.victim = victim
    packages.bitrate = bitrate
    packages.release = release
    packages.gate = gate
    packages.retry = retry
    packages.admission = admission
    packages.lifetime = lifetime
    packages.eviction = eviction
    packages.polls = polls
    packages.quality = quality
    self.packages = packages
  }

  /// Does what the arguments of the process ask for and ends it with the exit code of the contract;
  /// before there is another thread.
  ///
  /// Policies that cannot be kinds, of a word that is taken or a key twice, end it with 65 and one
  /// message for each problem.
  public func main() -> Never {
    ProgramName.call(name)
    let faults = ScenarioPolicies.install(packages)
    if !faults.isEmpty {
      for fault in faults { Console.error(fault) }
      Console.exit(ExitStatus.badData)
    }
    Live.have(live)
    Entry.main()
  }
}

/// Starts the program. A misspelt verb is answered here, because the parser only calls it
/// unexpected.
enum Entry {
  static func main() -> Never {
    // Not asynchronous itself: other threads are there before the first line of what is.
    LargePages.prepare()
    PrefixWorker.runIfAsked()
    AgentProcess.endWithServer()
    Task {
      await start()
      Console.exit(ExitStatus.success)
    }
    dispatchMain()
  }

  private static func start() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let verbs = FirstFrame.verbs + ["help"]
    let asked = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    if let verb = asked, !verb.hasPrefix("-"), !verbs.contains(verb) {
      let hint = nearest(to: verb, in: verbs).map { " (did you mean \($0)?)" } ?? ""
      Console.error(
        "expected one of \(verbs.joined(separator: ", ")), got \(verb)\(hint)")
      Console.exit(ExitStatus.usage)
    }
    if let option = arguments.prefix(while: { $0 != "--" }).first(where: isEngine) {
      Console.error(
        "\(option): expected the command of the Python package firstframe with its extra dask, "
          + "which hands a study to an engine, got the program alone")
      Console.exit(ExitStatus.usage)
    }
    if let verb = asked, FirstFrame.simulating.contains(verb) { ExternalPolicy.admit() }
    await FirstFrame.main(ReplayFailure.dispatched(arguments))
  }

  /// `--on ENGINE`, which the Python package takes before the program sees it.
  private static func isEngine(_ argument: String) -> Bool {
    argument == "--on" || argument.hasPrefix("--on=")
  }

  /// The candidate that is at most two edits away, the nearest and first one; nil without any.
  static func nearest(to word: String, in candidates: [String]) -> String? {
    let near = candidates.map { (word: $0, distance: distance(word, $0)) }
      .min { $0.distance < $1.distance }
    return near.flatMap { $0.distance <= 2 ? $0.word : nil }
  }

  /// Insertions, deletions and substitutions that turn one word into another (Levenshtein 1966).
  private static func distance(_ a: String, _ b: String) -> Int {
    let (left, right) = (Array(a), Array(b))
    var last = Array(0...right.count)
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        row.append(
          min(row[j] + 1, last[j + 1] + 1, last[j] + (left[i] == right[j] ? 0 : 1)))
      }
      last = row
    }
    return last[right.count]
  }
}

/// The program.
struct FirstFrame: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.name,
    abstract: "Predicts startup, stalls, cache hits and wasted bytes of a short-video feed.",
    discussion: """
      Write a scenario, say what must hold, run it, and read why it does or does not.

        \(Program.name) init my-feed
        \(Program.name) run my-feed.yaml

      \(ExitStatus.help)
      """,
    version: ProgramVersion.text(of: Program.name),
    subcommands: [
      Run.self, GateCommand.self, AuditCommand.self, Compare.self, SweepCommand.self, Tune.self,
      Capacity.self, ExportCommand.self, PlanCommand.self, ShardCommand.self, StatusCommand.self,
      MergeCommand.self,
      BacktestCommand.self,
      Calibrate.self, Match.self, Why.self,
      Trace.self, Report.self, Validate.self, Explain.self, Keys.self, Fmt.self, PrintSchema.self,
      Initialize.self, Model.self, Peer.self, Replay.self, Fuzz.self, Shrink.self, Live.self,
      DoctorCommand.self, Mcp.self, ReferenceCommand.self,
    ])

  /// The verbs in the order of the help text.
  static let verbs = [
    "run", "gate", "audit", "compare", "sweep", "tune", "capacity", "export", "plan", "shard",
    "status",
    "merge", "backtest", "calibrate", "match", "why", "trace", "report",
    "validate", "explain", "keys", "fmt", "schema", "init", "model", "peer", "replay", "fuzz",
    "shrink", "live", "doctor", "mcp", "reference",
  ]

  /// Those that run the commands of a scenario's policies; none of the others does.
  static let simulating = [
    "run", "gate", "audit", "compare", "sweep", "tune", "capacity", "plan", "shard", "status",
    "merge", "backtest", "match", "why", "trace",
  ]
}
