import CachePolicy
import MediaUnits
import Models
import Scenario
import Testing

/// Files that the feed's page names, read in ranges (`catalogue.packaging: progressive`).
@Suite struct ProgressiveTests {
  private func requests(_ measures: FeedMeasures, _ asset: AssetClass) -> Int64 {
    CacheOutcome.allCases.reduce(0) { $0 + measures.edge.requests(asset, $1) }
  }

  @Test func `a poster that is sent together with media takes one event more, not two`() throws {
    let bare = constantWorld + ["catalogue.packaging=progressive"]
    let without = try run(scenario(bare))
    let with = try run(scenario(bare.map { $0.replacing("posters=false", with: "posters=true") }))
    let posters = requests(with.measures, .poster)
    #expect(posters > 500)
    let more = Int64(with.summary.events) - Int64(without.summary.events)
    #expect(abs(more - posters) < posters / 10, "\(more) events for \(posters) posters")
  }

  @Test func `nothing but media and posters is asked for`() throws {
    let set = ["catalogue.packaging=progressive", "catalogue.segmentDuration=6 s"]
    let measures = try run(scenario(set)).measures
    for asset in [AssetClass.mediaManifest, .masterPlaylist, .mediaPlaylist, .initSegment] {
      #expect(requests(measures, asset) == 0)
    }
    #expect(requests(measures, .segment) > Int64(measures.views.count))
    // Against segments of the same length in playlists: no more than the steps before them go away.
    let lists = try run(scenario(["catalogue.segmentDuration=6 s"])).measures
    #expect(requests(lists, .mediaManifest) > Int64(lists.views.count) / 2)
    let ratio = Double(requests(measures, .segment)) / Double(measures.views.count)
    let other = Double(requests(lists, .segment)) / Double(lists.views.count)
    #expect(abs(ratio / other - 1) < 0.1, "\(ratio) beside \(other)")
  }

  @Test func `a first view waits for one answer and then the decoder`() throws {
    let set =
      constantWorld + [
        "catalogue.packaging=progressive", "catalogue.segmentDuration=6 s",
        "catalogue.initBytes=1700 B", "policy.prefetch.headLength=0 s",
      ]
    let views = try run(scenario(set)).measures.views
    let cold = try #require(views.first { $0.flags.contains(.cold) && $0.flags.contains(.started) })
    for part in [StartupPart.manifest, .playlists, .initSegment] {
      #expect(cold.part(part) == .zero)
    }
    #expect(cold.part(.segmentWait) > .zero && cold.part(.transfer) > .zero)
    // The index comes with the media: a new decoder takes its 100 ms after it.
    #expect(cold.part(.decoder) == .milliseconds(100))
    #expect(cold.part(.firstDecode) == .milliseconds(30))
  }

  @Test func `an item keeps the rung that it began with`() throws {
    let set = [
      "catalogue.packaging=progressive", "network.access=[{kind: lte}]",
      "policy.startupCap={rate: 600 kbps}",
    ]
    let measures = try run(scenario(set)).measures
    let switched = measures.shown.reduce(0) { $0 + $1.switchedItems }
    #expect(switched == 0)
    let free = try run(scenario(Array(set.dropFirst()))).measures
    #expect(free.shown.reduce(0) { $0 + $1.switchedItems } > 0)
  }

  @Test func `audio apart is refused beside it`() throws {
    let found = #expect(throws: ScenarioRejected.self) {
      try scenario(["catalogue.packaging=progressive", "catalogue.audio=96 kbps"])
    }
    #expect(found?.problems.count == 1)
    let text = found?.description ?? ""
    #expect(text.contains("catalogue.audio: expected none beside progressive"), "\(text)")
  }
}
