import CachePolicy
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// What comes of a request to the origin, in order: any number of interim heads, a head, bytes and
/// an end, or a failure at any point.
protocol OriginReceiver: AnyObject {
  func informed(_ head: HTTPResponseHead)
  func began(_ head: HTTPResponseHead)
  func received(_ bytes: ByteBuffer)
  func ended()
  func failed(_ failure: OriginFailure)
}

/// Connections to one origin, HTTP/1.1, one request at a time on each, used again while they are
/// open. All of it happens on one event loop.
///
/// A request whose connection had been used before and was closed before the first byte of an
/// answer is sent once more on a new one (RFC 9112 section 9.3.1), if it is idempotent.
final class OriginPool {
  struct Settings {
    var address: OriginAddress
    var connectTimeout: TimeAmount
    var responseTimeout: TimeAmount
    var keepAlive: TimeAmount
    var connections: Int
  }

  let settings: Settings
  let loop: any EventLoop
  private let tls: NIOSSLContext?
  /// Latest used at the end.
  private var idle: [OriginConnection] = []
  private var waiting: [OriginCall] = []
  private var waitingHead = 0
  private(set) var open = 0
  private(set) var isShut = false

  init(_ settings: Settings, loop: any EventLoop) throws {
    self.settings = settings
    self.loop = loop
    tls =
      settings.address.isSecure
      ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
  }

  func send(
    _ head: HTTPRequestHead, _ content: ByteBuffer?, to receiver: any OriginReceiver
  ) -> OriginCall {
    let call = OriginCall(head, content, receiver, pool: self)
    dispatch(call, onlyNew: false)
    return call
  }

  fileprivate func dispatch(_ call: OriginCall, onlyNew: Bool) {
    if !onlyNew {
      while let connection = idle.popLast() {
        if connection.isOpen {
          connection.begin(call, isReused: true)
          return
        }
      }
    }
    if open >= settings.connections {
      waiting.append(call)
      return
    }
    connect(call)
  }

  private func connect(_ call: OriginCall) {
    open += 1
    let (address, tls) = (settings.address, tls)
    let connection = OriginConnection(pool: self)
    let bound = NIOLoopBound(connection, eventLoop: loop)
    let started = ClientBootstrap(group: loop)
      .connectTimeout(settings.connectTimeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls {
            // A name only: RFC 6066 section 3 allows no address.
            let isName = (try? SocketAddress(ipAddress: address.host, port: 0)) == nil
            try pipeline.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: isName ? address.host : nil))
          }
          try pipeline.addHandler(HTTPRequestEncoder())
          try pipeline.addHandler(
            ByteToMessageHandler(
              HTTPResponseDecoder(
                leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)))
          try pipeline.addHandler(bound.value)
        }
      }
      .connect(host: address.host, port: address.port)
    let boundCall = NIOLoopBound(call, eventLoop: loop)
    let boundSelf = NIOLoopBound(self, eventLoop: loop)
    started.whenComplete { result in
      let (call, pool) = (boundCall.value, boundSelf.value)
      switch result {
      case .success: bound.value.begin(call, isReused: false)
      case .failure:
        pool.closed(nil)
        call.fail(.unreachable)
      }
    }
  }

  /// A connection is free again.
  fileprivate func free(_ connection: OriginConnection) {
    while waitingHead < waiting.count {
      let call = waiting[waitingHead]
      waitingHead += 1
      if waitingHead * 2 >= waiting.count {
        waiting.removeFirst(waitingHead)
        waitingHead = 0
      }
      if call.isOver { continue }
      connection.begin(call, isReused: true)
      return
    }
    if isShut {
      connection.close()
    } else {
      idle.append(connection)
      connection.watchIdle(settings.keepAlive)
    }
  }

  /// A connection is gone.
  fileprivate func closed(_ connection: OriginConnection?) {
    open -= 1
    if let connection { idle.removeAll { $0 === connection } }
    while waitingHead < waiting.count && open < settings.connections {
      let call = waiting[waitingHead]
      waitingHead += 1
      if !call.isOver { connect(call) }
    }
    if waitingHead == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      waitingHead = 0
    }
  }

  func shutDown() {
    isShut = true
    for connection in idle { connection.close() }
    idle.removeAll()
  }
}

/// One request to the origin under way.
final class OriginCall {
  let head: HTTPRequestHead
  let content: ByteBuffer?
  fileprivate let pool: OriginPool
  private var receiver: (any OriginReceiver)?
  fileprivate var connection: OriginConnection?
  fileprivate var isReused = false
  private(set) var hasBegun = false
  private(set) var isOver = false
  private var timer: Scheduled<Void>?
  private var lastBytes = NIODeadline.now()
  private var isPaused = false

