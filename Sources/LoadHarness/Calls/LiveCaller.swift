import CallSignalling
import MediaUnits
import NIOCore
import NIOPosix
import NIOWebSocket
import Statistics

/// What one client tells whoever drives it.
protocol LiveCallerOwner: AnyObject {
  func caller(_ number: Int, shows screen: CallClient.Screen, at now: NIODeadline)
  func caller(_ number: Int, isBusyAt now: NIODeadline)
  func caller(_ number: Int, sees peer: UInt32, isAvailable: Bool, at now: NIODeadline)
  func caller(_ number: Int, heardEnd reason: EndReason)
}

/// One client: the machine that ships, on a WebSocket of its own and a loop that it shares.
///
/// Its media engine makes descriptions and candidates of the usual length and connects at once;
/// what is measured is the signalling. Not sendable: everything happens on the loop.
final class LiveCaller {
  let number: Int
  let role: Role
  private(set) var machine: CallClient
  private let loop: any EventLoop
  private let port: Int
  private let start: NIODeadline
  private weak var owner: (any LiveCallerOwner)?
  private var channel: (any Channel)?
  /// Counts connections, so that an old one's end is not taken for the new one's.
  private var line = 0
  private var draws: SplitMix64
  private var hasRemote = false

  init(
    _ number: Int, _ role: Role, _ configuration: CallClient.Configuration,
    loop: any EventLoop, port: Int, start: NIODeadline, owner: any LiveCallerOwner
  ) {
    self.number = number
    self.role = role
    machine = CallClient(configuration)
    self.loop = loop
    self.port = port
    self.start = start
    self.owner = owner
    draws = SplitMix64(seed: UInt64(number))
  }

  var user: UserID { UserID(UInt32(number)) }

  func tell(_ event: CallClient.Event) {
    let now = NIODeadline.now()
    var commands: [CallClient.Command] = []
    machine.handle(
      event, at: Instant(nanoseconds: (now - start).nanoseconds), into: &commands)
    for command in commands { perform(command, at: now) }
  }

  private func perform(_ command: CallClient.Command, at now: NIODeadline) {
    switch command {
    case .open: dial()
    case .close: hangLine()
    case .send(let envelope):
      guard let channel else { return }
      var buffer = channel.allocator.buffer(capacity: 128)
      buffer.writeString(CallWire.text(envelope))
      channel.writeAndFlush(WebSocketClientEnd.frame(.text, buffer), promise: nil)
    case .setTimer(let timer, let number, let at, let jitter):
      let bound = NIOLoopBound(self, eventLoop: loop)
      let due = at.nanoseconds + jitter.scaled(by: draws.nextUniform()).nanoseconds
      loop.scheduleTask(deadline: start + .nanoseconds(due)) {
        bound.value.tell(.timerFired(timer, number: number))
      }
    case .startMedia(_, let offers):
      hasRemote = false
      if offers { describe() }
    case .takeDescription:
      hasRemote = true
      if machine.talk?.offers == false { describe() }
    case .takeCandidate:
      if hasRemote {
        tell(.mediaConnected)
        tell(.remoteVisible)
      }
    case .stopMedia: hasRemote = false
    case .show(let screen): owner?.caller(number, shows: screen, at: now)
    case .showPresence(let peer, let isAvailable):
      owner?.caller(number, sees: peer.index, isAvailable: isAvailable, at: now)
    case .showBusy: owner?.caller(number, isBusyAt: now)
    case .showEnd(let reason): owner?.caller(number, heardEnd: reason)
    case .showFault: break
    }
  }

  private func describe() {
    tell(.described(.opaque(bytes: 2_400, digest: UInt64(number))))
    tell(.candidate(.opaque(bytes: 120, digest: UInt64(number))))
  }

  // MARK: The connection

  private func dial() {
    line += 1
    let own = line
    let bound = NIOLoopBound(self, eventLoop: loop)
    let port = port
    ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connectTimeout(.seconds(10))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            UpgradeHandler(port: port, caller: bound, line: own))
        }
      }
      .connect(host: "127.0.0.1", port: port)
      .whenFailure { _ in bound.value.lost(own) }
  }

  func opened(_ line: Int, _ channel: any Channel) {
    guard line == self.line else { return channel.close(promise: nil) }
    self.channel = channel
    tell(.opened)
  }

  func lost(_ line: Int) {
    guard line == self.line else { return }
    channel = nil
    tell(.closed)
  }

  func heard(_ line: Int, _ text: String) {
    guard line == self.line, let envelope = CallWire.envelope(text) else { return }
    tell(.message(envelope))
  }

  private func hangLine() {
    line += 1
    channel?.close(promise: nil)
    channel = nil
  }

  /// Ends everything without another word.
  func stop() { hangLine() }
}

/// Asks for the WebSocket and gives way to it (RFC 6455 section 4.1). The key is that section's
/// example, so the answer to it is known.
private final class UpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let port: Int
  private let caller: NIOLoopBound<LiveCaller>
  private let line: Int
  private var received = ""

  init(port: Int, caller: NIOLoopBound<LiveCaller>, line: Int) {
    self.port = port
    self.caller = caller
    self.line = line
  }

  func channelActive(context: ChannelHandlerContext) {
    var buffer = context.channel.allocator.buffer(capacity: 256)
    buffer.writeString(
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Version: 13\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    // The server speaks first after the upgrade only in answer to us: nothing follows the head.
    received += buffer.readString(length: buffer.readableBytes) ?? ""
    guard received.hasSuffix("\r\n\r\n") else { return }
    guard received.hasPrefix("HTTP/1.1 101"), received.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    else { return context.close(promise: nil) }
    let pipeline = context.pipeline.syncOperations
    do {
      try pipeline.addHandler(WebSocketFrameEncoder())
      try pipeline.addHandler(ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1 << 16)))
      try pipeline.addHandler(clientEnd())
    } catch {
      context.close(promise: nil)
      return
    }
    let (caller, line, channel) = (caller, line, context.channel)
    pipeline.removeHandler(context: context, promise: nil)
    caller.value.opened(line, channel)
  }

  private func clientEnd() -> WebSocketClientEnd {
    let (caller, line) = (caller, line)
    return WebSocketClientEnd(
      hear: { data in
        var data = data
        caller.value.heard(line, data.readString(length: data.readableBytes) ?? "")
      }, hearEnd: { caller.value.lost(line) })
  }

  func channelInactive(context: ChannelHandlerContext) {
    caller.value.lost(line)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
