import CachePolicy
import FeedPolicy
import Foundation
import MediaUnits
import Models

/// What a target has told about its titles: where their objects are.
///
/// A player learns URLs from what it fetches: the manifest names the master playlist, that one the
/// media playlists, and each of those its segments. The map keeps what any of the run's players has
/// learnt, because a copy in a device's cache says the same as the server. What points at a host
/// that is no target is counted and has no place.
struct TargetMap {
  /// One rendition: what its media playlist says.
  private struct Rendition {
    var playlist: Place?
    var initSection: Place?
    var segments: [Place?] = []
  }

  /// Where an object is: a request target of a target, and a part of it.
  struct Place: Hashable {
    var uri: URIReference
    var range: HLSByteRange?
    /// Index into the targets.
    var target = 0
  }

  private struct TitleMap {
    var manifest: Place?
    var master: Place?
    var poster: Place?
    var storyboard: Place?
    var sprites: [Place?] = []
    var rungs: [Rendition] = []
    var audio: Rendition?
  }

  /// Why an answer does not say what the chain needs.
  struct Malformed: Error, CustomStringConvertible {
    var description: String
  }

  /// The edge, and the feed's host when that is another one.
  private let targets: [LiveTarget]
  private let base: URIReference
  private let ladder: [BitRate]
  private let hasAudio: Bool
  /// What was found before the run; nil: the target has the stand-in's layout.
  private let found: FoundCatalogue?
  private var titles: [UInt32: TitleMap] = [:]
  private var numbers: [String: UInt32] = [:]
  /// URIs of other hosts that documents have named.
  private(set) var elsewhere: Int64 = 0
  /// Items of the feed that are no title found before the run.
  private(set) var unknownItems: Int64 = 0

  init(
    targets: [LiveTarget], catalogue: CatalogueConfiguration, found: FoundCatalogue? = nil
  ) {
    self.targets = targets
    self.found = found
    base = targets[0].reference(path: "/")
    ladder = (0..<catalogue.ladder.count).map { catalogue.ladder[RungIndex(UInt32($0))] }
    hasAudio = catalogue.audioRate != nil
    for (number, entry) in (found?.entries ?? []).enumerated() {
      var map = TitleMap()
      map.manifest = entry.manifest.flatMap { place($0) }
      map.master = place(entry.master)
      map.poster = entry.poster.flatMap { place($0) }
      map.storyboard = entry.storyboard.flatMap { place($0) }
      titles[UInt32(number)] = map
      numbers[entry.name] = UInt32(number)
    }
  }

  // MARK: Where to ask

  /// Where a request goes; nil when nothing that was fetched names the object.
  ///
  /// - Parameters:
  ///   - pageSize: items of a page of the feed.
  ///   - cursor: what the page before said of the next one.
  func place(of request: OutsideRequest, pageSize: Int, cursor: String?) -> Place? {
    switch request.service {
    case .feed: return service(MediaLayout.feedTarget(pageSize, cursor: cursor))
    case .events: return service(MediaLayout.eventsPath)
    case .media: break
    }
    let known = titles[request.number]
    switch request.asset {
    case .mediaManifest:
      return found == nil
        ? at(MediaLayout.path(.manifest(title: request.title))) : known?.manifest
    // Pictures are asked for beside the chain, before it has named them; then they are where a
    // stand-in has them, as an app knows its own service, or where they were found.
    case .poster: return known?.poster ?? item(.poster, of: request)
    case .sprite:
      let sprites = known?.sprites ?? []
      return sprites.indices.contains(request.segment)
        ? sprites[request.segment] : item(.sprite(index: request.segment), of: request)
    default: break
    }
    guard let map = known else { return nil }
    switch request.asset {
    case .masterPlaylist: return map.master
    case .vtt: return map.storyboard
    default: break
    }
    let rendition =
      request.isAudio
      ? map.audio : map.rungs.indices.contains(request.rung) ? map.rungs[request.rung] : nil
    guard let rendition else { return nil }
    switch request.asset {
    case .mediaPlaylist: return rendition.playlist
    case .initSegment: return rendition.initSection
    case .segment:
      return rendition.segments.indices.contains(request.segment)
        ? rendition.segments[request.segment] : nil
    default: return nil
    }
  }

