import NIOCore
import NIOTLS

/// Waits for TLS, then puts the handlers of the protocol in place that ALPN agreed on, and leaves.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let link: LiveLink
  private let transport: LiveClientConfiguration.Transport

  init(_ link: LiveLink, _ transport: LiveClientConfiguration.Transport) {
    self.link = link
    self.transport = transport
  }

  func channelActive(context: ChannelHandlerContext) {
    link.isConnected()
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted(let agreed)? = event as? TLSUserEvent else {
      context.fireUserInboundEventTriggered(event)
      return
    }
    link.isSecure()
    let isHTTP2 = agreed == "h2" || transport == .http2PriorKnowledge
    let pipeline = context.pipeline.syncOperations
    do {
      try LiveLoop.install(isHTTP2: isHTTP2, link: link, into: pipeline)
    } catch {
      link.caught(error)
    }
    pipeline.removeHandler(self, promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    link.caught(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { link.isGone([]) }
}
