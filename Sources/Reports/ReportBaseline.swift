import Scenario

/// What a run is compared with: the keys of the configuration that differ, and the paired
/// differences of the metrics. The run itself leaves it out; a comparison writes it into the run
/// folder as `baseline.json` and makes the report again.
public struct ReportBaseline: Codable, Sendable, Equatable {
  /// The file of a run folder that holds it.
  public static let fileName = "baseline.json"

  /// A metric's change, paired by replication with common random numbers.
  public struct Difference: Codable, Sendable, Equatable {
    /// `metric{label=value,…}.stat`
    public var metric: String
    /// `ms` or `ratio`.
    public var unit: String
    /// The means over the pairs; nil without data.
    public var before: Double?
    public var after: Double?
    /// After minus before with its 95 % interval; nil with fewer than two pairs.
    public var difference: Double?
    public var lower: Double?
    public var upper: Double?
    public var pairs: Int
    /// What follows, in a few words: `regression`, `better`, `no difference detectable`, …
    public var conclusion: String

    public init(
      metric: String, unit: String, before: Double?, after: Double?, difference: Double?,
      lower: Double?, upper: Double?, pairs: Int, conclusion: String
    ) {
      self.metric = metric
      self.unit = unit
      self.before = before
      self.after = after
      self.difference = difference
      self.lower = lower
      self.upper = upper
      self.pairs = pairs
      self.conclusion = conclusion
    }
  }

  /// One changed key's part in one metric's change, in words.
  public struct Cause: Codable, Sendable, Equatable {
    public var metric: String
    public var key: String
    /// `3 -> 1`
    public var values: String
    /// `97 % (91 to 103)`
    public var share: String
    /// What the key does alone, and what setting it alone back takes away.
    public var alone: String
    public var undone: String
  }

  /// What the changed keys did to the metrics that are worse; nil where nobody looked.
  public var causes: [Cause]?
  /// Metrics that count and are not sure; nil where nobody judged.
  public var open: Int?
  /// Metrics that are surely worse than the baseline's; nil where nobody judged.
  public var regressions: Int?
  /// Whether both runs had the same random numbers.
  public var isPaired: Bool?
  /// What the baseline is called, such as the path of its file.
  public var name: String
  public var changes: [ConfigurationChange]
  public var differences: [Difference]

  public init(name: String, changes: [ConfigurationChange], differences: [Difference] = []) {
    self.name = name
    self.changes = changes
    self.differences = differences
  }
}
