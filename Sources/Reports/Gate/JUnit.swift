import Scenario
import Studies

/// JUnit XML as Jenkins reads it: a suite for each scenario, a case for each budget and cohort.
///
/// A missed budget and a regression are failures, an invalid one an error; inconclusive ones are
/// failures too, of a type of their own, because the gate does not pass. A soft budget that is
/// missed is skipped with its message. Without times there is none in the file, which is then a
/// function of the result; a budget takes no time of its own.
public enum JUnit {
  /// When a scenario was run.
  public struct Time: Sendable, Equatable {
    /// Seconds since 1970-01-01T00:00:00Z, by the clock on the wall.
    public var start: Double
    /// How long it took.
    public var seconds: Double

    public init(start: Double, seconds: Double) {
      self.start = start
      self.seconds = seconds
    }

    /// `time="1.234" timestamp="2026-11-27T12:00:00"`, in UTC.
    fileprivate var attributes: String {
      " \(Time.duration(seconds)) timestamp=\"\(Provenance.timestamp(start).prefix(19))\""
    }

    fileprivate static func duration(_ seconds: Double) -> String {
      let thousandths = Int64((max(0, seconds) * 1000).rounded())
      let rest = "\(1000 + thousandths % 1000)".dropFirst()
      return "time=\"\(thousandths / 1000).\(rest)\""
    }
  }

  /// The text of the file.
  ///
  /// - Parameters:
  ///   - notRun: scenarios that a signal kept from being run; all their cases are skipped.
  ///   - times: of the gates, in their order; none: no time is told.
  public static func text(
    _ gates: [GateResult], notRun: [StudyScenario] = [], times: [Time] = []
  ) -> String {
    let suites = gates.map { GateCase.all($0) }
    let missing = notRun.map { GateCase.notRun($0) }
    let all = (suites + missing).flatMap(\.self)
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    let total = times.reduce(0) { $0 + $1.seconds }
    let whole = times.isEmpty ? "" : " " + Time.duration(total)
    lines.append("<testsuites name=\"firstframe\" \(counts(all))\(whole)>")
    for (index, cases) in suites.enumerated() {
      let study = gates[index].study
      let time = times.indices.contains(index) ? times[index] : nil
      lines += suite(study.scenario.name, index, cases, time, properties: properties(study))
    }
    for (index, cases) in missing.enumerated() {
      lines += suite(notRun[index].name, gates.count + index, cases, nil, properties: [])
    }
    return lines.joined(separator: "\n") + "\n</testsuites>\n"
  }

  private static func suite(
    _ name: String, _ index: Int, _ cases: [GateCase], _ time: Time?, properties: [String]
  ) -> [String] {
    [
      "  <testsuite name=\"\(escaped(name))\" \(counts(cases)) "
        + "skipped=\"\(cases.count { isSkipped($0) })\"\(time?.attributes ?? "") "
        + "hostname=\"firstframe\" id=\"\(index)\">"
    ] + properties + cases.flatMap { element($0) } + ["  </testsuite>"]
  }

  private static func properties(_ study: StudyResult) -> [String] {
    let identity = RunIdentity(study)
    let pairs = [
      ("digest", identity.digest), ("seed", "\(study.seed)"),
      ("replications", "\(study.replications)"),
      ("fingerprint", study.fingerprint.digits),
    ]
    return ["    <properties>"]
      + pairs.map { "      <property name=\"\($0.0)\" value=\"\(escaped($0.1))\"/>" }
      + ["    </properties>"]
  }

  private static func counts(_ cases: [GateCase]) -> String {
    "tests=\"\(cases.count)\" failures=\"\(cases.count { isFailure($0) })\" "
      + "errors=\"\(cases.count { isError($0) })\""
  }

  private static func isError(_ item: GateCase) -> Bool {
    item.level == .hard && item.verdict == .invalid
  }

  private static func isFailure(_ item: GateCase) -> Bool {
    item.isBlocking && item.verdict != .invalid
  }

  private static func isSkipped(_ item: GateCase) -> Bool {
    item.verdict == .notRun || (item.level == .soft && item.verdict != .pass)
  }

  private static func element(_ item: GateCase) -> [String] {
    let name = escaped("\(item.name) [\(item.cohort)]")
    let head =
      "    <testcase classname=\"\(escaped(item.scenario)).\(item.kind.rawValue)\" "
      + "name=\"\(name)\""
    let message = escaped(item.message)
    let body = escaped(([item.message] + item.details).joined(separator: "\n"))
    if isError(item) || isFailure(item) {
      let tag = isError(item) ? "error" : "failure"
      return [
        head + ">",
        "      <\(tag) type=\"\(item.verdict.rawValue)\" message=\"\(message)\">\(body)</\(tag)>",
        "    </testcase>",
      ]
    }
    if isSkipped(item) {
      return [head + ">", "      <skipped message=\"\(message)\"/>", "    </testcase>"]
    }
    return [head + ">", "      <system-out>\(body)</system-out>", "    </testcase>"]
  }

  /// The text with XML's five characters escaped, and hidden ones, those that XML 1.0 cannot hold
  /// among them, as escapes that a reader sees.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      default:
        if VisibleText.isHidden(scalar) {
          result += VisibleText.escape(scalar)
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}
