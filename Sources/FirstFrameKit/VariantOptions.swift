import ArgumentParser
import ForeignPolicies
import Foundation
import Reports
import Scenario
import SimulationKernel
import Studies

/// Options of the verbs that run several configurations.
struct VariantOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Replications of each configuration, 2...64. Default: 8; with --short the scenario's.",
      valueName: "n"),
    transform: { try Bounds.whole($0, in: 2...64) })
  var replications: Int64?

  @OptionGroup var flags: StudyFlags

  /// Replications of each configuration.
  func count(_ scenario: StudyScenario) -> Int {
    replications.map { Int($0) } ?? (scenario.isShort ? max(2, scenario.replications) : 8)
  }

  /// Runs all replications of the variants, showing progress.
  ///
  /// - Throws: an `ExitCode` 14 after a signal, with the command that goes on.
  func run(
    _ variants: [Variant], metrics: [MetricReference]
  ) async throws -> [[ReplicationRecord]] {
    var study = VariantStudy(
      variants, metrics: metrics, threads: flags.threads.count, store: PlannedStudy.store,
      pilots: flags.kept.pilots)
    study.keepsTimes = true
    let count = variants.map { self.count($0.scenario) }.max() ?? 2
    return try await Watched.run(quiet: flags.quiet, isKept: false) { stop, progress in
      try await study.run(0..<count, stop: stop, progress: progress)
    }
  }
}

/// Runs something that a signal may stop, and shows how far it is.
enum Watched {
  /// - Parameter isKept: whether the same command finds finished replications again.
  /// - Throws: an `ExitCode` after a signal: 14 with the command that goes on where finished
  ///   replications are kept, else that of the signal.
  static func run<Value: Sendable>(
    quiet: Bool, isKept: Bool, limits: LimitOptions? = nil,
    _ body: (StopRequest, @escaping @Sendable (VariantProgress) -> Void) async throws -> Value
  ) async throws -> Value {
    let signals = SignalWatch()
    let meter = VariantMeter(isQuiet: quiet)
    signals.start {
      Console.error("stopping after the replications under way; once more stops at once")
    }
    let deadline = limits?.deadline(signals.stop)
    defer { deadline?.cancel() }
    do {
      let value = try await body(signals.stop) { meter.update($0) }
      meter.finish()
      return value
    } catch let stopped as StudyStopped {
      meter.finish()
      if let failure = ForeignFailure.first {
        Console.error(failure)
        Console.error(
          "\(stopped.finished) of \(stopped.total) replications are finished"
            + (isKept ? " and kept" : ""))
        throw ExitCode(ExitStatus.badData)
      }
      Console.error(
        "stopped after \(stopped.finished) of \(stopped.total) replications; "
          + (isKept ? "to go on: " : "nothing is kept; to begin again: ")
          + ShellText.command(CommandLine.arguments))
      throw ExitCode(
        isKept ? ExitStatus.partial : ExitStatus.signal + (signals.received ?? 0))
    }
  }
}

/// Turns the errors of studies into messages and exit codes.
enum Failures {
  static func reported(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as ScenarioRejected {
      Console.note(error.description)
      throw ExitCode(error.status)
    } catch let error as InputRejected {
      Console.note(error.description)
      throw ExitCode(error.isMissingFile ? ExitStatus.missingFile : ExitStatus.badData)
    } catch let error as DocumentRejected {
      Console.error(error.description)
      throw ExitCode(error.isMissing ? ExitStatus.missingFile : ExitStatus.badData)
    } catch let error as SweepDesign.Rejected {
      Console.error(error.description)
      throw ExitCode(ExitStatus.badData)
    } catch let error as BacktestPrediction.Rejected {
      Console.error(error.description)
      throw ExitCode(ExitStatus.refused)
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    } catch let error as CocoaError {
      Console.error("expected a folder that can be written to, got: \(error.localizedDescription)")
      throw ExitCode(ExitStatus.cannotWrite)
    } catch let error as SimulationError {
      Console.error(error.message)
      throw ExitCode(ExitStatus.of(error))
    } catch let error as KeptStop {
      Console.error(error.message)
      throw ExitCode(ExitStatus.internalError)
    } catch let error as ExitCode {
      throw error
    } catch let error as ReplicationsMissing {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      Console.error("internal error: \(error)")
      throw ExitCode(ExitStatus.internalError)
    }
  }
}
