import ArgumentParser
import Reports
import Scenario
import Studies

/// `--tables`: results as tables for other programs.
struct TableOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also write tables as CSV into this folder, one row for each observation.",
      discussion:
        "metrics, replications, budgets, cohorts, windows; of the feed views and requests of "
        + "replication 0; of a sweep points and replications.", valueName: "dir"))
  var tables: String?

  /// Refuses a folder that could not be written in the end.
  func check() throws {
    guard let tables else { return }
    // What ends so is no name of its own, and cannot be replaced.
    let last = tables.split(separator: "/").last
    if last == nil || last == "." || last == ".." {
      throw ValidationError("--tables: expected the name of a folder, got \"\(tables)\"")
    }
    try TableFolder.check(tables)
  }

  /// Writes the tables of runs, where they are wanted. What a run that was stopped would have to
  /// simulate for it is left out.
  func write(_ results: [StudyResult], pilots: Pilots) throws {
    guard let tables else { return }
    var rows: [Int: SimulatedRows] = [:]
    for (number, result) in results.enumerated() {
      guard let feed = result.scenario.fullScreenFeed else { continue }
      if result.isPartial {
        Console.note(
          "--tables: \(result.scenario.name) was stopped, and has no views and requests in "
            + tables)
        continue
      }
      rows[number] = try SimulatedRows(feed, shuffleTies: result.shuffleTies, pilots: pilots)
    }
    try TableFolder.write(results, rows: rows, to: tables)
  }

  /// Writes the tables of a sweep, where they are wanted.
  func write(_ sweep: SweepResult) throws {
    if let tables { try TableFolder.write(sweep, to: tables) }
  }
}
