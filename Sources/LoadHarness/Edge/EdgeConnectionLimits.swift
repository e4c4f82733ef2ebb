import NIOCore

/// What every connection of a client is held to, whatever it speaks: it is closed when it has
/// carried no byte for some time.
final class EdgeConnectionLimits: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let idle: TimeAmount
  private var lastAt = NIODeadline.now()
  private var timer: Scheduled<Void>?

  init(idle: TimeAmount) { self.idle = idle }

  func handlerAdded(context: ChannelHandlerContext) { watch(context.channel) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
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
      if limits.lastAt + limits.idle <= .now() {
        channel.close(promise: nil)
      } else {
        limits.watch(channel)
      }
    }
  }
}
