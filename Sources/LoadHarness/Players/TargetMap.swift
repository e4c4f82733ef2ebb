import CachePolicy
import FeedPolicy
import Foundation
import MediaUnits
import Models

/// What a target has told about its titles: where their objects are.
///
/// A player learns URLs from what it fetches: the manifest names the master playlist, that one the
/// media playlists, and each of those its segments. The map keeps what any of the run's players has
/// learnt, because a copy in a device's cache says the same as the server.
struct TargetMap {
  /// One rendition: what its media playlist says.
  private struct Rendition {
    var playlist: URIReference
    var initSection: Place?
    var segments: [Place] = []
  }

  /// Where an object is: a request target, and a part of it.
  struct Place: Hashable {
    var uri: URIReference
    var range: HLSByteRange?
  }

  private struct TitleMap {
    var master: URIReference?
    var poster: URIReference?
    var storyboard: URIReference?
    var sprites: [URIReference] = []
    var rungs: [Rendition] = []
    var audio: Rendition?
  }

  /// Why an answer does not say what the chain needs.
  struct Malformed: Error, CustomStringConvertible {
    var description: String
  }

  private let base: URIReference
  private let ladder: Int
  private let hasAudio: Bool
  private var titles: [UInt32: TitleMap] = [:]

  init(base: URIReference, ladder: Int, hasAudio: Bool) {
    self.base = base
    self.ladder = ladder
    self.hasAudio = hasAudio
  }

  // MARK: Where to ask

  /// Where a request goes; nil when nothing that was fetched names the object.
  ///
  /// - Parameters:
  ///   - pageSize: items of a page of the feed.
  ///   - cursor: what the page before said of the next one.
  func place(of request: OutsideRequest, pageSize: Int, cursor: String?) -> Place? {
    switch request.service {
    case .feed:
      let next = cursor.map { "&cursor=\($0)" } ?? ""
      return at(MediaLayout.feedPath + "?limit=\(pageSize)" + next)
    case .events: return at(MediaLayout.eventsPath)
    case .media: break
    }
    if request.asset == .mediaManifest {
      return at(MediaLayout.path(.manifest(title: request.title)))
    }
    let known = titles[request.number]
    switch request.asset {
    // Pictures are asked for beside the chain, before it has named them; then they are where a
    // stand-in has them, as an app knows its own service.
    case .poster:
      return known?.poster.map { Place(uri: $0) } ?? item(.poster, of: request)
    case .sprite:
      let sprites = known?.sprites ?? []
      return sprites.indices.contains(request.segment)
        ? Place(uri: sprites[request.segment])
        : item(.sprite(index: request.segment), of: request)
    default: break
    }
    guard let map = known else { return nil }
    switch request.asset {
    case .masterPlaylist: return map.master.map { Place(uri: $0) }
    case .vtt: return map.storyboard.map { Place(uri: $0) }
    default: break
    }
    let rendition =
      request.isAudio
      ? map.audio : map.rungs.indices.contains(request.rung) ? map.rungs[request.rung] : nil
    guard let rendition else { return nil }
    switch request.asset {
    case .mediaPlaylist: return Place(uri: rendition.playlist)
    case .initSegment: return rendition.initSection
    case .segment:
      return rendition.segments.indices.contains(request.segment)
        ? rendition.segments[request.segment] : nil
    default: return nil
    }
  }

  private func item(_ item: MediaLayout.Item, of request: OutsideRequest) -> Place {
    at(MediaLayout.path(.item(item, title: request.title, version: 1)))
  }

  private func at(_ path: String) -> Place {
    Place(uri: URIReference(path).resolved(against: base))
  }

  /// Whether an answer's body is read rather than only counted.
  static func reads(_ request: OutsideRequest) -> Bool {
    if request.service == .feed { return true }
    guard request.service == .media else { return false }
    return switch request.asset {
    case .mediaManifest, .masterPlaylist, .mediaPlaylist, .vtt: true
    default: false
    }
  }

  // MARK: What was learnt

