import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies
import Telemetry

/// `firstframe calibrate`
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fit a scenario's laws to telemetry.",
    discussion: """
      Example: firstframe calibrate events.jsonl --output my-viewers.yaml --html fit.html

      Files, told by their beginning; - is standard input:
        events   JSON values, a line each or not: bodies of POST /v1/events, events, or arrays
        csv      name,at,session_id,view and any of id,item,video_id,dwell_ms,ms; or
                 quantity,value,censored, where a quantity named as a law's key of a scenario, such
                 as feed.latency, is written there (seconds, bytes, bits per second)
        logs     CloudFront standard logs, common and combined logs: popularity of titles

      Anything else by --format or --map:
        --format NAME  \(FieldOptions.formats)
        --map FILE     which column is which quantity in which unit: CSV, TSV, a JSON object a \
      line, logs; docs/reference/telemetry.md has the words
      Such files take the memory of a buffer, whatever their length. Who watched is hashed with a \
      salt of the run or dropped; messages name lines and columns, and quote no name.

      Candidates are exponential, lognormal, gamma, Weibull and Pareto laws, by maximum likelihood \
      and Akaike's criterion; views left before the first frame and sessions that the end of the \
      log may have cut are right-censored. The p-value is that of a parametric bootstrap. Titles \
      get Zipf's law, where no session sees a title twice by sessions and not by views. Lines \
      that cannot be read are named on standard error and counted. Same files and options, same \
      output.

      With --from-live: folders of live runs whose players were a browser's, or their players.jsonl. \
      What a player's creation, another item, decoders and presentation took becomes the laws of a \
      device class, and the media that a start needs the player's threshold. What the runs do not \
      tell is said.

      Of tables and logs, rates, round trips, parts of a device, what is watched and the time of \
      day become keys, too, where the data tell them; what they do not tell is said, with what \
      trades off. What was found and no key takes is listed, and nothing is written; --without \
      leaves it out on purpose.

      Exit codes: 0 fitted, 13 the data carry no fit, 64 usage, 65 no file could be read or \
      something was found that no key takes, 66 a file is missing, 73 cannot write.
      """)

  @Argument(help: ArgumentHelp("Files with telemetry.", valueName: "events"))
  var events: [String]

  @Option(
    help: ArgumentHelp(
      "The files have the columns that this file describes.", valueName: "columns.yaml"))
  var map: String?

  @Option(
    help: ArgumentHelp("The files are of this format.", valueName: "name"),
    transform: { try FieldOptions.named($0, "--format") })
  var format: BuiltInMapping?

  @Option(
    help: ArgumentHelp(
      "Names of the columns of files without a line of names, in order.", valueName: "a,b,…"))
  var fields: String?

  @Option(
    help: ArgumentHelp(
      "Where clocks hang whose times say no offset: UTC, +02:00, Europe/Berlin. Default: as the "
        + "mapping says.", valueName: "zone"))
  var timeZone: String?

  @Flag(
    help: "The files are runs of `live run --client browser`: fit a browser's players and devices.")
  var fromLive = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the scenario fragment here.", valueName: "file.yaml"))
  var output: String?

  @Option(
    name: .customLong("extends"),
    help: ArgumentHelp(
      "The fragment takes everything that is not fitted from this scenario. Default: from nothing.",
      valueName: "file.yaml"))
  var base: String?

  @Option(help: ArgumentHelp("Write the report as a page here.", valueName: "file.html"))
  var html: String?

  @Flag(help: "Print the report as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Name of the fragment. Default: calibrated, or the player's kind.", valueName: "name"))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Titles of the catalogue. Default: estimated with the exponent.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 20...4_000_000) })
  var titles: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Edges whose viewers these are; writes audience.viewsPerDayPerEdge.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 1...1_000_000) })
  var edges: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Parts of a URL's path in a log that name a title. Default: 2.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 1...50) })
  var titleParts: Int64?

  @Option(
    help: ArgumentHelp(
      "Quantities and keys that are not fitted: names as the report has them, network.access, "
        + "devices, audience.personas, audience.diurnal.", valueName: "a,b,…"))
  var without: String?

  @Option(
    help: ArgumentHelp(
      "What chose what was fetched, for the warning about logs of requests.", valueName: "words"))
  var policy: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Fewest values of a fit. Default: 100.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 20...1_000_000_000) })
  var atLeast: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Resamples of intervals and p-values, 50...10000. Default: 200.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 50...10_000) })
  var resamples: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the bootstrap. Default: 1.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 0...Int64.max) })
  var seed: Int64?

  func validate() throws {
    if map != nil && format != nil {
      throw ValidationError("--map: expected it or --format, got both")
    }
    for (option, value) in [("--fields", fields), ("--time-zone", timeZone)]
    where value != nil && map == nil && format == nil {
      throw ValidationError("\(option): expected --map or --format beside it, got neither")
    }
    if fromLive && (map != nil || format != nil) {
      throw ValidationError("--from-live: expected no --map and no --format, got one")
    }
    if events.isEmpty { throw ValidationError("expected files with telemetry, got none") }
    let unread: [(String, Bool)] = [
      ("--html", html != nil), ("--titles", titles != nil), ("--edges", edges != nil),
      ("--title-parts", titleParts != nil), ("--without", without != nil),
      ("--policy", policy != nil), ("--extends", base != nil),
    ]
    for (option, isGiven) in unread where fromLive && isGiven {
      throw ValidationError("\(option): expected telemetry for it, got --from-live")
    }
    if base != nil && output == nil {
      throw ValidationError("--extends: expected --output beside it, got none")
    }
    let name = name ?? "calibrated"
    let isName =
      !name.isEmpty && name.utf8.count <= 100
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0)
          || $0 == 0x2D || $0 == 0x5F
      }
    if !isName {
      throw ValidationError("--name: expected letters, digits and hyphens, got \(name)")
    }
  }

  func run() throws {
    if fromLive { return try fitPlayers() }
    do {
      // What cannot be extended is known before files are read.
      if let base { _ = try StudyScenario.load(base) }
    } catch {
      Console.note(error.description)
      throw ExitCode(error.status)
    }
    let reading: TelemetryReading
    do {
      reading = try read()
    } catch {
      Console.note(error.description)
      throw ExitCode(error.isMissingFile ? ExitStatus.missingFile : ExitStatus.badData)
    }
    reading.tellProblems()
    if reading.records == 0 {
      Console.error("expected records that can be read, got none")
      throw ExitCode(ExitStatus.badData)
    }
    let absent = (without ?? "").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let choices = Calibration.choices(toLeaveOut: reading)
    for name in absent where !choices.contains(name) {
      let nearest = Spelling.nearest(to: name, in: choices).map { " (did you mean \($0)?)" } ?? ""
      throw ValidationError(
        "--without: expected any of \(choices.joined(separator: ", ")), got \(name)\(nearest)")
    }
    let calibration = Calibration(
      reading,
      options: Calibration.Options(
        seed: UInt64(seed ?? 1), resamples: Int(resamples ?? 200),
        leastValues: Int(atLeast ?? 100), titles: titles.map { Int($0) },
        edges: edges.map { Int($0) }, without: Set(absent), policy: policy ?? ""))
    if calibration.left.isEmpty { try write(calibration) }
    try tell(
      json
        ? CalibrationReport.json(calibration).text()
        : CalibrationReport.text(calibration, color: Console.hasColor(STDOUT_FILENO)),
      isEmpty: calibration.isEmpty, expected: "data that carry a fit")
    if calibration.left.isEmpty { return }
    Console.error(
      "expected a key for everything that was found, got none for this; nothing is written:")
    for left in calibration.left { Console.note("\(left.name): \(left.reason)") }
    throw ExitCode(ExitStatus.badData)
  }

  /// Today's formats tell themselves; the others are named.
  private func read() throws(InputRejected) -> TelemetryReading {
    let parts = Int(titleParts ?? 2)
    guard var mapping = try mapping() else {
      return try TelemetryReader(files: events, titleParts: parts).read()
    }
    if let fields {
      if !mapping.isTable {
        throw InputRejected(
          .telemetry,
          problems: [
            Problem(
              .inconsistent, at: .commandLine(option: "--fields", argument: fields), keyPath: "",
              expected: "files without a line of names", got: "\(mapping.name)")
          ])
      }
      mapping.header = fields.split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    try mapping.setZone(ofOption: timeZone)
    return try FieldTelemetryReader(files: events, mapping: mapping, titleParts: parts).read()
      .reading
  }

  private func mapping() throws(InputRejected) -> ColumnMapping? {
    if let map { return try MappingFile.read(map) }
    return format?.mapping
  }

  /// Prints a report; one of nothing ends with the exit code for that.
  private func tell(_ report: String, isEmpty: Bool, expected: String) throws {
    try emit(report)
    if isEmpty {
      Console.error("expected \(expected), got none: nothing to write")
      throw ExitCode(ExitStatus.invalid)
    }
  }

  private func write(_ calibration: Calibration) throws {
    let fragment = calibration.fragment(
      name: name ?? "calibrated", sources: events,
      base: base.map { FilePlace.of($0, from: output) })
    try writing {
      if !calibration.isEmpty { try write(fragment) }
      if let html {
        try RunFolder.writeFile(
          CalibrationPage.text(
            calibration, fragment: fragment,
            command: ShellText.command([Program.name] + CommandLine.arguments.dropFirst())),
          to: html)
      }
    }
  }

  /// Writes the fragment where it is wanted; what nobody can run is not written.
  private func write(_ fragment: String) throws {
    guard let output else { return }
    _ = try StudyScenario.parse(fragment, file: output)
    try RunFolder.writeFile(fragment, to: output)
  }

  private func writing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as RunFolder.WriteError {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    } catch let error as ScenarioRejected {
      Console.error("the fitted numbers make no scenario:")
      Console.note(error.description)
      throw ExitCode(ExitStatus.badData)
    }
  }

  // MARK: A browser's players

  private func fitPlayers() throws {
    var logs: [PlayerLog] = []
    var isMissing = false
    for path in events {
      let (log, problems) = PlayerLog.read(path)
      for problem in problems { Console.note(problem) }
      if let log { logs.append(log) }
      isMissing = isMissing || !FileManager.default.fileExists(atPath: path)
    }
    if logs.count < events.count {
      throw ExitCode(isMissing ? ExitStatus.missingFile : ExitStatus.badData)
    }
    if Set(logs.map(\.head.feeding)).count > 1 || Set(logs.map(\.head.processors)).count > 1 {
      Console.error("expected players of one kind on one machine, got several")
      throw ExitCode(ExitStatus.badData)
    }
    let calibration: PlayerCalibration
    do {
      calibration = try PlayerCalibration(
        logs,
        options: PlayerCalibration.Options(
          seed: UInt64(seed ?? 1), resamples: Int(resamples ?? 200),
          leastValues: Int(atLeast ?? 100)))
    } catch {
      Console.error("expected sessions that an interval can be had from: \(error.message)")
      throw ExitCode(ExitStatus.invalid)
    }
    let kind = logs[0].head.feeding.playerKind
    try writing {
      if !calibration.isEmpty {
        try write(calibration.fragment(name: name ?? kind, sources: events))
      }
    }
    try tell(
      json
        ? PlayerCalibrationReport.json(calibration).text()
        : PlayerCalibrationReport.text(calibration, color: Console.hasColor(STDOUT_FILENO)),
      isEmpty: calibration.isEmpty, expected: "players that a law can be had from")
  }
}
