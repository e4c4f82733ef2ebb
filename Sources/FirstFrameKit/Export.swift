import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

extension PolicyExport.Format: ExpressibleByArgument {}

/// `firstframe export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the policy of a scenario, or what tune recommends, as code that an app takes.",
    discussion: """
      Example: firstframe export my-feed.yaml --as swift --output FeedSettings.swift
               firstframe export results/my-feed-tune-06e01184 --as media3

      Of a folder of tune the recommended point is taken, of another result folder the scenario \
      that was run; --set comes on top. Forms:
        swift     a literal for the library products FeedPolicy and MediaUnits
        json      a document for a remote configuration; its member set is a scenario's own form
        media3    LoadControl, TargetPreloadStatusControl and track selection of Media3, in Kotlin
        avplayer  what AVPlayer and AVPlayerItem are told, in Swift
      Each line names the key that it comes from. Keys that a platform has no equal for stand at \
      the end, each with its value and what to do instead.

      Exit codes: 0 written, 64 usage, 65 bad data: also a world without a player, a tune that \
      recommends nothing, 66 no such file, 73 cannot write.
      """)

  @Argument(help: ArgumentHelp("The scenario file, or a result folder.", valueName: "scenario"))
  var source: String

  @Option(name: .customLong("as"), help: "The form: swift, json, media3 or avplayer.")
  var format: PolicyExport.Format

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"))
  var output: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set one key, after the file; repeatable.", valueName: "key.path=value"))
  var assignments: [String] = []

  func run() throws {
    let text = try export().text(format)
    guard let output else { return try emit(text, isDocument: true) }
    do throws(RunFolder.WriteError) {
      try RunFolder.writeFile(text, to: output)
    } catch {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    }
    try emit("\(output) written\n")
  }

  /// - Throws: ``ScenarioRejected`` where a policy of somebody else's decides, which no form holds.
  private func checkDecider(_ study: FeedStudy) throws(ScenarioRejected) {
    let configuration = study.configuration
    var keys = configuration.foreignRules.map(\.key).filter { !$0.hasPrefix("cdn.") }
    if configuration.policy.prefetchDeciders != nil { keys.insert("policy.prefetch", at: 0) }
    var problems = Problems()
    for key in keys {
      let kind = study.file.tree.kind(key)
      problems.add(
        study.file.tree.problem(
          at: key, expected: "a policy of the program, which code can hold",
          got: kind == "external" ? "a process" : kind))
    }
    if !problems.isEmpty { throw ScenarioRejected(problems) }
  }

  private func export() throws -> PolicyExport {
    do {
      let place = try ExportSource(source)
      let overrides =
        place.settings.map { Override(set: $0) } + assignments.map { Override(set: $0) }
      let study = try FeedStudy.load(place.file, overrides: overrides)
      try checkDecider(study)
      return PolicyExport(study)
    } catch let error as DocumentRejected {
      Console.error(error.description)
      throw ExitCode(error.isMissing ? ExitStatus.missingFile : ExitStatus.badData)
    } catch let error as ScenarioRejected {
      Console.note(error.description)
      throw ExitCode(error.status)
    }
  }
}
