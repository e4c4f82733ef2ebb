import MediaUnits
import NIOCore
import NIOHTTP1

/// The server side of one HTTP/1.1 connection or one HTTP/2 stream of a client: one request at a
/// time, in order.
final class EdgeClientHandler: ChannelInboundHandler, EdgeSink {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let desk: EdgeDesk
  /// The connection's streams, of which this is one; nil for a connection over HTTP/1.1.
  private let streams: EdgeStreams?
  /// Nil where others see the connection's bytes.
  private let clock: EdgeIdleClock?
  private var context: ChannelHandlerContext?
  /// Writes of a stream that its client has not taken yet, and when it took one last.
  private var outstanding = 0
  private var movedAt = NIODeadline.now()
  private var head: HTTPRequestHead?
  private var content: ByteBuffer?
  private var visit: EdgeVisit?
  /// More may be written in this turn.
  private var holdsFlush = false
  private var isUnflushed = false
  private var isTooLarge = false
  /// Nothing further is taken: the last answer is given, or the connection is gone.
  private var isRefused = false
  private var isConnection = false
  /// Since when the client owes the rest of a request, and how long it may.
  private var owesSince: NIODeadline?
  private var owesFor: TimeAmount
  private var timer: Scheduled<Void>?
  private var keepsAlive = true
  private var isHead = false
  /// Bytes of a body that is too large.
  private var passedOver = 0

  init(
    _ desk: EdgeDesk, in streams: EdgeStreams? = nil, closedBy clock: EdgeIdleClock? = nil
  ) {
    self.desk = desk
    self.streams = streams
    self.clock = clock
    owesFor = .nanoseconds(desk.configuration.limits.headTimeout.nanoseconds)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // A stream of HTTP/2 begins with a head.
    isConnection = streams == nil
    streams?.began(self)
    clock?.watch(context.channel)
    owesHead()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    stopClocks()
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isRefused { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if let status = EdgeRequestRules.refusal(of: head) { return refuse(status) }
      owes(for: desk.configuration.limits.bodyTimeout)
      self.head = head
      content = nil
      isTooLarge = false
      passedOver = 0
      keepsAlive = head.isKeepAlive
      isHead = head.method == .HEAD
      if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
        inform(HTTPResponseHead(version: .http1_1, status: .continue))
      }
    case .body(var bytes):
      clock?.moved(at: .now())
      let count = (content?.readableBytes ?? 0) + bytes.readableBytes
      let most = desk.configuration.limits.largestRequest
      if isTooLarge || count > most {
        // What is still on its way is passed over, so that the client hears the answer.
        passedOver += isTooLarge ? bytes.readableBytes : count
        isTooLarge = true
        content = nil
        if passedOver > 2 * most { context.close(promise: nil) }
      } else if content == nil {
        content = bytes
      } else {
        content?.writeBuffer(&bytes)
      }
    case .end:
      owesSince = nil
      guard let head else { return }
      self.head = nil
      if isTooLarge {
        return refuse(.payloadTooLarge)
      }
      let content = content
      // The next request may begin before this call is over.
      self.content = nil
      visit = nil
      holdsFlush = true
      if let started = desk.take(head, content, of: self, on: context.eventLoop) {
        visit = started
      }
      holdsFlush = false
      flushHeld()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    visit?.readinessChanged(context.channel.isWritable)
    context.fireChannelWritabilityChanged()
  }

  private func stopClocks() {
    timer?.cancel()
    clock?.end()
    streams?.ended(self)
  }

