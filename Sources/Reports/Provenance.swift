import Scenario
import Studies

/// How a result came about. Everything here may differ between two runs whose results are equal.
public struct Provenance: Sendable, Equatable {
  /// The version of the compiler that built the program.
  public var toolchain: String
  /// `debug` or `release`.
  public var build: String
  /// The commit of the repository that the scenario lies in; nil outside one.
  public var commit: String?
  /// The command line.
  public var arguments: [String]
  /// Threads that the study used, and processors of the host.
  public var threads: Int
  public var processors: Int
  /// Wall-clock start and end, seconds since 1970-01-01T00:00:00Z.
  public var start: Double
  public var end: Double
  /// What was under way when the time was over, and is in no result; nil where nothing was given
  /// up.
  public var givenUp: StudyProgress?

  public init(
    toolchain: String, build: String, commit: String?, arguments: [String], threads: Int,
    processors: Int, start: Double, end: Double, givenUp: StudyProgress? = nil
  ) {
    self.toolchain = toolchain
    self.build = build
    self.commit = commit
    self.arguments = arguments
    self.threads = threads
    self.processors = processors
    self.start = start
    self.end = end
    self.givenUp = givenUp
  }

  /// The text of `provenance.json`.
  func text(_ result: StudyResult) -> String {
    let seconds = end - start
    var unfinished: JSONText = .null
    if let givenUp {
      unfinished = [
        "replications": .number(givenUp.underWay), "views": .integer(givenUp.views),
        "events": .integer(Int64(clamping: givenUp.events)),
        "simulatedSeconds": .number(givenUp.simulated.seconds),
      ]
    }
    return JSONLayout.text([
      "schema": 1, "kind": "firstframe.provenance",
      "seed": .integer(Int64(clamping: result.seed)),
      "fingerprint": .string(result.fingerprint.digits),
      "digest": .string(RunIdentity(result).digest), "toolchain": .string(toolchain),
      "build": .string(build), "commit": commit.map { .string($0) } ?? .null,
      "arguments": .array(arguments.map { .string($0) }), "threads": .integer(Int64(threads)),
      "processors": .integer(Int64(processors)), "start": .string(Provenance.timestamp(start)),
      "end": .string(Provenance.timestamp(end)), "seconds": .number(seconds),
      "viewsPerSecond": seconds > 0 ? .number(Double(result.views) / seconds) : .null,
      "eventsPerSecond": seconds > 0 ? .number(Double(result.events) / seconds) : .null,
      "givenUp": unfinished,
    ])
  }

  /// RFC 3339 in UTC with milliseconds. Days to a date by Howard Hinnant's `civil_from_days`
  /// algorithm, proleptic Gregorian.
  static func timestamp(_ seconds: Double) -> String {
    let milliseconds = Int64((seconds * 1000).rounded(.down))
    let days = Int64((Double(milliseconds) / 86_400_000).rounded(.down))
    let rest = milliseconds - days * 86_400_000
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func padded(_ value: Int64, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):"
      + "\(padded(rest / 1000 % 60, 2)).\(padded(rest % 1000, 3))Z"
  }
}
