import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An answer with its whole body.
struct LiveAnswer {
  let status: Int
  let fields: HTTPHeaders
  let body: [UInt8]

  func field(_ name: String) -> String? { fields.first(name: name) }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The parameters of the last `Cache-Status` member, such as `fwd=stale`.
  var cacheStatus: [String] {
    (fields["cache-status"].last ?? "").split(separator: ";").dropFirst()
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  var isHit: Bool { cacheStatus.contains("hit") }
}

/// Requests to one server on this machine. Connections that the server keeps open are used again;
/// requests at the same time have one each.
final class LiveRequests: Sendable {
  private let port: Int
  private let idle = Mutex<[any Channel]>([])

  init(port: Int) { self.port = port }

  func get(_ path: String, _ fields: [(String, String)] = []) async throws -> LiveAnswer {
    try await send("GET", path, fields)
  }

  /// - Throws: when no whole answer has come after twenty seconds or 64 MiB, or never will.
  func send(
    _ method: String, _ path: String, _ fields: [(String, String)] = [], body: String? = nil
  ) async throws -> LiveAnswer {
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: path,
      headers: HTTPHeaders(fields))
    if !head.headers.contains(name: "host") {
      head.headers.add(name: "host", value: "127.0.0.1:\(port)")
    }
    if body != nil || method == "POST" || method == "PUT" {
      head.headers.add(name: "content-length", value: String(body?.utf8.count ?? 0))
    }
    let channel = try await connection()
    let whole = channel.eventLoop.makePromise(of: WholeAnswer.self)
    let limit = channel.eventLoop.scheduleTask(in: .seconds(20)) {
      whole.fail(ChannelError.connectTimeout(.seconds(20)))
      channel.close(promise: nil)
    }
    defer { limit.cancel() }
    channel.writeAndFlush(
      Question(head: head, body: body.map { ByteBuffer(string: $0) }, answer: whole), promise: nil)
    let answer = try await whole.futureResult.get()
    if answer.isKeptAlive { idle.withLock { $0.append(channel) } }
    return LiveAnswer(
      status: Int(answer.head.status.code), fields: answer.head.headers,
      body: Array(answer.body.readableBytesView))
  }

  func stop() async {
    let open = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for channel in open { try? await channel.close() }
  }

  /// One that is idle and that the server has not closed, or else a new one.
  private func connection() async throws -> any Channel {
    let kept = idle.withLock { idle in
      idle.removeAll { !$0.isActive }
      return idle.popLast()
    }
    if let kept { return kept }
    return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(AnswerReader())
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }
}

/// A request, and where its answer goes.
private struct Question: Sendable {
  let head: HTTPRequestHead
  let body: ByteBuffer?
  let answer: EventLoopPromise<WholeAnswer>
}

private struct WholeAnswer: Sendable {
  let head: HTTPResponseHead
  var body: ByteBuffer
  var isKeptAlive: Bool { head.isKeepAlive }
}

/// A body of more than 64 MiB, which no server of the tests has but on purpose.
private struct EndlessAnswer: Error {}

/// Writes one question at a time and puts its answer together.
private final class AnswerReader: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundIn = Question
  typealias OutboundOut = HTTPClientRequestPart

  private var asked: EventLoopPromise<WholeAnswer>?
  private var read: WholeAnswer?

  /// Bytes of a body after which nobody waits for its end.
  private static let longest = 64 << 20

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let question = unwrapOutboundIn(data)
    // The server may have closed what was idle a moment ago.
    guard context.channel.isActive else {
      return question.answer.fail(ChannelError.ioOnClosedChannel)
    }
    asked = question.answer
    context.write(wrapOutboundOut(.head(question.head)), promise: nil)
    if let body = question.body {
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    context.write(wrapOutboundOut(.end(nil)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): read = WholeAnswer(head: head, body: ByteBuffer())
    case .body(var part):
      read?.body.writeBuffer(&part)
      if (read?.body.readableBytes ?? 0) > AnswerReader.longest {
        read = nil
        fail(EndlessAnswer())
        context.close(promise: nil)
      }
    case .end:
      guard let answer = read else { return }
      read = nil
      asked?.succeed(answer)
      asked = nil
      if !answer.isKeptAlive { context.close(promise: nil) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(ChannelError.eof)
    context.fireChannelInactive()
  }

  private func fail(_ error: any Error) {
    asked?.fail(error)
    asked = nil
  }
}
