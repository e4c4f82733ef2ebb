import CachePolicy
import MediaUnits
import Models
import Scenario

/// What the stand-in has to say under each path.
struct StandinCatalogue: Sendable {
  /// The body of an object.
  enum Body: Sendable {
    case bytes([UInt8])
    case content(StandinContent)

    var length: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .content(let content): content.length
      }
    }
  }

  struct Object: Sendable {
    var asset: AssetClass
    var type: String
    var body: Body
    /// Whether the body is compressed for clients that take that.
    var isCompressed = false
    /// Strong.
    var tag: String
    var version: UInt32
    /// Whether it is longer than the scenario says.
    var isOversized = false
  }

  let contents: CatalogueContents
  /// What stands before paths in `media_manifest.json`.
  let base: String
  /// What segments are; nil: bytes that are made up.
  var media: MediaLibrary?

  private var configuration: CatalogueConfiguration { contents.configuration }
  private var texts: PlaylistText { PlaylistText(contents: contents, base: base, media: media) }

  /// The object at a place of the layout; nil where there is none.
  ///
  /// - Parameters:
  ///   - current: the version of the title that is current.
  ///   - isGzipped: whether the client takes gzip.
  func object(
    _ resource: MediaLayout.Resource, current: (UInt32) -> UInt32, isGzipped: Bool
  ) -> Object? {
    switch resource {
    case .feed, .events: return nil
    case .manifest(let title):
      if title >= contents.titleCount { return nil }
      let version = current(title)
      return text(
        texts.manifest(title, version: version), .mediaManifest, "application/json", version,
        modelled: configuration.manifestBytes)
    case .item(let item, let title, let version):
      if title >= contents.titleCount || version > current(title) { return nil }
      return object(item, title, version, isGzipped: isGzipped)
    }
  }

  private func object(
    _ item: MediaLayout.Item, _ title: UInt32, _ version: UInt32, isGzipped: Bool
  ) -> Object? {
    switch item {
    case .masterPlaylist:
      return text(
        texts.master(title), .masterPlaylist, item.mediaType, version,
        modelled: configuration.masterBytes)
    case .mediaPlaylist(let rendition):
      if !exists(rendition) { return nil }
      return text(
        texts.media(title), .mediaPlaylist, item.mediaType, version,
        modelled: contents.playlistBytes(title: title))
    case .storyboard:
      let plain = texts.storyboard(title)
      let modelled = contents.storyboardBytes(title: title)
      var object = text(
        isGzipped ? Gzip.compress(plain, length: modelled) : plain, .vtt, item.mediaType, version,
        modelled: isGzipped ? modelled : .max)
      object.isCompressed = isGzipped
      return object
    case .initSegment, .segment, .sprite, .poster:
      guard let length = length(item, title) else { return nil }
      if let media, let bytes = media.bytes(item) {
        let path = MediaLayout.path(.item(item, title: 0, version: 1))
        return Object(
          asset: item.assetClass, type: item.mediaType, body: .bytes(bytes),
          tag: "\"\(media.digest)-\(Checksum.text(path.utf8))\"", version: version)
      }
      let content = StandinContent(item, title: title, version: version, length: length)
      return Object(
        asset: item.assetClass, type: item.mediaType, body: .content(content),
        tag: "\"\(String(content.key, radix: 16))\"", version: version)
    }
  }

  /// Bytes of a media object; nil where there is none.
  func length(_ item: MediaLayout.Item, _ title: UInt32) -> Int64? {
    let entry = contents.entry(title)
    switch item {
    case .initSegment(let rendition):
      if !exists(rendition) { return nil }
      return rendition == .audio ? configuration.audioInitBytes : configuration.initBytes
    case .segment(let rendition, let index):
      if !exists(rendition) || index >= entry.segmentCount { return nil }
      switch rendition {
      case .audio: return contents.audioBytes(index, title: title)
      case .video(let rung):
        return contents.segmentBytes(index, rung: RungIndex(UInt32(rung)), title: title)
      }
    case .sprite(let index): return index < entry.spriteCount ? configuration.spriteBytes : nil
    case .poster: return configuration.posterBytes
    case .masterPlaylist, .mediaPlaylist, .storyboard: return nil
    }
  }

  private func exists(_ rendition: MediaLayout.Rendition) -> Bool {
    switch rendition {
    case .audio: configuration.audioRate != nil
    case .video(let rung): rung < configuration.ladder.count
    }
  }

  private func text(
    _ bytes: [UInt8], _ asset: AssetClass, _ type: String, _ version: UInt32, modelled: Int64
  ) -> Object {
    // A sum of the bytes is a strong tag.
    Object(
      asset: asset, type: type, body: .bytes(bytes),
      tag: "\"\(String(Checksum.of(bytes), radix: 16))\"", version: version,
      isOversized: Int64(bytes.count) > modelled)
  }
}
