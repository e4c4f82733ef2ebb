import NIOCore
import NIOWebSocket

/// The client's end of a WebSocket (RFC 6455): tells its owner what is heard, answers pings, and
/// closes when the other end does. Everything happens on the channel's loop.
final class WebSocketClientEnd: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let hear: (ByteBuffer) -> Void
  private let hearEnd: () -> Void

  /// - Parameters:
  ///   - hear: gets what each message holds.
  ///   - hearEnd: is called once the connection is gone, whoever ended it.
  init(hear: @escaping (ByteBuffer) -> Void, hearEnd: @escaping () -> Void) {
    self.hear = hear
    self.hearEnd = hearEnd
  }

  /// A frame that a client may send: a masked one.
  static func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text, .binary: hear(frame.unmaskedData)
    case .ping:
      context.writeAndFlush(
        wrapOutboundOut(WebSocketClientEnd.frame(.pong, frame.unmaskedData)), promise: nil)
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    hearEnd()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
