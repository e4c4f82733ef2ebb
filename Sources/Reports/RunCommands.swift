import Scenario
import Studies

/// The commands that make a run again and that show one of its sessions, in words for
/// ``ShellText``.
public struct RunCommands: Sendable, Equatable {
  /// The command that makes the run again.
  public let run: [String]
  /// The same for one session, without the session; nil where there is none to look at: of another
  /// world, of a mixed feed, of a live run.
  let session: [String]?

  init(run: [String], session: [String]?) {
    self.run = run
    self.session = session
  }

  /// Of a run that was made from a scenario file.
  public init(_ result: StudyResult) {
    let scenario = result.scenario
    let wasSeeded = scenario.overrides.contains { $0.option == "--seed" }
    var settings = scenario.isShort ? ["--short"] : []
    if wasSeeded || result.seed != scenario.seed { settings += ["--seed", "\(result.seed)"] }
    for override in scenario.overrides where override.option == "--set" {
      settings += ["--set", override.keyPath + "=" + (override.value ?? "")]
    }
    run =
      [ProgramName.own, "run", scenario.file.path] + settings
      + (RunCommands.isCounted(result) ? ["--replications", "\(result.cap)"] : [])
      + RunCommands.ties(result.shuffleTies)
    let isTraceable = result.world.isTraceable && result.live == nil
    session = isTraceable ? [ProgramName.own, "trace", scenario.file.path] + settings : nil
  }

  /// Of a run folder: from the resolved scenario in it.
  ///
  /// - Parameter folder: the path of the folder; empty in the folder itself.
  init(_ record: RunRecord, folder: String) {
    let start = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
    let file = start + "scenario.resolved.yaml"
    let settings = record.scenario.short ? ["--short"] : []
    run =
      [ProgramName.own, "run", file] + settings
      + RunCommands.looks(record.replications.looks, cap: record.replications.cap)
      + RunCommands.ties(record.shuffleTies)
    let isTraceable =
      !record.hasMetricsOnly && record.live == nil
      && record.surface.byName.values.allSatisfy { $0 == 0 }
    session = isTraceable ? [ProgramName.own, "trace", file] + settings : nil
  }

  /// Of a run that another program made, which has no sessions to look at.
  public init(run: [String]) {
    self.run = run
    session = nil
  }

  /// The command that shows one session of one replication, with what concerns an item of its
  /// feed; nil where sessions cannot be looked at.
  public func trace(replication: Int64, session number: Int64, item: Int64) -> [String]? {
    session.map {
      $0 + ["--viewer", "\(number)", "--replication", "\(replication)", "--item", "\(item)"]
    }
  }

  /// Whether the number of replications was asked for, and is not the scenario's own.
  private static func isCounted(_ result: StudyResult) -> Bool {
    result.looks != Study.lookNumbers(cap: result.cap, isFixed: false)
      || result.scenario.overrides.contains { $0.option == "--replications" }
  }

  /// A single look after the last replication is what `--replications` asks for.
  private static func looks(_ looks: [Int], cap: Int) -> [String] {
    looks == [cap] ? ["--replications", "\(cap)"] : []
  }

  private static func ties(_ seed: UInt64?) -> [String] {
    seed.map { ["--shuffle-ties", "\($0)"] } ?? []
  }
}
