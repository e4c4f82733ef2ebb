import ArgumentParser
import Foundation
import Reports
import Studies

/// How the shards of a plan stand.
struct PlanStatus {
  let finished: [Int]
  let missing: [Int]
  /// Of ``missing`` those with a file that is not as it was written.
  let damaged: [Int]
  /// Processor seconds that the missing ones take; nil where it was not measured.
  let secondsLeft: Double?

  init(_ plan: ShardPlan, _ work: ShardWork) {
    let states = plan.shards.map { (shard: $0, state: work.state($0)) }
    finished = states.filter { $0.state == .finished }.map(\.shard.index)
    let open = states.filter { $0.state != .finished }.map(\.shard)
    missing = open.map(\.index)
    damaged = states.filter { $0.state == .damaged }.map(\.shard.index)
    let times = open.compactMap { plan.cpuSeconds($0) }
    secondsLeft = times.count == open.count ? times.reduce(0, +) : nil
  }

  var json: String {
    func list(_ numbers: [Int]) -> String {
      "[" + numbers.map { "\($0)" }.joined(separator: ", ") + "]"
    }
    return """
      {"schema": 1, "kind": "firstframe.status", "shards": \(finished.count + missing.count), \
      "finished": \(finished.count), "missing": \(list(missing)), "damaged": \(list(damaged)), \
      "cpuSecondsLeft": \(secondsLeft.map { "\(($0 * 1000).rounded() / 1000)" } ?? "null")}

      """
  }
}

/// What is said of a plan.
enum PlanText {
  static func summary(
    _ plan: ShardPlan, _ shards: ArraySlice<ShardPlan.Shard>, folder: String
  ) -> String {
    guard let first = shards.first, let last = shards.last else {
      return "the study asks for no replication; \(Program.name) merge \(folder) ends it"
    }
    let replications = shards.reduce(0) { $0 + $1.count }
    let numbers =
      first.index == last.index
      ? "shard \(first.index)" : "shards \(first.index) to \(last.index)"
    let times = shards.compactMap { plan.cpuSeconds($0) }
    let memory = shards.map { plan.memoryBytes($0) }.max() ?? 0
    return
      "\(numbers) of \(plan.shards.count): \(replications) replications, "
      + (times.count == shards.count
        ? "some \(duration(times.reduce(0, +))) of processor time, " : "")
      + "up to \((memory + 1_048_575) / 1_048_576) MiB each\nto go on: "
      + ShellText.command([
        Program.name, "shard", folder, "--index",
        first.index == last.index ? "\(first.index)" : "\(first.index)-\(last.index)",
      ]) + "; then: " + ShellText.command([Program.name, "merge", folder])
  }

  static func status(_ plan: ShardPlan, _ status: PlanStatus, folder: String) -> String {
    var lines = [
      ShellText.command([Program.name] + plan.command),
      "\(status.finished.count) of \(plan.shards.count) shards are finished",
    ]
    if !status.missing.isEmpty {
      lines.append("missing: \(ShardNumbers.text(status.missing))")
    }
    if !status.damaged.isEmpty {
      lines.append(
        "not as they were written, to be done again: \(ShardNumbers.text(status.damaged))")
    }
    if let left = status.secondsLeft, !status.missing.isEmpty {
      lines.append("some \(duration(left)) of processor time is left")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func duration(_ seconds: Double) -> String {
    if seconds < 100 { return "\(Int((seconds * 10).rounded()) / 10) s" }
    if seconds < 6000 { return "\(Int((seconds / 60).rounded())) min" }
    return "\(Int((seconds / 3600).rounded())) h"
  }
}

/// `--emit` and `--image`.
struct JobOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print a job for an engine: slurm, kubernetes, snakemake or parallel.",
      valueName: "engine"))
  var emit: JobFile.Engine?

  @Option(help: ArgumentHelp("The image of a Kubernetes job.", valueName: "image"))
  var image = "firstframe:latest"

  /// Prints the shards of a plan as a job; nothing where none was asked for.
  func print(
    _ plan: ShardPlan, _ shards: ArraySlice<ShardPlan.Shard>, folder: String
  ) throws {
    guard let emit else { return }
    guard let first = shards.first, let last = shards.last else {
      throw ValidationError("--emit: expected a plan with shards, got none")
    }
    let times = shards.compactMap { plan.cpuSeconds($0) }
    let job = JobFile(
      name: plan.label(first).split(separator: " ").first.map(String.init) ?? "study",
      folder: folder, shards: first.index..<(last.index + 1),
      memory: shards.map { plan.memoryBytes($0) }.max() ?? 0,
      seconds: times.count == shards.count ? times.max() : nil)
    try FirstFrameKit.emit(job.text(emit, image: image), isDocument: true)
  }
}

extension JobFile.Engine: ExpressibleByArgument {}
