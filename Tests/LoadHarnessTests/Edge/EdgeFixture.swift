import CachePolicy
import Foundation
import HTTPTypes
import Hummingbird
import MediaUnits
import NIOCore
import Synchronization

@testable import LoadHarness

/// An origin that answers as a test says and remembers what it was asked.
final class EdgeOrigin: Sendable {
  /// One answer.
  struct Script: Sendable {
    var status = 200
    var fields: [(String, String)] = []
    var body = "body"
    var delay = Duration.zero
    /// The connection ends before the head, or in the middle of the body.
    var dropsHead = false
    var dropsBody = false
    /// Whether the length of the body is not stated.
    var isChunked = false
  }

  struct Asked: Sendable {
    var method: String
    var path: String
    var fields: HTTPFields
  }

  private struct Context: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = .init(source: source)
      channel = source.channel
    }
  }

  struct Dropped: Error {}

  private let script: Mutex<@Sendable (Asked) -> Script>
  private let log = Mutex<[Asked]>([])
  private let listener = Mutex<WebListener?>(nil)

  init(_ script: @escaping @Sendable (Asked) -> Script) { self.script = Mutex(script) }

  var port: Int { listener.withLock { $0?.port ?? 0 } }
  var asked: [Asked] { log.withLock { $0 } }
  func answer(_ new: @escaping @Sendable (Asked) -> Script) { script.withLock { $0 = new } }
  func answer(_ new: Script) { answer { _ in new } }

  func start() async throws {
    let started = try await WebListener.start(
      CallbackResponder { [self] (request: Request, context: Context) in
        try await respond(request, context)
      }, host: "127.0.0.1", port: 0)
    listener.withLock { $0 = started }
  }

  private func respond(_ request: Request, _ context: Context) async throws -> Response {
    let asked = Asked(
      method: request.method.rawValue, path: request.head.path ?? "", fields: request.headers)
    log.withLock { $0.append(asked) }
    let script = script.withLock { $0 }(asked)
    if script.delay > .zero { try await Task.sleep(for: script.delay) }
    if script.dropsHead {
      try? await context.channel.close().get()
      throw Dropped()
    }
    var fields = HTTPFields()
    for (name, value) in script.fields {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    let bytes = ByteBuffer(string: script.body)
    if script.status == 304 || script.status == 204 {
      return Response(status: .init(code: script.status), headers: fields)
    }
    if !script.dropsBody && !script.isChunked {
      return Response(
        status: .init(code: script.status), headers: fields, body: .init(byteBuffer: bytes))
    }
    return Response(
      status: .init(code: script.status), headers: fields,
      body: ResponseBody(contentLength: script.isChunked ? nil : bytes.readableBytes + 100) {
        writer in
        try await writer.write(bytes)
        if script.dropsBody { throw Dropped() }
        try await writer.finish(nil)
      })
  }

  func stop() async {
    await listener.withLock { $0 }?.stop(within: .zero)
  }
}

extension HTTPField.Name {
  static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!
}

/// An edge in front of a scripted origin.
enum EdgeFixture {
  /// Event loops for connections of clients (`FIRSTFRAME_EDGE_LOOPS`): the edge's tests hold for
  /// any number.
  static let loops =
    ProcessInfo.processInfo.environment["FIRSTFRAME_EDGE_LOOPS"].flatMap { Int($0) } ?? 1

  static func with(
    _ script: EdgeOrigin.Script = .init(), loops: Int = loops,
    configure: (inout EdgeConfiguration) -> Void = { _ in },
    _ body: (EdgeOrigin, LiveRequests, EdgeServer) async throws -> Void
  ) async throws {
    let origin = EdgeOrigin { _ in script }
    try await origin.start()
    var configuration = EdgeConfiguration(
      origin: OriginAddress(host: "127.0.0.1", port: origin.port))
    configure(&configuration)
    let edge = try await EdgeServer.start(configuration, port: 0, loops: loops)
    let client = LiveRequests(port: edge.port)
    var failure: (any Error)?
    do { try await body(origin, client, edge) } catch { failure = error }
    await client.stop()
    await edge.stop()
    await origin.stop()
    if let failure { throw failure }
  }
}