  /// Where the object is that follows a segment or an init segment at the same rung; nil after
  /// anything else, and at the end.
  func placeAfter(_ request: OutsideRequest) -> Place? {
    guard let map = titles[request.number] else { return nil }
    let rendition =
      request.isAudio
      ? map.audio : map.rungs.indices.contains(request.rung) ? map.rungs[request.rung] : nil
    guard let segments = rendition?.segments else { return nil }
    let index: Int
    switch request.asset {
    case .initSegment: index = request.segment
    case .segment: index = request.segment + 1
    default: return nil
    }
    return segments.indices.contains(index) ? segments[index] : nil
  }

  private func item(_ item: MediaLayout.Item, of request: OutsideRequest) -> Place? {
    found == nil ? at(MediaLayout.path(.item(item, title: request.title, version: 1))) : nil
  }

  private func at(_ path: String) -> Place {
    Place(uri: URIReference(path).resolved(against: base))
  }

  private func service(_ path: String) -> Place {
    Place(uri: targets[targets.count - 1].reference(path: path), target: targets.count - 1)
  }

  /// The place of an absolute reference; nil, and counted, where it is of another host.
  private mutating func place(_ uri: URIReference, range: HLSByteRange? = nil) -> Place? {
    guard let target = targets.firstIndex(where: { $0.owns(uri) }) else {
      elsewhere += 1
      return nil
    }
    return Place(uri: uri, range: range, target: target)
  }

  private mutating func place(
    _ text: String, from uri: URIReference, range: HLSByteRange? = nil
  ) -> Place? {
    place(URIReference(text).resolved(against: uri), range: range)
  }

  /// The titles of a page's items, those that were found; nil where the world chooses them.
  mutating func listed(_ page: FeedPage) -> [UInt32]? {
    guard found?.isFed == true else { return nil }
    var listed: [UInt32] = []
    for item in page.items {
      if let number = numbers[item.videoID] {
        listed.append(number)
      } else {
        unknownItems += 1
      }
    }
    return listed
  }

  /// The most bytes of an answer that is read rather than only counted; nil for any other. Many
  /// viewers wait for one at a time, so that what is kept is bounded with them.
  static func longest(_ request: OutsideRequest) -> Int? {
    if request.service == .feed { return FeedPage.longest }
    guard request.service == .media else { return nil }
    return switch request.asset {
    case .mediaManifest: MediaManifest.longest
    case .masterPlaylist, .mediaPlaylist, .vtt: HLSLimits().bytes
    default: nil
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
    map.master = place(manifest.playlistURL, from: uri)
    map.poster = manifest.posterURL.flatMap { place($0, from: uri) }
    map.storyboard = manifest.storyboardURL.flatMap { place($0, from: uri) }
    titles[request.number] = map
  }

  private mutating func learnMaster(
    _ body: [UInt8], _ request: OutsideRequest, _ uri: URIReference
  ) throws(Malformed) {
    guard case .multivariant(let master) = try playlist(body) else {
      throw Malformed(description: "master playlist: a media playlist")
    }
    let variants =
      found == nil
      ? master.variants.sorted { $0.bandwidth < $1.bandwidth } : FoundCatalogue.variants(master)
    if variants.isEmpty || found == nil && variants.count != ladder.count {
      throw Malformed(
        description: "master playlist: \(variants.count) variants where the ladder has "
          + "\(ladder.count)")
    }
    var map = titles[request.number] ?? TitleMap()
    if map.rungs.isEmpty {
      let rates = variants.map(\.bandwidth)
      map.rungs = ladder.indices.map { rung in
        let place =
          found == nil
          ? rung : FoundCatalogue.variant(of: rates, for: ladder[rung].bitsPerSecond)
        return Rendition(playlist: self.place(variants[place].uri, from: uri))
      }
    }
    if hasAudio && map.audio == nil {
      guard let audio = FoundCatalogue.audio(master)?.uri else {
        throw Malformed(description: "master playlist: no audio rendition of its own")
      }
      map.audio = Rendition(playlist: place(audio, from: uri))
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
    var rendition = Rendition(playlist: place(uri))
    rendition.initSection = media.initSections.first.flatMap {
      place($0.uri, from: uri, range: $0.byteRange)
    }
    rendition.segments = media.segments.prefix(ObjectLayout.maximumSegments).map {
      place($0.uri, from: uri, range: $0.byteRange)
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
      place(String(decoding: $0, as: UTF8.self), from: uri)
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
