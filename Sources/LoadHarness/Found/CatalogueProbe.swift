import MediaUnits
import Models
import NIOCore

/// Finds out before a run what an HLS origin has: reads master playlists, or pages of a feed and
/// the manifests that they name, and of each title one media playlist.
///
/// Polite: at most ``titles`` titles, ``lanes`` requests at a time, bodies and waits bounded.
/// Nothing but the targets is asked; what points elsewhere is counted. A cache in front of the
/// origin has what was looked at afterwards: texts, and no media.
public struct CatalogueProbe: Sendable {
  /// Where titles come from.
  public enum Source: Sendable {
    /// URIs of master playlists, relative to the first target.
    case playlists([String])
    /// Pages of `/v1/feed`, of so many items each.
    case feed(pageSize: Int)
  }

  public var source: Source
  /// The edge, and the feed's host when that is another one.
  public var targets: [LiveTarget]
  public var transport = LiveClientConfiguration.Transport.http1
  public var trust = LiveClientConfiguration.Trust.system
  /// Most titles that are looked at, and most pages.
  public var titles = 1000
  public var pages = 100
  /// Requests at a time (assumed: as many as a browser opens to one host).
  public var lanes = 6
  /// How long it looks; what was not seen by then is counted (assumed: a thousand titles over 100
  /// ms take a minute).
  public var patience = TimeSpan.seconds(120)

  public init(_ source: Source, targets: [LiveTarget]) {
    self.source = source
    self.targets = targets
  }

  /// A title that was named.
  private struct Named: Sendable {
    var name: String
    var manifest: URIReference?
    var master: URIReference?
  }

  /// What became of one.
  private enum Look: Sendable {
    case found(FoundCatalogue.Entry, HLSMedia)
    /// The kind of trouble, and whether anybody answered.
    case lost(String, isAnswered: Bool)
  }

  /// Looks at everything.
  ///
  /// - Throws: ``HarnessFailure``: unreachable when nobody answered, bad data when there is nothing
  ///   to play.
  public func run(group: any EventLoopGroup) async throws -> FoundCatalogue {
    let fetcher = try DocumentFetcher(
      targets: targets, transport: transport, trust: trust, group: group, patience: patience)
    do {
      let found = try await look(fetcher)
      await fetcher.shutDown()
      return found
    } catch {
      await fetcher.shutDown()
      throw error
    }
  }

  private func look(_ fetcher: DocumentFetcher) async throws -> FoundCatalogue {
    var catalogue = FoundCatalogue()
    var isAnswered = false
    let named: [Named]
    switch source {
    case .playlists(let uris):
      let base = targets[0].reference(path: "/")
      named = uris.prefix(titles).map {
        Named(name: $0, master: URIReference($0).resolved(against: base))
      }
      if uris.count > titles { catalogue.note(remark: "list longer than \(titles) titles, cut") }
    case .feed(let pageSize):
      catalogue.isFed = true
      named = await feed(fetcher, pageSize: pageSize, &catalogue, &isAnswered)
    }
    for look in await looks(named, fetcher) {
      switch look {
      case .found(let entry, let media):
        isAnswered = true
        guard let title = catalogue.title(media) else { continue }
        var entry = entry
        entry.title = title
        catalogue.add(entry)
      case .lost(let kind, let answered):
        isAnswered = isAnswered || answered
        catalogue.note(problem: kind)
      }
    }
    if !catalogue.entries.isEmpty { return catalogue }
    let told = catalogue.problems.sorted { $0.key < $1.key }
      .map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    throw HarnessFailure(
      isAnswered ? .data : .unreachable,
      "\(targets[0].reference(path: "/")): expected titles that can be played, got none"
        + (told.isEmpty ? "" : " (\(told))"))
  }

  /// Looks at the titles, a few at a time; in their order.
  private func looks(_ named: [Named], _ fetcher: DocumentFetcher) async -> [Look] {
    await withTaskGroup(of: [(Int, Look)].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          var looks: [(Int, Look)] = []
          for place in stride(from: lane, to: named.count, by: lanes) {
            looks.append((place, await look(at: named[place], fetcher, lane: UInt32(lane))))
          }
          return looks
        }
      }
      var all: [(Int, Look)] = []
      for await part in group { all += part }
      return all.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  // MARK: One title

