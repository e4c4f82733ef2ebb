import ArgumentParser
import Foundation
import Reports
import Scenario
import Studies

/// What a gate tells others: a comment on a pull request, and a line of a history.
struct GateOutputs: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write Markdown for one comment on a pull or merge request.", valueName: "file"))
  var prComment: String?

  @Option(
    help: ArgumentHelp(
      "The comment's name, where one request has several gates.", valueName: "name"))
  var prCommentName = "gate"

  @Option(
    help: ArgumentHelp(
      "Add a line of JSON for each scenario, and show the metrics over commits on the page.",
      valueName: "file"))
  var history: String?

  @Option(
    help: ArgumentHelp(
      "What is gated, for the history.",
      discussion:
        "Without it what GITHUB_SHA, CI_COMMIT_SHA or GIT_COMMIT says, or the commit of the "
        + "repository that the scenario lies in.", valueName: "commit"))
  var commit: String?

  /// Refuses what could not be used in the end.
  func check() throws {
    let isName =
      !prCommentName.isEmpty && prCommentName.utf8.count <= 100
      && prCommentName.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [0x2D, 0x2E, 0x5F].contains($0)
      }
    if !isName {
      throw ValidationError(
        "--pr-comment-name: expected letters, digits, -, _ and ., got \(prCommentName)")
    }
    if let commit, commit.isEmpty || commit.contains(where: \.isNewline) {
      throw ValidationError("--commit: expected a name on one line, got another text")
    }
    for (option, path) in [("--pr-comment", prComment), ("--history", history)]
    where path?.isEmpty == true {
      throw ValidationError("\(option): expected a file, got nothing")
    }
  }

  /// What earlier runs have left; nil where nobody asks. Lines that are none are named on standard
  /// error, and stay in the file.
  ///
  /// - Throws: `DocumentRejected` for another file.
  func past() throws(DocumentRejected) -> GateHistory? {
    guard let history else { return nil }
    let found = try GateHistory.read(history)
    for problem in found.problems { Console.note(problem) }
    return found
  }

  /// Seconds since 1970 that `SOURCE_DATE_EPOCH` says; nil without it.
  private func epoch() throws -> Double? {
    guard let text = Console.environment("SOURCE_DATE_EPOCH"), !text.isEmpty else { return nil }
    // To the end of the year 9999.
    guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
      throw ValidationError(
        "SOURCE_DATE_EPOCH: expected whole seconds since 1970, from 0 to 253402300799, got "
          + Excerpt.oneLine(text, limit: 40))
    }
    return Double(seconds)
  }

  /// The provenance of a run, which says what is gated.
  func naming(_ provenance: Provenance) -> Provenance {
    guard history != nil || commit != nil, let named else { return provenance }
    var result = provenance
    result.commit = named
    return result
  }

  /// What somebody has said is gated.
  private var named: String? {
    if let commit { return commit }
    return ["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"].lazy
      .compactMap { Console.environment($0) }.first { !$0.isEmpty }
  }

  /// Writes the comment, and a line for each whole gate.
  func write(_ gates: [GateResult], notRun: [StudyScenario]) throws {
    if let prComment {
      let text = PullRequestComment.text(gates, name: prCommentName, notRun: notRun)
      try RunFolder.writeFile(text, to: prComment)
    }
    guard let history else { return }
    // Who wants the same bytes twice says what time it is (reproducible-builds.org).
    let now = try epoch() ?? Date().timeIntervalSince1970
    let lines = gates.filter { !$0.study.isPartial }.map { gate in
      let commit = named ?? Toolchain.commit(ofFolderOf: gate.study.scenario.file.path)
      return GateHistory.entry(gate, commit: commit, at: now).line
    }
    try RunFolder.appendLines(lines, to: history)
  }
}
