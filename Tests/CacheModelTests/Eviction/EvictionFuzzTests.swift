import SlowTesting
import Testing

@testable import CacheModel

@Suite struct EvictionFuzzTests {
  @Test(arguments: EvictionFuzz.kinds)
  func `whatever is asked for, bytes and objects stay within bounds`(_ kind: EvictionKind) {
    let outcome = EvictionFuzz.run(kind, operations: 20_000, seed: 61)
    #expect(outcome.faults.isEmpty)
    #expect(outcome.hits > 1_000)
  }
}

@Suite(.enabled(if: SlowRun.isOn))
struct EvictionSlowTests {
  /// Ten million operations over all kinds.
  @Test(arguments: EvictionFuzz.kinds)
  func `whatever is asked for, bytes and objects stay within bounds, longer`(
    _ kind: EvictionKind
  ) {
    let share = 10_000_000 / EvictionFuzz.kinds.count + 1
    let outcome = EvictionFuzz.run(kind, operations: share, seed: 62)
    #expect(outcome.faults.isEmpty)
    #expect(outcome.operations >= share && outcome.hits > 50_000)
  }
}
