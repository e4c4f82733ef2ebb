import Foundation
import Scenario
import Statistics
import Studies

extension ReportHistory {
  /// The probability of one false change point or more on a page where nothing changed.
  static let pageLevel = 0.05

  /// The earlier runs of a gate's scenario, in the same form, and the gate's own at their end.
  ///
  /// Of several runs at one commit, one behind the other, the latest counts: they are no news.
  init(_ past: [GateHistory.Entry], _ own: GateHistory.Entry) {
    var entries: [GateHistory.Entry] = []
    for entry in past + [own] where entry.scenario == own.scenario && entry.short == own.short {
      if let commit = entry.commit, entries.last?.commit == commit { entries.removeLast() }
      entries.append(entry)
    }
    let shown = Array(entries.suffix(ReportHistory.mostRuns))
    runs = shown.map { Run(commit: $0.commit, modelVersion: $0.modelVersion, verdict: $0.verdict) }
    omitted = entries.count - shown.count
    var names: Set<String> = []
    let budgeted = own.metrics.filter { $0.bound != nil && names.insert($0.metric).inserted }
    // All metrics of a page share its error rate (Bonferroni).
    let level = ReportHistory.pageLevel / Double(max(1, budgeted.count))
    // So many that an order as clear in one of them can still be below the level.
    let permutations = max(999, Int((5 / level).rounded(.up)))
    self.level = level
    self.permutations = permutations
    leastValues = ChangePoints.leastCount
    series = budgeted.map { metric in
      let found = shown.map { entry in entry.metrics.first { $0.metric == metric.metric } }
      let values = found.map { $0?.value }
      return Series(
        metric: metric.metric, unit: metric.unit, limit: metric.limit ?? "",
        bound: metric.bound ?? 0, values: values, lower: found.map { $0?.lower },
        upper: found.map { $0?.upper },
        changes: ReportHistory.changes(values, level: level, permutations: permutations))
    }
  }

  /// Where values change; runs without a value are passed over.
  private static func changes(
    _ values: [Double?], level: Double, permutations: Int
  ) -> [Change]? {
    let known = values.enumerated().compactMap { index, value in value.map { (index, $0) } }
    let numbers = known.map(\.1)
    guard let cuts = try? ChangePoints(numbers, level: level, permutations: permutations).cuts
    else { return nil }
    let ends = [0] + cuts.map(\.index) + [numbers.count]
    func mean(_ piece: Int) -> Double {
      let part = numbers[ends[piece]..<ends[piece + 1]]
      return part.reduce(0, +) / Double(part.count)
    }
    return cuts.enumerated().map { place, cut in
      Change(
        run: known[cut.index].0, pValue: cut.pValue, before: mean(place), after: mean(place + 1))
    }
  }

  /// The text of `history.json`.
  func text() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("a history has finite numbers only")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
