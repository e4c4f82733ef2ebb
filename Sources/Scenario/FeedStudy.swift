import Models

/// A scenario that is known to be of a feed, for what can do with a feed only, such as a run
/// against real servers: the header, whose members are the scenario's, and the feed's plan.
///
/// It is made by the checked accessors alone, so that what takes one need not look at the kind of
/// world again.
@dynamicMemberLookup
public struct FeedStudy: Sendable {
  public var header: StudyHeader
  public var feed: FeedWorldPlan
  /// Which of the feeds it is.
  public let kind: FeedKind

  public subscript<Value>(dynamicMember member: KeyPath<StudyHeader, Value>) -> Value {
    header[keyPath: member]
  }

  public subscript<Value>(dynamicMember member: WritableKeyPath<StudyHeader, Value>) -> Value {
    get { header[keyPath: member] }
    set { header[keyPath: member] = newValue }
  }

  public var configuration: FeedConfiguration {
    get { feed.configuration }
    set { feed.configuration = newValue }
  }
  /// Values of the labels `network`, `device` and `window`, by index in the configuration.
  public var networks: [String] { feed.networks }
  public var devices: [String] { feed.devices }
  public var windows: [String] { feed.windows }
  public var providers: [String] { feed.providers }

  /// The same for what takes scenarios of every world.
  public var scenario: StudyScenario {
    StudyScenario(header: header, plan: World(feed, kind))
  }

  /// Loads, checks and builds a scenario of a feed.
  ///
  /// - Throws: ``ScenarioRejected`` also for a scenario of another world.
  public static func load(
    _ path: String, overrides: [Override] = [], short: Bool = false
  ) throws(ScenarioRejected) -> FeedStudy {
    try checked(StudyScenario.load(path, overrides: overrides, short: short))
  }

  /// The same from text that stands in a file called `file`.
  public static func parse(
    _ text: String, file: String, overrides: [Override] = [], short: Bool = false
  ) throws(ScenarioRejected) -> FeedStudy {
    try checked(StudyScenario.parse(text, file: file, overrides: overrides, short: short))
  }

  private static func checked(_ scenario: StudyScenario) throws(ScenarioRejected) -> FeedStudy {
    if let study = scenario.feed { return study }
    var problems = Problems()
    problems.add(
      scenario.file.tree.problem(at: "world", expected: "a scenario of the feed, without a world"))
    throw ScenarioRejected(problems)
  }
}

extension StudyScenario {
  /// The scenario as one of a feed, full-screen or mixed; nil for any other world.
  public var feed: FeedStudy? {
    switch plan {
    case .feed(let plan): FeedStudy(header: header, feed: plan, kind: .fullScreen)
    case .mixedFeed(let plan): FeedStudy(header: header, feed: plan.feed, kind: .mixed)
    case .messages, .services, .pipeline, .calls: nil
    }
  }

  /// The scenario as one of a feed of full-screen items; nil for any other world.
  public var fullScreenFeed: FeedStudy? { feed?.fullScreen }
}

extension FeedStudy {
  /// The same where it is known that items fill the screen; nil for a mixed feed.
  public var fullScreen: FeedStudy? { kind == .fullScreen ? self : nil }
}
