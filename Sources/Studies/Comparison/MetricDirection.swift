import Scenario

extension MetricReference {
  /// A reference that the program itself names.
  ///
  /// - Precondition: the text is a metric.
  static func known(_ text: String) -> MetricReference {
    guard case .success(let reference) = MetricReference.parse(text) else {
      preconditionFailure("\(text) is a metric")
    }
    return reference
  }

  /// What comparisons look at when nobody says otherwise.
  public static let headline: [MetricReference] = FeedMetrics.headline.map { known($0) }

  /// The headline metrics of a scenario, whatever its world; a mixed feed's surfaces have more.
  public static func headline(of scenario: FeedScenario) -> [MetricReference] {
    if let world = scenario.world { return world.kind.headlineReferences }
    if scenario.configuration.surface == nil { return headline }
    return headline + FeedMetrics.standard(.surface).map { known($0) }
  }
}
