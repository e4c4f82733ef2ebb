import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP/1.1 request over a connection of its own.
enum OneRequest {
  struct Answer: Sendable {
    var status: Int
    var body: [UInt8]
  }

  /// - Parameter bytes: so many bytes are sent as the body.
  /// - Throws: what NIO says of a connection that fails or ends early.
  static func send(
    _ method: HTTPMethod, _ path: String, bytes: Int = 0, host: String, port: Int,
    on loop: any EventLoop
  ) async throws -> Answer {
    let promise = loop.makePromise(of: Answer.self)
    let channel = ClientBootstrap(group: loop).connectTimeout(.seconds(5)).channelInitializer {
      channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        try channel.pipeline.syncOperations.addHandler(
          Exchange(method, path, bytes: bytes, host: host, promise))
      }
    }.connect(host: host, port: port)
    channel.whenFailure { promise.fail($0) }
    return try await promise.futureResult.get()
  }

  private final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let bytes: Int
    private let promise: EventLoopPromise<Answer>
    private var answer = Answer(status: 0, body: [])
    private var isDone = false

    init(
      _ method: HTTPMethod, _ path: String, bytes: Int, host: String,
      _ promise: EventLoopPromise<Answer>
    ) {
      var headers = HTTPHeaders([("host", host), ("connection", "close")])
      if bytes > 0 { headers.add(name: "content-length", value: "\(bytes)") }
      head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
      self.bytes = bytes
      self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      if bytes > 0 {
        let body = context.channel.allocator.buffer(repeating: 0, count: bytes)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): answer.status = Int(head.status.code)
      case .body(let part): answer.body += part.readableBytesView
      case .end:
        isDone = true
        promise.succeed(answer)
        context.close(promise: nil)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      end(error)
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { end(ChannelError.eof) }

    private func end(_ error: any Error) {
      if isDone { return }
      isDone = true
      promise.fail(error)
    }
  }
}
