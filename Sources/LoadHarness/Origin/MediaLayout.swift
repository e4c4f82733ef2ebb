import CachePolicy

/// Where the stand-in origin keeps what: the paths of a catalogue's objects and of the two API
/// calls, both ways.
///
/// Pure text work on what a request line says; no query, no host. Versioned paths follow SIG-040;
/// `media_manifest.json` is the one object whose path has no version, since it says which one is
/// current (SIG-042, SIG-069).
public enum MediaLayout {
  /// One rendition of a title.
  public enum Rendition: Hashable, Sendable {
    /// Rung of the ladder, 0 is the lowest.
    case video(Int)
    /// Audio in segments of its own.
    case audio
  }

  /// One kind of object under a title's version.
  public enum Item: Hashable, Sendable {
    case masterPlaylist
    case mediaPlaylist(Rendition)
    case initSegment(Rendition)
    /// Segment `index`, from 0.
    case segment(Rendition, index: Int)
    case storyboard
    /// Sheet `index`, from 0.
    case sprite(index: Int)
    case poster
  }

  /// What a path stands for.
  public enum Resource: Hashable, Sendable {
    case feed
    case events
    /// `media_manifest.json` of a title.
    case manifest(title: UInt32)
    /// An object of a version of a title; versions count from 1.
    case item(Item, title: UInt32, version: UInt32)

    /// The class that lifetimes go by; nil for events, which are no object.
    public var assetClass: AssetClass? {
      switch self {
      case .feed: .feed
      case .events: nil
      case .manifest: .mediaManifest
      case .item(let item, _, _): item.assetClass
      }
    }
  }

  /// The path of a page of the feed, without its query.
  public static let feedPath = "/v1/feed"
  /// The request target of a page of the feed.
  ///
  /// - Parameter cursor: opaque, as the page before has it; nil for the first page.
  public static func feedTarget(_ limit: Int, cursor: String?) -> String {
    guard let cursor else { return "\(feedPath)?limit=\(limit)" }
    var text = ""
    for byte in cursor.utf8 {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      text += isPlain ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + digits
    }
    return "\(feedPath)?limit=\(limit)&cursor=\(text)"
  }

  /// Where events are posted.
  public static let eventsPath = "/v1/events"

  /// The `video_id` of a title.
  public static func videoID(_ title: UInt32) -> String { "t\(title)" }

  /// The number of a title from its `video_id`; nil for one that has none.
  public static func title(ofVideoID text: some StringProtocol) -> UInt32? {
    number(text, after: "t").flatMap { UInt32(exactly: $0) }
  }

  /// The path of a resource.
  public static func path(_ resource: Resource) -> String {
    switch resource {
    case .feed: feedPath
    case .events: eventsPath
    case .manifest(let title): "/vod/\(videoID(title))/media_manifest.json"
    case .item(let item, let title, let version):
      "/vod/\(videoID(title))/v\(version)/\(name(item))"
    }
  }

  /// What a path stands for; nil for anything that ``path(_:)`` does not write. A query is no part
  /// of it.
  public static func resource(at path: some StringProtocol) -> Resource? {
    if path == feedPath { return .feed }
    if path == eventsPath { return .events }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].isEmpty, parts[1] == "vod",
      let title = title(ofVideoID: parts[2])
    else { return nil }
    if parts.count == 4 { return parts[3] == "media_manifest.json" ? .manifest(title: title) : nil }
    guard let version = number(parts[3], after: "v").flatMap({ UInt32(exactly: $0) }),
      version >= 1, let item = item(parts[4...])
    else { return nil }
    return .item(item, title: title, version: version)
  }

  /// The name of a rendition's folder: `v0` for the lowest rung, or `audio`.
  public static func folder(_ rendition: Rendition) -> String {
    switch rendition {
    case .video(let rung): "v\(rung)"
    case .audio: "audio"
    }
  }

  // MARK: Inside a version

  private static func name(_ item: Item) -> String {
    switch item {
    case .masterPlaylist: "hls/master.m3u8"
    case .mediaPlaylist(let rendition): "hls/\(folder(rendition))/playlist.m3u8"
    case .initSegment(let rendition): "hls/\(folder(rendition))/init.mp4"
    case .segment(let rendition, let index): "hls/\(folder(rendition))/seg_\(index).m4s"
    case .storyboard: "storyboard/storyboard.vtt"
    case .sprite(let index): "storyboard/sprite_\(index).jpg"
    case .poster: "poster.jpg"
    }
  }

  private static func item(_ parts: ArraySlice<some StringProtocol>) -> Item? {
    let parts = Array(parts)
    switch (parts.count, parts[0]) {
    case (1, "poster.jpg"): return .poster
    case (2, "hls"): return parts[1] == "master.m3u8" ? .masterPlaylist : nil
    case (2, "storyboard"):
      if parts[1] == "storyboard.vtt" { return .storyboard }
      return number(parts[1], after: "sprite_", before: ".jpg").map { .sprite(index: $0) }
    case (3, "hls"):
      guard let rendition = rendition(parts[1]) else { return nil }
      if parts[2] == "playlist.m3u8" { return .mediaPlaylist(rendition) }
      if parts[2] == "init.mp4" { return .initSegment(rendition) }
      return number(parts[2], after: "seg_", before: ".m4s").map { .segment(rendition, index: $0) }
    default: return nil
    }
  }

  private static func rendition(_ text: some StringProtocol) -> Rendition? {
    if text == "audio" { return .audio }
    return number(text, after: "v").map { .video($0) }
  }

  /// The number between a prefix and a suffix, as it is written and no other way: no sign, no
  /// leading zero, at most nine digits.
  private static func number(
    _ text: some StringProtocol, after prefix: String, before suffix: String = ""
  ) -> Int? {
    guard text.hasPrefix(prefix), text.hasSuffix(suffix),
      text.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let digits = text.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard digits.count <= 9, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      digits.count == 1 || digits.first != 0x30
    else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

extension MediaLayout.Item {
  /// The class that lifetimes go by.
  public var assetClass: AssetClass {
    switch self {
    case .masterPlaylist: .masterPlaylist
    case .mediaPlaylist: .mediaPlaylist
    case .initSegment: .initSegment
    case .segment: .segment
    case .storyboard: .vtt
    case .sprite: .sprite
    case .poster: .poster
    }
  }

  /// The media type that it is served with (RFC 8216 section 4, RFC 8216 section 3.3, W3C WebVTT).
  public var mediaType: String {
    switch self {
    case .masterPlaylist, .mediaPlaylist: "application/vnd.apple.mpegurl"
    case .initSegment: "video/mp4"
    case .segment: "video/iso.segment"
    case .storyboard: "text/vtt"
    case .sprite, .poster: "image/jpeg"
    }
  }
}
