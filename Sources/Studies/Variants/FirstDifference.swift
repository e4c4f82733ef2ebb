import MediaUnits
import Models
import Scenario

/// When runs of two scenarios with the same random numbers can do anything else for the first time.
///
/// A rule of the configurations alone, and a careful one: where it does not know, they differ from
/// their beginning.
enum FirstDifference {
  /// Keys that do nothing before the times that stand in them. Anything else is looked at from the
  /// first event on, or it cannot be told from the key when.
  static let keys = ["cdn.origin.outages", "cdn.purges"]

  /// - Returns: nil: never; ``MediaUnits/Instant/zero``: from the beginning.
  static func between(_ a: StudyScenario, _ b: StudyScenario) -> Instant? {
    guard haveOneBeginning(a, b), let left = a.plan.studied.forkedFeed,
      let right = b.plan.studied.forkedFeed
    else { return .zero }
    return between(left, right)
  }

  /// The same for two of which it is known that they have one beginning.
  static func between(_ a: FeedWorldPlan, _ b: FeedWorldPlan) -> Instant? {
    let (left, right) = (a.configuration.cdn, b.configuration.cdn)
    let first = left.faults.firstDifference(from: right.faults, origin: left.origin)
    return first.map { max($0, .zero) }
  }

  /// Whether two scenarios are the same but for ``keys``: as they are written, and as they are
  /// built.
  static func haveOneBeginning(_ a: StudyScenario, _ b: StudyScenario) -> Bool {
    Beginning(a)?.isOf(b) ?? false
  }

  /// What a scenario's runs begin with, to be compared with several others.
  struct Beginning {
    private let scenario: StudyScenario
    private let name: ContentKey

    /// - Returns: nil where nobody can have the same.
    init?(_ scenario: StudyScenario) {
      guard let feed = scenario.plan.studied.forkedFeed, let name = FirstDifference.beginning(feed)
      else { return nil }
      self.scenario = scenario
      self.name = name
    }

    /// Whether another one's runs begin with it, too.
    func isOf(_ other: StudyScenario) -> Bool {
      guard scenario.isShort == other.isShort, scenario.seed == other.seed,
        scenario.inputs == other.inputs, scenario.policies == other.policies,
        Variant.differences(scenario, other).allSatisfy({ isLate($0.key) }),
        let feed = other.plan.studied.forkedFeed
      else { return false }
      return name == FirstDifference.beginning(feed)
    }
  }

  /// Whether a key path is one of ``keys`` or below one.
  static func isLate(_ key: String) -> Bool {
    keys.contains { key == $0 || key.hasPrefix($0 + ".") || key.hasPrefix($0 + "[") }
  }

  /// A name of all that a run begins with; nil where there is none.
  private static func beginning(_ plan: FeedWorldPlan) -> ContentKey? {
    var configuration = plan.configuration
    configuration.cdn.faults = CDNFaults()
    return ValueWalk.key(of: configuration)
  }
}