  func channelInactive(context: ChannelHandlerContext) {
    stopClocks()
    // The rest of a read may follow.
    isRefused = true
    visit?.leave()
    visit = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  // MARK: What a client owes

  /// Answers without asking the cache, and closes the connection.
  private func refuse(_ status: HTTPResponseStatus) {
    isRefused = true
    keepsAlive = false
    var fields = HTTPHeaders([("Content-Length", "0"), ("Connection", "close")])
    if status == .methodNotAllowed { fields.add(name: "Allow", value: EdgeRequestRules.allowed) }
    begin(HTTPResponseHead(version: .http1_1, status: status, headers: fields))
    end()
  }

  /// A connection owes the head of its next request from now on.
  private func owesHead() {
    if isConnection { owes(for: desk.configuration.limits.headTimeout) }
  }

  /// Something came or went just now, and so much is left to the client.
  private func owes(for span: TimeSpan) {
    let now = NIODeadline.now()
    clock?.moved(at: now)
    owesSince = now
    owesFor = .nanoseconds(span.nanoseconds)
    if timer == nil { watch(from: now) }
  }

  /// One timer a connection. It looks again later when meanwhile something has come, and in time
  /// for whatever may be owed by then.
  private func watch(from now: NIODeadline) {
    guard let context, let since = owesSince else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let limits = desk.configuration.limits
    let least = min(limits.headTimeout, limits.bodyTimeout).nanoseconds
    let next = min(since + owesFor, now + .nanoseconds(least))
    timer = context.eventLoop.scheduleTask(deadline: next) {
      let handler = bound.value
      let now = NIODeadline.now()
      guard let since = handler.owesSince else {
        handler.timer = nil
        return
      }
      if since + handler.owesFor <= now {
        handler.context?.close(promise: nil)
      } else {
        handler.watch(from: now)
      }
    }
  }

  // MARK: The answer

  /// Since when its client has taken nothing of what is on its way to it; nil when nothing is.
  var standsSince: NIODeadline? { outstanding == 0 ? nil : movedAt }

  /// Tells when a write of a stream has been taken; nil for a connection, of which the system's
  /// buffer tells.
  private func movement() -> EventLoopPromise<Void>? {
    guard let streams, let context else { return nil }
    if outstanding == 0 { movedAt = .now() }
    outstanding += 1
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { result in
      self.outstanding -= 1
      guard case .success = result else { return }
      self.movedAt = .now()
      streams.moved()
    }
    return promise
  }

  var isWritable: Bool { context?.channel.isWritable ?? true }

  /// The window of segments that the kernel sends in a round trip (CTA-5006 derives `etp` so; the
  /// receiver's window, which the kernel does not show, is left out).
  func connectionState() -> EdgeConnectionState? {
    guard let channel = context?.channel else { return nil }
    // A stream of HTTP/2 has its connection's socket.
    guard
      let socket = (channel as? any SocketOptionProvider)
        ?? (channel.parent as? any SocketOptionProvider)
    else { return nil }
    var state: EdgeConnectionState?
    // On the event loop it is there at once.
    socket.getTCPInfo().assumeIsolated().whenSuccess { info in
      let bits = Int64(info.tcpi_snd_cwnd) * Int64(info.tcpi_snd_mss) * 8
      let microseconds = Int64(info.tcpi_rtt)
      if microseconds > 0 {
        state = EdgeConnectionState(
          roundTrip: .microseconds(microseconds),
          throughput: BitRate(bitsPerSecond: bits * 1_000_000 / microseconds))
      }
    }
    return state
  }

  func inform(_ head: HTTPResponseHead) {
    context?.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  func begin(_ head: HTTPResponseHead) {
    var head = head
    // NIO would frame the missing body of such an answer with an empty chunk.
    if isHead && !head.headers.contains(name: "content-length") { keepsAlive = false }
    if !keepsAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context?.write(wrapOutboundOut(.head(head)), promise: nil)
    isUnflushed = true
    if !holdsFlush { flushSoon() }
  }

  func write(_ bytes: ByteBuffer) {
    context?.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: movement())
    isUnflushed = true
    if !holdsFlush { flushHeld() }
  }

  /// Flushes what no body has followed in this turn of the loop.
  private func flushSoon() {
    guard let context else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.execute { bound.value.flushHeld() }
  }

  /// What is on its way is not held back until the end.
  private func flushHeld() {
    if !isUnflushed { return }
    isUnflushed = false
    context?.flush()
    clock?.moved(at: .now())
  }

  /// Takes what the cache has sent from another loop.
  func take(_ parts: [EdgePart], of crossing: EdgeCrossing) {
    guard case .far(let mine) = visit, mine === crossing else { return }
    holdsFlush = true
    for part in parts {
      switch part {
      case .interim(let head): inform(head)
      case .head(let head): begin(head)
      case .bytes(let bytes): write(bytes)
      case .end: end()
      case .broken: abort()
      }
    }
    holdsFlush = false
    flushHeld()
  }

  func end() {
    visit = nil
    isUnflushed = false
    guard let context else { return }
    if keepsAlive {
      // The next request may begin before this call is over.
      owesHead()
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: movement())
    } else {
      // This answer is the last one.
      isRefused = true
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
        channel.close(promise: nil)
      }
    }
  }

  /// Breaks off, whatever is on its way.
  func letGo() { context?.close(promise: nil) }

  func abort() {
    visit = nil
    context?.close(promise: nil)
  }
}
