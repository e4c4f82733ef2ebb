import Scenario

/// What a scenario simulates, as the tables of mutants are divided.
public enum AuditWorld: String, Sendable, CaseIterable {
  case feed
  /// A feed with a `surface`: everything of the feed, and more.
  case mixedFeed = "mixed-feed"
  case messages, calls, services, pipeline

  /// The world of a scenario.
  public init(_ scenario: StudyScenario) {
    self = scenario.plan.studied.audited
  }
}
