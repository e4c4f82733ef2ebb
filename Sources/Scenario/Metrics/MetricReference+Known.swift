extension MetricReference {
  /// A reference that the program itself names.
  ///
  /// - Precondition: the text is a metric.
  public static func known(_ text: String) -> MetricReference {
    guard case .success(let reference) = MetricReference.parse(text) else {
      preconditionFailure("\(text) is a metric")
    }
    return reference
  }

  /// What comparisons of feeds look at when nobody says otherwise.
  public static let headline: [MetricReference] = FeedMetrics.headline.map { known($0) }
}
