import LoadHarness
import MediaUnits
import Testing

/// The subset of RFC 8216 that players need.
struct HLSPlaylistTests {
  private func parse(_ text: String, limits: HLSLimits = HLSLimits()) -> HLSParsing {
    HLSPlaylist.parse(Array(text.utf8), limits: limits)
  }

  private func media(_ text: String) throws -> HLSMedia {
    guard case .media(let media)? = parse(text).playlist else {
      throw Unexpected(parsing: parse(text))
    }
    return media
  }

  struct Unexpected: Error {
    let parsing: HLSParsing
  }

  @Test func `a multivariant playlist gives its ladder and its audio`() throws {
    let parsing = parse(
      """
      #EXTM3U
      #EXT-X-VERSION:7
      ## a comment
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English, plain",LANGUAGE="en",DEFAULT=YES,\
      AUTOSELECT=YES,CHANNELS="2",URI="audio/playlist.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=900000,AVERAGE-BANDWIDTH=600000,CODECS="avc1.4d401e,mp4a.40.2",\
      RESOLUTION=640x360,FRAME-RATE=29.970,AUDIO="aac"

      # another comment
      v1/playlist.m3u8
      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="iframe.m3u8"
      #EXT-X-STREAM-INF: BANDWIDTH=300000, AUDIO="aac"
      v0/playlist.m3u8
      #EXT-X-WHATEVER:1
      """)
    guard case .multivariant(let playlist)? = parsing.playlist else {
      throw Unexpected(parsing: parsing)
    }
    #expect(parsing.problems.isEmpty)
    #expect(parsing.ignoredTags == 2)
    #expect(playlist.version == 7 && playlist.hasIndependentSegments)
    #expect(playlist.variants.map(\.uri) == ["v1/playlist.m3u8", "v0/playlist.m3u8"])
    let first = try #require(playlist.variants.first)
    #expect(first.bandwidth == 900_000 && first.averageBandwidth == 600_000)
    #expect(first.codecs == "avc1.4d401e,mp4a.40.2")
    #expect(first.width == 640 && first.height == 360 && first.milliFrameRate == 29_970)
    let audio = playlist.renditions(.audio, group: "aac")
    #expect(audio.map(\.name) == ["English, plain"])
    #expect(audio.first?.uri == "audio/playlist.m3u8")
    #expect(audio.first?.isDefault == true)
  }

  @Test func `a media playlist gives its segments and what belongs to each`() throws {
    let playlist = try media(
      """
      #EXTM3U
      #EXT-X-VERSION:7\r
      #EXT-X-TARGETDURATION:4\r
      #EXT-X-MEDIA-SEQUENCE:7
      #EXT-X-DISCONTINUITY-SEQUENCE:2
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-START:TIME-OFFSET=-1.5,PRECISE=YES
      #EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
      #EXT-X-PROGRAM-DATE-TIME:2025-08-16T12:00:00.250+02:00
      #EXTINF:4.00400,title, with a comma
      a.m4s
      #EXTINF:3,
      #EXT-X-BYTERANGE:1000@500
      b.m4s
      #EXT-X-BYTERANGE:300
      #EXTINF:0.5
      b.m4s
      #EXT-X-DISCONTINUITY
      #EXT-X-KEY:METHOD=AES-128,URI="k?a=1",IV=0x0123456789abcdef
      #EXT-X-MAP:URI="other.mp4"
      #EXT-X-GAP
      #EXTINF:2.000000001,
      c.m4s
      #EXT-X-KEY:METHOD=NONE
      #EXT-X-PART:DURATION=0.3,URI="p"
      #EXTINF:2,
      d.m4s
      #EXT-X-ENDLIST
      """)
    #expect(playlist.targetDuration == .seconds(4))
    #expect(playlist.mediaSequence == 7 && playlist.discontinuitySequence == 2)
    #expect(playlist.kind == .vod && playlist.isEnded)
    #expect(playlist.startOffset == .milliseconds(-1_500))
    #expect(playlist.segments.map(\.uri) == ["a.m4s", "b.m4s", "b.m4s", "c.m4s", "d.m4s"])
    #expect(playlist.segments[0].duration == .milliseconds(4_004))
    #expect(playlist.segments[0].title == "title, with a comma")
    #expect(playlist.segments[0].dateTime == 1_755_338_400_250)
    #expect(playlist.segments[1].byteRange == HLSByteRange(offset: 500, length: 1_000))
    #expect(playlist.segments[2].byteRange?.rangeField == "bytes=1500-1799")
    #expect(playlist.segments.map(\.isDiscontinuity) == [false, false, false, true, false])
    #expect(playlist.segments.map(\.isGap) == [false, false, false, true, false])
    #expect(playlist.segments.map(\.initSection) == [0, 0, 0, 1, 1])
    #expect(playlist.segments.map(\.key) == [nil, nil, nil, 0, nil])
    #expect(playlist.segments[3].duration.nanoseconds == 2_000_000_001)
    #expect(playlist.initSections[0].byteRange?.length == 720)
    #expect(playlist.keys.map(\.uri) == ["k?a=1"])
    #expect(playlist.keys.first?.method == "AES-128")
    #expect(playlist.keys.first?.initializationVector == "0123456789abcdef")
    #expect(playlist.duration.nanoseconds == 11_504_000_001)
  }

