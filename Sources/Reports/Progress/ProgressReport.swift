import MediaUnits
import Scenario
import Studies

/// What is shown of a study that is under way: a block of lines, or a line of JSON.
public struct ProgressReport: Sendable {
  private let identity: RunIdentity
  private let threads: Int
  private let budgets: [Budget]

  /// - Parameter threads: how many replications run at a time.
  public init(_ identity: RunIdentity, threads: Int, budgets: [Budget]) {
    self.identity = identity
    self.threads = threads
    self.budgets = budgets
  }

  /// Replications, simulated time, speed and budgets, a line each.
  ///
  /// - Parameters:
  ///   - progress: how far the study was when it was heard of last; nil: not yet.
  ///   - elapsed: seconds since the start.
  ///   - began: seconds from the start to the first replication; nil: there was none.
  public func lines(_ progress: StudyProgress?, elapsed: Double, began: Double?) -> [String] {
    guard let progress, progress.finished > 0 || progress.underWay > 0 else {
      return ["no replication finished after \(whole(elapsed)) s on \(threads) threads"]
    }
    let simulated = progress.simulated.seconds
    let eta =
      progress.remaining(after: elapsed - (began ?? 0)).map { ", about \(whole($0)) s to go" } ?? ""
    return [
      ProgressText(progress).replications + eta,
      "\(whole(simulated)) s simulated, \(whole(simulated / elapsed)) x real time",
      "\(whole(Double(progress.events) / elapsed)) events/s, \(progress.views) views",
      verdicts(progress),
    ]
  }

  /// The same below a line with the run's name and a bar.
  public func block(_ progress: StudyProgress?, elapsed: Double, began: Double?) -> [String] {
    let head = "\(identity.name) \(identity.digest)  \(bar(progress))  \(whole(elapsed)) s"
    return [head] + lines(progress, elapsed: elapsed, began: began).map { "  " + $0 }
  }

  /// One object of `--progress json`.
  public func json(_ progress: StudyProgress, elapsed: Double, began: Double) -> JSONText {
    [
      "kind": "firstframe.progress", "elapsedSeconds": .number(elapsed),
      "finished": .integer(Int64(progress.finished)),
      "underWay": .number(progress.underWay),
      "nextLook": .integer(Int64(progress.nextLook)), "cap": .integer(Int64(progress.cap)),
      "views": .integer(progress.views), "events": .integer(Int64(clamping: progress.events)),
      "simulatedSeconds": .number(progress.simulated.seconds),
      "secondsToNextLook": progress.remaining(after: elapsed - began).map { .number($0) } ?? .null,
      "verdicts": .array(
        progress.verdicts.map { $0 == .notRun ? .null : .string($0.rawValue) }),
    ]
  }

  /// One line about a study of several configurations.
  ///
  /// - Parameter seconds: since its start.
  public static func text(_ progress: VariantProgress, seconds: Double) -> String {
    let restored = progress.restored > 0 ? " (\(progress.restored) kept from before)" : ""
    let done = progress.finished - progress.restored
    let left = progress.total - progress.finished
    let eta =
      done > 0 && left > 0
      ? ", about \(Int64((seconds / Double(done) * Double(left)).rounded())) s to go" : ""
    return "\(progress.finished) of \(progress.total) replications\(restored), "
      + "\(progress.views) views\(eta)"
  }

  private func verdicts(_ progress: StudyProgress) -> String {
    if budgets.isEmpty { return "no budgets" }
    let texts = zip(budgets, progress.verdicts).map { budget, verdict in
      "\(budget.metric) \(verdict == .notRun ? "undecided" : verdict.rawValue)"
    }
    return texts.joined(separator: ", ")
  }

  private func bar(_ progress: StudyProgress?) -> String {
    let width = 24
    let filled = Int((progress.map { ProgressText($0).share } ?? 0) * Double(width))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "]"
  }

  private func whole(_ value: Double) -> String {
    value.isFinite && abs(value) < 1e18 ? "\(Int64(value.rounded()))" : "–"
  }
}
