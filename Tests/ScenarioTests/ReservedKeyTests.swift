import Testing

@testable import Scenario

/// Keys that a policy of somebody else's cannot have.
struct ReservedKeyTests {
  /// They are written down, since the table takes the policies when it is first read.
  @Test func `the keys of every tier are reserved`() {
    let own: Set = ["bits", "drain", "segments"]
    for tier in ["cdn.edge.", "cdn.regional.", "cdn.shield."] {
      let keys = WorldKeys.all.flatMap(\.keys).map(\.path).filter { $0.hasPrefix(tier) }
        .map { $0.dropFirst(tier.count) }.filter { !$0.contains(".") && !$0.contains("[") }
      #expect(keys.count > 10)
      let missing = Set(keys.map(String.init)).subtracting(ScenarioPolicies.tierKeys)
      #expect(missing.subtracting(own).isEmpty, "\(missing)")
    }
  }
}
