import Foundation
import Scenario

/// Why a JSON document of the service cannot be used.
public struct LiveDocumentProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where, such as `items[3].video_id`; empty for the whole.
  public let key: String
  /// What was expected and what stands there.
  public let detail: String

  public var description: String { key.isEmpty ? detail : "\(key): \(detail)" }

  /// Reads a document of a type.
  static func decode<Document: Decodable>(
    _ type: Document.Type, _ bytes: [UInt8], limit: Int
  ) throws(LiveDocumentProblem) -> Document {
    if bytes.count > limit {
      throw LiveDocumentProblem(key: "", detail: "at most \(limit) bytes, got \(bytes.count)")
    }
    do throws(JSONReader.Fault) {
      return try JSONReader.decode(type, from: Data(bytes), within: .message)
    } catch {
      throw LiveDocumentProblem(
        key: error.keyPath, detail: "expected \(error.expected), got \(error.got)")
    }
  }

  /// Refuses a number that is not to be believed.
  static func check(
    _ value: Int64, _ kind: StatedNumber, _ key: String
  ) throws(LiveDocumentProblem) {
    if kind.admits(value) { return }
    throw LiveDocumentProblem(key: key, detail: "expected \(kind.expected), got \(value)")
  }

  init(key: String, detail: String) {
    self.key = key
    self.detail = detail
  }
}

/// `media_manifest.json`: the one object that a client reads per video (SIG-042).
public struct MediaManifest: Sendable, Hashable, Codable {
  /// One rung of the ladder.
  public struct Rung: Sendable, Hashable, Codable {
    public var height: Int
    /// Bits per second.
    public var bitrate: Int64

    public init(height: Int, bitrate: Int64) {
      self.height = height
      self.bitrate = bitrate
    }
  }

  public var videoID: String
  public var durationMilliseconds: Int64
  /// Of the multivariant playlist.
  public var playlistURL: String
  public var posterURL: String?
  /// Of the storyboard.
  public var storyboardURL: String?
  public var ladder: [Rung]
  public var loudnessLUFS: Double?
  /// As written.
  public var createdAt: String?

  enum CodingKeys: String, CodingKey {
    case videoID = "video_id"
    case durationMilliseconds = "duration_ms"
    case playlistURL = "hls_url"
    case posterURL = "poster_url"
    case storyboardURL = "thumbnail_vtt_url"
    case ladder
    case loudnessLUFS = "loudness_lufs"
    case createdAt = "created_at"
  }

  public init(
    videoID: String, durationMilliseconds: Int64, playlistURL: String, posterURL: String? = nil,
    storyboardURL: String? = nil, ladder: [Rung] = [], loudnessLUFS: Double? = nil,
    createdAt: String? = nil
  ) {
    self.videoID = videoID
    self.durationMilliseconds = durationMilliseconds
    self.playlistURL = playlistURL
    self.posterURL = posterURL
    self.storyboardURL = storyboardURL
    self.ladder = ladder
    self.loudnessLUFS = loudnessLUFS
    self.createdAt = createdAt
  }

  /// The most bytes of one (assumed).
  public static let longest = 1 << 20

  /// Reads a manifest; keys that are not known are passed over.
  ///
  /// - Throws: ``LiveDocumentProblem``, also for an empty `video_id` or `hls_url` and for a
  ///   number that is not to be believed (``StatedNumber``).
  public static func parse(
    _ bytes: [UInt8], limit: Int = longest
  ) throws(LiveDocumentProblem) -> MediaManifest {
    let manifest = try LiveDocumentProblem.decode(MediaManifest.self, bytes, limit: limit)
    if manifest.videoID.isEmpty {
      throw LiveDocumentProblem(key: "video_id", detail: "expected a name, got none")
    }
    if manifest.playlistURL.isEmpty {
      throw LiveDocumentProblem(key: "hls_url", detail: "expected a URL, got none")
    }
    try LiveDocumentProblem.check(
      manifest.durationMilliseconds, .titleMilliseconds, "duration_ms")
    for (index, rung) in manifest.ladder.enumerated() {
      let key = "ladder[\(index)]"
      if rung.bitrate <= 0 || rung.height <= 0 {
        throw LiveDocumentProblem(key: key, detail: "expected values above 0")
      }
      try LiveDocumentProblem.check(rung.bitrate, .bitRate, "\(key).bitrate")
      try LiveDocumentProblem.check(Int64(rung.height), .pictureSide, "\(key).height")
    }
    return manifest
  }
}

/// A page of `/v1/feed`.
public struct FeedPage: Sendable, Hashable, Codable {
  public struct Author: Sendable, Hashable, Codable {
    public var id: String
    public var handle: String

    public init(id: String, handle: String) {
      self.id = id
      self.handle = handle
    }
  }

  public struct Stats: Sendable, Hashable, Codable {
    public var likes: Int64
    public var comments: Int64
    public var shares: Int64

    public init(likes: Int64, comments: Int64, shares: Int64) {
      self.likes = likes
      self.comments = comments
      self.shares = shares
    }
  }

  public struct Item: Sendable, Hashable, Codable {
    public var videoID: String
    public var manifestURL: String
    public var author: Author?
    public var stats: Stats?

    enum CodingKeys: String, CodingKey {
      case videoID = "video_id"
      case manifestURL = "media_manifest_url"
      case author, stats
    }

    public init(
      videoID: String, manifestURL: String, author: Author? = nil, stats: Stats? = nil
    ) {
      self.videoID = videoID
      self.manifestURL = manifestURL
      self.author = author
      self.stats = stats
    }
  }

  /// Where the next page begins; opaque. Nil or absent after the last page.
  public var cursor: String?
  public var items: [Item]

  public init(cursor: String?, items: [Item]) {
    self.cursor = cursor
    self.items = items
  }

  /// The most bytes of one (assumed).
  public static let longest = 4 << 20

  /// Reads a page; keys that are not known are passed over.
  ///
  /// - Throws: ``LiveDocumentProblem``, also for an item without a name or a URL, or with a number
  ///   that is not to be believed (``StatedNumber``).
  public static func parse(
    _ bytes: [UInt8], limit: Int = longest
  ) throws(LiveDocumentProblem) -> FeedPage {
    let page = try LiveDocumentProblem.decode(FeedPage.self, bytes, limit: limit)
    for (index, item) in page.items.enumerated()
    where item.videoID.isEmpty || item.manifestURL.isEmpty {
      throw LiveDocumentProblem(
        key: "items[\(index)]", detail: "expected video_id and media_manifest_url")
    }
    for (index, item) in page.items.enumerated() {
      guard let stats = item.stats else { continue }
      for (name, count) in [
        ("likes", stats.likes), ("comments", stats.comments), ("shares", stats.shares),
      ] {
        try LiveDocumentProblem.check(count, .reactions, "items[\(index)].stats.\(name)")
      }
    }
    return page
  }
}
