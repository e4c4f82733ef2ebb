import ArgumentParser
import Foundation
import Scenario

/// `--seed`.
struct SeedOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A seed other than the scenario's, from 0.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 0...Int64.max) })
  var seed: Int64?

  /// The flag as a key of the scenario, so that the resolved file says what was run.
  var overrides: [Override] {
    seed.map { [Override(option: "--seed", keyPath: "seed", value: "\($0)")] } ?? []
  }
}

/// `--threads`.
struct ThreadOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Threads, 1...256; the result does not depend on it. Default: the active processors.",
      valueName: "n"),
    transform: { try Bounds.whole($0, in: 1...256) })
  var threads: Int64?

  /// The threads to use.
  var count: Int {
    threads.map { Int($0) }
      ?? min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 256)
  }
}

/// Flags of every verb that runs replications.
struct StudyFlags: ParsableArguments {
  @OptionGroup var seed: SeedOption

  @OptionGroup var threads: ThreadOption

  @OptionGroup var kept: PilotOptions

  @Flag(help: "Show no progress.")
  var quiet = false

  /// Refuses `--quiet` beside a way to show progress.
  ///
  /// - Throws: a `ValidationError`.
  func check(_ progress: ProgressStyle) throws {
    if quiet, progress == .plain || progress == .json {
      throw ValidationError(
        "--quiet: expected no --progress beside it, or none, got \(progress.rawValue)")
    }
  }

  /// The seed and a number of replications of one scenario as keys of it.
  func overrides(replications: Int64?, short: Bool) -> [Override] {
    let key = short ? "short.replications" : "replications"
    return seed.overrides
      + (replications.map {
        [Override(option: "--replications", keyPath: key, value: "\($0)")]
      } ?? [])
  }
}
