import ArgumentParser
import Foundation
import Reports
import Studies

/// `firstframe fuzz`
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Search for schedules of faults that break a protocol, shrink them, run them again.",
    discussion: """
      Example: firstframe fuzz messaging/literal --seeds 0..2000 --output failures
               firstframe fuzz replay failures/messaging-literal-no-false-view.txt

      The machines are the ones that ship; clients, networks, stores and faults are simulated. A \
      failure is kept as an explicit schedule, which means the same whatever the seeds mean later.
      Exit codes: 0 all held and everything happened, 10 something broke or never happened, 64 \
      usage, 65 bad data, 66 no such file, 73 cannot write.
      """, subcommands: [FuzzRun.self, FuzzReplayCommand.self, FuzzList.self],
    defaultSubcommand: FuzzRun.self)

  static let commit = Toolchain.commit(ofFolderOf: CommandLine.arguments[0]) ?? "unknown"

  static func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      Console.error("\(path): expected a place that can be written to")
      throw ExitCode(ExitStatus.cannotWrite)
    }
  }

  static func read(_ path: String) throws -> String {
    guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
      Console.error("\(path): expected a file of a failure, got none that can be read")
      throw ExitCode(ExitStatus.missingFile)
    }
    return text
  }
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
    discussion: "Example: firstframe fuzz run calls/recommended --seeds 0..10000 --time 60s")

  @Argument(help: "The protocol and its variant; firstframe fuzz list prints them.")
  var target: String

  @Option(
    help: ArgumentHelp("The seeds, the second one left out.", valueName: "first..end"),
    transform: { try FuzzRun.seeds($0) })
  var seeds: Range<UInt64> = 0..<10_000

  @Option(
    help: ArgumentHelp("Stop after so long, at the next thousand seeds.", valueName: "60s"),
    transform: { try FuzzRun.seconds($0) })
  var time: Double?

  @Flag(inversion: .prefixedNo, help: "Make failures smaller.")
  var shrink = true

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Keep the smallest failures in this folder.", valueName: "folder"))
  var output: String?

  func run() throws {
    let end = time.map { Date.timeIntervalSinceReferenceDate + $0 }
    let search = FuzzSearch(seeds: seeds, shrinks: shrink, commit: Fuzz.commit) {
      end.map { Date.timeIntervalSinceReferenceDate >= $0 } ?? false
    }
    guard let answer = try FuzzCatalogue.visit(target, search) else {
      Console.error("expected one of \(FuzzCatalogue.names.joined(separator: ", ")), got \(target)")
      throw ExitCode(ExitStatus.usage)
    }
    try emit(answer.lines.joined(separator: "\n") + "\n")
    if let output {
      try? FileManager.default.createDirectory(
        atPath: output, withIntermediateDirectories: true)
      for file in answer.files { try Fuzz.write(file.text, to: "\(output)/\(file.name)") }
    }
    if !answer.holds { throw ExitCode(ExitStatus.failed) }
  }

  private static func seeds(_ text: String) throws -> Range<UInt64> {
    let parts = text.split(separator: ".", omittingEmptySubsequences: true)
    guard parts.count == 2, text.contains(".."), let first = UInt64(parts[0]),
      let end = UInt64(parts[1]), first < end
    else { throw ValidationError("--seeds: expected first..end such as 0..10000, got \(text)") }
    return first..<end
  }

  private static func seconds(_ text: String) throws -> Double {
    guard text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds > 0 else {
      throw ValidationError("--time: expected a time such as 60s, got \(text)")
    }
    return seconds
  }
}

/// `firstframe fuzz replay`
struct FuzzReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Run a kept failure again, and draw it.",
    discussion: "Example: firstframe fuzz replay failure.txt --svg failure.svg")

  @Argument(help: "The file of the failure.")
  var file: String

  @Flag(help: "Make it smaller first, and print the smaller file.")
  var shrink = false

  @Option(help: ArgumentHelp("Write a drawing.", valueName: "file.svg"))
  var svg: String?

  func run() throws {
    let text = try Fuzz.read(file)
    let replay = FuzzReplay(text: text, shrinks: shrink, commit: Fuzz.commit)
    let answer: FuzzReplay.Answer?
    do {
      answer = try FuzzFile.targetName(in: text).flatMap { try FuzzCatalogue.visit($0, replay) }
    } catch let fault as FuzzFile.Fault {
      Console.error("\(file):\(fault.line): \(fault.message)")
      throw ExitCode(ExitStatus.badData)
    }
    guard let answer else {
      Console.error("\(file): expected a failure of a protocol that firstframe fuzz list prints")
      throw ExitCode(ExitStatus.badData)
    }
    if let svg { try Fuzz.write(answer.svg, to: svg) }
    try emit((shrink ? answer.text + "\n" : "") + answer.mermaid)
    guard let at = answer.brokenAt else {
      Console.note("held: the schedule does not break the property any more")
      return
    }
    Console.note("broken at \(at)")
    throw ExitCode(ExitStatus.failed)
  }
}
