import NIOCore

/// What every connection of a client is held to, whatever it speaks: it is closed when it has
/// carried no byte for some time, and when a TLS handshake takes too long.
final class EdgeConnectionLimits: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let idle: TimeAmount
  private let handshake: TimeAmount?
  private var lastAt = NIODeadline.now()
  /// Bytes that waited for the client when the clock was looked at last.
  private var waiting = 0
  private var timer: Scheduled<Void>?
  private var handshakeTimer: Scheduled<Void>?

  /// - Parameter handshake: how long it may take to a connection's first request; nil without TLS.
  init(idle: TimeAmount, handshake: TimeAmount?) {
    self.idle = idle
    self.handshake = handshake
  }

  func handlerAdded(context: ChannelHandlerContext) {
    watch(context.channel)
    guard let handshake else { return }
    let channel = context.channel
    handshakeTimer = channel.eventLoop.assumeIsolated().scheduleTask(in: handshake) {
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// The handshake is done.
  func isSecured() {
    handshakeTimer?.cancel()
    handshakeTimer = nil
  }

  private func end() {
    timer?.cancel()
    handshakeTimer?.cancel()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastAt = .now()
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    lastAt = .now()
    context.write(data, promise: promise)
  }

  private func watch(_ channel: any Channel) {
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    timer = channel.eventLoop.scheduleTask(deadline: lastAt + idle) {
      let limits = bound.value
      // A whole answer may have been given to the system at once: what is left of it tells whether
      // the client takes any.
      let left = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if left > 0 && left != limits.waiting { limits.lastAt = .now() }
      limits.waiting = left
      if limits.lastAt + limits.idle <= .now() {
        channel.close(promise: nil)
      } else {
        limits.watch(channel)
      }
    }
  }
}
