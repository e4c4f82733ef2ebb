import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A server on loopback that misbehaves on purpose: the path of a request says how.
final class ScriptedServer: Sendable {
  enum Kind: Sendable {
    case http1
    case http2
    /// HTTP/1.1 over TLS; with HTTP/2 when the client offers it.
    case tls(NIOSSLContext)
    /// Accepts, and never says anything.
    case silent
    /// Answers whatever comes in with plain text.
    case plainText
  }

  let channel: any Channel
  private let accepted: NIOLockedValueBox<Int>
  private let gone: NIOLockedValueBox<Int>
  private let open: NIOLockedValueBox<[ObjectIdentifier: any Channel]>

  var port: Int { channel.localAddress?.port ?? 0 }
  /// Connections taken so far.
  var connections: Int { accepted.withLockedValue { $0 } }

  init(_ kind: Kind, group: any EventLoopGroup) async throws {
    let accepted = NIOLockedValueBox(0)
    let gone = NIOLockedValueBox(0)
    let open = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])
    (self.accepted, self.gone, self.open) = (accepted, gone, open)
    channel = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 4_096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        accepted.withLockedValue { $0 += 1 }
        open.withLockedValue { $0[ObjectIdentifier(channel)] = channel }
        channel.closeFuture.whenComplete { _ in
          gone.withLockedValue { $0 += 1 }
          open.withLockedValue { $0[ObjectIdentifier(channel)] = nil }
        }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          switch kind {
          case .http1: try pipeline.addHandler(ScriptedHTTP1())
          case .http2:
            try pipeline.addHandlers([ScriptedHTTP2.codec(), ScriptedHTTP2()])
          case .tls(let context):
            try pipeline.addHandler(NIOSSLServerHandler(context: context))
            try pipeline.addHandler(ScriptedALPN())
          case .silent: break
          case .plainText: try pipeline.addHandler(SaysPlainText())
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  func stop() async throws {
    try? await channel.close().get()
    for channel in open.withLockedValue({ Array($0.values) }) {
      try? await channel.close().get()
    }
  }
}

