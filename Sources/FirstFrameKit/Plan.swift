import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// How a plan is cut.
struct CutOptions: ParsableArguments {
  /// Replications of a shard at most: those of the largest run.
  static let most = 64

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Processor time that a shard is to take at least, where it has replications for it.",
      valueName: "time"),
    transform: { try CutOptions.seconds($0) })
  var shardTime = 10.0

  @Option(
    name: .customLong("cpu-time"), parsing: .unconditional,
    help: ArgumentHelp(
      "Processor time of one replication, instead of the measured one.",
      discussion: "Without it the first replication of each scenario is run, and kept.",
      valueName: "time"),
    transform: { try CutOptions.seconds($0) })
  var cpuTime: Double?

  private static func seconds(_ text: String) throws -> Double {
    do {
      let value = try Quantity.time.value(of: text)
      if value > 0 { return Double(value) / 1e9 }
    } catch {
      throw ValidationError("expected \(error.expected), got \(text)")
    }
    throw ValidationError("expected more than zero, got \(text)")
  }

  /// Adds to a plan what a study asks for, with what a replication of each scenario takes.
  ///
  /// - Returns: the new shards.
  func add(
    _ wanted: [WantedReplication], to plan: inout ShardPlan, _ store: ShardStore, _ pilots: Pilots
  ) throws -> ArraySlice<ShardPlan.Shard> {
    var costs: [String: Double] = [:]
    if let cpuTime {
      return plan.add(wanted, target: shardTime, most: CutOptions.most) { _ in cpuTime }
    }
    for one in wanted where costs[CutOptions.name(one.subject)] == nil {
      costs[CutOptions.name(one.subject)] = try ShardWork.measure(one, store, pilots)
    }
    return plan.add(wanted, target: shardTime, most: CutOptions.most) {
      costs[CutOptions.name($0)]
    }
  }

  /// Configurations of one file are taken to cost the same.
  private static func name(_ subject: ShardSubject) -> String {
    "\(subject.source.file) \(subject.source.isShort)"
  }
}

/// `firstframe plan`
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Cut a study into shards that any machines can do.",
    discussion: """
      Example: firstframe plan --output night sweep scenarios/prefetch-frontier.yaml --short
               firstframe shard night --index 0
               firstframe merge night

      What follows the options is a command of \(PlannedStudy.verbs.map(\.name).joined(separator: ", ")). \
      Nothing of it is run but one replication of each scenario, which tells what a shard takes. The \
      folder gets plan.json, and shards/ as they are done; machines that work on it see the same \
      folder, and the scenario's files at the same paths, seen from where plan was given. run and gate \
      look after 8, 16, 32 and 64 replications, and tune goes from round to round: merge adds to the \
      plan what the next one asks for.
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The plan's folder.", valueName: "dir"))
  var output: String

  @OptionGroup var cut: CutOptions

  @OptionGroup var job: JobOptions

  @OptionGroup var kept: PilotOptions

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The study: a verb and its arguments.", valueName: "command"))
  var command: [String]

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
  }

  func run() async throws {
    try await Failures.reported { try await plan() }
  }

  private func plan() async throws {
    let folder = PlanFolder(path: output)
    let study = try PlannedStudy(command)
    if let entries = try? FileManager.default.contentsOfDirectory(atPath: output),
      !entries.isEmpty, !entries.contains(ShardPlan.fileName)
    {
      throw RunFolder.WriteError(
        path: output, expected: "a new folder, or that of a plan", got: "a folder of other files")
    }
    // What is kept already is planned, too: a plan says what the study is, a store what is done.
    let wanted = try await study.run(folder.store(.nobody, isClosed: true))
    var plan = ShardPlan(command: command)
    let store = folder.store()
    let shards = try cut.add(wanted, to: &plan, store, kept.pilots)
    try folder.write(plan)
    Console.note(PlanText.summary(plan, shards, folder: output))
    try job.print(plan, shards, folder: output)
  }
}

/// `firstframe shard`
struct ShardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shard",
    abstract: "Do shards of a plan.",
    discussion: """
      Example: firstframe shard night --index 0-7

      A replication is on the disk before the next one begins; what is there already is not run again, \
      so that a shard may be given to several machines, and again after a failure. The scenario's files \
      have to be those of the plan (exit code 65).
      """)

  @Argument(help: ArgumentHelp("The plan's folder.", valueName: "dir"))
  var folder: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Which, such as 3, 0-7 or 1,4-6. Default: all that are missing, one after the other.",
      valueName: "numbers"),
    transform: { try ShardNumbers.read($0) })
  var index: [Int]?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Added to each of them.", valueName: "n"),
    transform: { Int(try Bounds.whole($0, in: 0...Int64(1 << 24))) })
  var offset = 0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Threads inside a replication, 1...256.", valueName: "n"),
    transform: { Int(try Bounds.whole($0, in: 1...256)) })
  var threads = 1

  @OptionGroup var kept: PilotOptions

  @Flag(help: "Say nothing of what was done.")
  var quiet = false

  func run() async throws {
    try await Failures.reported { try work() }
  }

  private func work() throws {
    let place = PlanFolder(path: folder)
    let plan = try place.load()
    let work = ShardWork(plan, path: place.file, store: place.store())
    let numbers = index?.map { $0 + offset }
    let open = { PlanStatus(plan, work).missing }
    let shards = try (numbers ?? open()).map { number in
      guard plan.shards.indices.contains(number) else {
        throw ValidationError(
          "--index: expected a shard of \(place.file), which has \(plan.shards.count) from 0 on, "
            + "got \(number)")
      }
      return plan.shards[number]
    }
    let signals = SignalWatch()
    signals.start { signals.stop.abandon() }
    for shard in shards {
      do {
        let count = try work.run(
          shard, threads: threads, pilots: kept.pilots, stop: signals.stop)
        if !quiet {
          let done = count == 0 ? "was finished before" : "finished, \(count) replications run"
          Console.note("shard \(shard.index): \(done)")
        }
      } catch is StudyStopped {
        Console.error("shard \(shard.index): stopped; what is finished is kept")
        throw ExitCode(ExitStatus.signal + (signals.received ?? SIGTERM))
      }
    }
  }
}
