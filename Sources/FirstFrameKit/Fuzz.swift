import ArgumentParser
import ForeignPolicies
import Foundation
import Reports
import Scenario
import Studies

/// `firstframe fuzz`
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Search for schedules of faults that break a protocol, and keep them.",
    discussion: """
      Example: firstframe fuzz scenarios/tbm-race-explorer.yaml --seeds 1..10000 --time 60s
               firstframe fuzz messaging/literal --seeds 1..2000
               firstframe fuzz scenarios/tbm-race-explorer.yaml --exhaustive

      The machines are the ones that ship; clients, networks, stores and faults are simulated. A \
      failure is made smaller and kept as an explicit schedule in results/fuzz: firstframe replay \
      FILE runs it again and draws it, firstframe shrink FILE makes it smaller still.
      Exit codes: 0 all held and everything happened, 10 something broke or never happened, 64 \
      usage, 65 bad data, 66 no such file, 73 cannot write.
      """, subcommands: [FuzzRun.self, FuzzList.self], defaultSubcommand: FuzzRun.self)

  /// What the machines were built from. An installed program knows it; one that was built where it
  /// is started is asked of its repository.
  static let commit =
    ProgramVersion.commit ?? Toolchain.commit(ofFolderOf: CommandLine.arguments[0]) ?? "unknown"

  static func write(_ text: String, to path: String) throws {
    do {
      try RunFolder.writeFile(text, to: path)
    } catch {
      Console.error("\(error)")
      throw ExitCode(ExitStatus.cannotWrite)
    }
  }

  /// - Throws: an `ExitCode` 65 where a machine of somebody else's commanded what cannot be done,
  ///   so that its runs say nothing.
  static func checkMachines() throws {
    guard let failure = ForeignFailure.first else { return }
    Console.error(failure)
    throw ExitCode(ExitStatus.badData)
  }

  static func read(_ path: String) throws -> String {
    guard let text = InputFile.text(at: path, limit: YAMLReader.Limits.dataBytes) else {
      Console.error("\(path): expected a file of a failure, got none that can be read")
      throw ExitCode(ExitStatus.missingFile)
    }
    return text
  }
}

/// What a protocol is called.
private struct FuzzName: FuzzVisitor {
  func visit<Target: FuzzTarget>(_ target: Target) -> String { target.name }
}

/// `firstframe fuzz list`
struct FuzzList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the protocols and their variants.",
    discussion: "Example: firstframe fuzz list")

  func run() throws {
    let lines = FuzzCatalogue.names.map {
      FuzzCatalogue.isSound($0) ? $0 : "\($0)  (faulty on purpose)"
    }
    try emit(lines.joined(separator: "\n") + "\n")
  }
}

