import LoadHarness
import Testing

struct `Paths of the stand-in` {
  private static let items: [MediaLayout.Item] = [
    .masterPlaylist, .mediaPlaylist(.video(0)), .mediaPlaylist(.audio), .initSegment(.video(7)),
    .initSegment(.audio), .segment(.video(3), index: 0), .segment(.audio, index: 119), .storyboard,
    .sprite(index: 0), .sprite(index: 15), .poster,
  ]

  @Test func `every resource has one path, which leads back to it`() {
    var paths: Set<String> = []
    for title: UInt32 in [0, 9, 10, 4_294_967 / 2] {
      var resources: [MediaLayout.Resource] = [.manifest(title: title)]
      for version: UInt32 in [1, 12] {
        resources += Self.items.map { .item($0, title: title, version: version) }
      }
      for resource in resources {
        let path = MediaLayout.path(resource)
        #expect(MediaLayout.resource(at: path) == resource, "\(path)")
        #expect(paths.insert(path).inserted, "\(path)")
        #expect(!path.contains("?"), "SIG-040: no query")
      }
    }
    #expect(MediaLayout.resource(at: MediaLayout.path(.feed)) == .feed)
    #expect(MediaLayout.resource(at: MediaLayout.path(.events)) == .events)
  }

  @Test func `other paths are no resource`() {
    for path in [
      "", "/", "/vod", "/vod/t0", "/vod/t0/", "/vod/0/media_manifest.json",
      "/vod/t00/media_manifest.json", "/vod/t-1/media_manifest.json", "/vod/t0/v0/poster.jpg",
      "/vod/t0/v1/", "/vod/t0/v1/hls/v0/seg_.m4s", "/vod/t0/v1/hls/v0/seg_01.m4s",
      "/vod/t0/v1/hls/v0/seg_1.m4s/", "/vod/t0/v1/hls/x/init.mp4", "/vod/t0/v1/hls/v0",
      "/vod/t0/v1/storyboard/sprite_x.jpg", "/vod/t9999999999/media_manifest.json",
      "/vod/t0/v1/hls/v0/seg_1234567890.m4s", "//vod/t0/media_manifest.json",
      "/vod/t0/v1/hls/master.m3u8?x", "/v1/feed/",
    ] {
      #expect(MediaLayout.resource(at: path) == nil, "\(path)")
    }
  }
}
