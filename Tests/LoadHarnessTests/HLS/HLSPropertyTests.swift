import LoadHarness
import MediaUnits
import SimulationKernel
import Testing

/// Draws by seed.
struct HLSDraws {
  private let random: RandomStreams
  private let entity: UInt64
  private var draw: UInt32 = 0

  init(seed: UInt64, entity: UInt64) {
    random = RandomStreams(seed: seed, replication: 0)
    self.entity = entity
  }

  mutating func below(_ limit: Int) -> Int {
    draw += 1
    let bits = random.bits(StreamName(rawValue: 8216), entity: entity, draw: draw)
    return Int(bits % UInt64(limit))
  }

  mutating func flip() -> Bool { below(2) == 0 }

  mutating func text(_ most: Int = 12) -> String {
    let alphabet = Array("abcXYZ019-_./?=&, é{}$:;")
    var text = String(alphabet[below(10)])
    for _ in 0..<below(most) { text.append(alphabet[below(alphabet.count)]) }
    // What a reader would take for a variable, or cut at an end.
    text = text.replacing("{$", with: "{")
    return text + "z"
  }

  mutating func media() -> HLSMedia {
    var playlist = HLSMedia()
    playlist.version = 1 + below(12)
    playlist.targetDuration = .seconds(Int64(10 + below(50)))
    playlist.mediaSequence = Int64(below(1 << 40))
    playlist.discontinuitySequence = Int64(below(3))
    playlist.kind = [nil, .event, .vod][below(3)]
    playlist.isEnded = flip()
    playlist.hasIndependentSegments = flip()
    playlist.isIFramesOnly = flip()
    if flip() { playlist.startOffset = TimeSpan(nanoseconds: Int64(below(1 << 40)) - (1 << 39)) }
    var (map, key): (Int?, Int?) = (nil, nil)
    for _ in 0..<below(8) {
      if below(4) == 0 {
        var section = HLSMedia.InitSection(uri: text() + "\(playlist.initSections.count)")
        if flip() {
          section.byteRange = HLSByteRange(
            offset: Int64(below(1_000)), length: Int64(1 + below(99)))
        }
        map = playlist.initSections.count
        playlist.initSections.append(section)
      }
      if below(4) == 0 {
        key = playlist.keys.count
        playlist.keys.append(
          .init(method: "AES-128", uri: text() + "\(playlist.keys.count)"))
      } else if below(6) == 0 {
        key = nil
      }
      var segment = HLSMedia.Segment(
        uri: text(), duration: TimeSpan(nanoseconds: Int64(below(10_000_000_000))))
      segment.title = flip() ? "" : text()
      segment.isGap = below(5) == 0
      segment.isDiscontinuity = below(5) == 0
      if below(3) == 0 { segment.dateTime = Int64(below(1 << 42)) }
      if below(3) == 0 {
        segment.byteRange = HLSByteRange(offset: Int64(below(1 << 40)), length: 1 + Int64(below(9)))
      }
      segment.initSection = map
      segment.key = key
      playlist.segments.append(segment)
    }
    return playlist
  }

  mutating func multivariant() -> HLSMultivariant {
    var playlist = HLSMultivariant()
    playlist.version = 1 + below(12)
    playlist.hasIndependentSegments = flip()
    for kind in HLSRendition.Kind.allCases where flip() {
      var rendition = HLSRendition(kind: kind, group: kind.rawValue + "g", name: text())
      rendition.uri = flip() ? text() : nil
      rendition.language = flip() ? "en" : nil
      rendition.isDefault = flip()
      rendition.isAutoselected = flip()
      playlist.renditions.append(rendition)
    }
    for _ in 0..<(1 + below(6)) {
      var variant = HLSVariant(uri: text(), bandwidth: Int64(1 + below(1 << 40)))
      variant.averageBandwidth = flip() ? Int64(below(1 << 30)) : nil
      variant.codecs = flip() ? "avc1,mp4a" : nil
      if flip() { (variant.width, variant.height) = (below(4_000), below(4_000)) }
      variant.milliFrameRate = flip() ? Int64(below(120_000)) : nil
      if playlist.renditions.contains(where: { $0.kind == .audio }), flip() {
        variant.audioGroup = "AUDIOg"
      }
      playlist.variants.append(variant)
    }
    return playlist
  }
}