  private func look(at named: Named, _ fetcher: DocumentFetcher, lane: UInt32) async -> Look {
    do {
      var entry = FoundCatalogue.Entry(
        name: named.name, manifest: named.manifest, master: named.master ?? URIReference(""),
        rates: [], hasAudio: false,
        title: GivenTitle(duration: .seconds(1), segmentCount: 1, step: .seconds(1)))
      if let uri = named.manifest {
        let manifest = try MediaManifest.parse(await fetcher.document(at: uri, lane: lane))
        let resolved = { (text: String) in URIReference(text).resolved(against: uri) }
        entry.master = resolved(manifest.playlistURL)
        // Pictures of another host are none: nobody is asked for them.
        entry.poster = manifest.posterURL.map(resolved).flatMap { isOurs($0) ? $0 : nil }
        entry.storyboard = manifest.storyboardURL.map(resolved).flatMap { isOurs($0) ? $0 : nil }
      }
      let text = try await fetcher.document(at: entry.master, lane: lane)
      guard case .multivariant(let master) = try playlist(text) else {
        return .lost("media playlist in place of a master playlist", isAnswered: true)
      }
      let variants = FoundCatalogue.variants(master)
      guard let first = variants.first else {
        return .lost("master playlist without variants", isAnswered: true)
      }
      entry.rates = variants.map(\.bandwidth)
      entry.hasAudio = FoundCatalogue.audio(master) != nil
      let uri = URIReference(first.uri).resolved(against: entry.master)
      guard case .media(let media) = try playlist(await fetcher.document(at: uri, lane: lane))
      else { return .lost("master playlist in place of a media playlist", isAnswered: true) }
      let isPlayable = media.segments.contains {
        isOurs(URIReference($0.uri).resolved(against: uri))
      }
      if !isPlayable && !media.segments.isEmpty {
        return .lost("segments of another host", isAnswered: true)
      }
      return .found(entry, media)
    } catch let failure as DocumentFetcher.Failure {
      return .lost(failure.name, isAnswered: failure.isOfServer)
    } catch let error as ReadProblem {
      return .lost("playlist: \(error.problem.code.rawValue)", isAnswered: true)
    } catch {
      return .lost("media manifest that cannot be read", isAnswered: true)
    }
  }

  private func isOurs(_ uri: URIReference) -> Bool { targets.contains { $0.owns(uri) } }

  private func playlist(_ text: [UInt8]) throws -> HLSPlaylist {
    let parsing = HLSPlaylist.parse(text)
    if let playlist = parsing.playlist, parsing.errors.isEmpty { return playlist }
    throw ReadProblem(
      parsing.errors.first ?? HLSProblem(line: 1, code: .notAPlaylist, detail: "a playlist"))
  }

  // MARK: The feed

  /// The titles that pages name, each once.
  private func feed(
    _ fetcher: DocumentFetcher, pageSize: Int, _ catalogue: inout FoundCatalogue,
    _ isAnswered: inout Bool
  ) async -> [Named] {
    var named: [Named] = []
    var known: Set<String> = []
    var cursor: String?
    let host = targets[targets.count - 1]
    for _ in 0..<pages {
      let place = host.reference(path: MediaLayout.feedTarget(pageSize, cursor: cursor))
      do {
        let page = try FeedPage.parse(await fetcher.document(at: place, lane: 0))
        isAnswered = true
        for item in page.items where named.count < titles {
          if !known.insert(item.videoID).inserted { continue }
          // Relative to the edge, as players take it.
          let uri = URIReference(item.manifestURL).resolved(
            against: targets[0].reference(path: "/"))
          named.append(Named(name: item.videoID, manifest: uri))
        }
        cursor = page.cursor
        if page.items.isEmpty || cursor == nil || named.count >= titles { break }
      } catch let failure as DocumentFetcher.Failure {
        isAnswered = isAnswered || failure.isOfServer
        catalogue.note(problem: "feed page: \(failure.name)")
        break
      } catch {
        isAnswered = true
        catalogue.note(problem: "feed page that cannot be read")
        break
      }
    }
    return named
  }
}

/// A playlist that cannot be used, as an error.
private struct ReadProblem: Error {
  var problem: HLSProblem
  init(_ problem: HLSProblem) { self.problem = problem }
}
