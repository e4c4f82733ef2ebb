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
    guard a.isShort == b.isShort, a.seed == b.seed, a.inputs == b.inputs,
      Variant.differences(a, b).allSatisfy({ isLate($0.key) }),
      let left = a.plan.studied.forkedFeed, let right = b.plan.studied.forkedFeed,
      let name = beginning(left)
    else { return false }
    return name == beginning(right)
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
