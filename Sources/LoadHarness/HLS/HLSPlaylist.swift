import MediaUnits

/// A playlist as players need it (RFC 8216 and the tags of its second edition that stand in the
/// same places). URIs are as written; resolve them with ``URIReference``.
public enum HLSPlaylist: Sendable, Hashable {
  case multivariant(HLSMultivariant)
  case media(HLSMedia)
}

/// A playlist of variants: the ladder.
public struct HLSMultivariant: Sendable, Hashable {
  /// `EXT-X-VERSION`; 1 when absent.
  public var version = 1
  /// `EXT-X-INDEPENDENT-SEGMENTS`: every segment of every variant can be decoded alone.
  public var hasIndependentSegments = false
  /// In the order of the text, which is no order of rates.
  public var variants: [HLSVariant] = []
  public var renditions: [HLSRendition] = []
  /// For the media playlists that import them; in order of definition.
  public var variables: [HLSVariable] = []

  public init() {}

  /// The renditions of a group that have media of their own.
  public func renditions(_ kind: HLSRendition.Kind, group: String) -> [HLSRendition] {
    renditions.filter { $0.kind == kind && $0.group == group && $0.uri != nil }
  }
}

/// One rung: `EXT-X-STREAM-INF` and its URI (section 4.3.4.2).
public struct HLSVariant: Sendable, Hashable {
  public var uri: String
  /// Peak bits per second.
  public var bandwidth: Int64
  /// Mean bits per second.
  public var averageBandwidth: Int64?
  /// Comma-separated, as written.
  public var codecs: String?
  public var width: Int?
  public var height: Int?
  /// Thousandths of a frame per second.
  public var milliFrameRate: Int64?
  public var audioGroup: String?
  public var videoGroup: String?
  public var subtitleGroup: String?

  public init(uri: String, bandwidth: Int64) {
    self.uri = uri
    self.bandwidth = bandwidth
  }
}

/// An alternative rendition: `EXT-X-MEDIA` (section 4.3.4.1).
public struct HLSRendition: Sendable, Hashable {
  /// `TYPE`.
  public enum Kind: String, Sendable, CaseIterable {
    case audio = "AUDIO"
    case video = "VIDEO"
    case subtitles = "SUBTITLES"
    case closedCaptions = "CLOSED-CAPTIONS"
  }

  public var kind: Kind
  public var group: String
  public var name: String
  /// Nil when the media is inside the variant.
  public var uri: String?
  public var language: String?
  public var isDefault = false
  public var isAutoselected = false

  public init(kind: Kind, group: String, name: String, uri: String? = nil) {
    self.kind = kind
    self.group = group
    self.name = name
    self.uri = uri
  }
}

/// A variable of `EXT-X-DEFINE`.
public struct HLSVariable: Sendable, Hashable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// Bytes of a resource.
public struct HLSByteRange: Sendable, Hashable {
  public var offset: Int64
  public var length: Int64

  public init(offset: Int64, length: Int64) {
    self.offset = offset
    self.length = length
  }

  /// The value of a `Range` field (RFC 9110 section 14.2), for a length of at least one.
  public var rangeField: String { "bytes=\(offset)-\(offset &+ length &- 1)" }
}

/// A playlist of segments.
public struct HLSMedia: Sendable, Hashable {
  /// `EXT-X-PLAYLIST-TYPE`.
  public enum Kind: String, Sendable, CaseIterable {
    case event = "EVENT"
    case vod = "VOD"
  }

  /// `EXT-X-MAP`: what goes before the segments.
  public struct InitSection: Sendable, Hashable {
    public var uri: String
    public var byteRange: HLSByteRange?

    public init(uri: String, byteRange: HLSByteRange? = nil) {
      self.uri = uri
      self.byteRange = byteRange
    }
  }

  /// `EXT-X-KEY` of a method other than `NONE`.
  public struct Key: Sendable, Hashable {
    public var method: String
    public var uri: String
    /// Without its `0x`; nil when absent.
    public var initializationVector: String?
    /// `identity` when absent.
    public var keyFormat: String

    public init(
      method: String, uri: String, initializationVector: String? = nil,
      keyFormat: String = "identity"
    ) {
      self.method = method
      self.uri = uri
      self.initializationVector = initializationVector
      self.keyFormat = keyFormat
    }
  }

  /// One segment.
  public struct Segment: Sendable, Hashable {
    public var uri: String
    public var duration: TimeSpan
    public var title = ""
    public var byteRange: HLSByteRange?
    /// Its place in ``HLSMedia/initSections``.
    public var initSection: Int?
    /// Its place in ``HLSMedia/keys``; nil when the segment is in the clear.
    public var key: Int?
    /// `EXT-X-DISCONTINUITY` stands before it.
    public var isDiscontinuity = false
    /// `EXT-X-GAP`: there is nothing to fetch.
    public var isGap = false
    /// `EXT-X-PROGRAM-DATE-TIME`, milliseconds since 1970-01-01T00:00:00Z.
    public var dateTime: Int64?

    public init(uri: String, duration: TimeSpan) {
      self.uri = uri
      self.duration = duration
    }
  }

  public var version = 1
  public var targetDuration: TimeSpan = .zero
  /// The number of the first segment.
  public var mediaSequence: Int64 = 0
  public var discontinuitySequence: Int64 = 0
  public var kind: Kind?
  /// `EXT-X-ENDLIST`: no segment will be added.
  public var isEnded = false
  public var hasIndependentSegments = false
  /// `EXT-X-I-FRAMES-ONLY`: not for playing.
  public var isIFramesOnly = false
  /// `EXT-X-START`: where to begin, negative from the end.
  public var startOffset: TimeSpan?
  public var initSections: [InitSection] = []
  public var keys: [Key] = []
  public var segments: [Segment] = []

  public init() {}

  /// The length of what is listed, held at the end of the range.
  public var duration: TimeSpan {
    var sum = Instant.zero
    for segment in segments { sum = sum.advanced(saturatingBy: segment.duration) }
    return sum.elapsed(saturatingSince: .zero)
  }
}

/// What became of reading a text.
public struct HLSParsing: Sendable, Hashable {
  /// Nil when a problem is more than a warning.
  public var playlist: HLSPlaylist?
  /// In the order of their lines, except for those of the whole, which come last.
  public var problems: [HLSProblem]
  /// Tags passed over: unknown ones and those that players can do without.
  public var ignoredTags: Int

  public var errors: [HLSProblem] { problems.filter { !$0.code.isWarning } }
}
