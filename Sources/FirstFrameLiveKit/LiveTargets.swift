import ArgumentParser
import Foundation
import LoadHarness
import Models
import NIOPosix
import Scenario

/// The servers that a run was pointed at, and what they have.
struct LiveTargets {
  let edge: LiveTarget
  let service: LiveTarget?
  /// Where titles are to be found before the run; nil: they are the scenario's.
  let source: Source?

  enum Source {
    case playlists([String])
    case feed
  }

  /// - Parameters:
  ///   - playlists: a file with the URL of a master playlist on each line; `#` begins a comment.
  init(
    target: String, api: String?, playlists: String?, isFed: Bool
  ) throws {
    edge = try LiveTarget(url: target)
    service = try api.map { try LiveTarget(url: $0) }
    if isFed {
      source = .feed
    } else if let playlists {
      let data: [UInt8]
      do throws(InputFile.Failure) {
        data = try InputFile.bytes(at: playlists, limit: YAMLReader.Limits.bytes)
      } catch {
        throw HarnessFailure(
          .input, "\(playlists): expected \(error.expected), got \(error.got)")
      }
      let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        .map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.hasPrefix("#") }
      if lines.isEmpty {
        throw HarnessFailure(.data, "\(playlists): expected URLs of master playlists, got none")
      }
      source = .playlists(lines)
    } else if LiveTargets.isPlaylist(target) {
      source = .playlists([target])
    } else {
      source = nil
    }
  }

  /// Whether a URL names a playlist by its path.
  static func isPlaylist(_ url: String) -> Bool {
    URIReference(url).path.lowercased().hasSuffix(".m3u8")
  }

  /// Whose certificates count, and which protocol is spoken: a server under test is one's own.
  static func manner(
    _ edge: LiveTarget
  ) -> (LiveClientConfiguration.Transport, LiveClientConfiguration.Trust) {
    edge.isSecure ? (.http2, .anyone) : (.http1, .system)
  }

  /// Looks at what the servers have, if the titles are to be theirs.
  ///
  /// - Parameter pageSize: items of a page of the feed.
  func find(pageSize: UInt32) async throws -> FoundCatalogue? {
    guard let source else { return nil }
    let wanted: CatalogueProbe.Source =
      switch source {
      case .playlists(let uris): .playlists(uris)
      case .feed: .feed(pageSize: Int(pageSize))
      }
    var probe = CatalogueProbe(wanted, targets: [edge] + (service.map { [$0] } ?? []))
    (probe.transport, probe.trust) = LiveTargets.manner(edge)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let found = try await probe.run(group: group)
      try await group.shutdownGracefully()
      return found
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }
}
