/// What is found by a metric's name, and the names that results have.
extension FeedMetrics {
  static let names = all.map(\.name)

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// The row of a metric; nil: the feed has none of this name.
  public static func named(_ name: String) -> FeedMetric? { byName[name] }

  /// What every result holds of a window.
  public static func standard(window: String) -> [String] {
    all.filter { $0.presence == .always }.flatMap { part($0, window: window) }
  }

  /// What a result holds of the metrics of one kind of presence, in order.
  public static func standard(_ presence: FeedMetric.Presence) -> [String] {
    all.filter { $0.presence == presence }.flatMap { whole($0) }
  }

  static func whole(_ metric: FeedMetric) -> [String] {
    metric.standard.whole.map { "\(metric.name).\($0)" }
  }

  static func part(_ metric: FeedMetric, window: String) -> [String] {
    let tier = metric.labels.contains("tier") ? "tier=edge,by=requests," : ""
    return metric.standard.windows.map { "\(metric.name){\(tier)window=\(window)}.\($0)" }
  }
}
