import CachePolicy
import Foundation
import Models
import Testing

@testable import LoadHarness

/// Over loopback, each on a port of its own.
struct `The stand-in as a server` {
  private static let segment = "/vod/t1/v1/hls/v2/seg_0.m4s"

  /// Covers: SIG-044, SIG-062, SIG-063, SIG-064.
  @Test func `lifetimes are those of the simulator's policy`() async throws {
    try await LiveFixture.withStandin { server, client in
      let policy = try LiveFixture.scenario().configuration.cdn.assetTTL
      for (path, asset) in [
        (Self.segment, AssetClass.segment), ("/vod/t1/media_manifest.json", .mediaManifest),
        ("/vod/t1/v1/hls/master.m3u8", .masterPlaylist),
        ("/vod/t1/v1/storyboard/storyboard.vtt", .vtt),
        ("/vod/t1/v1/storyboard/sprite_0.jpg", .sprite), ("/vod/t1/v1/poster.jpg", .poster),
        ("/v1/feed", .feed),
      ] {
        let answer = try await client.get(path)
        #expect(answer.status == 200)
        #expect(
          answer.field("cache-control") == policy.directives(for: asset).headerValue(), "\(path)")
        #expect(answer.field("content-length") == String(answer.body.count))
        #expect(server.stats[asset].requests == 1)
        #expect(server.stats[asset].bytes == Int64(answer.body.count))
      }
      #expect(try await client.get("/vod/t40/media_manifest.json").status == 404)
      #expect(try await client.get("/vod/t1/v2/poster.jpg").status == 404)
      #expect(server.stats.unknown == 2)
    }
  }

  @Test func `bodies are those that a client can verify`() async throws {
    try await LiveFixture.withStandin { server, client in
      let answer = try await client.get(Self.segment)
      let content = StandinContent(
        .segment(.video(2), index: 0), title: 1, version: 1, length: Int64(answer.body.count))
      var check = StandinCheck(content)
      answer.body.withUnsafeBytes { check.add($0) }
      #expect(check.isWhole)
    }
  }

  @Test func `conditions, ranges and HEAD`() async throws {
    try await LiveFixture.withStandin { server, client in
      let whole = try await client.get(Self.segment)
      let tag = try #require(whole.field("etag"))
      let date = try #require(whole.field("last-modified"))
      for fields in [[("If-None-Match", tag)], [("If-Modified-Since", date)]] {
        let answer = try await client.get(Self.segment, fields)
        #expect(answer.status == 304 && answer.body.isEmpty && answer.field("etag") == tag)
      }
      let other = try await client.get(
        Self.segment, [("If-None-Match", "\"x\""), ("If-Modified-Since", date)])
      #expect(other.status == 200)
      let part = try await client.get(Self.segment, [("Range", "bytes=10-19")])
      #expect(part.status == 206 && part.body == Array(whole.body[10..<20]))
      #expect(part.field("content-range") == "bytes 10-19/\(whole.body.count)")
      let last = try await client.get(Self.segment, [("Range", "bytes=-5"), ("If-Range", tag)])
      #expect(last.status == 206 && last.body == whole.body.suffix(5))
      let changed = try await client.get(
        Self.segment, [("Range", "bytes=-5"), ("If-Range", "\"x\"")])
      #expect(changed.status == 200 && changed.body == whole.body)
      let none = try await client.get(Self.segment, [("Range", "bytes=99999999-")])
      #expect(none.status == 416)
      #expect(none.field("content-range") == "bytes */\(whole.body.count)")
      let head = try await client.send("HEAD", Self.segment)
      #expect(head.body.isEmpty && head.field("content-length") == String(whole.body.count))
      #expect(try await client.send("PUT", Self.segment, body: "x").status == 405)
      #expect(server.stats[.segment].notModified == 2 && server.stats[.segment].partial == 2)
    }
  }

  /// Covers: SIG-070.
  @Test func `the storyboard is packed for those who take it`() async throws {
    try await LiveFixture.withStandin { _, client in
      let path = "/vod/t1/v1/storyboard/storyboard.vtt"
      let plain = try await client.get(path)
      #expect(plain.field("content-encoding") == nil && plain.text.hasPrefix("WEBVTT\n"))
      let packed = try await client.get(path, [("Accept-Encoding", "br, gzip")])
      #expect(packed.field("content-encoding") == "gzip" && packed.field("vary") != nil)
      #expect(packed.body.prefix(2) == [0x1F, 0x8B])
      #expect(packed.field("etag") != plain.field("etag"))
      let refused = try await client.get(path, [("Accept-Encoding", "gzip;q=0")])
      #expect(refused.field("content-encoding") == nil)
    }
  }

  @Test func `feed pages follow cursors over HTTP`() async throws {
    struct Page: Decodable {
      struct Item: Decodable {
        var video_id: String
        var media_manifest_url: String
      }
      var cursor: String?
      var items: [Item]
    }
    try await LiveFixture.withStandin { _, client in
      var path: String? = "/v1/feed?limit=9"
      var shown: [String] = []
      while let next = path {
        let answer = try await client.get(next)
        #expect(answer.status == 200)
        let page = try JSONDecoder().decode(Page.self, from: Data(answer.body))
        shown += page.items.map(\.video_id)
        for item in page.items { #expect(item.media_manifest_url.contains(item.video_id)) }
        path = page.cursor.map { "/v1/feed?cursor=\($0)" }
      }
      #expect(shown.count == 40 && Set(shown).count == 40)
      for bad in ["cursor=x", "limit=0", "limit=51", "limit=x"] {
        #expect(try await client.get("/v1/feed?\(bad)").status == 400)
      }
    }
  }

  /// Covers: SIG-052.
  @Test func `events are counted once each`() async throws {
    try await LiveFixture.withStandin { server, client in
      func post(_ body: String) async throws -> LiveAnswer {
        try await client.send("POST", "/v1/events", body: body)
      }
      let body = """
        {"device_id":"d","session_id":"s","ts":1,"events":[{"id":"1","name":"view_start",\
        "props":{"video_id":"t1"}},{"id":"2","name":"view_end"},{"name":"strange"}]}
        """
      let first = try await post(body)
      #expect(first.text.contains("\"accepted\":3"))
      #expect(try await post(body).text.contains("\"duplicates\":2"))
      let odd = """
        {"session_id":"s","batch":"1","events":[{"id":"","name":"view_end"},{"id":"7",\
        "name":"view_end","props":{"percent_complete":400}},{"id":"8","name":"rebuffer","at":-1}]}
        """
      #expect(try await post(odd).text.contains("\"accepted\":0"))
      #expect(try await post("[]").status == 400)
      #expect(try await post(String(repeating: "x", count: 2 << 20)).status == 413)
      #expect(try await client.get("/v1/events").status == 405)
      let events = server.stats.events
      #expect(events.invalid == 3 && events.repeatedBatches == 0)
      #expect(events.posts == 5 && events.accepted == 4 && events.duplicates == 2)
      #expect(events.refused == 2 && events.byName == ["view_start": 1, "view_end": 1, "other": 2])
      #expect(try await client.get("/stats").text.contains("\"duplicates\":2"))
      #expect(try await client.get("/healthz").status == 200)
    }
  }

  /// Covers: SIG-069.
  @Test func `a title that is published again has a new version, and the old one stays`()
    async throws
  {
    try await LiveFixture.withStandin { server, client in
      let before = try await client.get("/vod/t0/media_manifest.json")
      let bearer = LiveFixture.bearer
      #expect(try await client.send("POST", "/republish?titles=1", bearer).status == 200)
      let after = try await client.get("/vod/t0/media_manifest.json")
      #expect(before.text.contains("/v1/hls/") && after.text.contains("/v2/hls/"))
      #expect(before.field("etag") != after.field("etag"))
      let old = try await client.get("/vod/t0/v1/hls/v0/seg_0.m4s")
      let new = try await client.get("/vod/t0/v2/hls/v0/seg_0.m4s")
      #expect(old.body.count == new.body.count && old.body != new.body)
      #expect(try await client.get("/vod/t1/media_manifest.json").text.contains("/v1/hls/"))
    }
  }

  @Test func `faults happen as told, and end when told`() async throws {
    try await LiveFixture.withStandin { server, client in
      func set(_ fault: String) throws {
        server.faults = [try StandinFault(parsing: fault)]
      }
      try set("status:segment:503:1")
      #expect(try await client.get(Self.segment).status == 503)
      #expect(try await client.get("/vod/t1/v1/poster.jpg").status == 200)
      try set("latency:segment:150ms:1")
      let begin = ContinuousClock.now
      #expect(try await client.get(Self.segment).status == 200)
      #expect(ContinuousClock.now - begin >= .milliseconds(150))
      for fault in ["reset:segment:1", "wrong-length:segment:1"] {
        try set(fault)
        await #expect(throws: (any Error).self, "\(fault)") { try await client.get(Self.segment) }
      }
      try set("slow:segment:2 Mbps:1")
      let slowBegin = ContinuousClock.now
      let slow = try await client.get(Self.segment)
      let least = Double(slow.body.count) * 8 / 2e6 * 0.8
      #expect(ContinuousClock.now - slowBegin >= .seconds(least))
      try set("endless:segment:1")
      await #expect(throws: (any Error).self) { try await client.get(Self.segment) }
      try set("redirect-loop:segment:1")
      let redirect = try await client.get(Self.segment)
      #expect(redirect.status == 302 && redirect.field("location") == Self.segment)
      try set("malformed:media_playlist:1")
      let list = try await client.get("/vod/t1/v1/hls/v0/playlist.m3u8")
      #expect(list.status == 200 && !list.text.hasPrefix("#EXTM3U"))
      let body = "{\"faults\":[\"status:poster:500:1\"]}"
      let bearer = LiveFixture.bearer
      #expect(try await client.send("POST", "/faults", bearer, body: body).status == 200)
      #expect(try await client.get("/vod/t1/v1/poster.jpg").status == 500)
      let wrong = try await client.send("POST", "/faults", bearer, body: "{\"faults\":[\"x\"]}")
      #expect(wrong.status == 400)
      #expect(try await client.send("DELETE", "/faults", bearer).status == 200)
      #expect(try await client.get("/vod/t1/v1/poster.jpg").status == 200)
    }
  }

  @Test func `only who has the run's token changes the stand-in, whatever the address`()
    async throws
  {
    try await LiveFixture.withStandin { server, client in
      let text = LiveFixture.token.text
      let strangers: [[(String, String)]] = [
        [], [("Authorization", "Bearer \(RunToken().text)")], [("Authorization", "Bearer ")],
        [("Authorization", "Basic \(text)")], [("Authorization", "Bearer \(text)x")],
        [("Authorization", String(text))], [("X-Forwarded-For", "127.0.0.1")],
      ]
      let body = "{\"faults\":[\"status:all:500:1\"]}"
      for fields in strangers {
        let answer = try await client.send("POST", "/faults", fields, body: body)
        #expect(answer.status == 401 && answer.field("www-authenticate") == "Bearer")
        #expect(try await client.send("DELETE", "/faults", fields).status == 401)
        #expect(try await client.send("POST", "/republish?titles=1", fields).status == 401)
      }
      #expect(server.faults.isEmpty)
      #expect(
        try await client.send("POST", "/faults", LiveFixture.bearer, body: body).status == 200)
      #expect(server.faults.count == 1)
    }
    #expect(RunToken("short") == nil && RunToken("with blanks in its middle") == nil)
    #expect(RunToken() != RunToken() && RunToken().text.count == 32)
  }
}
