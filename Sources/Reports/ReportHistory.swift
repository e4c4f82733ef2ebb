/// What a page shows of a metric over commits, with the places where it changed. A gate with
/// `--history` writes it into its folder as `history.json`.
struct ReportHistory: Codable, Sendable, Equatable {
  /// The file of a run folder that holds it.
  static let fileName = "history.json"
  /// As many runs as a page shows at most, the latest.
  static let mostRuns = 100

  /// A run of the gate.
  struct Run: Codable, Sendable, Equatable {
    /// Nil where nobody said.
    var commit: String?
    var modelVersion: Int
    var verdict: String
  }

  /// A place where a metric changed.
  struct Change: Codable, Sendable, Equatable {
    /// The first run behind it, from 0.
    var run: Int
    var pValue: Double
    /// Means of the runs since the change before it, and up to the next one.
    var before: Double
    var after: Double
  }

  /// A budgeted metric, with a value for each run that has one.
  struct Series: Codable, Sendable, Equatable {
    /// `metric{label=value,…}.stat`
    var metric: String
    /// `ms`, `ratio` or `number`.
    var unit: String
    /// The limit, as written and as a number.
    var limit: String
    var bound: Double
    var values: [Double?]
    var lower: [Double?]
    var upper: [Double?]
    /// Nil: there are too few values to look for any.
    var changes: [Change]?
  }

  /// The latest run is the page's own.
  var runs: [Run]
  /// Runs that are too old to be shown.
  var omitted: Int
  var series: [Series]
  /// Of the change points of one metric.
  var level: Double
  /// Orders that each test drew.
  var permutations: Int
  /// Fewer values are too few.
  var leastValues: Int
}