/// Puts the protocol in place that the client asked for.
private final class ScriptedALPN: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    let pipeline = context.pipeline.syncOperations
    if "\(event)".contains("handshakeCompleted") {
      let isHTTP2 = "\(event)".contains("h2")
      let handlers: [any ChannelHandler] =
        isHTTP2 ? [ScriptedHTTP2.codec(), ScriptedHTTP2()] : [ScriptedHTTP1()]
      try? pipeline.addHandlers(handlers)
      pipeline.removeHandler(self, promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// Speaks HTTP/1.1 well enough, or badly enough.
private final class ScriptedHTTP1: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var text = ""

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    while let end = text.range(of: "\r\n\r\n") {
      let head = text[..<end.lowerBound]
      let length = head.lowercased().components(separatedBy: "content-length: ").dropFirst().first
        .flatMap { Int($0.prefix { $0.isNumber }) }
      if let length, text[end.upperBound...].utf8.count < length { return }
      let body = String(text[end.upperBound...].prefix(length ?? 0))
      text = String(text[end.upperBound...].dropFirst(length ?? 0))
      let parts = head.split(separator: " ", maxSplits: 2)
      if parts.count > 1 { answer(context, String(parts[0]), String(parts[1]), body) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func write(_ context: ChannelHandlerContext, _ text: String) {
    let buffer = context.channel.allocator.buffer(string: text)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  private func ok(_ context: ChannelHandlerContext, _ body: String, _ fields: String = "") {
    write(context, "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }

  private func fill(_ count: Int) -> String { String(repeating: "x", count: count) }

  private func answer(
    _ context: ChannelHandlerContext, _ method: String, _ path: String, _ body: String
  ) {
    let parts = path.split(separator: "/")
    let number = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    switch parts.first {
    case "ok": ok(context, fill(number), "X-Cache: HIT\r\n")
    case "echo": ok(context, "\(method) \(path) \(body)")
    case "malformed": write(context, "FTP/9 what\r\n\r\n")
    case "badlength": write(context, "HTTP/1.1 200 OK\r\nContent-Length: 12, 13\r\n\r\nxx")
    case "endless":
      write(context, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      endless(context)
    case "loop":
      write(context, "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 3\r\n\r\nabc")
    case "hop":
      let next = number > 0 ? "../hop/\(number - 1)" : "../ok/7"
      write(context, "HTTP/1.1 307 Moved\r\nLocation: \(next)\r\nContent-Length: 0\r\n\r\n")
    case "elsewhere":
      write(
        context,
        "HTTP/1.1 301 Moved\r\nLocation: http://example.invalid/\r\nContent-Length: 0\r\n\r\n")
    case "short":
      write(
        context,
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" + fill(600))
      context.close(promise: nil)
    case "long": write(context, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + fill(200))
    case "nohead": context.close(promise: nil)
    case "halfhead":
      write(context, "HTTP/1.1 200 OK\r\nContent-")
      context.close(promise: nil)
    case "mid":
      write(context, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + fill(300))
      context.close(promise: nil)
    case "cut":
      write(context, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n8\r\nab")
      context.close(promise: nil)
    case "reset": reset(context)
    case "silent": break
    case "stuck": write(context, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + fill(300))
    case "continue":
      write(context, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
      ok(context, "after")
    case "chunked":
      write(
        context,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nabcde\r\n"
          + "3;name=value\r\nfgh\r\n0\r\nX: y\r\n\r\n")
    case "goodbye":
      ok(context, "bye", "Connection: close\r\n")
      context.close(promise: nil)
    case "lurk":
      // Keeps the connection, as it seems, and closes it at the next request.
      ok(context, "here")
      text = ""
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
      try? context.pipeline.syncOperations.addHandler(ClosesAtOnce())
    case "fivehundred":
      write(context, "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno")
    case "unlimited":
      write(context, "HTTP/1.1 200 OK\r\n\r\n" + fill(50))
      context.close(promise: nil)
    default: write(context, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }
  }

  private static let chunk = ByteBuffer(
    string: "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n")

  /// Chunks without end, as fast as the client takes them.
  private func endless(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(wrapOutboundOut(Self.chunk), promise: written)
    written.futureResult.assumeIsolated().whenSuccess {
      // Not at once: the client may be on the same loop.
      context.eventLoop.assumeIsolated().execute { self.endless(context) }
    }
  }

  /// A head, some bytes, and RST in place of FIN.
  private func reset(_ context: ChannelHandlerContext) {
    write(context, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n" + fill(9))
    let off = linger(l_onoff: 1, l_linger: 0)
    if let options = context.channel as? any SocketOptionProvider {
      _ = options.unsafeSetSocketOption(level: .socket, name: .so_linger, value: off)
    }
    context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(30)) {
      context.close(promise: nil)
    }
  }
}

extension ScriptedHTTP1: RemovableChannelHandler {}

private final class ClosesAtOnce: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
}

private final class SaysPlainText: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = context.channel.allocator.buffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }
}

/// HTTP/2 frame by frame.
private final class ScriptedHTTP2: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// Lets wrong lengths out.
  static func codec() -> NIOHTTP2Handler {
    NIOHTTP2Handler(mode: .server, contentLengthValidation: .disabled)
  }

  private func headers(
    _ context: ChannelHandlerContext, _ stream: HTTP2StreamID, _ fields: HPACKHeaders,
    end: Bool = false
  ) {
    let frame = HTTP2Frame(
      streamID: stream, payload: .headers(.init(headers: fields, endStream: end)))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  private func data(
    _ context: ChannelHandlerContext, _ stream: HTTP2StreamID, _ count: Int, end: Bool = true
  ) {
    let buffer = context.channel.allocator.buffer(repeating: 0x78, count: count)
    let frame = HTTP2Frame(
      streamID: stream, payload: .data(.init(data: .byteBuffer(buffer), endStream: end)))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard case .headers(let head) = frame.payload,
      let path = head.headers.first(name: ":path")
    else { return }
    let stream = frame.streamID
    let parts = path.split(separator: "/")
    let number = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    switch parts.first {
    case "ok":
      headers(context, stream, [":status": "200", "content-length": "\(number)"], end: number == 0)
      if number > 0 { self.data(context, stream, number) }
    case "short", "long":
      headers(context, stream, [":status": "200", "content-length": "100"])
      self.data(context, stream, parts[0] == "short" ? 60 : 140)
    case "reset":
      headers(context, stream, [":status": "200", "content-length": "100"])
      self.data(context, stream, 10, end: false)
      rst(context, stream, .internalError)
    case "refuse": rst(context, stream, .refusedStream)
    case "goaway":
      let frame = HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil))
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    case "bye":
      // The last answer on this connection.
      let frame = HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(lastStreamID: stream, errorCode: .noError, opaqueData: nil))
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
      headers(context, stream, [":status": "200"])
      self.data(context, stream, 5)
    case "mid":
      headers(context, stream, [":status": "200", "content-length": "100"])
      self.data(context, stream, 10, end: false)
      context.close(promise: nil)
    case "early":
      headers(context, stream, [":status": "103"])
      headers(context, stream, [":status": "200"])
      self.data(context, stream, 3, end: false)
      headers(context, stream, ["x-trailer": "y"], end: true)
    case "silent": break
    default: headers(context, stream, [":status": "404"], end: true)
    }
  }

  private func rst(
    _ context: ChannelHandlerContext, _ stream: HTTP2StreamID, _ code: HTTP2ErrorCode
  ) {
    let frame = HTTP2Frame(streamID: stream, payload: .rstStream(code))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
