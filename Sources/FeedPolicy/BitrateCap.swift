import MediaUnits

/// When the startup cap is lifted (SIG-028). Every rule also waits for the first frame: the cap is
/// released after playback stabilises, and before its first frame an item does not play.
public enum ReleaseRule: Sendable, Equatable {
  /// As soon as a frame was rendered.
  case firstFrame
  /// After this much media was played.
  case played(TimeSpan)
  /// While at least this much is buffered ahead of the playhead.
  case buffer(TimeSpan)
  /// After this many segments of the item were downloaded.
  case segments(Int)
  /// While the recent throughput samples differ by at most this share of their median.
  case stableThroughput(spread: Double)
}

/// What the cap looks at. An item that is prefetched and not current has the default snapshot.
public struct PlaybackSnapshot: Sendable, Equatable {
  /// A frame of the item was rendered.
  public var hasFirstFrame: Bool
  /// Media played of the item.
  public var played: TimeSpan
  /// Media downloaded beyond the playhead.
  public var bufferAhead: TimeSpan
  /// Media segments of the item that were downloaded.
  public var segmentsDownloaded: Int
  /// (largest - smallest) / median of the recent throughput samples; infinity when unknown.
  public var estimateSpread: Double
  /// The host saw the cap released for this item before and does not want it back. Without it, the
  /// rules that look at a level (`buffer`, `stableThroughput`) cap again when the level falls.
  public var isReleased: Bool

  public init(
    hasFirstFrame: Bool = false, played: TimeSpan = .zero, bufferAhead: TimeSpan = .zero,
    segmentsDownloaded: Int = 0, estimateSpread: Double = .infinity, isReleased: Bool = false
  ) {
    self.hasFirstFrame = hasFirstFrame
    self.played = played
    self.bufferAhead = bufferAhead
    self.segmentsDownloaded = segmentsDownloaded
    self.estimateSpread = estimateSpread
    self.isReleased = isReleased
  }
}

/// An upper bound on the bit rate of an item that starts up (SIG-026 to SIG-028).
///
/// A pure decider. Leaves out the choice below the bound: see ``BitrateRule``.
public struct BitrateCap: Sendable, Equatable {
  /// The bound and its end.
  public struct Configuration: Sendable, Equatable {
    /// The bound; nil for none. Default 600 kbps: SIG-026 says 400 to 700 kbps, and from 600 kbps
    /// on the ladder of SIG-043 starts at 360p instead of 240p (SIG-027).
    public var rate: BitRate?
    /// When the bound is lifted. Default two seconds played: one segment (assumed; SIG-028
    /// compares).
    public var release: ReleaseRule

    public init(rate: BitRate? = .kilobits(600), release: ReleaseRule = .played(.seconds(2))) {
      self.rate = rate
      self.release = release
    }
  }

  public let configuration: Configuration

  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// The bound that holds now; nil when there is none.
  public func cap(for snapshot: PlaybackSnapshot) -> BitRate? {
    isReleased(for: snapshot) ? nil : configuration.rate
  }

  /// Whether playback is stable by the configured rule.
  public func isReleased(for snapshot: PlaybackSnapshot) -> Bool {
    if snapshot.isReleased { return true }
    if !snapshot.hasFirstFrame { return false }
    switch configuration.release {
    case .firstFrame: return true
    case .played(let length): return snapshot.played >= length
    case .buffer(let length): return snapshot.bufferAhead >= length
    case .segments(let count): return snapshot.segmentsDownloaded >= count
    case .stableThroughput(let spread): return snapshot.estimateSpread <= spread
    }
  }
}
