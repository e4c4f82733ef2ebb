import MediaUnits
import Models
import Scenario

/// Variants that have one beginning, found among all of a study.
struct PrefixFamilies: Sendable {
  /// Less than this part of the work saved is not worth a process.
  static let leastSaved = 0.05
  /// Until then nothing has happened that could be shared.
  private static let beginning = Instant.zero + .milliseconds(1)

  /// By family, numbers of variants in their order, two at least.
  let families: [[Int]]
  private let feeds: [Int: FeedWorldPlan]
  private let loads: [Int: LoadCurve]

  /// Two variants are compared only where their settings say nothing else, so that many that differ
  /// cost nothing.
  init(_ variants: [Variant]) {
    var order: [[Variant.Setting]] = []
    var groups: [[Variant.Setting]: [Int]] = [:]
    for (number, variant) in variants.enumerated() {
      let others = variant.settings.filter { !FirstDifference.isLate($0.key) }
      if groups[others] == nil { order.append(others) }
      groups[others, default: []].append(number)
    }
    var families: [[Int]] = []
    var feeds: [Int: FeedWorldPlan] = [:]
    var loads: [Int: LoadCurve] = [:]
    for group in order.compactMap({ groups[$0] }) where group.count > 1 {
      guard let first = FirstDifference.Beginning(variants[group[0]].scenario) else { continue }
      let family = group.filter { $0 == group[0] || first.isOf(variants[$0].scenario) }
      guard family.count > 1 else { continue }
      families.append(family)
      for member in family {
        guard let feed = variants[member].scenario.plan.studied.forkedFeed else {
          preconditionFailure("what has a beginning with others is a feed")
        }
        feeds[member] = feed
        if member == family[0] { loads[member] = LoadCurve(feed.configuration) }
      }
    }
    self.families = families
    self.feeds = feeds
    self.loads = loads
  }

  /// Those of some members of a family that share their beginnings, where enough is saved.
  ///
  /// - Returns: with each how many runs of work it saves.
  func trees(_ family: [Int], only members: [Int]) -> [(tree: PrefixTree, saved: Double)] {
    guard members.count > 1, let load = loads[family[0]], let feed = feeds[family[0]] else {
      return []
    }
    var rest = [
      PrefixTree(members, until: feed.configuration.end) { a, b in
        guard let left = feeds[a], let right = feeds[b] else { return .zero }
        return FirstDifference.between(left, right)
      }
    ]
    var found: [(tree: PrefixTree, saved: Double)] = []
    while let tree = rest.popLast() {
      if let parting = tree.parting, parting <= PrefixFamilies.beginning {
        rest += tree.branches.reversed()
        continue
      }
      let saved = Double(tree.members.count) - tree.work { load.share(at: $0) }
      if saved >= PrefixFamilies.leastSaved * Double(tree.members.count) {
        found.append((tree, saved))
      }
    }
    return found
  }
}
