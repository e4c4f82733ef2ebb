import ArgumentParser
import Foundation
import Scenario
import Telemetry

/// How files with views, and logs beside them, are read: what `backtest` and `capacity` have in
/// common.
struct FieldOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The files have the columns that this file describes.", valueName: "columns.yaml"))
  var map: String?

  @Option(
    help: ArgumentHelp("The files are of this format.", valueName: "name"),
    transform: { try FieldOptions.named($0, "--format") })
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
    transform: { try FieldOptions.named($0, "--log-format") })
  var logFormat: BuiltInMapping?

  @Option(
    help: ArgumentHelp(
      "Where clocks hang whose times say no offset: UTC, +02:00, Europe/Berlin. Default: as the "
        + "mapping says.", valueName: "zone"))
  var timeZone: String?

  /// The formats that are known by name.
  static let formats = BuiltInMapping.allCases.map(\.rawValue).joined(separator: ", ")

  /// The format of a name, which stands behind an option.
  static func named(_ name: String, _ option: String) throws -> BuiltInMapping {
    if let format = BuiltInMapping(rawValue: name) { return format }
    throw ValidationError("\(option): expected one of \(formats), got \(name)")
  }

  /// - Parameters:
  ///   - files: with views.
  ///   - option: that names them.
  /// - Throws: a `ValidationError` for options that need others, or that exclude each other.
  func check(_ files: [String], option: String) throws {
    if map != nil && format != nil {
      throw ValidationError("--map: expected it or --format, got both")
    }
    if logMap != nil && logFormat != nil {
      throw ValidationError("--log-map: expected it or --log-format, got both")
    }
    for (other, isGiven) in [("--map", map != nil), ("--format", format != nil)]
    where isGiven && files.isEmpty {
      throw ValidationError("\(other): expected \(option) beside it, got no files")
    }
    for (other, isGiven) in [("--log-map", logMap != nil), ("--log-format", logFormat != nil)]
    where isGiven && logs.isEmpty {
      throw ValidationError("\(other): expected --logs beside it, got no files")
    }
  }

  // MARK: Readers

  /// The reader of the files with views; nil without any.
  func views(_ files: [String]) throws(InputRejected) -> FieldTelemetryReader? {
    if files.isEmpty { return nil }
    return try reader(files, map, format ?? .events)
  }

  /// The reader of the logs; nil without any.
  func requests() throws(InputRejected) -> FieldTelemetryReader? {
    if logs.isEmpty { return nil }
    return try reader(logs, logMap, logFormat ?? .common)
  }

  private func reader(
    _ files: [String], _ map: String?, _ format: BuiltInMapping
  ) throws(InputRejected) -> FieldTelemetryReader {
    var mapping = format.mapping
    if let map { mapping = try MappingFile.read(map) }
    try mapping.setZone(ofOption: timeZone)
    return FieldTelemetryReader(files: files, mapping: mapping)
  }

  /// Reads files, and says what could not be read.
  static func read(_ reader: FieldTelemetryReader) throws(InputRejected) -> FieldTelemetry {
    let telemetry = try reader.read()
    telemetry.reading.tellProblems()
    return telemetry
  }

  /// What of it decides how the same files are read, in words that are equal for equal ways.
  func manner() throws -> String {
    let formats = [format, logFormat].map { $0?.rawValue ?? "" }
    let mappings = try [map, logMap].map { path in
      try path.map {
        String(decoding: try InputFile.bytes(at: $0, limit: YAMLReader.Limits.bytes), as: UTF8.self)
      } ?? ""
    }
    return (formats + mappings + [timeZone ?? ""]).joined(separator: "\u{0}")
  }
}

extension [String] {
  /// Adds what is not there yet: two sets of files under one mapping have notes in common.
  mutating func addNew(_ others: [String]) {
    for other in others where !contains(other) { append(other) }
  }
}

extension FieldTelemetry {
  /// What is to be said of the reading: before and behind what else is noted.
  func notes(around own: [String]) -> [String] {
    let malformed = reading.malformed
    return reading.notes + own + (malformed > 0 ? ["\(malformed) lines could not be read"] : [])
  }
}
