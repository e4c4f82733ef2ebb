import Scenario
import Telemetry

extension ColumnMapping {
  /// Reads times without an offset as `--time-zone` says; without it nothing changes.
  mutating func setZone(ofOption timeZone: String?) throws(InputRejected) {
    guard let timeZone, !setZone(timeZone) else { return }
    throw InputRejected(
      .telemetry,
      problems: [
        Problem(
          .wrongWord, at: .commandLine(option: "--time-zone", argument: timeZone), keyPath: "",
          expected: "UTC, an offset such as +02:00 or a place such as Europe/Berlin",
          got: "another text")
      ])
  }
}

extension TelemetryReading {
  /// Says on standard error what could not be read.
  func tellProblems() {
    for problem in problems { Console.note(problem.description) }
    if unnamed > 0 { Console.note("and \(unnamed) more malformed lines") }
  }
}
