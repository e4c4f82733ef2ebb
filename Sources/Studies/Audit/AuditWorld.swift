import Scenario

/// What a scenario simulates, as the tables of mutants are divided.
public enum AuditWorld: String, Sendable, CaseIterable {
  case feed
  /// A feed with a `surface`: everything of the feed, and more.
  case mixedFeed = "mixed-feed"
  case messages, calls, services, pipeline

  /// The world of a scenario.
  public init(_ scenario: FeedScenario) {
    switch scenario.world {
    case nil: self = scenario.configuration.surface == nil ? .feed : .mixedFeed
    case .messages: self = .messages
    case .calls: self = .calls
    case .services: self = .services
    case .pipeline: self = .pipeline
    }
  }

  /// The table of the world, in the order of reports.
  public var mutants: [MutantClass] {
    switch self {
    case .feed: MutantClass.feed
    case .mixedFeed: MutantClass.mixedFeed
    case .messages: MutantClass.messages
    case .calls: MutantClass.calls
    case .services: MutantClass.services
    case .pipeline: MutantClass.pipeline
    }
  }

  /// The names of all worlds, each once.
  public static var names: [String] {
    var seen: Set<String> = []
    return allCases.flatMap(\.mutants).map(\.name).filter { seen.insert($0).inserted }
  }
}
