import MediaUnits
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Carries requests over HTTP/2: each on a stream of its own, all at once (RFC 9113).
///
/// Streams are frames here and no channels of their own, which saves most of the work per request.
/// The windows are kept wide open: reading is never what an answer waits for.
final class HTTP2Carrier: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private let link: LiveLink
  private var context: ChannelHandlerContext?
  private var streams: [Int: LiveExchange] = [:]
  private var nextStream = 1
  /// The server takes no new streams.
  private var isLeaving = false

  init(_ link: LiveLink) { self.link = link }

  /// The codec below. Its guards against hostile peers are set wide: what a server does wrong is
  /// counted here.
  static func codec(_ configuration: LiveClientConfiguration) -> NIOHTTP2Handler {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .enablePush, value: 0),
      HTTP2Setting(parameter: .initialWindowSize, value: configuration.streamWindow),
      HTTP2Setting(
        parameter: .maxHeaderListSize, value: HPACKDecoder.defaultMaxHeaderListSize),
    ]
    connection.contentLengthValidation = .disabled
    connection.maximumSequentialEmptyDataFrames = 1_000
    connection.controlFrameRateLimit.maximumCount = 1_000_000
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.streamResetFrameRateLimit.maximumCount = 1_000_000
    stream.streamErrorRateLimit.maximumCount = 1_000_000
    return NIOHTTP2Handler(
      mode: .client, connectionConfiguration: connection, streamConfiguration: stream)
  }

  var isIdle: Bool { streams.isEmpty }

  var canTake: Bool { !isLeaving && nextStream < Int(Int32.max) - 2 }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    link.isConnected()
    begin(context)
  }

  private func begin(_ context: ChannelHandlerContext) {
    let target = link.loop.configuration.connectionWindow
    grow(context, .rootStream, by: target - HTTP2Carrier.firstConnectionWindow)
    link.isReady(.http2(self))
  }

  /// RFC 9113 section 6.9.2.
  private static let firstConnectionWindow = 65_535

  private func grow(_ context: ChannelHandlerContext, _ stream: HTTP2StreamID, by bytes: Int) {
    if bytes <= 0 { return }
    let frame = HTTP2Frame(
      streamID: stream, payload: .windowUpdate(windowSizeIncrement: bytes))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  // MARK: sending

  func send(_ exchange: LiveExchange) {
    guard let context else { return }
    let stream = HTTP2StreamID(nextStream)
    exchange.stream = nextStream
    streams[nextStream] = exchange
    nextStream += 2
    var headers = HPACKHeaders()
    headers.reserveCapacity(exchange.request.headers.count + 6)
    headers.add(name: ":method", value: exchange.method)
    headers.add(name: ":scheme", value: link.target.scheme)
    headers.add(name: ":authority", value: link.target.authority)
    headers.add(name: ":path", value: exchange.path)
    headers.add(name: "user-agent", value: link.loop.configuration.userAgent)
    for (name, value) in exchange.request.headers {
      headers.add(name: name.lowercased(), value: value)
    }
    let body = exchange.body ?? []
    if exchange.body != nil { headers.add(name: "content-length", value: String(body.count)) }
    let head = HTTP2Frame(
      streamID: stream, payload: .headers(.init(headers: headers, endStream: body.isEmpty)))
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenFailure { [self] error in
      if streams[exchange.stream] !== exchange || exchange.state != .sent { return }
      streams[exchange.stream] = nil
      link.caught(error)
      link.loop.fail(exchange, .closedBeforeHead)
    }
    context.write(wrapOutboundOut(head), promise: written)
    if !body.isEmpty {
      let buffer = context.channel.allocator.buffer(bytes: body)
      let data = HTTP2Frame(
        streamID: stream, payload: .data(.init(data: .byteBuffer(buffer), endStream: true)))
      context.write(wrapOutboundOut(data), promise: nil)
    }
    context.flush()
  }

  /// Gives a stream up.
  func reset(_ exchange: LiveExchange) {
    guard let context, exchange.stream > 0 else { return }
    streams[exchange.stream] = nil
    let frame = HTTP2Frame(
      streamID: HTTP2StreamID(exchange.stream), payload: .rstStream(.cancel))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    leaveIfDone()
  }

  // MARK: reading

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    let now = link.loop.clock.now
    if case .goAway(let last, _, _) = frame.payload {
      leave(after: last)
      return
    }
    guard let exchange = streams[Int(frame.streamID)] else { return }
    switch frame.payload {
    case .headers(let headers):
      if !took(headers.headers, of: exchange, at: now) { return }
      if headers.endStream { finish(exchange, at: now) }
    case .data(let data):
      guard exchange.state == .headed else {
        link.loop.abandon(exchange, .malformed)
        return
      }
      guard case .byteBuffer(let buffer) = data.data else { return }
      if buffer.readableBytes > 0, !link.loop.took(exchange, buffer, at: now) { return }
      if data.endStream { finish(exchange, at: now) }
    case .rstStream(let code):
      streams[exchange.stream] = nil
      if code == .refusedStream && exchange.state == .sent && link.mayRetry(exchange) {
        link.retry(exchange)
        link.slot.pump()
      } else {
        link.loop.fail(exchange, .streamReset(UInt32(code.networkCode)))
      }
      leaveIfDone()
    default: break
    }
  }

  /// The head of an answer, an interim answer, or trailers.
  private func took(_ headers: HPACKHeaders, of exchange: LiveExchange, at now: Instant) -> Bool {
    if exchange.state != .sent { return true }
    guard let status = headers.first(name: ":status").flatMap({ Int($0) }) else {
      link.loop.abandon(exchange, .malformed)
      return false
    }
    if status < 200 { return true }
    let fields = LiveHeaders(
      status: status, fields: headers.lazy.map { (name: $0.name, value: $0.value) })
    link.loop.headed(exchange, fields, serverCloses: false, at: now)
    return exchange.state != .done
  }

  private func finish(_ exchange: LiveExchange, at now: Instant) {
    streams[exchange.stream] = nil
    link.lastActive = now
    link.loop.finished(exchange, at: now)
    leaveIfDone()
    link.slot.pump()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? NIOHTTP2WindowUpdatedEvent {
      let configuration = link.loop.configuration
      let isRoot = event.streamID == .rootStream
      let target = isRoot ? configuration.connectionWindow : configuration.streamWindow
      if let size = event.inboundWindowSize, size < target / 2,
        isRoot || streams[Int(event.streamID)] != nil
      {
        grow(context, event.streamID, by: target - size)
      }
    } else if let event = event as? StreamClosedEvent {
      guard let exchange = streams[Int(event.streamID)] else { return }
      streams[exchange.stream] = nil
      link.loop.fail(exchange, .streamReset(UInt32((event.reason ?? .noError).networkCode)))
    }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: the end

  /// GOAWAY (section 6.8): streams beyond the last one were not worked on.
  private func leave(after last: HTTP2StreamID) {
    isLeaving = true
    if link.slot.link === link { link.slot.link = nil }
    // The newest first: each second try goes before those that were put back already.
    let unseen = streams.values.filter { $0.stream > Int(last) }.sorted { $0.stream > $1.stream }
    for exchange in unseen {
      streams[exchange.stream] = nil
      if link.mayRetry(exchange) {
        link.retry(exchange)
      } else {
        link.loop.fail(exchange, .goneAway)
      }
    }
    link.slot.pump()
    leaveIfDone()
  }

  private func leaveIfDone() {
    if isLeaving && streams.isEmpty { link.close() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? NIOHTTP2Errors.StreamError {
      if let exchange = streams.removeValue(forKey: Int(error.streamID)) {
        link.loop.fail(exchange, .malformed)
      }
      return
    }
    if link.phase == .ready && error is any NIOHTTP2Error {
      let unfinished = streams.values
      streams = [:]
      for exchange in unfinished { link.loop.fail(exchange, .malformed) }
    }
    link.caught(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    let unfinished = streams.values.sorted { $0.stream > $1.stream }
    streams = [:]
    link.isGone(unfinished)
  }
}
