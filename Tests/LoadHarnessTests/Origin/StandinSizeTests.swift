import FeedPolicy
import MediaUnits
import Models
import Testing

@testable import LoadHarness

struct `Sizes of the stand-in` {
  /// Covers: SIG-017, SIG-042, SIG-043.
  @Test func `every object is as long as the model says`() throws {
    let scenario = try LiveFixture.scenario(["catalogue.audio=128 kbps"])
    let contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    let catalogue = StandinCatalogue(contents: contents, base: "")
    let model = scenario.configuration.catalogue
    func length(_ resource: MediaLayout.Resource, gzip: Bool = false) -> Int64? {
      catalogue.object(resource, current: { _ in 1 }, isGzipped: gzip)?.body.length
    }
    for title in 0..<contents.titleCount {
      let entry = contents.entry(title)
      func item(_ item: MediaLayout.Item) -> MediaLayout.Resource {
        .item(item, title: title, version: 1)
      }
      #expect(length(.manifest(title: title)) == model.manifestBytes)
      #expect(length(item(.masterPlaylist)) == model.masterBytes)
      let playlist = model.playlistBytes + model.playlistBytesPerSegment * Int64(entry.segmentCount)
      for rung in 0..<model.ladder.count {
        #expect(length(item(.mediaPlaylist(.video(rung)))) == playlist)
        #expect(length(item(.initSegment(.video(rung)))) == model.initBytes)
        for segment in 0..<entry.segmentCount {
          #expect(
            length(item(.segment(.video(rung), index: segment)))
              == contents.segmentBytes(segment, rung: RungIndex(UInt32(rung)), title: title))
        }
        #expect(length(item(.segment(.video(rung), index: entry.segmentCount))) == nil)
      }
      #expect(length(item(.mediaPlaylist(.audio))) == playlist)
      #expect(length(item(.segment(.audio, index: 0))) == contents.audioBytes(0, title: title))
      #expect(length(item(.sprite(index: 0))) == model.spriteBytes)
      #expect(length(item(.sprite(index: entry.spriteCount))) == nil)
      #expect(length(item(.poster)) == model.posterBytes)
      #expect(length(item(.mediaPlaylist(.video(model.ladder.count)))) == nil)
    }
    #expect(length(.manifest(title: contents.titleCount)) == nil)
  }

  /// The mean of many segments is the declared rate times the title's scale: the numbers are the
  /// simulator's, not some others.
  @Test func `segments follow the title's length and the rung's rate`() throws {
    let scenario = try LiveFixture.scenario()
    let contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    let ladder = scenario.configuration.catalogue.ladder
    for title in 0..<contents.titleCount {
      let entry = contents.entry(title)
      let step = scenario.configuration.catalogue.segmentDuration
      #expect(Int64(entry.segmentCount - 1) * step.nanoseconds < entry.duration.nanoseconds)
      #expect(Int64(entry.segmentCount) * step.nanoseconds >= entry.duration.nanoseconds)
      let last = contents.length(of: entry.segmentCount - 1, title: title)
      #expect(step * Int64(entry.segmentCount - 1) + last == entry.duration)
      for rung in 0..<ladder.count {
        let index = RungIndex(UInt32(rung))
        for (segment, bytes) in contents.allSegmentBytes(rung: index, title: title).enumerated() {
          let whole = ladder[index].bytes(in: contents.length(of: segment, title: title)).bytes
          let most = Double(whole) * scenario.configuration.catalogue.peakRatio + 1
          #expect(Double(bytes) <= max(400, most))
        }
      }
    }
  }

  /// Covers: SIG-069.
  @Test func `a title's version changes when the scenario publishes it again`() throws {
    let scenario = try LiveFixture.scenario(
      ["catalogue.republish=[{at: 10 s, titles: 3}, {at: 20 s, titles: 1}]"])
    let contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    let start = Instant.zero + scenario.configuration.cdn.warmUp
    func version(_ title: UInt32, _ seconds: Int64) -> UInt32 {
      contents.version(of: title, at: start + .seconds(seconds))
    }
    #expect(version(0, 9) == 1 && version(0, 10) == 2 && version(0, 20) == 3)
    #expect(version(2, 30) == 2 && version(3, 30) == 1)
    #expect(contents.published(title: 0, version: 3) == start + .seconds(20))
    #expect(contents.published(title: 2, version: 3) == nil)
  }
}
