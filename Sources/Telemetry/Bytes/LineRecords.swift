import Scenario

/// The lines of a file, without their ends (LF or CRLF); blank ones are passed over.
struct LineRecords: ~Copyable {
  private var stream: ByteStream
  /// The line that was read last, a place in the buffer.
  private(set) var start = 0
  private(set) var count = 0
  private(set) var line = 0

  /// - Parameter stream: one that has begun.
  init(_ stream: consuming ByteStream) { self.stream = stream }

  var base: UnsafePointer<UInt8> { UnsafePointer(stream.base) }
  var digest: WordDigest { stream.digest }
  var text: TextSpan { TextSpan(base + start, count) }
  var place: RecordPlace { RecordPlace(base: base, start: start, line: line) }

  mutating func next() throws(InputFile.Failure) -> RecordStep {
    while true {
      if let feed = stream.lineFeed() {
        take(feed, next: feed + 1)
      } else if stream.isAtEnd {
        if stream.start == stream.end { return .end }
        take(stream.end, next: stream.end)
      } else if try !stream.fill() && !stream.isAtEnd {
        line += 1
        try stream.skipLine()
        return .fault(.tooLong)
      } else {
        continue
      }
      if !text.trimmed.isEmpty { return .record }
    }
  }

  private mutating func take(_ end: Int, next: Int) {
    line += 1
    start = stream.start
    count = end - start
    if count > 0 && base[end - 1] == 0x0D { count -= 1 }
    stream.skip(to: next)
  }
}
