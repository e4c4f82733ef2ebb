/// Something wrong with a playlist, and on which line.
public struct HLSProblem: Sendable, Hashable, CustomStringConvertible {
  /// What is wrong. The raw value is a stable code for reports.
  public enum Code: String, Sendable, CaseIterable {
    /// The first line is not `#EXTM3U` (RFC 8216 section 4.3.1.1).
    case notAPlaylist = "not-a-playlist"
    /// A byte order mark (section 4: clients should refuse it).
    case byteOrderMark = "byte-order-mark"
    /// Bytes that are no UTF-8 text, or a control character (section 4).
    case badText = "bad-text"
    /// Longer than ``HLSLimits`` allows: the text, a line, a list, or what variables expand to.
    case overLimit = "over-limit"
    /// A tag's value is not what its definition asks for.
    case badValue = "bad-value"
    /// An attribute list that does not follow section 4.2.
    case badAttributes = "bad-attributes"
    /// An attribute that the tag must have is absent.
    case missingAttribute = "missing-attribute"
    /// A tag that must be there is absent.
    case missingTag = "missing-tag"
    /// A tag that may stand only once, a second time.
    case repeatedTag = "repeated-tag"
    /// A tag stands after what it has to precede.
    case lateTag = "late-tag"
    /// Tags of a media and of a multivariant playlist in one text.
    case mixedKinds = "mixed-kinds"
    /// Neither kind of playlist: no tag says which.
    case unknownKind = "unknown-kind"
    /// A URI line without the tag that describes it.
    case uriWithoutTag = "uri-without-tag"
    /// `EXTINF` or `EXT-X-STREAM-INF` without its URI line.
    case tagWithoutURI = "tag-without-uri"
    /// `EXT-X-VERSION` beyond what is read here.
    case unsupportedVersion = "unsupported-version"
    /// A reference to a variable that nothing defines.
    case undefinedVariable = "undefined-variable"
    /// `EXT-X-SKIP`: only a part of the playlist; this reader never asks for one.
    case deltaUpdate = "delta-update"
    /// A variant names a group of renditions that is not there (section 4.3.4.2).
    case unknownGroup = "unknown-group"
    /// `EXTINF`, rounded, is longer than the target duration (section 4.3.3.1).
    case longSegment = "long-segment"
    /// More problems than ``HLSLimits/problems``; those after it are not listed.
    case tooManyProblems = "too-many-problems"

    /// Whether players play on in spite of it.
    public var isWarning: Bool {
      switch self {
      case .repeatedTag, .lateTag, .longSegment: true
      default: false
      }
    }
  }

  /// Counts from 1; the last line for what is missing from the whole.
  public let line: Int
  public let code: Code
  /// What was expected, in words; never more than a short excerpt of the input.
  public let detail: String

  public init(line: Int, code: Code, detail: String) {
    self.line = line
    self.code = code
    self.detail = detail
  }

  public var description: String { "\(line): \(code.rawValue): \(detail)" }
}

/// Bounds on what a playlist may ask of its reader. All assumed: far above what players see.
public struct HLSLimits: Sendable, Hashable {
  /// Bytes of the whole text.
  public var bytes = 16 << 20
  /// Bytes of a line that is not a comment, also after variables were put in.
  public var lineBytes = 1 << 16
  /// Segments of a media playlist.
  public var segments = 200_000
  /// Variants and renditions of a multivariant playlist, together.
  public var streams = 4_096
  /// Attributes of one tag.
  public var attributes = 64
  /// Variables.
  public var variables = 256
  /// Problems listed.
  public var problems = 100

  public init() {}
}
