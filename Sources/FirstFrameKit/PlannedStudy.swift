import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// The verb of a plan, run on replications that are kept instead of on those that it simulates.
struct PlannedStudy {
  /// The verbs whose replications can be done by several machines.
  static let verbs: [(name: String, command: any ParsableCommand.Type)] = [
    ("run", Run.self), ("gate", GateCommand.self), ("compare", Compare.self),
    ("sweep", SweepCommand.self), ("tune", Tune.self), ("audit", AuditCommand.self),
    ("fuzz", FuzzRun.self), ("match", Match.self),
  ]

  /// Where a verb's replications come from while a plan's verb runs it; nil: from itself.
  @TaskLocal static var store: ShardStore?
  /// The plan's command then.
  @TaskLocal static var words: [String]?

  /// The verb and its arguments.
  let command: [String]
  private let parsed: any ParsableCommand

  /// - Throws: a `ValidationError` for another verb; what the verb says of its arguments.
  init(_ command: [String]) throws {
    let names = PlannedStudy.verbs.map(\.name).joined(separator: ", ")
    guard let verb = command.first else {
      throw ValidationError("expected a verb (\(names)) and its arguments, got nothing")
    }
    guard let row = PlannedStudy.verbs.first(where: { $0.name == verb }) else {
      throw ValidationError("expected a verb that has shards (\(names)), got \(verb)")
    }
    self.command = command
    var arguments = Array(command.dropFirst())
    // The verb of fuzz that nobody has to say.
    if verb == "fuzz", arguments.first == "run" { arguments.removeFirst() }
    parsed = try PlannedStudy.parse(row.command, arguments)
    try (parsed as? FuzzRun)?.checkShards()
    if (parsed as? AuditCommand)?.list == true {
      throw ValidationError("--list: expected a study, got a list that asks for no replication")
    }
  }

  private static func parse<Command: ParsableCommand>(
    _ type: Command.Type, _ arguments: [String]
  ) throws -> any ParsableCommand {
    do {
      return try Command.parse(arguments)
    } catch {
      throw ValidationError(Command.message(for: error))
    }
  }

  /// Runs the verb with the replications of a store.
  ///
  /// - Returns: what it asks for and the store does not have; empty once it has ended.
  /// - Throws: what the verb does, its exit code among it.
  func run(_ store: ShardStore) async throws -> [WantedReplication] {
    do {
      try await PlannedStudy.$store.withValue(store) {
        try await PlannedStudy.$words.withValue(command) {
          if var parsed = parsed as? any AsyncParsableCommand {
            try await parsed.run()
          } else {
            var parsed = parsed
            try parsed.run()
          }
        }
      }
      return []
    } catch let missing as ReplicationsMissing {
      return missing.wanted
    }
  }
}

/// A plan's folder.
struct PlanFolder {
  let path: String

  var file: String { "\(path)/\(ShardPlan.fileName)" }

  func load() throws -> ShardPlan { try ShardPlan.load(file) }

  func write(_ plan: ShardPlan) throws { try RunFolder.writeFile(plan.text(), to: file) }

  func store(_ builds: ShardStore.Builds = .any, isClosed: Bool = false) -> ShardStore {
    ShardStore(
      folder: "\(path)/\(ShardPlan.storeName)",
      origin: ShardOrigin(build: Program.digest, machine: ProcessInfo.processInfo.hostName),
      builds: builds, isClosed: isClosed)
  }
}

/// Numbers of shards as people read them: `3`, `0-7`, `1, 4-6`.
enum ShardNumbers {
  /// What a text ends with that leaves some out.
  static let more = " more ranges"

  static func text(_ indices: [Int]) -> String {
    var runs: [ClosedRange<Int>] = []
    for index in indices {
      if let last = runs.last, last.upperBound + 1 == index {
        runs[runs.count - 1] = last.lowerBound...index
      } else {
        runs.append(index...index)
      }
    }
    let texts = runs.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
    return texts.count <= 12
      ? texts.joined(separator: ", ")
      : texts.prefix(12).joined(separator: ", ") + " and \(texts.count - 12)" + more
  }

  /// The numbers of such a text, without blanks, in ascending order.
  ///
  /// - Throws: a `ValidationError`.
  static func read(_ text: String) throws -> [Int] {
    var numbers: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard let first = ends.first.flatMap(\.self), let last = ends.last.flatMap(\.self),
        ends.count <= 2, first >= 0, last >= first, last < 1 << 24
      else {
        throw ValidationError(
          "expected numbers of shards such as 3, 0-7 or 1,4-6, got \(text)")
      }
      numbers.formUnion(first...last)
    }
    return numbers.sorted()
  }
}
