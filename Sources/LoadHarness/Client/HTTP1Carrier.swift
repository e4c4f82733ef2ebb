import MediaUnits
import NIOCore
import NIOHTTP1

/// Carries requests over HTTP/1.1: one after the other, each after the answer to the one before
/// (RFC 9112 section 9.3). Interim (1xx) answers are passed over.
final class HTTP1Carrier: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let link: LiveLink
  private var context: ChannelHandlerContext?
  /// The request on the wire.
  private var current: LiveExchange?
  /// The answer's last byte was read at this time. The answer counts as ended when the read that
  /// brought it is over, so that bytes beyond it are seen.
  private var endedAt: Instant?
  private var isKeptAlive = true
  /// The answer says neither its length nor that it is in chunks.
  private var endsWithConnection = false

  init(_ link: LiveLink) { self.link = link }

  var isIdle: Bool { current == nil }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { link.isReady(.http1(self)) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    link.isConnected()
    link.isReady(.http1(self))
  }

  func send(_ exchange: LiveExchange) {
    guard let context else { return }
    current = exchange
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: exchange.method), uri: exchange.path)
    head.headers.reserveCapacity(exchange.request.headers.count + 3)
    head.headers.add(name: "Host", value: link.target.authority)
    head.headers.add(name: "User-Agent", value: link.loop.configuration.userAgent)
    for (name, value) in exchange.request.headers { head.headers.add(name: name, value: value) }
    if let body = exchange.body {
      head.headers.add(name: "Content-Length", value: String(body.count))
    }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let body = exchange.body, !body.isEmpty {
      let buffer = context.channel.allocator.buffer(bytes: body)
      context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let exchange = current, exchange.state != .done else { return }
    let now = link.loop.clock.now
    switch unwrapInboundIn(data) {
    case .head(let head):
      isKeptAlive = head.isKeepAlive
      endsWithConnection =
        !head.headers.contains(name: "content-length")
        && !head.headers.contains(name: "transfer-encoding")
      link.loop.headed(
        exchange, LiveHeaders(status: Int(head.status.code), fields: head.headers),
        serverCloses: !head.isKeepAlive, at: now)
    case .body(let buffer): _ = link.loop.took(exchange, buffer, at: now)
    case .end: endedAt = now
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) { finish() }

  /// Ends the answer that was read to its end.
  private func finish() {
    guard let endedAt, let exchange = current else { return }
    self.endedAt = nil
    current = nil
    link.lastActive = endedAt
    if !isKeptAlive { link.close() }
    // Where only the end of the connection ends a body, an end by an error has cut it.
    if endsWithConnection && link.lastError != nil {
      link.loop.fail(exchange, .closedMidBody)
    } else {
      link.loop.finished(exchange, at: endedAt)
    }
    link.slot.pump()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The end of the connection itself says this one better.
    if case .invalidEOFState? = error as? HTTPParserError { return }
    link.caught(error)
    if error is HTTPParserError || error is NIOHTTPDecoderError {
      if let exchange = current {
        let isSurplus = endedAt != nil && exchange.announced != nil
        current = nil
        endedAt = nil
        link.loop.abandon(exchange, isSurplus ? .wrongContentLength : .malformed)
      } else {
        link.loop.counters.unsolicited += 1
      }
    }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    let unfinished = current
    current = nil
    link.isGone(unfinished.map { [$0] } ?? [])
  }
}
