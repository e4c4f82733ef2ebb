import ArgumentParser
import Foundation
import Scenario
import Telemetry

/// `--observed` and how its files are read.
struct ObservedOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Files with views: our own events, or what --format or --map says.", valueName: "files"))
  var observed: [String] = []

  @Option(
    help: ArgumentHelp(
      "The files have the columns that this file describes.", valueName: "columns.yaml"))
  var map: String?

  @Option(
    help: ArgumentHelp("The files are of this format.", valueName: "name"),
    transform: { try ObservedOptions.named($0, "--format") })
  var format: BuiltInMapping?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Logs of the edges that answered the same viewers, for hit ratios.", valueName: "files"))
  var logs: [String] = []

  @Option(
    help: ArgumentHelp("The logs have the columns that this file describes.", valueName: "file"))
  var logMap: String?

  @Option(
    help: ArgumentHelp("The logs are of this format. Default: common.", valueName: "name"),
    transform: { try ObservedOptions.named($0, "--log-format") })
  var logFormat: BuiltInMapping?

  @Option(
    help: ArgumentHelp(
      "Where clocks hang whose times say no offset: UTC, +02:00, Europe/Berlin. Default: as the "
        + "mapping says.", valueName: "zone"))
  var timeZone: String?

  /// The formats that are known by name.
  static let formats = BuiltInMapping.allCases.map(\.rawValue).joined(separator: ", ")

  private static func named(_ name: String, _ option: String) throws -> BuiltInMapping {
    if let format = BuiltInMapping(rawValue: name) { return format }
    throw ValidationError("\(option): expected one of \(formats), got \(name)")
  }

  func validate() throws {
    if observed.isEmpty && logs.isEmpty {
      throw ValidationError("--observed: expected files with views, got none")
    }
    if map != nil && format != nil {
      throw ValidationError("--map: expected it or --format, got both")
    }
    if logMap != nil && logFormat != nil {
      throw ValidationError("--log-map: expected it or --log-format, got both")
    }
    for (option, isGiven) in [("--map", map != nil), ("--format", format != nil)]
    where isGiven && observed.isEmpty {
      throw ValidationError("\(option): expected --observed beside it, got no files")
    }
    for (option, isGiven) in [("--log-map", logMap != nil), ("--log-format", logFormat != nil)]
    where isGiven && logs.isEmpty {
      throw ValidationError("\(option): expected --logs beside it, got no files")
    }
  }

  // MARK: Reading

  /// The reader of the files with views; nil without any.
  func views() throws(InputRejected) -> FieldTelemetryReader? {
    if observed.isEmpty { return nil }
    return try reader(observed, map, format ?? .events)
  }

  /// Reads all files, and says what could not be read.
  func read() throws -> ObservedViews {
    var parts: [ObservedViews] = []
    if let reader = try views() { parts.append(try read(reader)) }
    if !logs.isEmpty { parts.append(try read(reader(logs, logMap, logFormat ?? .common))) }
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
      whole.notes += part.notes
      whole.digest = Digest.digest8("\(whole.digest) \(part.digest)")
    }
    if whole.views.isEmpty && whole.traffic.isEmpty {
      Console.error("expected views or requests that can be read, got none")
      throw ExitCode(ExitStatus.badData)
    }
    return whole
  }

  /// What of it decides how the same files are read, in words that are equal for equal ways.
  func manner() throws -> String {
    let formats = [format, logFormat].map { $0?.rawValue ?? "" }
    let mappings = try [map, logMap].map { path in
      try path.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? ""
    }
    return (formats + mappings + [timeZone ?? ""]).joined(separator: "\u{0}")
  }

  private func reader(
    _ files: [String], _ map: String?, _ format: BuiltInMapping
  ) throws(InputRejected) -> FieldTelemetryReader {
    var mapping = format.mapping
    if let map { mapping = try MappingFile.read(map) }
    try mapping.setZone(ofOption: timeZone)
    return FieldTelemetryReader(files: files, mapping: mapping)
  }

  private func read(_ reader: FieldTelemetryReader) throws -> ObservedViews {
    var reader = reader
    reader.keepsViews = true
    let telemetry = try reader.read()
    telemetry.reading.tellProblems()
    let malformed = telemetry.reading.malformed
    guard var observed = telemetry.observed else { preconditionFailure("views are kept") }
    observed.notes = telemetry.reading.notes + observed.notes
    if malformed > 0 { observed.notes.append("\(malformed) lines could not be read") }
    return observed
  }
}
