import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// `firstframe status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say which shards of a plan are finished.",
    discussion: """
      Example: firstframe status night

      Each file is read and held against its checksum. --emit prints a job for an engine that does the \
      shards of the latest wave; what of them is finished is not run again.
      """)

  @Argument(help: ArgumentHelp("The plan's folder.", valueName: "dir"))
  var folder: String

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var job: JobOptions

  func run() async throws {
    try await Failures.reported { try show() }
  }

  private func show() throws {
    let place = PlanFolder(path: folder)
    let plan = try place.load()
    if job.emit != nil {
      let latest = plan.shards.filter { $0.wave == plan.shards.last?.wave }
      return try job.print(plan, latest[...], folder: folder)
    }
    let status = PlanStatus(plan, ShardWork(plan, path: place.file, store: place.store()))
    let text = json ? status.json : PlanText.status(plan, status, folder: folder)
    try FirstFrameKit.emit(text)
  }
}

/// `firstframe merge`
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Put the finished shards of a plan together, as if one machine had done it all.",
    discussion: """
      Example: firstframe merge night --audit 1%

      Ends as the plan's command does on one machine, with the same folder and the same bytes. With \
      shards missing it says which (exit code 14); where the study asks for more than the plan has, \
      such as after a look that decides nothing, the shards are added to the plan, and it ends with 14, \
      too. --audit runs a share of the shards again, here and by this build, and refuses to merge (65) \
      when bytes differ, naming shard, machine and build.
      """)

  @Argument(help: ArgumentHelp("The plan's folder.", valueName: "dir"))
  var folder: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Run this share of the finished shards again and compare, such as 1%; at least one.",
      valueName: "share"),
    transform: { try MergeCommand.share($0) })
  var audit = 0.0

  @OptionGroup var cut: CutOptions

  @OptionGroup var kept: PilotOptions

  @Flag(help: "Say nothing of the plan.")
  var quiet = false

  private static func share(_ text: String) throws -> Double {
    let share = try Bounds.ratio(text)
    if share > 0 && share <= 1 { return share }
    throw ValidationError("expected more than 0 and at most 100 %, got \(text)")
  }

  func run() async throws {
    try await Failures.reported { try await merge() }
  }

  private func merge() async throws {
    let place = PlanFolder(path: folder)
    var plan = try place.load()
    let study = try PlannedStudy(plan.command)
    try await check(plan, place)
    let wanted = try await study.run(place.store(isClosed: true))
    if wanted.isEmpty { return }
    let open = plan.shards(of: wanted)
    if !open.isEmpty {
      let numbers = ShardNumbers.text(open)
      // So many ranges that not all of them are told are those of all that is missing.
      let which =
        numbers.hasSuffix(ShardNumbers.more)
        ? [] : ["--index", numbers.replacing(", ", with: ",")]
      Console.error(
        "\(place.file): expected every shard that the study asks for, got none of \(numbers); "
          + "to go on: " + ShellText.command([Program.name, "shard", folder] + which))
      throw ExitCode(ExitStatus.partial)
    }
    let added = try cut.add(wanted, to: &plan, place.store(), kept.pilots)
    try place.write(plan)
    if !quiet { Console.note(PlanText.summary(plan, added, folder: folder)) }
    throw ExitCode(ExitStatus.partial)
  }

  /// Runs a share of the finished shards again.
  private func check(_ plan: ShardPlan, _ place: PlanFolder) async throws {
    if audit == 0 { return }
    let work = ShardWork(plan, path: place.file, store: place.store())
    let finished = plan.shards.filter { work.state($0) == .finished }
    let sample = work.sample(audit, of: finished)
    let signals = SignalWatch()
    signals.start { signals.stop.abandon() }
    var isSound = true
    for shard in sample {
      do {
        for found in try work.audit(
          shard, threads: 1, pilots: kept.pilots, stop: signals.stop)
        {
          isSound = false
          let machine = found.origin.machine
          Console.error(
            "shard \(shard.index), replication \(found.replication) of \(plan.label(shard)): "
              + "expected what this build finds, got other bytes from "
              + "\(machine.isEmpty ? "a machine without a name" : machine)"
              + ", build \(found.origin.build)")
        }
      } catch is StudyStopped {
        throw ExitCode(ExitStatus.signal + (signals.received ?? SIGTERM))
      }
    }
    if !isSound { throw ExitCode(ExitStatus.badData) }
    if !quiet {
      Console.note(
        "audit: \(sample.count) of \(finished.count) shards run again, all bytes equal")
    }
  }
}
