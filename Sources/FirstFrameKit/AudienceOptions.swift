import ArgumentParser
import Foundation
import Scenario
import Telemetry

/// `--audience`: how many users come a day, or files that say how many came; and how these are
/// read.
struct AudienceOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Users a day; or files with views that say how many came: our own events, or what --format "
        + "or --map says. Default: as many users as the scenario's sessions are.",
      valueName: "n|files"))
  var audience: [String] = []

  @OptionGroup var field: FieldOptions

  /// Users a day; nil: nobody says.
  var users: Int64? { isNumber ? audience.first.flatMap { Int64($0) } : nil }

  /// With views.
  var files: [String] { isNumber ? [] : audience }

  var hasFiles: Bool { !files.isEmpty || !field.logs.isEmpty }

  /// Whether somebody means a number: a file of such a name is `./5`.
  private var isNumber: Bool {
    guard audience.count == 1, let text = audience.first, let first = text.first else {
      return false
    }
    return Double(text) != nil && (first.isNumber || "+-.".contains(first))
  }

  func validate() throws {
    if isNumber, let text = audience.first {
      do {
        _ = try Bounds.whole(text, in: 1...10_000_000_000)
      } catch let error as ValidationError {
        throw ValidationError("--audience: \(error.message)")
      }
    }
    if audience.contains("") { throw ValidationError("--audience: expected a file, got nothing") }
    try field.check(files, option: "--audience")
  }

  // MARK: Reading

  /// Reads all files, and says what could not be read; nil without any.
  ///
  /// - Throws: `InputRejected` with the problems of all mappings and files.
  func load() throws -> ObservedLoad? {
    if !hasFiles { return nil }
    var problems: [Problem] = []
    var omitted = 0
    func part(_ reader: () throws(InputRejected) -> FieldTelemetryReader?) -> ObservedLoad? {
      do throws(InputRejected) {
        return try reader().map { reader throws(InputRejected) in try Self.read(reader) }
      } catch {
        // One zone that is none is wrong for both.
        let known = problems.map(\.description)
        problems += error.problems.filter { !known.contains($0.description) }
        omitted += error.omitted
        return nil
      }
    }
    let views = part { () throws(InputRejected) in try field.views(files) }
    let requests = part { () throws(InputRejected) in try field.requests() }
    if !problems.isEmpty { throw InputRejected(.telemetry, problems: problems, omitted: omitted) }
    var whole = views ?? requests ?? ObservedLoad()
    if let views, let requests {
      if views.requests > 0 {
        whole.notes.append(
          "\(views.requests) requests of --audience are not counted: what edges did is that of "
            + "--logs")
      }
      whole.replaceRequests(with: requests)
      whole.notes.addNew(requests.notes)
    }
    if whole.views == 0 && whole.requests == 0 {
      Console.error("expected views or requests that can be read, got none")
      throw ExitCode(ExitStatus.badData)
    }
    let digests = [views, requests].map { $0?.digest ?? "" }.joined(separator: " ")
    whole.digest = Digest.digest8("\(digests) \(try field.manner())")
    return whole
  }

  private static func read(_ reader: FieldTelemetryReader) throws(InputRejected) -> ObservedLoad {
    var reader = reader
    reader.countsLoad = true
    let telemetry = try FieldOptions.read(reader)
    guard var load = telemetry.load else { preconditionFailure("what came when is counted") }
    load.notes = telemetry.notes(around: load.notes)
    return load
  }
}