/// `firstframe fuzz run`, and `firstframe fuzz` without a verb.
struct FuzzRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the schedules of many seeds.",
    discussion: "Example: firstframe fuzz calls/recommended --seeds 1..10000 --time 60s")

  @Argument(
    help: ArgumentHelp(
      "A scenario of the world messages or calls, or a variant that firstframe fuzz list prints.",
      valueName: "file or variant"))
  var target: String

  @Option(
    help: ArgumentHelp("The seeds, both ends included.", valueName: "first..last"),
    transform: { try FuzzRun.seeds($0) })
  var seeds: Range<UInt64> = 1..<10_001

  @Option(
    help: ArgumentHelp("Stop after so long, at the next thousand seeds.", valueName: "60s"),
    transform: { try FuzzRun.seconds($0) })
  var time: Double?

  @Flag(help: "Try every fate of the first messages of small schedules instead of seeds.")
  var exhaustive = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many messages have a choice in an exhaustive search, 1...16.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 1...16) })
  var depth: Int64 = 6

  @Flag(inversion: .prefixedNo, help: "Make failures smaller.")
  var shrink = true

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Keep the smallest failures in this folder.", valueName: "folder"))
  var output = "results/fuzz"

  @Flag(help: "Print JSON: each property with the seeds that broke it or came to it.")
  var json = false

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output: expected a folder, got nothing") }
  }

  func run() throws {
    let answer = try search()
    try Fuzz.checkMachines()
    let places = answer.files.map { "\(output)/\($0.name)" }
    try emit(
      json
        ? FuzzDocument.json(answer, files: places).text()
        : answer.lines.joined(separator: "\n") + "\n")
    for file in answer.files {
      try Fuzz.write(file.text, to: "\(output)/\(file.name)")
      Console.note("failure in \(output)/\(file.name)")
    }
    if !answer.holds { throw ExitCode(ExitStatus.failed) }
  }

  /// Refuses what has no shards: what the clock ends, and what is one search and not many.
  func checkShards() throws {
    if time != nil {
      throw ValidationError("--time: expected none in a plan, whose shards no clock ends")
    }
    if exhaustive {
      throw ValidationError("--exhaustive: expected seeds in a plan, got a search without any")
    }
    let count = seeds.upperBound - seeds.lowerBound
    if count > FuzzShards.most {
      throw ValidationError(
        "--seeds: expected at most \(FuzzShards.most) in a plan, got \(count)")
    }
  }

  private func search() throws -> FuzzSearch.Answer {
    let scenario = try scenario()
    // Who is no protocol has no shards, either.
    if PlannedStudy.store != nil { _ = try found(scenario, FuzzName()) }
    if exhaustive {
      let search = ExhaustiveSearch(
        depth: Int(depth), commit: Fuzz.commit, scenario: scenario.map { FuzzOrigin($0) })
      return try found(scenario, search)
    }
    let end = time.map { Date.timeIntervalSinceReferenceDate + $0 }
    let kept = PlannedStudy.store.map {
      FuzzShards($0, search: target, scenario, seeds: seeds)
    }
    let search = FuzzSearch(
      seeds: seeds, shrinks: shrink, commit: Fuzz.commit,
      scenario: scenario.map { FuzzOrigin($0) }, kept: kept
    ) {
      ForeignFailure.first != nil || end.map { Date.timeIntervalSinceReferenceDate >= $0 } ?? false
    }
    return try found(scenario, search)
  }

  /// The scenario that the argument names; nil when it names a variant.
  private func scenario() throws -> StudyScenario? {
    if FuzzCatalogue.names.contains(target) { return nil }
    let isFile = FileManager.default.fileExists(atPath: target)
    if !isFile && !target.hasSuffix(".yaml") { return nil }
    do throws(ScenarioRejected) {
      return try StudyScenario.load(target)
    } catch {
      Console.note(error.description)
      throw ExitCode(error.status)
    }
  }

  private func found<Visitor: FuzzVisitor>(
    _ scenario: StudyScenario?, _ visitor: Visitor
  ) throws -> Visitor.Answer {
    if let scenario {
      if let answer = try FuzzCatalogue.visit(scenario.plan, visitor) { return answer }
      Console.error(
        "\(target): expected a scenario of the world messages or calls, got one of "
          + scenario.plan.name)
      throw ExitCode(ExitStatus.badData)
    }
    if let answer = try FuzzCatalogue.visit(target, visitor) { return answer }
    Console.error(
      "expected a scenario file or one of \(FuzzCatalogue.names.joined(separator: ", ")), "
        + "got \(target)")
    throw ExitCode(ExitStatus.usage)
  }

  private static func seeds(_ text: String) throws -> Range<UInt64> {
    let parts = text.split(separator: ".", omittingEmptySubsequences: true)
    guard parts.count == 2, text.contains(".."), let first = UInt64(parts[0]),
      let last = UInt64(parts[1]), first <= last, last < .max
    else { throw ValidationError("--seeds: expected first..last such as 1..10000, got \(text)") }
    return first..<(last + 1)
  }

  private static func seconds(_ text: String) throws -> Double {
    guard text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds > 0 else {
      throw ValidationError("--time: expected a time such as 60s, got \(text)")
    }
    return seconds
  }
}
