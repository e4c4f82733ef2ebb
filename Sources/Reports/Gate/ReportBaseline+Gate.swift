import Foundation
import Scenario
import Studies

extension ReportBaseline {
  /// What a gate's comparison says, for the page.
  init(_ found: BaselineComparison) {
    self.init(
      name: found.path,
      changes: found.changes,
      differences: found.comparison.rows.map { row in
        Difference(
          metric: row.metric.description,
          unit: row.metric.unit.word, before: row.baseline,
          after: row.candidate, difference: row.difference?.value,
          lower: row.difference?.interval.lower, upper: row.difference?.interval.upper,
          pairs: row.replications, conclusion: ComparisonReport.word(row.outcome))
      })
    causes = CauseLines.rows(found)
    open = found.open.count
    regressions = found.comparison.regressions.count
    isPaired = found.comparison.isPaired
  }

  /// The text of `baseline.json`.
  func text() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("a comparison has finite numbers only")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
