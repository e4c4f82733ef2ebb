import MediaUnits

/// Runs that are one up to an instant, and those that are still one afterwards.
public struct PrefixTree: Sendable, Equatable {
  /// Numbers of variants. The first one's configuration is all of theirs up to the instant.
  public let members: [Int]
  /// The first instant at which not all of them do the same; nil: they are one to the end.
  public let parting: Instant?
  /// What they are from then on; that with the most members is the last.
  public let branches: [PrefixTree]

  /// - Parameters:
  ///   - end: of the run.
  ///   - difference: the first instant at which two of them can differ; nil: never. Two that do not
  ///     differ from a third one before an instant do not differ from each other before it.
  /// - Precondition: there is a member.
  init(_ members: [Int], until end: Instant, _ difference: (Int, Int) -> Instant?) {
    self.members = members
    var first: Instant?
    for other in members.dropFirst() {
      guard let instant = difference(members[0], other), instant <= end else { continue }
      first = min(first ?? instant, instant)
    }
    parting = first
    guard let first else {
      branches = []
      return
    }
    var groups: [[Int]] = []
    for member in members {
      let place = groups.firstIndex { group in
        difference(group[0], member).map { $0 > first } ?? true
      }
      if let place { groups[place].append(member) } else { groups.append([member]) }
    }
    // Equal numbers in the order of their variants.
    let order = groups.indices.sorted { (groups[$0].count, $0) < (groups[$1].count, $1) }
    branches = order.map { PrefixTree(groups[$0], until: end, difference) }
  }

  /// How much work all of them are, in runs.
  ///
  /// - Parameter share: the part of a run's work that is done at an instant.
  func work(from begin: Double = 0, _ share: (Instant) -> Double) -> Double {
    let end = parting.map(share) ?? 1
    return branches.reduce(end - begin) { $0 + $1.work(from: end, share) }
  }

  /// Most worlds in memory at one time: a branch is run to its end before the next one, and the
  /// last takes the place of what they come from.
  public var worlds: Int {
    var most = 1
    for branch in branches.dropLast() { most = max(most, 1 + branch.worlds) }
    return max(most, branches.last?.worlds ?? 1)
  }
}
