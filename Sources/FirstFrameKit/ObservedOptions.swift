import ArgumentParser
import Foundation
import Scenario
import Studies
import Telemetry

/// `--observed` and how its files are read.
struct ObservedOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Files with views: our own events, or what --format or --map says.", valueName: "files"))
  var observed: [String] = []

  @OptionGroup var field: FieldOptions

  func validate() throws {
    if observed.isEmpty && field.logs.isEmpty {
      throw ValidationError("--observed: expected files with views, got none")
    }
    try field.check(observed, option: "--observed")
  }

  /// The feed of a scenario that views are held against.
  ///
  /// - Throws: an `ExitCode` after a message for what is no feed of full-screen items.
  static func feed(of scenario: StudyScenario, file: String) throws(ExitCode) -> FeedStudy {
    guard let feed = scenario.feed, BacktestPrediction.predicts(feed) else {
      throw ObservedPart.rejection(
        "\(file): expected a feed of full-screen items, got another world")
    }
    return feed
  }

  // MARK: Reading

  /// The reader of the files with views; nil without any.
  func views() throws(InputRejected) -> FieldTelemetryReader? { try field.views(observed) }

  /// Reads all files, and says what could not be read.
  func read() throws -> ObservedViews {
    var parts: [ObservedViews] = []
    if let reader = try views() { parts.append(try read(reader)) }
    if let reader = try field.requests() { parts.append(try read(reader)) }
    guard var whole = parts.first else { preconditionFailure("there are files") }
    for part in parts.dropFirst() {
      // Views are those of the first, whatever the logs say of some; requests are those of the
      // logs, which may be the very same.
      if !whole.traffic.isEmpty && !part.traffic.isEmpty {
        let left = Int64(whole.traffic.reduce(0) { $0 + $1.requests })
        whole.notes.append(
          "\(left) requests of --observed are not counted: hit ratios are those of "
            + "--logs")
      }
      if !part.traffic.isEmpty { whole.traffic = part.traffic }
      whole.notes.addNew(part.notes)
      whole.digest = Digest.digest8("\(whole.digest) \(part.digest)")
    }
    if whole.views.isEmpty && whole.traffic.isEmpty {
      Console.error("expected views or requests that can be read, got none")
      throw ExitCode(ExitStatus.badData)
    }
    return whole
  }

  /// What of it decides how the same files are read, in words that are equal for equal ways.
  func manner() throws -> String { try field.manner() }

  private func read(_ reader: FieldTelemetryReader) throws -> ObservedViews {
    var reader = reader
    reader.keepsViews = true
    let telemetry = try FieldOptions.read(reader)
    guard var observed = telemetry.observed else { preconditionFailure("views are kept") }
    observed.notes = telemetry.notes(around: observed.notes)
    return observed
  }
}
