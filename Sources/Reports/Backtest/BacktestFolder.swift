import Studies

/// Where a backtest is kept: a folder of its own, and what later runs read of it.
public enum BacktestFolder {
  /// Writes `<parent>/<scenario>-<digest>-backtest-<data>/` with `backtest.json`, `backtest.html`,
  /// `trust.json` and the scenario that was tested, with what was fitted, as
  /// `scenario.resolved.yaml`; `trust.json` again as `<parent>/trust/<scenario>.json`.
  ///
  /// - Returns: the folder's path.
  /// - Throws: ``RunFolder/WriteError`` naming the path.
  public static func write(
    _ report: BacktestReport, trust: Trust, parent: String
  ) throws(RunFolder.WriteError) -> String {
    let name = "\(report.scenario)-\(report.digest)-backtest-\(report.dataDigest)"
    let mark = "backtest.json"
    let folder = try RunFolder.write(
      [
        RunFolder.Entry(name: mark, text: report.json()),
        RunFolder.Entry(name: "backtest.html", text: BacktestPage.text(report)),
        RunFolder.Entry(name: "trust.json", text: trust.text()),
        RunFolder.Entry(name: "scenario.resolved.yaml", text: trust.tested[0]),
      ], name: name, mark: mark, parent: parent)
    try RunFolder.writeFile(trust.text(), to: trustPath(of: report.scenario, in: parent))
    return folder
  }

  /// Where runs of a scenario look for what is known of it.
  public static func trustPath(of scenario: String, in parent: String) -> String {
    RunFolder.path(of: "trust/\(scenario).json", in: parent)
  }
}
