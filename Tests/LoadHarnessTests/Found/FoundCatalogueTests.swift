import CachePolicy
import Foundation
import MediaUnits
import Models
import NIOPosix
import Scenario
import Studies
import Testing

@testable import LoadHarness

/// Origins that have nothing of the stand-in's.
@Suite(.serialized) struct FoundCatalogueTests {
  private func find(
    _ source: CatalogueProbe.Source, _ targets: [String]
  ) async throws -> FoundCatalogue {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let probe = CatalogueProbe(source, targets: try targets.map { try LiveTarget(url: $0) })
    do {
      let found = try await probe.run(group: group)
      try await group.shutdownGracefully()
      return found
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// A scenario whose titles are those that were found.
  private func scenario(
    _ found: FoundCatalogue, _ more: [String] = []
  ) throws -> FeedStudy {
    let keys = found.keys(longest: .seconds(180)) + more
    let form = LiveForm(
      window: .seconds(4), warmUp: .seconds(1), drain: .milliseconds(500), views: 60, edge: .none)
    var scenario = try LiveFixture.scenario(
      keys + form.keys(for: try LiveFixture.scenario(keys)))
    scenario.configuration.catalogue.given = found.given(
      spriteSpan: scenario.configuration.catalogue.spriteSpan)
    return scenario
  }

  private func play(
    _ scenario: FeedStudy, _ found: FoundCatalogue, at url: String, hasService: Bool = false
  ) async throws -> LiveOutcome {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var options = LiveOptions(edge: try LiveTarget(url: url), servers: .real, seed: scenario.seed)
    options.found = found
    options.hasService = hasService
    let runner = try LiveRunner(
      scenario, plan: try FeedRun.plan(scenario.configuration, seed: scenario.seed),
      options: options, group: group)
    let outcome = try await runner.run(stop: StopRequest()) { _ in }
    await runner.shutDown()
    try await group.shutdownGracefully()
    return outcome
  }

  private static let lists = [
    "/shows/alpha/index.m3u8", "b/master.m3u8?key=1", "/elsewhere.m3u8", "/broken.m3u8",
    "/endless.m3u8", "/not-there.m3u8", "http://other.invalid/x.m3u8",
  ]

  @Test func `what an origin has is found, and what cannot be played is counted`() async throws {
    try await DocumentOrigin.with { origin in
      origin.putRanges()
      origin.putStreams()
      origin.putTroubles()
      let found = try await find(.playlists(Self.lists), [origin.url])
      #expect(found.entries.map(\.name) == ["/shows/alpha/index.m3u8", "b/master.m3u8?key=1"])
      #expect(found.problems["URI of another host"] == 2)
      #expect(found.problems["status 404"] == 1)
      #expect(found.problems["playlist without an end"] == 1)
      #expect(found.problems.keys.contains { $0.hasPrefix("playlist: ") })
      #expect(found.problems.values.reduce(0, +) == 5)
      let (alpha, beta) = (found.entries[0], found.entries[1])
      #expect(alpha.rates == [400_000, 1_200_000], "audio alone is no rung")
      #expect(alpha.title.duration == .seconds(10) && alpha.title.segmentCount == 3)
      #expect(alpha.title.step == .seconds(4))
      #expect(!alpha.title.lacks(.initSegment) && alpha.title.lacks(.poster))
      #expect(beta.title.duration == .seconds(18) && beta.title.lacks(.initSegment))
      #expect(beta.title.step == .seconds(6))
      #expect(found.ladder == [400_000, 1_200_000] && !found.hasAudio)
      #expect(FoundCatalogue.variant(of: beta.rates, for: 1_200_000) == 0)
    }
  }

  @Test func `players run over playlists of any layout and ask nobody else`() async throws {
    try await DocumentOrigin.with { origin in
      origin.putRanges()
      origin.putStreams()
      let found = try await find(.playlists(Array(Self.lists.prefix(2))), [origin.url])
      origin.forget()
      let outcome = try await play(try scenario(found), found, at: origin.url)
      #expect(outcome.measures.views.count { $0.hasStarted } > 10)
      #expect(outcome.counts.malformed == 0, "\(outcome.counts.examples)")
      #expect(outcome.counts.unnamed == 0 && outcome.counts.elsewhere == 0)
      #expect(outcome.counts.failures.isEmpty, "\(outcome.counts.failures)")
      let asked = origin.asked
      #expect(asked.contains { $0.target.hasSuffix("/main.mp4") && $0.range == "bytes=0-599" })
      #expect(asked.contains { $0.target == "/ts/b0.ts" && $0.range == nil })
      // The second range begins where the first ends.
      #expect(
        asked.contains { $0.range == "bytes=20600-40599" || $0.range == "bytes=60600-120599" })
      #expect(
        !asked.contains {
          $0.target.hasPrefix("/v1/") || $0.target.hasSuffix(".json")
            || $0.target.hasSuffix(".jpg") || $0.target.hasSuffix(".vtt")
        })
      #expect(asked.count == outcome.counts.requests)
    }
  }

