import MediaUnits

/// The name that the client gives a video before it uploads it: the idempotency key of everything
/// that follows (SIG-014).
public struct VideoKey: Hashable, Sendable {
  public var rawValue: UInt64
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One upload of a video: its key, and a number that rises when it is published again.
public struct UploadKey: Hashable, Sendable {
  public var video: VideoKey
  /// 1 for the first upload.
  public var version: UInt32

  public init(_ video: VideoKey, version: UInt32 = 1) {
    self.video = video
    self.version = version
  }
}

/// Why a video is not published (SIG-053).
public enum RejectionCode: UInt8, Sendable, Equatable, CaseIterable {
  case codecUnsupported = 0
  case tooLong
  case tooLarge
  case flagged
  case transcodeFailed

  /// The code on the wire.
  public var text: StaticString {
    switch self {
    case .codecUnsupported: return "E_CODEC_UNSUPPORTED"
    case .tooLong: return "E_TOO_LONG"
    case .tooLarge: return "E_TOO_LARGE"
    case .flagged: return "E_NSFW_FLAGGED"
    case .transcodeFailed: return "E_TRANSCODE_FAILED"
    }
  }
}

/// What the probe finds in a file.
public struct MediaFacts: Sendable, Equatable {
  public var duration: TimeSpan
  public var bytes: ByteCount
  /// Whether the codecs are H.264 and AAC (SIG-011).
  public var isSupported: Bool

  public init(duration: TimeSpan, bytes: ByteCount, isSupported: Bool = true) {
    self.duration = duration
    self.bytes = bytes
    self.isSupported = isSupported
  }
}

/// What a file must be to be published (SIG-053, SIG-054).
public struct InspectionRules: Sendable, Equatable {
  /// Default 180 s (SIG-054 leaves it open: 60, 180 or 600 s).
  public var longest: TimeSpan
  /// Default 500 MB (assumed: 180 s at 16 Mbit/s, parameters section 8, with room).
  public var largest: ByteCount

  public init(longest: TimeSpan = .seconds(180), largest: ByteCount = .megabytes(500)) {
    self.longest = longest
    self.largest = largest
  }

  /// The first rule that the file breaks, in the order codec, length, size; nil when it may go on.
  public func rejection(of facts: MediaFacts) -> RejectionCode? {
    if !facts.isSupported { return .codecUnsupported }
    if facts.duration > longest { return .tooLong }
    return facts.bytes > largest ? .tooLarge : nil
  }
}
