import NIOCore

/// What every connection of a client over TLS is held to, whatever it speaks: it is closed when it
/// has carried no byte for some time, and when the handshake takes too long.
final class EdgeConnectionLimits: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let clock: EdgeIdleClock
  private let handshake: TimeAmount
  private var timer: Scheduled<Void>?

  /// - Parameter handshake: how long it may take to a connection's first request.
  init(_ clock: EdgeIdleClock, handshake: TimeAmount) {
    self.clock = clock
    self.handshake = handshake
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    clock.watch(channel)
    timer = channel.eventLoop.assumeIsolated().scheduleTask(in: handshake) {
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
    timer?.cancel()
    timer = nil
  }

  private func end() {
    clock.end()
    timer?.cancel()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    clock.moved(at: .now())
    context.fireChannelRead(data)
  }

  /// Once for all writes that an answer consists of.
  func flush(context: ChannelHandlerContext) {
    clock.moved(at: .now())
    context.flush()
  }
}
