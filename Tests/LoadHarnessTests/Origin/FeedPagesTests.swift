import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

@testable import LoadHarness

struct `Pages of the stand-in's feed` {
  private func pages(_ overrides: [String] = []) throws -> FeedPages {
    let scenario = try LiveFixture.scenario(overrides)
    let latency = scenario.configuration.feedLatency
    return FeedPages(
      contents: CatalogueContents(scenario.configuration, seed: scenario.seed),
      ranker: scenario.configuration.client.ranker, latency: { latency.quantile($0) })
  }

  /// Covers: SIG-046.
  @Test func `following cursors shows every title once, and then ends`() throws {
    let pages = try pages()
    for session: UInt32 in [0, 7] {
      var place: FeedPages.Place? = FeedPages.Place(session: session, page: 0, limit: 7)
      var shown: [UInt32] = []
      while let at = place {
        let page = pages.page(at)
        shown += page.titles
        #expect(pages.page(at).titles == page.titles, "the same every time")
        place = try page.next.map { try #require(FeedPages.place(FeedPages.cursor($0))) }
        #expect(place == page.next)
      }
      #expect(shown.count == 40 && Set(shown).count == 40)
    }
  }

  @Test func `sessions differ, and popular titles come early`() throws {
    let pages = try pages()
    func first(_ session: UInt32) -> [UInt32] {
      pages.page(FeedPages.Place(session: session, page: 0, limit: 10)).titles
    }
    #expect(first(1) != first(2))
    let mean =
      (0..<200).reduce(0.0) { $0 + first($1).reduce(0.0) { $0 + Double($1) } / 10 } / 200
    #expect(mean < 17, "of 40 titles the mean rank without popularity is 19.5")
  }

  @Test func `a text that is no cursor is refused`() {
    let good = FeedPages.cursor(FeedPages.Place(session: 3, page: 4, limit: 5))
    #expect(FeedPages.place(good) != nil)
    for place in 0..<32 {
      var bytes = Array(good.utf8)
      bytes[place] = bytes[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      #expect(FeedPages.place(String(decoding: bytes, as: UTF8.self)) == nil)
    }
    for text in ["", "x", good + "0", "+" + good.dropFirst(), String(repeating: "0", count: 32)] {
      #expect(FeedPages.place(text) == nil)
    }
  }

  /// Covers: SIG-008, SIG-009.
  @Test func `a page whose ranker is late comes from Trending at the deadline`() throws {
    let pages = try pages([
      "feed.ranker={latency: {kind: constant, value: 20 ms}, slowShare: 0.3, slowFactor: 10}"
    ])
    var sources = (ranker: 0, trending: 0)
    let ranker = try #require(pages.ranker)
    for session in UInt32(0)..<300 {
      let page = pages.page(FeedPages.Place(session: session, page: 0, limit: 5))
      if page.source == .trending {
        sources.trending += 1
        #expect(page.titles == [0, 1, 2, 3, 4])
        #expect(page.latency == ranker.fallback.deadline + ranker.overhead)
      } else {
        sources.ranker += 1
        #expect(page.latency < ranker.fallback.deadline + ranker.overhead)
      }
    }
    // Binomial of 300 and 0.3: five standard errors are 40.
    #expect((50...130).contains(sources.trending), "\(sources)")
  }
}
