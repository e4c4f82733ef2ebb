/// Lists of counts, empty until something is counted.
enum Tally {
  /// Adds one list to another of the same length; either may be empty.
  static func add<Count: AdditiveArithmetic>(_ other: [Count], to sums: inout [Count]) {
    if other.isEmpty { return }
    if sums.isEmpty {
      sums = other
      return
    }
    for place in sums.indices { sums[place] += other[place] }
  }
}