struct HLSPropertyTests {
  @Test func `what is written is read back, line ends either way`() {
    for entity in 0..<4_000 {
      var draws = HLSDraws(seed: 1, entity: UInt64(entity))
      let playlist: HLSPlaylist =
        draws.flip() ? .media(draws.media()) : .multivariant(draws.multivariant())
      var bytes = playlist.write()
      if draws.flip() {
        bytes = bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
      }
      let parsing = HLSPlaylist.parse(bytes)
      #expect(parsing.errors.isEmpty, "\(entity): \(parsing.problems)")
      #expect(parsing.playlist == playlist, "\(entity)")
    }
  }

  @Test func `no mutation of a playlist traps, and each result is bounded and repeats`() {
    var limits = HLSLimits()
    limits.problems = 20
    let words = [
      "#EXTINF:", "#EXT-X-", "BYTERANGE", ",", "\"", "=", "\n", "\r\n", "@", "9223372036854775808",
      "-", "{$a}", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}\"\n", "#EXT-X-BYTERANGE:9\n",
      "\u{FEFF}", "#EXTM3U\n", "1e9", "0x", "#EXT-X-MAP:URI=\"\"\n", "#EXT-X-KEY:METHOD=", "\0",
      "#EXT-X-PROGRAM-DATE-TIME:9999-12-31T24:59:60.9+23:59\n", "RESOLUTION=x",
    ].map { Array($0.utf8) }
    var accepted = 0
    for entity in 0..<100_000 {
      var draws = HLSDraws(seed: 2, entity: UInt64(entity))
      var bytes =
        draws.flip()
        ? HLSPlaylist.media(draws.media()).write()
        : HLSPlaylist.multivariant(draws.multivariant()).write()
      for _ in 0..<(1 + draws.below(4)) {
        let place = draws.below(bytes.count + 1)
        switch draws.below(5) {
        case 0: bytes.insert(UInt8(draws.below(256)), at: place)
        case 1: bytes.insert(contentsOf: words[draws.below(words.count)], at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + draws.below(20)))
        case 3:
          let piece = bytes[place..<min(bytes.count, place + draws.below(40))]
          bytes.insert(contentsOf: piece, at: draws.below(bytes.count + 1))
        default: if place < bytes.count { bytes[place] = UInt8(draws.below(256)) }
        }
      }
      let parsing = HLSPlaylist.parse(bytes, limits: limits)
      #expect(parsing.problems.count <= limits.problems + 1)
      #expect((parsing.playlist == nil) == !parsing.errors.isEmpty)
      if let playlist = parsing.playlist {
        accepted += 1
        if entity % 16 == 0 { #expect(HLSPlaylist.parse(bytes, limits: limits) == parsing) }
        if case .media(let media) = playlist {
          #expect(media.segments.allSatisfy { $0.duration >= .zero && !$0.uri.isEmpty })
          _ = media.duration
        }
      }
    }
    // The mutations leave some playlists good and break others: both sides are exercised.
    #expect(accepted > 10_000 && accepted < 90_000)
  }

  @Test func `no random bytes trap`() {
    for entity in 0..<5_000 {
      var draws = HLSDraws(seed: 3, entity: UInt64(entity))
      let bytes = (0..<draws.below(200)).map { _ in UInt8(draws.below(256)) }
      let parsing = HLSPlaylist.parse(Array("#EXTM3U\n".utf8) + bytes)
      #expect((parsing.playlist == nil) == !parsing.errors.isEmpty)
    }
  }

  @Test func `work grows with the text, not with its square`() {
    // One line of 60 kB, 50,000 comments, and a megabyte of a tag's attributes.
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n"
    text += "/" + String(repeating: "../", count: 20_000) + "\n"
    text += String(repeating: "#padding\n", count: 50_000)
    text += "#EXT-X-KEY:" + String(repeating: "A=1,", count: 250_000) + "\n"
    let clock = ContinuousClock()
    let spent = clock.measure {
      let parsing = HLSPlaylist.parse(Array(text.utf8))
      #expect(parsing.errors.map(\.code) == [.overLimit])
      _ = URIReference("/" + String(repeating: "../a/", count: 50_000)).resolved(
        against: URIReference("http://h/"))
    }
    #expect(spent < .seconds(20))
  }
}
