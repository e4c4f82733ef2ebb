import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// `--trust`.
struct TrustOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What a backtest found, told under the verdict.",
      discussion: "Without it <output>/trust/<scenario>.json, if there is one.",
      valueName: "trust.json"))
  var trust: String?

  /// What is known of a scenario's predictions; nil: nothing.
  ///
  /// - Parameter output: the folder that has the results.
  /// - Throws: ``Trust/Rejected`` of the file that was asked for. One that only lies there and
  ///   cannot be used any more is told on standard error, and nothing is known.
  func credit(of scenario: StudyScenario, output: String) throws(Trust.Rejected) -> Credit? {
    if let trust { return try Self.credit(of: scenario, at: trust) }
    let usual = BacktestFolder.trustPath(of: scenario.name, in: output)
    if !FileManager.default.fileExists(atPath: usual) { return nil }
    do throws(Trust.Rejected) {
      return try Self.credit(of: scenario, at: usual)
    } catch {
      Console.note("\(error.description): nothing of it is told")
      return nil
    }
  }

  private static func credit(
    of scenario: StudyScenario, at path: String
  ) throws(Trust.Rejected) -> Credit {
    let found = try Trust.load(path)
    return Credit(trust: found, reach: try found.reach(scenario, path: path))
  }
}

/// What a backtest says of a run.
struct Credit {
  let trust: Trust
  let reach: Trust.Reach

  func lines(width: Int, color: Bool) -> [String] {
    TrustLines.lines(trust, reach, width: width, color: color)
  }
}

extension Credit? {
  /// The lines under a verdict; none where nothing is known.
  func lines(_ width: Int, _ color: Bool) -> [String] {
    self?.lines(width: min(width, BriefReport.mostColumns), color: color) ?? []
  }

  /// The same after a report without a verdict, ending in a line feed.
  func text(color: Bool) -> String {
    lines(Console.reportWidth(otherwise: BriefReport.mostColumns), color)
      .map { $0 + "\n" }.joined()
  }
}