  fileprivate init(
    _ head: HTTPRequestHead, _ content: ByteBuffer?, _ receiver: any OriginReceiver,
    pool: OriginPool
  ) {
    self.head = head
    self.content = content
    self.receiver = receiver
    self.pool = pool
  }

  /// Gives the request up; nothing is told of it any more.
  func cancel() {
    if isOver { return }
    over()
    connection?.close()
    connection = nil
  }

  /// Stops reading, or goes on.
  func pause(_ isPaused: Bool) {
    self.isPaused = isPaused
    connection?.pause(isPaused)
  }

  fileprivate func sent() {
    lastBytes = .now()
    watch(from: lastBytes)
  }

  /// Gives up when nothing has come for as long as an answer is waited for: the head, or more of
  /// the body while it is wanted.
  private func watch(from time: NIODeadline) {
    let bound = NIOLoopBound(self, eventLoop: pool.loop)
    timer = pool.loop.scheduleTask(deadline: time + pool.settings.responseTimeout) {
      let call = bound.value
      if call.isOver { return }
      let last = call.isPaused ? .now() : call.lastBytes
      if last > time {
        call.watch(from: last)
        return
      }
      let connection = call.connection
      call.connection = nil
      call.fail(.timeout)
      connection?.close()
    }
  }

  fileprivate func inform(_ head: HTTPResponseHead) { receiver?.informed(head) }

  fileprivate func begin(_ head: HTTPResponseHead) {
    hasBegun = true
    lastBytes = .now()
    receiver?.began(head)
  }

  fileprivate func receive(_ bytes: ByteBuffer) {
    lastBytes = .now()
    receiver?.received(bytes)
  }

  fileprivate func end() {
    if isOver { return }
    let receiver = receiver
    over()
    receiver?.ended()
  }

  /// The connection is gone before the end of the answer.
  fileprivate func lost() {
    connection = nil
    if isOver { return }
    let isIdempotent = head.method != .POST && head.method != .PATCH
    if isReused && !hasBegun && isIdempotent {
      isReused = false
      timer?.cancel()
      pool.dispatch(self, onlyNew: true)
    } else {
      fail(.unreachable)
    }
  }

  fileprivate func fail(_ failure: OriginFailure) {
    if isOver { return }
    let receiver = receiver
    over()
    receiver?.failed(failure)
  }

  private func over() {
    isOver = true
    timer?.cancel()
    timer = nil
    receiver = nil
  }
}

/// One connection to the origin.
private final class OriginConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let pool: OriginPool
  private var context: ChannelHandlerContext?
  private var call: OriginCall?
  private var mayStay = false
  private var isPaused = false
  private var idleTimer: Scheduled<Void>?
  private var wasOpen = false

  init(pool: OriginPool) { self.pool = pool }

  var isOpen: Bool { context?.channel.isActive ?? false }

  func begin(_ call: OriginCall, isReused: Bool) {
    idleTimer?.cancel()
    idleTimer = nil
    if call.isOver {
      pool.free(self)
      return
    }
    guard let context, context.channel.isActive else {
      call.isReused = true
      call.lost()
      return
    }
    self.call = call
    call.connection = self
    call.isReused = isReused
    mayStay = false
    context.write(wrapOutboundOut(.head(call.head)), promise: nil)
    if let content = call.content {
      context.write(wrapOutboundOut(.body(.byteBuffer(content))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    call.sent()
  }

  func watchIdle(_ span: TimeAmount) {
    let bound = NIOLoopBound(self, eventLoop: pool.loop)
    idleTimer = pool.loop.scheduleTask(in: span) { bound.value.close() }
  }

  func pause(_ isPaused: Bool) {
    guard let context, isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    context.channel.setOption(.autoRead, value: !isPaused).whenFailure { _ in }
    if !isPaused { context.read() }
  }

  func close() { context?.close(promise: nil) }

  // MARK: Events of the channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    wasOpen = context.channel.isActive
  }

  func channelActive(context: ChannelHandlerContext) {
    wasOpen = true
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let call else {
      // Bytes that nobody asked for: the connection is out of step.
      context.close(promise: nil)
      return
    }
    switch unwrapInboundIn(data) {
    case .head(let head):
      if head.status.code < 200 {
        call.inform(head)
      } else {
        mayStay = head.isKeepAlive
        call.begin(head)
      }
    case .body(let bytes): call.receive(bytes)
    case .end:
      self.call = nil
      call.connection = nil
      pause(false)
      call.end()
      if mayStay && context.channel.isActive {
        pool.free(self)
      } else {
        context.close(promise: nil)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    idleTimer?.cancel()
    let call = call
    self.call = nil
    if wasOpen { pool.closed(self) }
    call?.lost()
  }
}
