import SimulationKernel
import Testing

@testable import AudienceModel
@testable import FeedModel

@Suite struct SessionTitlesTests {
  @Test func `the last titles drawn are recent, all are known, others are never recent`() {
    var titles = SessionTitles()
    var drawn: [UInt32] = []
    var others: [UInt32] = []
    let streams = RandomStreams(seed: 7, replication: 0)
    for item in 0..<UInt32(400) {
      // Of few numbers, so that many come again.
      let number = UInt32(300 * streams.uniform(.feedTitle, entity: UInt64(item)))
      for title in 0..<UInt32(320) {
        let isRecent = drawn.suffix(AudienceConfiguration.rememberedItems).contains(title)
        let isKnown = drawn.contains(title) || others.contains(title)
        if titles.isRecent(title) != isRecent || titles.contains(title) != isKnown {
          Issue.record("title \(title) before item \(item)")
        }
      }
      if item % 5 == 4 {
        titles.add(other: number + 10)
        others.append(number + 10)
      } else {
        titles.add(drawn: number)
        drawn.append(number)
      }
    }
    #expect(drawn.count > 2 * AudienceConfiguration.rememberedItems)
    titles.removeAll()
    #expect(!titles.contains(drawn[0]) && !titles.contains(others[0]))
  }
}
