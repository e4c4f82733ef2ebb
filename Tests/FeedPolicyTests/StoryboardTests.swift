import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func index(_ text: String, limits: StoryboardIndex.Limits = .init()) -> StoryboardIndex {
  StoryboardIndex(Array(text.utf8), limits: limits)
}

private func second(_ count: Int64) -> TimeSpan { .seconds(count) }

struct `Storyboard index` {
  static let sample = """
    WEBVTT - storyboard
    header text

    NOTE made by hand
    second line of the note

    00:00.000 --> 00:01.000
    sprite0.jpg#xywh=0,0,160,90

    intro
    00:00:01.000 --> 00:00:02.500 align:start
    sprite0.jpg#xywh=pixel:160,0,160,90

    100:00:00.000 --> 100:00:01.000
    whole.jpg
    """

  /// Covers: SIG-034.
  @Test func `cues, images and areas are read`() {
    let index = index(Self.sample)
    #expect(index.problems == [])
    #expect(index.images == [Array("sprite0.jpg".utf8), Array("whole.jpg".utf8)])
    #expect(
      index.cues == [
        .init(
          start: .zero, end: second(1), image: 0,
          area: .init(x: 0, y: 0, width: 160, height: 90)),
        .init(
          start: second(1), end: .milliseconds(2500), image: 0,
          area: .init(x: 160, y: 0, width: 160, height: 90)),
        .init(start: .hours(100), end: .hours(100) + second(1), image: 1, area: nil),
      ])
    #expect(index.cue(at: .zero) == index.cues[0])
    #expect(index.cue(at: .milliseconds(999)) == index.cues[0])
    #expect(index.cue(at: second(1)) == index.cues[1])
    #expect(index.cue(at: .milliseconds(2500)) == nil)
    #expect(index.cue(at: .nanoseconds(-1)) == nil)
    #expect(index.cue(at: .hours(101)) == nil)
  }

  @Test func `line ends and a byte order mark do not matter`() {
    let plain = index(Self.sample)
    let lines = Self.sample.split(separator: "\n", omittingEmptySubsequences: false)
    for end in ["\r\n", "\r"] {
      #expect(index("\u{FEFF}" + lines.joined(separator: end)) == plain)
    }
  }

  @Test func `a malformed block is left out with its line, and the rest is read`() {
    typealias Row = (block: String, line: Int, reason: StoryboardIndex.Reason)
    let rows: [Row] = [
      ("0:00.000 --> 00:01.000\na.jpg", 3, .timing),
      ("00:00.00 --> 00:01.000\na.jpg", 3, .timing),
      ("00:60.000 --> 01:01.000\na.jpg", 3, .timing),
      ("00:00.000 -> 00:01.000\na.jpg", 3, .timing),
      ("00:01.000 --> 00:01.000\na.jpg", 3, .emptySpan),
      ("00:00.000 --> 00:01.000", 3, .payload),
      ("00:00.000 --> 00:01.000\n#xywh=0,0,1,1", 4, .payload),
      ("00:00.000 --> 00:01.000\na.jpg#xywh=0,0,1", 4, .fragment),
      ("00:00.000 --> 00:01.000\na.jpg#xywh=0,0,1,1,1", 4, .fragment),
      ("00:00.000 --> 00:01.000\na.jpg#xywh=0,0,0,1", 4, .fragment),
      ("00:00.000 --> 00:01.000\na.jpg#xywh=percent:0,0,50,50", 4, .fragment),
      ("00:00.000 --> 00:01.000\na.jpg#xywh=0,-1,50,50", 4, .fragment),
      ("00:00.000 --> 00:01.000\na.jpg#", 4, .fragment),
      ("00:00.000 --> 00:01.000\na.jpg#xywh=0,0,9999999999,50", 4, .fragment),
    ]
    for row in rows {
      let index = index("WEBVTT\n\n\(row.block)\n\n00:05.000 --> 00:06.000\nb.jpg\n")
      #expect(index.problems == [.init(line: row.line, reason: row.reason)], "\(row.block)")
      #expect(index.cues.count == 1, "\(row.block)")
    }
    // A line with an arrow begins a block, blank line or not.
    let torn = index("WEBVTT\nx\n00:00.000 --> 00:01.000\na\n00:01.000 --> 00:02.000\nb\n")
    #expect(torn.cues.count == 2 && torn.problemCount == 0)
    let named = index("WEBVTT\n\nname\nother\n00:00.000 --> 00:01.000\na.jpg\n")
    #expect(named.problems == [.init(line: 3, reason: .timing)] && named.cues.count == 1)
    let empty = index("WEBVTT\n\n00:00.000 --> 00:01.000\n00:01.000 --> 00:02.000\nb\n")
    #expect(empty.problems == [.init(line: 3, reason: .payload)] && empty.cues.count == 1)
    let order = index("WEBVTT\n\n00:05.000 --> 00:06.000\nb\n\n00:04.000 --> 00:07.000\nc\n")
    #expect(order.problems == [.init(line: 6, reason: .order)])
    for text in ["", "WEBVTTX\n\n", "webvtt", "\n\nWEBVTT"] {
      #expect(index(text).problems == [.init(line: 1, reason: .signature)], "\(text)")
    }
  }

  @Test func `the limits hold and are reported once`() {
    var text = "WEBVTT\n"
    for second in 10..<40 { text += "\n00:\(second).000 --> 00:\(second).900\n\(second).jpg\n" }
    let few = index(text, limits: .init(cues: 5))
    #expect(few.cues.count == 5)
    #expect(few.problems == [.init(line: 19, reason: .limit)])
    #expect(index(text, limits: .init(images: 3)).images.count == 3)
    #expect(index(text, limits: .init(addressBytes: 3)).cues.isEmpty)
    let bad = index("WEBVTT\n" + String(repeating: "\nx\n", count: 100), limits: .init(problems: 4))
    #expect(bad.problems.count == 4)
    #expect(bad.problemCount == 100)
  }

  /// 100,000 files: pieces of good ones, shuffled, cut and with bytes replaced.
  @Test func `any bytes are read without harm, and what is read is in order`() {
    var generator = SeededGenerator(8)
    let pieces = [
      "WEBVTT", "\n", "\r", "\r\n", "\n\n", "00:01.000", " --> ", "-->", "00:00:09.000",
      "99999999999:00:00.000", "a.jpg", "#xywh=", "1,2,3,4", "pixel:", ",", "NOTE x", "STYLE",
      " ", "#", ":", ".", "\u{FEFF}", "é", "0", "00:01.000 --> 00:02.000\n",
      "00:03.000 --> 00:04.000\na.jpg#xywh=1,2,3,4\n\n",
    ].map { Array($0.utf8) }
    var read = 0
    for _ in 0..<100_000 {
      var bytes = generator.once(in: 8) ? [] : Array("WEBVTT\n\n".utf8)
      for _ in 0..<generator.below(24) { bytes += pieces[generator.below(pieces.count)] }
      if generator.once(in: 3), !bytes.isEmpty {
        bytes[generator.below(bytes.count)] = UInt8(generator.below(256))
      }
      let index = StoryboardIndex(bytes, limits: .init(cues: 3, images: 2, problems: 2))
      read += index.cues.count
      var last = TimeSpan.zero
      for cue in index.cues {
        #expect(cue.start >= last && cue.end > cue.start)
        #expect(Int(cue.image) < index.images.count)
        last = cue.start
      }
      #expect(index.problems.count <= min(2, index.problemCount))
      _ = index.cue(at: .seconds(Int64(generator.below(12))))
    }
    #expect(read > 100)
  }
}
