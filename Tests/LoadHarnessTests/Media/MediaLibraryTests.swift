import FeedPolicy
import Foundation
import MediaUnits
import Models
import Testing

@testable import LoadHarness

@Suite(.enabled(if: MediaFixture.isPossible), .serialized) struct MediaLibraryTests {
  @Test func `a library is encoded once, and twice to the same bytes`() throws {
    let first = try MediaFixture.library.get()
    try MediaFixture.withCache { cache in
      var encodings = 0
      let count: (String) -> Void = { _ in encodings += 1 }
      let made = try MediaLibrary.make(MediaFixture.recipe(), cache: cache, progress: count)
      #expect(encodings == 2)
      #expect(made.digest == first.digest && made.rungs == first.rungs)
      let again = try MediaLibrary.make(MediaFixture.recipe(), cache: cache, progress: count)
      #expect(encodings == 2)
      #expect(again == made)
      let other = try MediaLibrary.make(
        MediaFixture.recipe(seed: 2), cache: cache, progress: count)
      #expect(encodings == 4)
      #expect(other.digest != made.digest && other.rungs[0].segments != made.rungs[0].segments)
      let names = try FileManager.default.contentsOfDirectory(atPath: cache)
      #expect(Set(names) == [made.digest, other.digest])
    }
  }

  @Test func `what is damaged or was left half-written is never used`() throws {
    let first = try MediaFixture.library.get()
    try MediaFixture.withCache { cache in
      let files = FileManager.default
      let made = try MediaLibrary.make(MediaFixture.recipe(), cache: cache)
      let segment = "\(made.folder)/v1/seg_1.m4s"
      try #require(files.contents(atPath: segment)).dropLast()
        .write(to: URL(fileURLWithPath: segment))
      var failure = #expect(throws: HarnessFailure.self) {
        try MediaLibrary(folder: made.folder)
      }
      #expect(failure?.kind == .data)
      // Of a process that there is not.
      let stale = "\(cache)/.making-99999999-1"
      try files.createDirectory(atPath: stale, withIntermediateDirectories: true)
      let again = try MediaLibrary.make(MediaFixture.recipe(), cache: cache)
      #expect(again.rungs == first.rungs)
      #expect(!files.fileExists(atPath: stale))
      #expect(try files.contentsOfDirectory(atPath: cache) == [made.digest])
      try files.removeItem(atPath: segment)
      failure = #expect(throws: HarnessFailure.self) { try MediaLibrary(folder: made.folder) }
      #expect(failure?.kind == .input)
    }
  }

  @Test func `two at a time get the same whole library`() async throws {
    let first = try MediaFixture.library.get()
    let cache = NSTemporaryDirectory() + "firstframe-media-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: cache) }
    let recipe = try MediaFixture.recipe()
    async let one = MediaLibrary.make(recipe, cache: cache)
    async let two = MediaLibrary.make(recipe, cache: cache)
    let both = try await [one, two]
    #expect(both[0].rungs == first.rungs && both[1].rungs == first.rungs)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache) == [both[0].digest])
  }

  /// By ffprobe, which shares nothing with the reader that accepted the segments.
  @Test func `every segment begins with a key frame, at its time, and is decoded alone`() throws {
    let library = try MediaFixture.library.get()
    #expect(library.segmentCount == 2 && library.segmentDuration == .seconds(2))
    let file = Subprocess.temporaryFile()
    defer { unlink(file) }
    for rung in library.rungs {
      for (index, segment) in rung.segments.enumerated() {
        try Data(rung.initSegment + segment).write(to: URL(fileURLWithPath: file))
        let packets = try Subprocess.run([
          "ffprobe", "-v", "error", "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0",
          file,
        ]).split(separator: "\n").map { $0.split(separator: ",") }
        #expect(packets.count == 60)
        for (frame, packet) in packets.enumerated() {
          let time = Double(2 * index) + Double(frame) / 30
          #expect(abs((Double(packet[0]) ?? -1) - time) < 1e-4)
          #expect(packet[1].hasPrefix("K") == (frame == 0))
        }
        // Says something of every picture that cannot be decoded.
        let trouble = try Subprocess.run([
          "ffmpeg", "-v", "warning", "-nostdin", "-i", file, "-f", "null", "-",
        ])
        #expect(trouble.isEmpty, "\(trouble)")
      }
      let stream = try Subprocess.run([
        "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height,level", "-of",
        "csv=p=0", file,
      ]).trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",").map(String.init)
      let level = try #require(UInt8(rung.codec.suffix(2), radix: 16))
      #expect(
        stream == ["h264", "\(rung.width)", "\(rung.height)", "\(level)"] && level > 9)
      #expect(rung.codec.hasPrefix("avc1.4d"))
    }
    #expect(library.rungs.map(\.width) == [240, 360])
    #expect(library.rungs.map(\.height) == [426, 640])
  }

  @Test func `segments are near the rate, and init segments equally long`() throws {
    let library = try MediaFixture.library.get()
    for rung in library.rungs {
      let (mean, furthest) = rung.nearness(library.segmentDuration)
      #expect(abs(mean - 1) < 0.06, "\(mean)")
      #expect(abs(furthest - 1) < 0.12 && abs(furthest - 1) >= abs(mean - 1), "\(furthest)")
      #expect(Int64(rung.initSegment.count) == library.initBytes)
    }
    #expect(library.ladder == Ladder([.kilobits(300), .kilobits(600)]))
  }

  @Test func `a missing encoder is told in one sentence with its package`() throws {
    let none = #expect(throws: HarnessFailure.self) { try FFmpeg(nil) }
    #expect(none?.kind == .missing && none?.exitCode == 69)
    #expect(
      none?.message == "ffmpeg: expected the program on PATH, got none; install it: "
        + "apt-get install ffmpeg")
    let script = Subprocess.temporaryFile()
    defer { unlink(script) }
    try "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\necho \"Unknown encoder 'libx264'\"\nexit 1\n"
      .write(toFile: script, atomically: true, encoding: .utf8)
    chmod(script, 0o755)
    let poor = #expect(throws: HarnessFailure.self) { try FFmpeg(script) }
    #expect(poor?.kind == .missing)
    #expect(poor?.message.contains("libx264") == true)
    #expect(poor?.message.contains("apt-get install ffmpeg") == true)
  }

  @Test func `an encoder that fails leaves nothing`() throws {
    let script = Subprocess.temporaryFile()
    defer { unlink(script) }
    // Everything but the encoding works.
    try """
    #!/bin/sh
    case "$*" in *hls*) echo "no room"; exit 7 ;; -version) exit 0 ;; esac
    for last; do :; done
    echo frame > "$last"
    """.write(toFile: script, atomically: true, encoding: .utf8)
    chmod(script, 0o755)
    try MediaFixture.withCache { cache in
      let failure = #expect(throws: HarnessFailure.self) {
        try MediaLibrary.make(
          MediaFixture.recipe(), cache: cache, encoder: FFmpeg(script), progress: { _ in })
      }
      #expect(failure?.kind == .system && failure?.message.hasSuffix("no room") == true)
      let left = try FileManager.default.contentsOfDirectory(atPath: cache)
      #expect(left.isEmpty)
    }
  }

  @Test func `what cannot be encoded is refused with the key`() throws {
    func message(_ ladder: [Int64], _ step: TimeSpan, _ length: TimeSpan) -> String? {
      do throws(HarnessFailure) {
        _ = try MediaRecipe(
          Ladder(ladder.map { .kilobits($0) }), segmentDuration: step, length: length)
        return nil
      } catch {
        return error.kind == .data ? error.message : "another kind"
      }
    }
    #expect(message([300], .seconds(2), .seconds(20)) == nil)
    #expect(message([300], .milliseconds(500), .seconds(60)) == nil)
    #expect(
      message([300], .milliseconds(1_010), .seconds(20))?.hasPrefix("catalogue.segmentDuration")
        == true)
    #expect(message([1, 300], .seconds(2), .seconds(20))?.hasPrefix("catalogue.ladder") == true)
    for (step, length) in [(2_000, 0), (2_000, 601_000), (500, 60_001)] as [(Int64, Int64)] {
      #expect(
        message([300], .milliseconds(step), .milliseconds(length))?.hasPrefix("media:") == true)
    }
  }

  /// Cut and changed files are read as none, and never trap.
  @Test func `boxes of any bytes are read or not`() throws {
    let library = try MediaFixture.library.get()
    let head = library.rungs[0].initSegment
    let segment = library.rungs[0].segments[1]
    #expect(MP4Track(head)?.timescale == 15_360)
    let whole = try #require(MP4Segment(segment))
    #expect(whole.start == 30_720 && whole.duration == 30_720 && whole.frames == 60)
    for count in 0..<head.count where MP4Track(Array(head.prefix(count))) != nil {
      #expect(MP4Box.all(in: head.prefix(count)) != nil, "cut between boxes")
    }
    for count in 0..<min(500, segment.count) {
      #expect(MP4Segment(Array(segment.prefix(count))) == nil)
    }
    for place in 0..<500 {
      var changed = segment
      changed[place] ^= 0xFF
      _ = MP4Segment(changed)
      var other = head
      other[place % head.count] ^= 0xFF
      _ = MP4Track(other)
    }
  }
}
