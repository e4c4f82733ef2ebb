import LoadHarness
import SimulationKernel
import Testing

struct LiveDocumentTests {
  private static let manifest = """
    {"video_id": "a1", "duration_ms": 183000,
     "hls_url": "https://cdn.example.com/vod/a1/v7/hls/master.m3u8",
     "poster_url": "https://cdn.example.com/vod/a1/v7/poster.jpg",
     "thumbnail_vtt_url": "https://cdn.example.com/vod/a1/v7/storyboard/storyboard.vtt",
     "ladder": [{"height": 240, "bitrate": 300000}, {"height": 720, "bitrate": 2500000}],
     "loudness_lufs": -16.0, "created_at": "2025-08-16T12:00:00Z", "new": {"key": 1}}
    """

  /// Covers: SIG-042
  @Test func `the one metadata object of a video is read whole`() throws {
    let manifest = try MediaManifest.parse(Array(Self.manifest.utf8))
    #expect(manifest.videoID == "a1")
    #expect(manifest.durationMilliseconds == 183_000)
    #expect(manifest.playlistURL.hasSuffix("/hls/master.m3u8"))
    #expect(manifest.ladder.map(\.bitrate) == [300_000, 2_500_000])
    #expect(manifest.loudnessLUFS == -16)
  }

  @Test(arguments: [
    ("", ""), ("[]", ""),
    // Of a member that is missing the object is the place, and the detail names it.
    ("{}", ""),
    (#"{"video_id":"a","duration_ms":"x","hls_url":"u","ladder":[]}"#, "duration_ms"),
    (
      #"{"video_id":"a","duration_ms":1,"hls_url":"u","ladder":[{"height":1}]}"#,
      "ladder[0]"
    ),
    (
      #"{"video_id":"a","duration_ms":1,"hls_url":"u","ladder":[{"height":1,"bitrate":0}]}"#,
      "ladder[0]"
    ),
    (#"{"video_id":"","duration_ms":1,"hls_url":"u","ladder":[]}"#, "video_id"),
    (#"{"video_id":"a","duration_ms":-1,"hls_url":"u","ladder":[]}"#, "duration_ms"),
  ])
  func `a manifest that cannot be used says where`(text: String, key: String) {
    let problem = #expect(throws: LiveDocumentProblem.self) {
      _ = try MediaManifest.parse(Array(text.utf8))
    }
    #expect(problem?.key == key)
  }

  @Test func `a page of the feed, with and without a next one`() throws {
    let text = """
      {"cursor": "opaque", "items": [{"video_id": "a1", "media_manifest_url": "/vod/a1/m.json",
       "author": {"id": "u1", "handle": "@a"}, "stats": {"likes": 1, "comments": 2, "shares": 3}},
       {"video_id": "a2", "media_manifest_url": "/vod/a2/m.json"}]}
      """
    let page = try FeedPage.parse(Array(text.utf8))
    #expect(page.cursor == "opaque")
    #expect(page.items.map(\.videoID) == ["a1", "a2"])
    #expect(page.items[0].stats?.shares == 3)
    #expect(try FeedPage.parse(Array(#"{"cursor":null,"items":[]}"#.utf8)).cursor == nil)
    let problem = #expect(throws: LiveDocumentProblem.self) {
      _ = try FeedPage.parse(Array(#"{"items":[{"video_id":"a"}]}"#.utf8))
    }
    #expect(problem?.key == "items[0]")
    #expect(problem?.detail == "expected a member media_manifest_url, got none")
  }

  @Test func `no mutation traps, however deep`() {
    let good = Array(Self.manifest.utf8)
    var read = 0
    for entity in 0..<2_000 {
      var draws = HLSDraws(seed: 4, entity: UInt64(entity))
      var bytes = good
      bytes[draws.below(bytes.count)] = UInt8(draws.below(256))
      if (try? MediaManifest.parse(bytes)) != nil { read += 1 }
    }
    #expect(read > 100 && read < 2_000)
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: LiveDocumentProblem.self) { _ = try FeedPage.parse(deep) }
  }
}
