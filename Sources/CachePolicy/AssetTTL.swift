import MediaUnits

/// The classes of objects that a feed is made of.
public enum AssetClass: UInt8, CaseIterable, Sendable, Equatable {
  /// A page of the feed: personal.
  case feed
  /// The one metadata object of a video (SIG-042).
  case mediaManifest
  /// The HLS playlist that lists the renditions.
  case masterPlaylist
  /// The HLS playlist of one rendition.
  case mediaPlaylist
  /// The initialisation segment of one rendition.
  case initSegment
  /// A media segment.
  case segment
  /// The still image shown before the first frame.
  case poster
  /// The WebVTT storyboard.
  case vtt
  /// A sheet of storyboard images.
  case sprite
}

/// Which `Cache-Control` the origin sends for which class of object.
///
/// A pure decider: a table. Source: requirements SIG-062 to SIG-066.
public struct AssetTTL: Sendable, Equatable {
  /// One set of directives for each class.
  public struct Configuration: Sendable, Equatable {
    /// Default `no-store`: a page is personal and never the same twice (assumed).
    public var feed: CacheDirectives
    /// Default 60 s, stale-while-revalidate 60 s, stale-if-error 60 s: the upper end of SIG-064's
    /// 15 to 60 s; SIG-065 gives no length for stale-while-revalidate, so one lifetime is assumed.
    public var mediaManifest: CacheDirectives
    /// Default as `mediaManifest`: the reading of SIG-066 in which "manifests" include playlists.
    /// Give `AssetTTL.versioned(.days(7))` for the other reading.
    public var masterPlaylist: CacheDirectives
    /// Default as `masterPlaylist` (SIG-066).
    public var mediaPlaylist: CacheDirectives
    /// Default as `segment`: it is requested with the segments and versioned like them.
    public var initSegment: CacheDirectives
    /// Default 7 days, immutable: the lower end of SIG-063's 7 to 30 days. Versioned paths make
    /// every length correct; the shortest one never promises hits that a longer one would be needed
    /// for.
    public var segment: CacheDirectives
    /// Default one year, immutable (SIG-062).
    public var poster: CacheDirectives
    /// Default one year, immutable (SIG-062).
    public var vtt: CacheDirectives
    /// Default one year, immutable (SIG-062).
    public var sprite: CacheDirectives

    public init(
      feed: CacheDirectives = CacheDirectives(options: .noStore),
      mediaManifest: CacheDirectives = AssetTTL.shortLived(.seconds(60)),
      masterPlaylist: CacheDirectives = AssetTTL.shortLived(.seconds(60)),
      mediaPlaylist: CacheDirectives = AssetTTL.shortLived(.seconds(60)),
      initSegment: CacheDirectives = AssetTTL.versioned(.days(7)),
      segment: CacheDirectives = AssetTTL.versioned(.days(7)),
      poster: CacheDirectives = AssetTTL.versioned(.days(365)),
      vtt: CacheDirectives = AssetTTL.versioned(.days(365)),
      sprite: CacheDirectives = AssetTTL.versioned(.days(365))
    ) {
      self.feed = feed
      self.mediaManifest = mediaManifest
      self.masterPlaylist = masterPlaylist
      self.mediaPlaylist = mediaPlaylist
      self.initSegment = initSegment
      self.segment = segment
      self.poster = poster
      self.vtt = vtt
      self.sprite = sprite
    }
  }

  public var configuration: Configuration

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// The directives of one class.
  public func directives(for asset: AssetClass) -> CacheDirectives {
    switch asset {
    case .feed: return configuration.feed
    case .mediaManifest: return configuration.mediaManifest
    case .masterPlaylist: return configuration.masterPlaylist
    case .mediaPlaylist: return configuration.mediaPlaylist
    case .initSegment: return configuration.initSegment
    case .segment: return configuration.segment
    case .poster: return configuration.poster
    case .vtt: return configuration.vtt
    case .sprite: return configuration.sprite
    }
  }

  /// Public and immutable for `lifetime`: for objects under a versioned path.
  public static func versioned(_ lifetime: TimeSpan) -> CacheDirectives {
    CacheDirectives(maxAge: lifetime, options: [.isPublic, .immutable])
  }

  /// Public for `lifetime`, then usable stale for the two windows (SIG-064).
  public static func shortLived(
    _ lifetime: TimeSpan, staleWhileRevalidate: TimeSpan = .seconds(60),
    staleIfError: TimeSpan = .seconds(60)
  ) -> CacheDirectives {
    CacheDirectives(
      maxAge: lifetime, staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError,
      options: .isPublic)
  }
}