  /// Reads the body of an answer.
  ///
  /// - Throws: ``Malformed`` when it does not say what the chain needs; then nothing was learnt.
  mutating func learn(
    _ body: [UInt8], of request: OutsideRequest, from uri: URIReference
  ) throws(Malformed) {
    switch request.asset {
    case .mediaManifest: try learnManifest(body, request, uri)
    case .masterPlaylist: try learnMaster(body, request, uri)
    case .mediaPlaylist: try learnMedia(body, request, uri)
    case .vtt: try learnStoryboard(body, request, uri)
    default: break
    }
  }

  private mutating func learnManifest(
    _ body: [UInt8], _ request: OutsideRequest, _ uri: URIReference
  ) throws(Malformed) {
    let manifest: MediaManifest
    do {
      manifest = try MediaManifest.parse(body)
    } catch {
      throw Malformed(description: "media manifest: \(error)")
    }
    var map = titles[request.number] ?? TitleMap()
    map.master = URIReference(manifest.playlistURL).resolved(against: uri)
    map.poster = manifest.posterURL.map { URIReference($0).resolved(against: uri) }
    map.storyboard = manifest.storyboardURL.map { URIReference($0).resolved(against: uri) }
    titles[request.number] = map
  }

  private mutating func learnMaster(
    _ body: [UInt8], _ request: OutsideRequest, _ uri: URIReference
  ) throws(Malformed) {
    guard case .multivariant(let master) = try playlist(body) else {
      throw Malformed(description: "master playlist: a media playlist")
    }
    let variants = master.variants.sorted { $0.bandwidth < $1.bandwidth }
    guard variants.count == ladder else {
      throw Malformed(
        description: "master playlist: \(variants.count) variants where the ladder has \(ladder)")
    }
    var map = titles[request.number] ?? TitleMap()
    if map.rungs.isEmpty {
      map.rungs = variants.map {
        Rendition(playlist: URIReference($0.uri).resolved(against: uri))
      }
    }
    if hasAudio && map.audio == nil {
      let group = variants.compactMap(\.audioGroup).first ?? ""
      guard let audio = master.renditions(.audio, group: group).first?.uri else {
        throw Malformed(description: "master playlist: no audio rendition of its own")
      }
      map.audio = Rendition(playlist: URIReference(audio).resolved(against: uri))
    }
    titles[request.number] = map
  }

  private mutating func learnMedia(
    _ body: [UInt8], _ request: OutsideRequest, _ uri: URIReference
  ) throws(Malformed) {
    guard case .media(let media) = try playlist(body) else {
      throw Malformed(description: "media playlist: a master playlist")
    }
    guard var map = titles[request.number] else { return }
    var rendition = Rendition(playlist: uri)
    rendition.initSection = media.initSections.first.map {
      Place(uri: URIReference($0.uri).resolved(against: uri), range: $0.byteRange)
    }
    rendition.segments = media.segments.map {
      Place(uri: URIReference($0.uri).resolved(against: uri), range: $0.byteRange)
    }
    if request.isAudio {
      map.audio = rendition
    } else if map.rungs.indices.contains(request.rung) {
      map.rungs[request.rung] = rendition
    }
    titles[request.number] = map
  }

  private mutating func learnStoryboard(
    _ body: [UInt8], _ request: OutsideRequest, _ uri: URIReference
  ) throws(Malformed) {
    guard var map = titles[request.number] else { return }
    map.sprites = StoryboardIndex(body).images.map {
      URIReference(String(decoding: $0, as: UTF8.self)).resolved(against: uri)
    }
    titles[request.number] = map
  }

  private func playlist(_ body: [UInt8]) throws(Malformed) -> HLSPlaylist {
    let parsing = HLSPlaylist.parse(body)
    guard let playlist = parsing.playlist, parsing.errors.isEmpty else {
      let first = parsing.errors.first.map { "line \($0)" } ?? "not a playlist"
      throw Malformed(description: "playlist: \(first)")
    }
    return playlist
  }
}