  @Test func `all problems come in one pass, each with its line`() {
    let parsing = parse(
      """
      #EXTM3U
      #EXT-X-VERSION:x
      #EXT-X-TARGETDURATION:4
      #EXT-X-TARGETDURATION:5
      nothing.ts
      #EXTINF:-3,
      a.ts
      #EXTINF:9.9,
      b.ts
      #EXT-X-KEY:URI="k"
      #EXT-X-KEY:METHOD=AES-128
      #EXT-X-MAP:URI="unended
      #EXT-X-MAP:URI=bare
      #EXT-X-BYTERANGE:0@3
      #EXT-X-STREAM-INF:BANDWIDTH=1
      #EXT-X-PLAYLIST-TYPE:LIVE
      #EXTINF:1,
      """)
    #expect(parsing.playlist == nil)
    let found = parsing.problems.map { "\($0.line) \($0.code.rawValue)" }
    #expect(
      found == [
        "2 bad-value", "4 repeated-tag", "5 uri-without-tag", "6 bad-value", "8 long-segment",
        "10 missing-attribute", "11 missing-attribute", "12 bad-attributes", "13 bad-value",
        "14 bad-value", "15 mixed-kinds", "16 bad-value", "17 tag-without-uri",
      ])
  }

  @Test(arguments: [
    ("", "not-a-playlist"), ("<html>", "not-a-playlist"), ("#EXTM3U8", "not-a-playlist"),
    ("\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:1\n", "byte-order-mark"),
    ("#EXTM3U\n#EXTINF:1,\na\u{7}\n#EXT-X-TARGETDURATION:1\n", "bad-text"),
    ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n# \u{85}\n", "bad-text"),
    ("#EXTM3U\n#EXTINF:1,\na\n", "missing-tag"), ("#EXTM3U\n", "unknown-kind"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"x\"\na\n", "unknown-group"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:CODECS=\"x\"\na\n", "missing-attribute"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=99999999999999999999\na\n", "bad-value"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,BANDWIDTH=1\na\n", "bad-attributes"),
    ("#EXTM3U\n#EXT-X-VERSION:99\n#EXT-X-TARGETDURATION:1\n", "unsupported-version"),
    ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n", "delta-update"),
    ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-BYTERANGE:5\n#EXTINF:1,\na\n", "bad-value"),
    (
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        + "#EXT-X-BYTERANGE:9223372036854775807@9223372036854775807\n#EXTINF:1,\na\n", "bad-value"
    ),
  ])
  func `what cannot be played is refused with one code`(text: String, code: String) {
    let parsing = parse(text)
    #expect(parsing.playlist == nil)
    #expect(parsing.errors.map(\.code.rawValue) == [code])
  }

  @Test func `variables are put in, and undefined ones refused`() throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:1
      #EXT-X-DEFINE:NAME="host",VALUE="http://h"
      #EXT-X-DEFINE:IMPORT="auth"
      #EXT-X-DEFINE:QUERYPARAM="q"
      #EXTINF:1,
      {$host}/{$auth}/{x}{$/seg?{$q}

      """
    let imports = [HLSVariable(name: "auth", value: "tok")]
    let parsing = HLSPlaylist.parse(Array(text.utf8), imports: imports, query: "a=1&q=7")
    guard case .media(let playlist)? = parsing.playlist else { throw Unexpected(parsing: parsing) }
    #expect(playlist.segments.map(\.uri) == ["http://h/tok/{x}{$/seg?7"])
    #expect(parse(text).errors.count == 3)
    #expect(parse(text).errors.allSatisfy { $0.code == .undefinedVariable })
  }

  @Test func `limits bound lines, lists, expansion and the list of problems`() {
    var limits = HLSLimits()
    limits.lineBytes = 100
    limits.segments = 3
    limits.problems = 2
    let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
    let long = String(repeating: "x", count: 101)
    #expect(parse(head + "#" + long, limits: limits).problems.isEmpty)
    #expect(parse(head + "#EXT-X-" + long, limits: limits).errors.map(\.code) == [.overLimit])
    let many = head + String(repeating: "#EXTINF:1,\na\n", count: 4)
    #expect(parse(many, limits: limits).errors.map(\.code) == [.overLimit])
    let bomb =
      head + "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(String(repeating: "y", count: 40))\"\n"
      + "#EXTINF:1,\n{$a}{$a}{$a}\n"
    #expect(parse(bomb, limits: limits).errors.first?.code == .overLimit)
    let bad = parse(head + String(repeating: "stray\n", count: 50), limits: limits)
    #expect(bad.problems.map(\.code) == [.uriWithoutTag, .uriWithoutTag, .tooManyProblems])
    limits.bytes = 10
    #expect(parse(many, limits: limits).errors.map(\.code) == [.overLimit])
  }
}
