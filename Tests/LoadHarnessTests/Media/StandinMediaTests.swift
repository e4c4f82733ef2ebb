import FeedPolicy
import Foundation
import MediaUnits
import Models
import Scenario
import Studies
import Testing

@testable import LoadHarness

/// The stand-in with real media, and the catalogue that the simulator then works with.
@Suite(.enabled(if: MediaFixture.isPossible), .serialized) struct StandinMediaTests {
  private func options() throws -> StandinOptions {
    var options = StandinOptions()
    options.media = try MediaFixture.library.get()
    return options
  }

  /// The scenario as simulated.
  private func simulated(_ more: [String] = []) throws -> FeedStudy {
    var scenario = try MediaFixture.scenario(more)
    try MediaFixture.library.get().give(to: &scenario)
    return scenario
  }

  @Test func `titles are whole segments long, and at most the clip`() throws {
    let drawn = try MediaFixture.scenario()
    let before = CatalogueContents(drawn.configuration, seed: drawn.seed)
    let after = CatalogueContents(try simulated().configuration, seed: drawn.seed)
    var counts: Set<Int> = []
    for title in 0..<before.titleCount {
      let entry = after.entry(title)
      let whole = Int((before.entry(title).duration.seconds / 2).rounded(.up))
      #expect(entry.segmentCount == min(whole, 2))
      #expect(entry.duration == .seconds(2) * Int64(entry.segmentCount))
      #expect(after.length(of: entry.segmentCount - 1, title: title) == .seconds(2))
      counts.insert(whole > 2 ? 3 : whole)
    }
    #expect(counts == [1, 2, 3], "shorter, as long and longer")
  }

  @Test func `every title's segments are the library's bytes, of the simulator's sizes`()
    async throws
  {
    let library = try MediaFixture.library.get()
    let scenario = try simulated()
    let contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    #expect(scenario.configuration.catalogue.initBytes == library.initBytes)
    try await LiveFixture.withStandin(MediaFixture.keys, options: options()) { server, client in
      for title in [0, 1, contents.titleCount - 1] as [UInt32] {
        let count = contents.entry(title).segmentCount
        for (number, rung) in library.rungs.enumerated() {
          let folder = "/vod/t\(title)/v1/hls/v\(number)"
          let head = try await client.get("\(folder)/init.mp4")
          #expect(head.status == 200 && head.body == rung.initSegment)
          #expect(head.field("content-type") == "video/mp4")
          for index in 0..<count {
            let answer = try await client.get("\(folder)/seg_\(index).m4s")
            #expect(answer.status == 200 && answer.body == rung.segments[index])
            #expect(answer.field("content-type") == "video/iso.segment")
            #expect(answer.field("content-length") == String(rung.segments[index].count))
            #expect(
              Int64(answer.body.count)
                == contents.segmentBytes(index, rung: RungIndex(UInt32(number)), title: title))
          }
          #expect(try await client.get("\(folder)/seg_\(count).m4s").status == 404)
        }
        #expect(try await client.get("/vod/t\(title)/v1/hls/v2/init.mp4").status == 404)
      }
      let path = "/vod/t1/v1/hls/v1/seg_0.m4s"
      let part = try await client.get(path, [("Range", "bytes=100-70000")])
      #expect(part.status == 206 && part.body == Array(library.rungs[1].segments[0][100...70_000]))
      let tag = try #require(try await client.get(path).field("etag"))
      #expect(try await client.get(path, [("If-None-Match", tag)]).status == 304)
      let other = try await client.get("/vod/t1/v1/hls/v0/seg_0.m4s", [("If-None-Match", tag)])
      #expect(other.status == 200)
      #expect(server.stats.oversized == 0)
    }
  }

  @Test func `playlists say what the segments are`() async throws {
    let library = try MediaFixture.library.get()
    let contents = CatalogueContents(try simulated().configuration, seed: try simulated().seed)
    try await LiveFixture.withStandin(MediaFixture.keys, options: options()) { _, client in
      for title in 0..<contents.titleCount {
        let count = contents.entry(title).segmentCount
        let folder = "/vod/t\(title)/v1/hls"
        let master = HLSPlaylist.parse(try await client.get("\(folder)/master.m3u8").body)
        #expect(master.problems.isEmpty)
        guard case .multivariant(let list) = master.playlist else {
          Issue.record("expected a multivariant playlist")
          return
        }
        #expect(list.variants.count == library.rungs.count)
        for (variant, rung) in zip(list.variants, library.rungs) {
          let rates = rung.segments.prefix(count).map { Int64($0.count) * 8 / 2 }
          #expect(variant.bandwidth == rates.max())
          let mean = variant.averageBandwidth ?? 0
          #expect(abs(mean - rates.reduce(0, +) / Int64(count)) <= 1)
          #expect(variant.codecs == rung.codec)
          #expect(variant.width == rung.width && variant.height == rung.height)
        }
        let media = HLSPlaylist.parse(try await client.get("\(folder)/v1/playlist.m3u8").body)
        #expect(media.problems.isEmpty)
        guard case .media(let list) = media.playlist else {
          Issue.record("expected a media playlist")
          return
        }
        #expect(list.segments.map(\.duration) == Array(repeating: .seconds(2), count: count))
        #expect(list.segments.map(\.uri) == (0..<count).map { "seg_\($0).m4s" })
        #expect(list.initSections.map(\.uri) == ["init.mp4"] && list.isEnded)
      }
    }
  }

  /// A run of the simulator itself: what its edge was asked for has the library's sizes.
  @Test func `simulated requests are as long as the library's files`() throws {
    let library = try MediaFixture.library.get()
    let form = LiveForm(
      window: .seconds(4), warmUp: .seconds(1), drain: .milliseconds(500), views: 60, edge: .none)
    let scenario = try simulated(form.keys(for: try MediaFixture.scenario()))
    var segments = 0
    var heads = 0
    for line in try SimulatedRequests.lines(scenario).dropFirst() {
      let fields = line.split(separator: ",")
      let key = try #require(UInt64(fields[1]))
      let bytes = try #require(Int(fields[2]))
      let offset = UInt32(key & 0xFFFF_FFFF) % ObjectLayout.stride
      switch ObjectLayout.assetClass(of: offset) {
      case .segment:
        let rung = library.rungs[Int(ObjectLayout.rung(of: offset).index)]
        let index = try #require(ObjectLayout.segmentIndex(of: offset))
        #expect(index < 2 && bytes == rung.segments[index].count)
        segments += 1
      case .initSegment:
        #expect(bytes == Int(library.initBytes))
        heads += 1
      default: break
      }
    }
    #expect(segments > 30 && heads > 15)
  }

  @Test func `a scenario of another catalogue is refused with the key`() throws {
    let library = try MediaFixture.library.get()
    for (keys, name) in [
      (["catalogue.ladder=[300 kbps]"], "catalogue.ladder"),
      (["catalogue.segmentDuration=4 s"], "catalogue.segmentDuration"),
      (["catalogue.packaging=dash"], "catalogue.packaging"),
      (["catalogue.audio=128 kbps"], "catalogue.audio"),
    ] {
      var scenario = try MediaFixture.scenario(keys)
      let failure = #expect(throws: HarnessFailure.self) { try library.give(to: &scenario) }
      #expect(failure?.kind == .data && failure?.message.hasPrefix("\(name): expected") == true)
      #expect(scenario.configuration.catalogue.media == nil)
    }
  }

  @Test func `bodies are compared with the library's`() throws {
    let library = try MediaFixture.library.get()
    let scenario = try simulated()
    let contents = CatalogueContents(scenario.configuration, seed: scenario.seed)
    let path = "/vod/t1/v1/hls/v1/seg_0.m4s"
    let bytes = library.rungs[1].segments[0]
    func isRight(_ bytes: [UInt8], _ media: MediaLibrary? = library) -> Bool {
      let check = StandinBodyCheck(contents, media: media, path: path)
      for start in stride(from: 0, to: bytes.count, by: 5_000) {
        bytes[start..<min(start + 5_000, bytes.count)].withUnsafeBytes { check.take($0) }
      }
      return check.isRight()
    }
    #expect(isRight(bytes))
    #expect(!isRight(bytes, nil), "made-up bytes are others")
    #expect(!isRight(bytes.dropLast()) && !isRight(bytes + [0]))
    var changed = bytes
    changed[12_345] ^= 1
    #expect(!isRight(changed))
  }
}
