/// What the command line asks for.
struct BenchmarkRequest {
  /// Why the command line was refused.
  struct Fault: Error {
    let message: String
  }

  var scenario = "scenarios/wifi-budget-gate.yaml"
  /// Replications of the scenario that are timed; the median is over them.
  var replications = 5
  /// Whether only the table is made, as JSON.
  var json = false
  /// Whether the table is held against the thresholds, and nothing else is measured.
  var check = false
  var thresholds = ".ci/bench-thresholds.json"

  init(_ arguments: [String]) throws(Fault) {
    var files: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--replications" {
        let text = rest.popFirst() ?? "nothing"
        guard let count = Int(text), (Stopwatch.runs...1000).contains(count) else {
          throw Fault(
            message: "--replications: expected a number in \(Stopwatch.runs)...1000, got \(text)")
        }
        replications = count
      } else if argument == "--json" {
        json = true
      } else if argument == "--check" {
        check = true
      } else if argument == "--thresholds" {
        guard let path = rest.popFirst() else {
          throw Fault(message: "--thresholds: expected a file, got nothing")
        }
        thresholds = path
      } else if argument.hasPrefix("-") {
        throw Fault(
          message: "expected [FILE] [--replications N] [--json] [--check] [--thresholds FILE], "
            + "got \(argument)")
      } else {
        files.append(argument)
      }
    }
    if files.count > 1 {
      throw Fault(message: "expected at most one scenario file, got \(files.count)")
    }
    if let file = files.first { scenario = file }
  }
}
