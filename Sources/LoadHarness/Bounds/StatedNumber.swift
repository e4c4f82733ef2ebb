/// A kind of number that somebody outside states, with the most that is believed of it.
///
/// Whatever adds, multiplies or waits by such a number relies on its bound: bytes of a hundred
/// thousand bodies, or nanoseconds of an age beside those of a run, stay far below 2^63.
public enum StatedNumber: String, Sendable, Hashable, CaseIterable {
  /// Bytes of a body: 1 TiB (assumed: no object of a feed is longer).
  case contentLength = "Content-Length"
  /// Seconds; 2^31 stands for all that is more (RFC 9111 section 1.2.2).
  case age = "Age"
  /// Seconds of `Cache-Control`, likewise.
  case maxAge = "max-age"
  /// Seconds of a segment, and of a playlist's target: a day (assumed).
  case segmentSeconds = "segment duration"
  /// Milliseconds of a title: a day (assumed).
  case titleMilliseconds = "duration_ms"
  /// Bits a second: 1 Pbit/s (assumed: no link has it).
  case bitRate = "bit rate"
  /// Pixels: what an H.264 picture cannot have is not meant (assumed).
  case pictureSide = "width or height"
  /// Where bytes begin in a resource, and how many: 1 TiB, as of a body.
  case rangeBytes = "byte range"
  /// The number of a playlist's first segment (RFC 8216 section 4.3.3.2 has 64 bits).
  case sequence = "sequence number"
  /// Likes, comments and shares (assumed: more than people).
  case reactions = "count of reactions"
  /// Milliseconds by which a fault delays an answer: an hour (assumed; clients have gone by then).
  case faultMilliseconds = "delay of a fault"

  /// The largest value that is believed.
  public var most: Int64 {
    switch self {
    case .contentLength, .rangeBytes: 1 << 40
    case .age, .maxAge: 1 << 31
    case .segmentSeconds: 86_400
    case .titleMilliseconds: 86_400_000
    case .bitRate: 1 << 50
    case .pictureSide: 65_535
    case .sequence: 1 << 62
    case .reactions: 1_000_000_000_000
    case .faultMilliseconds: 3_600_000
    }
  }

  /// As counters name a value that was refused.
  public var refusal: String { "\(rawValue) out of bounds" }

  /// What a message says of a value that is expected.
  public var expected: String { "a whole number up to \(most)" }

  /// What a text states.
  public enum Reading: Sendable, Equatable {
    case value(Int64)
    /// More than is believed, or no whole number from 0.
    case refused
  }

  /// Reads digits and nothing else.
  public func read(_ text: some StringProtocol) -> Reading {
    var value: Int64 = 0
    var isEmpty = true
    for byte in text.utf8 {
      guard byte >= 0x30, byte <= 0x39 else { return .refused }
      isEmpty = false
      // Below the bound times ten and nine, which is below 2^66 only for the sequence number.
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, past) = tens.addingReportingOverflow(Int64(byte - 0x30))
      if over || past || sum > most { return .refused }
      value = sum
    }
    return isEmpty ? .refused : .value(value)
  }

  /// Whether a number that was read elsewhere is believed.
  public func admits(_ value: Int64) -> Bool { (0...most).contains(value) }
}
