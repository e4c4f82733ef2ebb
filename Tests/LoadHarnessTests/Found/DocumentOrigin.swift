import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

@testable import LoadHarness

/// A server of a table of documents, whose paths are nobody's but its own. Knows ranges, counts
/// requests, and serves what a test puts into its table.
final class DocumentOrigin: Sendable {
  struct Asked: Sendable, Equatable {
    var target: String
    var range: String?
  }

  private struct State {
    var documents: [String: [UInt8]] = [:]
    var asked: [Asked] = []
  }

  private let state = Mutex(State())
  private let bound = Mutex(0)

  var port: Int { bound.withLock { $0 } }
  var url: String { "http://127.0.0.1:\(port)" }
  var asked: [Asked] { state.withLock { $0.asked } }

  func forget() { state.withLock { $0.asked = [] } }

  func put(_ path: String, _ text: String) { put(path, Array(text.utf8)) }

  func put(_ path: String, _ bytes: [UInt8]) { state.withLock { $0.documents[path] = bytes } }

  private struct Responder: HTTPResponder {
    typealias Context = BasicRequestContext
    let origin: DocumentOrigin

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
      let target = request.head.path ?? "/"
      let range = request.headers[.range]
      let document = origin.state.withLock { state -> [UInt8]? in
        state.asked.append(Asked(target: target, range: range))
        return state.documents[target] ?? state.documents[request.uri.path]
      }
      guard let document else { return Response(status: .notFound) }
      var fields: HTTPFields = [.cacheControl: "max-age=600"]
      guard let bounds = range.flatMap({ DocumentOrigin.bounds($0, document.count) }) else {
        return Response(
          status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: document)))
      }
      fields[.contentRange] =
        "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(document.count)"
      return Response(
        status: .partialContent, headers: fields,
        body: .init(byteBuffer: ByteBuffer(bytes: document[bounds])))
    }
  }

  /// The bytes of `bytes=from-to`.
  private static func bounds(_ field: String, _ count: Int) -> Range<Int>? {
    let ends = field.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
    guard ends.count == 2, ends[0] <= ends[1], ends[1] < count else { return nil }
    return ends[0]..<(ends[1] + 1)
  }

  /// Runs `body` with a server.
  static func with(_ body: (DocumentOrigin) async throws -> Void) async throws {
    let origin = DocumentOrigin()
    let listener = try await WebListener.start(
      Responder(origin: origin), host: "127.0.0.1", port: 0)
    origin.bound.withLock { $0 = listener.port }
    do {
      try await body(origin)
    } catch {
      await listener.stop(within: .zero)
      throw error
    }
    await listener.stop(within: .zero)
  }
}

/// Small titles in another house's manner.
extension DocumentOrigin {
  /// fMP4 in one file, byte ranges, a discontinuity, one relative and one absolute URI; 10 s.
  func putRanges() {
    put(
      "/shows/alpha/index.m3u8",
      """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=1200000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=1280x720
      \(url)/shows/alpha/high/stream.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=400000,CODECS="avc1.4d401e,mp4a.40.2",RESOLUTION=416x234
      low/stream.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"
      sound/stream.m3u8

      """)
    for (name, size) in [("low", 20_000), ("high", 60_000)] {
      var text =
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n"
        + "#EXT-X-MAP:URI=\"main.mp4\",BYTERANGE=\"600@0\"\n"
      text += "#EXTINF:4,\n#EXT-X-BYTERANGE:\(size)@600\nmain.mp4\n"
      text += "#EXTINF:4,\n#EXT-X-BYTERANGE:\(size)\nmain.mp4\n#EXT-X-DISCONTINUITY\n"
      text += "#EXTINF:2,\n#EXT-X-BYTERANGE:\(size / 2)\nmain.mp4\n#EXT-X-ENDLIST\n"
      put("/shows/alpha/\(name)/stream.m3u8", text)
      put("/shows/alpha/\(name)/main.mp4", [UInt8](repeating: 7, count: 600 + size * 5 / 2))
    }
  }

  /// MPEG-TS, no init segment, one variant, parent folders in paths, a query; 18 s.
  func putStreams() {
    put(
      "/b/master.m3u8?key=1",
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=700000\n../ts/b.m3u8\n")
    put(
      "/ts/b.m3u8",
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
        + (0..<3).map { "#EXTINF:6.0,\nb\($0).ts\n" }.joined() + "#EXT-X-ENDLIST\n")
    for index in 0..<3 {
      put("/ts/b\(index).ts", [UInt8](repeating: 71, count: 188 * 300))
    }
  }

  /// Playlists that cannot be played: elsewhere, broken, endless, not there.
  func putTroubles() {
    put(
      "/elsewhere.m3u8",
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=700000\nhttp://other.invalid/a.m3u8\n")
    put("/broken.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=much\na.m3u8\n")
    put("/endless.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=700000\nlive.m3u8\n")
    put("/live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n")
  }
}