  @Test func `pages of a feed decide which titles are shown`() async throws {
    try await DocumentOrigin.with { origin in
      origin.putRanges()
      origin.putStreams()
      origin.put(
        "/m/a.json",
        "{\"video_id\":\"a\",\"duration_ms\":10000,\"hls_url\":\"/shows/alpha/index.m3u8\","
          + "\"poster_url\":\"a.jpg\",\"ladder\":[]}")
      origin.put("/m/a.jpg", [UInt8](repeating: 1, count: 900))
      origin.put(
        "/m/b.json",
        "{\"video_id\":\"b\",\"duration_ms\":18000,\"hls_url\":\"/b/master.m3u8?key=1\","
          + "\"poster_url\":\"http://other.invalid/b.jpg\",\"ladder\":[]}")
      func page(_ ids: [String], cursor: String?) -> String {
        let items = ids.map { "{\"video_id\":\"\($0)\",\"media_manifest_url\":\"/m/\($0).json\"}" }
        return "{\"cursor\":\(cursor.map { "\"\($0)\"" } ?? "null"),\"items\":["
          + items.joined(separator: ",") + "]}"
      }
      let plain = try LiveFixture.scenario()
      let size = Int(plain.configuration.policy.pageSize)
      origin.put("/v1/feed?limit=\(size)", page(["a"], cursor: "x/1"))
      origin.put("/v1/feed?limit=\(size)&cursor=x%2F1", page(["b", "a"], cursor: nil))
      let found = try await find(.feed(pageSize: size), [origin.url])
      #expect(found.entries.map(\.name) == ["a", "b"])
      #expect(
        !found.entries[0].title.lacks(.poster) && !found.entries[0].title.lacks(.mediaManifest))
      #expect(found.entries[1].title.lacks(.poster), "one of another host is none")
      // From now on the feed has one of the two, and one that nobody has looked at.
      origin.put("/v1/feed", page(["a", "new", "a"], cursor: nil))
      origin.put("/v1/feed?limit=\(size)", page(["a", "new", "a"], cursor: nil))
      origin.forget()
      let outcome = try await play(try scenario(found), found, at: origin.url, hasService: true)
      #expect(outcome.measures.views.count { $0.hasStarted } > 10)
      #expect(outcome.counts.malformed == 0, "\(outcome.counts.examples)")
      #expect(outcome.counts.unnamed == 0)
      #expect(outcome.counts.unknownItems > 0)
      let asked = origin.asked.map(\.target)
      #expect(asked.contains("/m/a.json") && asked.contains("/m/a.jpg"))
      #expect(!asked.contains("/m/b.json") && !asked.contains { $0.hasPrefix("/ts/") })
    }
  }

  @Test func `nobody there and nothing to play are told apart`() async throws {
    do {
      _ = try await find(.playlists(["/a.m3u8"]), ["http://127.0.0.1:9"])
      Issue.record("nobody is there")
    } catch let failure as HarnessFailure {
      #expect(failure.kind == .unreachable && failure.exitCode == 69)
    }
    try await DocumentOrigin.with { origin in
      do {
        _ = try await find(.playlists(["/a.m3u8"]), [origin.url])
        Issue.record("nothing is there")
      } catch let failure as HarnessFailure {
        #expect(failure.kind == .data && failure.exitCode == 65)
        #expect(failure.message.contains("status 404"))
      }
    }
  }

  @Test func `a ladder is the usual one, at most eight rungs and ascending`() {
    func entry(_ rates: [Int64]) -> FoundCatalogue.Entry {
      FoundCatalogue.Entry(
        name: "\(rates)", master: URIReference("/x"), rates: rates, hasAudio: false,
        title: GivenTitle(duration: .seconds(7), segmentCount: 2, step: .seconds(4)))
    }
    var found = FoundCatalogue()
    #expect(found.ladder.isEmpty)
    for rates: [Int64] in [[300_000, 900_000], [320_000, 800_000], [310_000, 1_000_000], [1]] {
      found.add(entry(rates))
    }
    #expect(found.ladder == [310_000, 900_000])
    var many = FoundCatalogue()
    many.add(entry((1...20).map { $0 * 100_000 }))
    #expect(many.ladder.count == 8)
    #expect(many.ladder.first == 100_000 && many.ladder.last == 2_000_000)
    #expect(zip(many.ladder, many.ladder.dropFirst()).allSatisfy { $0 < $1 })
  }
}
