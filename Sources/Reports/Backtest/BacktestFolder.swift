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
    let folder = RunFolder.path(of: name, in: parent)
    let files = [
      ("backtest.json", report.json()), ("backtest.html", BacktestPage.text(report)),
      ("trust.json", trust.text()), ("scenario.resolved.yaml", trust.tested[0]),
    ]
    for (name, text) in files {
      try RunFolder.writeFile(text, to: RunFolder.path(of: name, in: folder))
    }
    try RunFolder.writeFile(trust.text(), to: trustPath(of: report.scenario, in: parent))
    return folder
  }

  /// Where runs of a scenario look for what is known of it.
  public static func trustPath(of scenario: String, in parent: String) -> String {
    RunFolder.path(of: "trust/\(scenario).json", in: parent)
  }
}
