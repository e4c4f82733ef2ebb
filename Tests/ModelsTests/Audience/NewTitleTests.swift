import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@Suite struct NewTitleTests {
  /// Few, popular titles of five segments in one rung: everything but the new title is at hand.
  static let warm = [
    "catalogue.titles=20", "catalogue.duration=10 s", "policy.abr={kind: fixed, rung: 0}",
    "cdn.ttl.mediaManifest.maxAge=30 d", "cdn.ttl.playlists.maxAge=30 d",
  ]
  static let viral =
    "audience.crowds=[{name: viral, from: 2 min, length: 3 min, factor: 3, "
    + "title: {kind: new, share: 30 %}}]"

  private func misses(_ window: WindowMeasures, _ asset: AssetClass) -> Int64 {
    window.edge.requests(asset, .miss)
  }

  // SIG-068
  @Test func `a new title is cold once in every cache and nowhere after that`() throws {
    let made = try scenario(
      NewTitleTests.warm + [
        NewTitleTests.viral, "windows=[{name: before, from: 0 s, to: 2 min}]",
        "policy.prefetch.headLength=0 s",
      ], window: "5 min")
    let result = try run(made)
    let (before, viral) = (result.measures.windows[0], result.measures.windows[1])
    for asset in [AssetClass.mediaManifest, .masterPlaylist, .mediaPlaylist, .initSegment] {
      #expect(misses(before, asset) == 0 && misses(viral, asset) == 1)
    }
    #expect(misses(before, .segment) == 0 && misses(viral, .segment) == 5)
    let seen = result.measures.views.filter { $0.title == 20 }
    #expect(seen.count > 100)
    let first = try #require(seen.min { $0.settledAt < $1.settledAt })
    #expect(first.flags.contains(.edgeMiss) && first.settledAt >= .zero + .minutes(2))
    #expect(
      seen.filter { $0.settledAt > first.settledAt + .seconds(10) }.allSatisfy {
        !$0.flags.contains(.edgeMiss)
      })
  }

  @Test func `a session sees the new title at most once, each item being it with its share`()
    throws
  {
    let result = try run(
      scenario(NewTitleTests.warm + [NewTitleTests.viral, "audience.backSwipe=0"], window: "6 min"))
    let plain = try run(
      scenario(
        NewTitleTests.warm + [
          NewTitleTests.viral.replacing("30 %", with: "0"), "audience.backSwipe=0",
        ], window: "6 min"))
    var first = (new: 0, all: 0)
    for session in result.sessions {
      #expect(session.count { $0.title == 20 } <= 1)
      let arrived = session[0].settledAt
      if session[0].title != .max && arrived >= .zero + .minutes(2) && arrived < .zero + .minutes(4)
      {
        first.all += 1
        if session[0].title == 20 { first.new += 1 }
      }
    }
    let share = Double(first.new) / Double(first.all)
    #expect(abs(share - 0.3) < 4 * (0.3 * 0.7 / Double(first.all)).squareRoot())
    // The other items are what they are without it.
    func titles(_ result: FeedRunResult) -> [UInt64: UInt32] {
      Dictionary(
        result.measures.views.map { (UInt64($0.session) << 32 | UInt64($0.item), $0.title) },
        uniquingKeysWith: { first, _ in first })
    }
    let without = titles(plain)
    for (item, title) in titles(result) where title < 20 {
      if let other = without[item] { #expect(other == title || other == .max) }
    }
  }

  // caches.md section 7: churn
  @Test func `titles that arrive all the time bound the hits by compulsory misses`() throws {
    let changes = [
      "cdn.start={kind: warmed, period: 20 min}", "catalogue.titles=20",
      "catalogue.duration=10 s", "policy.abr={kind: fixed, rung: 0}", "audience.backSwipe=0",
    ]
    let result = try run(
      scenario(
        changes + [
          "catalogue.newTitles={every: 4 s, share: 50 %, "
            + "age: {kind: exponential, mean: 60 s, clip: {min: 0 s, max: 10 min}}}"
        ], window: "10 min"))
    let new = result.measures.views.filter { $0.title != .max && $0.title >= 20 }
    let all = result.measures.views.filter { $0.title != .max }
    // Views of a session share the choice of their items only by chance; 4 standard errors.
    let share = Double(new.count) / Double(all.count)
    #expect(abs(share - 0.5) < 4 * (0.25 / Double(all.count)).squareRoot())
    // A title comes every 4 s and has one init segment: so many misses there must be, but for the
    // few titles that nobody sees.
    let misses = result.measures.edge.requests(.initSegment, .miss)
    let titles = Set(new.map(\.title)).count
    #expect(titles > 120 && misses > Int64(titles) / 2)
    #expect(misses <= Int64(titles) + 40)
  }
}
