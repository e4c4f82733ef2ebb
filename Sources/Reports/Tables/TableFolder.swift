import Models
import Scenario
import Studies

/// Tables as CSV, in a folder of their own that is written in one step.
public enum TableFolder {
  /// The file that names the columns of each table and what their values are; an earlier folder is
  /// known by it.
  private static let index = "tables.json"

  /// Finds out whether a folder can be written, and leaves nothing behind.
  ///
  /// - Throws: ``RunFolder/WriteError`` naming the path.
  public static func check(_ path: String) throws(RunFolder.WriteError) {
    let (parent, name) = parts(path)
    try RunFolder.check(name, mark: index, parent: parent)
  }

  /// Writes the tables of runs, the rows of one after those of the other, in the place of earlier
  /// tables: metrics, replications, budgets, cohorts and windows, and of runs of the feed views and
  /// requests of one replication.
  ///
  /// - Parameter rows: of the runs that have views, by their number in `results`.
  /// - Throws: ``RunFolder/WriteError`` naming the path; then earlier tables are as they were.
  public static func write(
    _ results: [StudyResult], rows: [Int: SimulatedRows], to path: String
  ) throws(RunFolder.WriteError) {
    let records = results.map { RunRecord($0) }
    var runs: [RunRows] = []
    for (number, result) in results.enumerated() {
      guard let found = rows[number] else { continue }
      runs.append(
        RunRows(
          scenario: records[number].scenario, networks: result.scenario.networks,
          devices: result.scenario.devices, rows: found))
    }
    try write(RunTables.all(records) + (runs.isEmpty ? [] : ViewTables.all(runs)), to: path)
  }

  /// Writes the tables of a sweep: points and replications.
  ///
  /// - Throws: likewise.
  public static func write(
    _ sweep: SweepResult, to path: String
  ) throws(RunFolder.WriteError) {
    try write(SweepTables.all(sweep), to: path)
  }

  /// `replications.csv` of a sweep: the value of each metric in each replication of each point.
  public static func replications(_ sweep: SweepResult) -> String {
    SweepTables.replications(sweep).text
  }

  private static func write(
    _ tables: [TidyTable], to path: String
  ) throws(RunFolder.WriteError) {
    let (parent, name) = parts(path)
    let entries =
      [RunFolder.Entry(name: index, text: json(tables).text())]
      + tables.map { RunFolder.Entry(name: $0.file, text: $0.text) }
    _ = try RunFolder.write(entries, name: name, mark: index, parent: parent)
  }

  private static func json(_ tables: [TidyTable]) -> JSONText {
    .object([
      .init("schema", 1), .init("kind", "firstframe.tables"),
      .init(
        "tables",
        .array(
          tables.map { table in
            [
              "name": .string(table.name),
              "columns": .array(
                table.columns.map { name, kind in
                  ["name": .string(name), "type": .string(kind.rawValue)]
                }),
            ]
          })),
    ])
  }

  /// The folder above a path, and the name there.
  private static func parts(_ path: String) -> (parent: String, name: String) {
    var whole = Substring(path)
    while whole.count > 1, whole.hasSuffix("/") { whole.removeLast() }
    guard let slash = whole.lastIndex(of: "/") else { return (".", String(whole)) }
    let name = String(whole[whole.index(after: slash)...])
    return (slash == whole.startIndex ? "/" : String(whole[..<slash]), name)
  }
}
