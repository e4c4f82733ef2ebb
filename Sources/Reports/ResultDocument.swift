import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics
import Studies

/// `result.json`: everything a run found out, as a pure function of the result. It holds no
/// wall-clock time, no number of threads and no path, so two runs of one scenario and seed are
/// equal byte by byte.
public enum ResultDocument {
  /// The version of the format; a member that changes its meaning or goes away raises it.
  public static let version: Int64 = 1
  static let kind = "firstframe.result"

  /// The document.
  ///
  /// - Parameter baseline: what a gate held the run against; it adds the causes of what is worse.
  public static func json(
    _ result: StudyResult, against baseline: BaselineComparison? = nil
  ) -> JSONText { RunRecord(result, against: baseline).json }

  /// The text of `result.json`.
  public static func text(
    _ result: StudyResult, against baseline: BaselineComparison? = nil
  ) -> String { JSONLayout.text(json(result, against: baseline)) }

  /// The JSON Schema (draft 2020-12) of `result.json`.
  public static func jsonSchema() -> String {
    let head: [JSONText.Member] = [
      .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
      .init("title", "FirstFrame result"),
      .init(
        "description",
        "The result of running a scenario. Metrics are those of the scenario's budgets' language."),
    ]
    return JSONText.object(head + RunRecord.form.shape.schema).text()
  }

  /// The names of cache outcomes (contract.md section 1).
  static func name(of outcome: CacheOutcome) -> String {
    switch outcome {
    case .hit: "hit"
    case .staleHit: "stale_hit"
    case .revalidated: "revalidated"
    case .collapsed: "collapsed"
    case .miss: "miss"
    case .bypass: "bypass"
    case .error: "error"
    }
  }

  /// `file:line` without the folders, so that it is the same wherever the scenario lies.
  static func place(_ place: String) -> String {
    let parts = place.split(separator: ":", omittingEmptySubsequences: false)
    let name = parts[0].split(separator: "/").last.map(String.init) ?? place
    guard parts.count >= 2 else { return place }
    return "\(name):\(parts[1])"
  }
}

extension StudyResult {
  /// Views of all cohorts.
  var views: Int64 { cohorts.reduce(0) { $0 + $1.views } }
}
