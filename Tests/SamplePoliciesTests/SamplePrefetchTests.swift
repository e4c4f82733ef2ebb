import FirstFrameKit
import SamplePolicies
import Testing

@Suite struct SamplePrefetchTests {
  /// 10,000 sessions at random, half of them with events that come late, twice or in another order.
  @Test func `the policy keeps the rules of its host`() {
    let configuration = SamplePrefetch.Configuration()
    let conformance = PrefetchConformance(itemsAhead: configuration.itemsAhead)
    let findings = conformance.findings(of: SamplePrefetch.self, configuration)
    #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
  }

  @Test func `the next item is fetched once the current one has enough`() {
    var policy = SamplePrefetch(SamplePrefetch.Configuration())
    var commands: [PrefetchPolicy.Command] = []
    policy.handle(.feedMoved(current: ItemID(0), last: ItemID(9)), at: .zero, into: &commands)
    #expect(commands.isEmpty)
    policy.handle(
      .bufferChanged(ahead: .seconds(5), isComplete: false), at: .zero, into: &commands)
    #expect(
      commands == [
        .start(ItemID(1), length: .seconds(6), .next),
        .start(ItemID(2), length: .seconds(2), .further),
      ])
  }
}
