import MediaUnits
import Models
import Testing

@testable import LoadHarness

struct `Numbers that come from outside` {
  @Test(arguments: StatedNumber.allCases)
  func `are read up to their bound and no further`(_ kind: StatedNumber) {
    #expect(kind.read("0") == .value(0))
    #expect(kind.read("\(kind.most)") == .value(kind.most))
    #expect(kind.read("000\(kind.most)") == .value(kind.most))
    let beyond = ["\(kind.most + 1)", "\(kind.most)0", "\(Int64.max)", "\(UInt64.max)"]
    for text in beyond + [String(repeating: "9", count: 1_000)] {
      #expect(kind.read(text) == .refused, "\(text)")
    }
    for text in ["", " 1", "1 ", "+1", "-1", "0x1", "1e3", "1.5", "１"] {
      #expect(kind.read(text) == .refused, "\(text)")
    }
    #expect(kind.admits(0) && kind.admits(kind.most))
    #expect(!kind.admits(-1) && !kind.admits(kind.most + 1))
    #expect(kind.expected.contains("\(kind.most)"), "a message names the bound")
  }

  private func headers(_ fields: [(String, String)], status: Int = 200) -> LiveHeaders {
    LiveHeaders(status: status, fields: fields.map { (name: $0.0, value: $0.1) })
  }

  @Test func `heads keep what is to be believed, and name the rest`() {
    let good = headers([
      ("Age", "7"), ("Content-Length", "12"), ("Cache-Control", "public, MAX-AGE=60"),
    ])
    #expect(good.age == 7 && good.contentLength == 12 && good.lifetime == .seconds(60))
    #expect(good.refused.isEmpty)
    let bad = headers([
      ("Age", "1000000000000000000"), ("Content-Length", "1000000000000000000"),
      ("Cache-Control", "max-age=99999999999999999999"),
    ])
    #expect(bad.age == nil && bad.contentLength == nil)
    #expect(bad.lifetime == .seconds(1 << 31), "held at its bound (RFC 9111 section 1.2.2)")
    #expect(bad.refused == [.age, .contentLength, .maxAge])
    let odd = headers([("Age", "-5"), ("Cache-Control", "max-age=soon")])
    #expect(odd.age == nil && odd.lifetime == nil && odd.refused == [.age, .maxAge])
    #expect(headers([("Cache-Control", "no-store, max-age=9")]).lifetime == .zero)
  }

  private func media(_ lines: String) -> HLSParsing {
    HLSPlaylist.parse(Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(lines)\n#EXT-X-ENDLIST\n".utf8))
  }

  @Test func `playlists say which bound a number is over`() {
    for (lines, bound) in [
      ("#EXTINF:86401,\na.ts", "86400"),
      ("#EXTINF:4,\n#EXT-X-BYTERANGE:1099511627777@0\na.ts", "1099511627776"),
      ("#EXTINF:4,\n#EXT-X-BYTERANGE:9@1099511627770\na.ts", "1099511627776"),
      ("#EXTINF:4,\n#EXT-X-BYTERANGE:9223372036854775807@9\na.ts", "1099511627776"),
    ] {
      let parsing = media(lines)
      #expect(parsing.playlist == nil, "\(lines)")
      #expect(parsing.errors.first?.detail.contains(bound) == true, "\(parsing.errors)")
    }
    let long = media("#EXTINF:4,\n#EXT-X-BYTERANGE:1099511627776@0\na.ts")
    #expect(long.playlist != nil)
  }

  @Test func `documents say which bound a number is over`() {
    func manifest(_ duration: String, _ bitrate: String, _ height: String = "360") -> [UInt8] {
      Array(
        """
        {"video_id":"a","hls_url":"a.m3u8","duration_ms":\(duration),\
        "ladder":[{"height":\(height),"bitrate":\(bitrate)}]}
        """.utf8)
    }
    #expect(throws: Never.self) { try MediaManifest.parse(manifest("86400000", "800000")) }
    for (bytes, key) in [
      (manifest("86400001", "800000"), "duration_ms"), (manifest("-1", "800000"), "duration_ms"),
      (manifest("1000", "1125899906842625"), "ladder[0].bitrate"),
      (manifest("1000", "800000", "65536"), "ladder[0].height"),
      // What no whole number of 64 bits holds is no number of this document.
      (manifest("1e30", "800000"), ""),
    ] {
      let problem = #expect(throws: LiveDocumentProblem.self) { try MediaManifest.parse(bytes) }
      #expect(problem?.key == key, "\(String(describing: problem))")
    }
    let page = """
      {"items":[{"video_id":"a","media_manifest_url":"a","stats":{"likes":1,"comments":-1,\
      "shares":0}}]}
      """
    let problem = #expect(throws: LiveDocumentProblem.self) {
      try FeedPage.parse(Array(page.utf8))
    }
    #expect(problem?.key == "items[0].stats.comments")
    #expect(problem?.detail.contains("1000000000000") == true)
  }

  @Test func `a fault delays by an hour at most`() {
    #expect(throws: Never.self) { try StandinFault(parsing: "latency:all:60min:1") }
    let problem = #expect(throws: StandinFault.Malformed.self) {
      try StandinFault(parsing: "latency:all:61min:1")
    }
    #expect(problem?.expected.contains("3600000 ms") == true)
  }

  @Test func `the stand-in publishes again only so many titles, so often`() async throws {
    try await LiveFixture.withStandin { server, client in
      for titles in ["0", "41", "4294967295", "99999999999", "x"] {
        let answer = try await client.send(
          "POST", "/republish?titles=\(titles)", LiveFixture.bearer)
        #expect(answer.status == 400, "\(titles)")
      }
      #expect(
        try await client.send("POST", "/republish?titles=40", LiveFixture.bearer).status == 200)
      for _ in 0..<999 { #expect(server.republish(titles: 1)) }
      #expect(
        try await client.send("POST", "/republish?titles=1", LiveFixture.bearer).status == 409)
    }
  }
}
