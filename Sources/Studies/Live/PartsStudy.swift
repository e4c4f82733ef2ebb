import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics

extension Study {
  /// Judges what was measured once, in consecutive parts of equal length: the method of batch
  /// means.
  ///
  /// A live run is one long observation. Its parts stand for replications, as they do in the
  /// analysis of steady states (Law, Simulation Modeling and Analysis, section 9.5.3): parts that
  /// are long against a session's memory are nearly independent. Intervals are those of the parts.
  ///
  /// - Parameters:
  ///   - parts: in order of time; a budget needs two parts with data to be decided.
  ///   - isPartial: the run ended before its time.
  /// - Throws: an error of the statistics when the boundary cannot be computed.
  public static func judge(
    _ study: FeedStudy, parts: [FeedRunResult], seed: UInt64, isPartial: Bool
  ) throws -> StudyResult {
    let scenario = study.scenario
    let metrics = scenario.budgets.map(\.metric) + standardMetrics(scenario)
    let digests = parts.enumerated().map { index, part in
      ReplicationDigest(
        part, replication: UInt16(index), feed: study.feed, metrics: metrics,
        lateLimit: lateLimit(scenario.budgets))
    }
    let looks = [max(1, digests.count)]
    var judge = Judge(
      scenario.budgets,
      boundaries: try GroupSequentialBoundaries(fractions: [1], level: 0.05), looks: looks)
    judge.look(0, digests)
    judge.finish(digests)
    return assemble(
      scenario, StudyOptions(fixedReplications: digests.count), seed: seed, cap: digests.count,
      looks: looks, metrics: metrics, digests, judge, isPartial: isPartial)
  }
}

extension StudyResult {
  /// Takes a second measurement into account: a hard budget that was missed once and not again is
  /// undecided, because a busy machine can make one run slow but hardly two of them.
  public mutating func confirm(with second: StudyResult) {
    for index in budgets.indices
    where budgets[index].verdict == .fail && budgets[index].budget.level == .hard {
      guard index < second.budgets.count, second.budgets[index].verdict != .fail else { continue }
      budgets[index].verdict = .inconclusive
      budgets[index].reason = "missed once, and not in a second run"
    }
    if let live = second.live, !live.reasons.isEmpty {
      self.live?.reasons += live.reasons.map { "second run: \($0)" }
    }
  }
}
