import CallSignalling
import MediaUnits
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// What a stand-in signalling server has counted.
public struct CallHubCounters: Sendable, Equatable {
  /// Frames that were no message.
  public var malformed = 0
  public var messages = 0
  public var presenceMessages = 0
  public var expiries = 0
  public var faults = 0
  /// Interpreters that got a second call while they had one.
  public var doubleRings = 0
  public var connections = 0
}

/// The call server's machine on a loop of its own: its timers, its connections, its commands.
///
/// Not sendable: everything happens on the loop.
final class CallHub {
  /// A store of presence answers after this (assumed), with the wrong lock only.
  private static let store = TimeAmount.milliseconds(5)

  private let loop: any EventLoop
  private let start = NIODeadline.now()
  private var machine: CallServer
  private var channels: [UInt32: any Channel] = [:]
  private var free: [UInt32] = []
  private var next: UInt32 = 0
  private var random = SystemRandomNumberGenerator()
  private var malformed = 0
  private var isStopped = false
  /// Connections with something that has not been sent off. Once a turn of the loop is soon enough,
  /// and a burst of presence messages goes out together.
  private var touched: [UInt32: any Channel] = [:]

  init(_ configuration: CallServer.Configuration, loop: any EventLoop) {
    self.loop = loop
    machine = CallServer(configuration)
    handle(.started)
  }

  private var now: Instant {
    Instant(nanoseconds: Int64((NIODeadline.now() - start).nanoseconds))
  }

  func open(_ channel: any Channel) -> UInt32 {
    let number: UInt32
    if let old = free.popLast() {
      number = old
    } else {
      number = next
      next += 1
    }
    channels[number] = channel
    handle(.opened(ConnectionID(number)))
    return number
  }

  func close(_ number: UInt32) {
    guard channels.removeValue(forKey: number) != nil else { return }
    free.append(number)
    handle(.closed(ConnectionID(number)))
  }

  func hear(_ number: UInt32, _ text: String) {
    guard let envelope = CallWire.envelope(text) else {
      malformed += 1
      channels[number]?.close(promise: nil)
      return
    }
    let fresh = CallServer.Fresh(high: random.next(), low: random.next())
    handle(.message(ConnectionID(number), envelope, fresh))
  }

  func stop() {
    isStopped = true
    for channel in channels.values { channel.close(promise: nil) }
  }

  var counters: CallHubCounters {
    CallHubCounters(
      malformed: malformed, messages: machine.messages,
      presenceMessages: machine.presenceMessages, expiries: machine.expiries,
      faults: machine.faults, doubleRings: machine.doubleRings, connections: channels.count)
  }

  private func handle(_ event: CallServer.Event) {
    if isStopped { return }
    var commands: [CallServer.Command] = []
    machine.handle(event, at: now, into: &commands)
    for command in commands {
      switch command {
      case .send(let connection, let envelope):
        guard let channel = channels[connection.index] else { continue }
        var buffer = channel.allocator.buffer(capacity: 128)
        buffer.writeString(CallWire.text(envelope))
        channel.write(WebSocketFrame(fin: true, opcode: .text, data: buffer), promise: nil)
        if touched.isEmpty {
          let bound = NIOLoopBound(self, eventLoop: loop)
          loop.execute { bound.value.flush() }
        }
        touched[connection.index] = channel
      case .close(let connection): channels[connection.index]?.close(promise: nil)
      case .setTimer(let timer, let at):
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(deadline: start + .nanoseconds(at.nanoseconds)) {
          bound.value.handle(.timerFired(timer))
        }
      case .askStore(let number):
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: CallHub.store) { bound.value.handle(.storeAnswered(number)) }
      // What happened is counted; a log of a load test has no readers.
      case .log: break
      }
    }
  }

  private func flush() {
    for channel in touched.values { channel.flush() }
    touched.removeAll(keepingCapacity: true)
  }
}

/// One connection of the server.
private final class HubHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let hub: NIOLoopBound<CallHub>
  private var number: UInt32?

  init(_ hub: NIOLoopBound<CallHub>) { self.hub = hub }

  func handlerAdded(context: ChannelHandlerContext) { number = hub.value.open(context.channel) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      guard let number, frame.fin else { return context.close(promise: nil) }
      var buffer = frame.unmaskedData
      hub.value.hear(number, buffer.readString(length: buffer.readableBytes) ?? "")
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if let number { hub.value.close(number) }
    number = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// A signalling server on a port: the machine that ships, behind WebSockets (RFC 6455).
public final class CallStandin: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let hub: NIOLoopBound<CallHub>
  private let channel: any Channel
  private let loop: any EventLoop

  private init(
    _ group: MultiThreadedEventLoopGroup, _ loop: any EventLoop, _ hub: NIOLoopBound<CallHub>,
    _ channel: any Channel
  ) {
    self.group = group
    self.loop = loop
    self.hub = hub
    self.channel = channel
  }

  /// Listens; port 0 for any.
  public static func start(
    _ configuration: CallServer.Configuration, host: String = "127.0.0.1", port: Int = 0
  ) async throws -> CallStandin {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let hub = try await loop.submit {
      NIOLoopBound(CallHub(configuration, loop: loop), eventLoop: loop)
    }.get()
    do {
      let channel = try await ServerBootstrap(group: loop)
        .serverChannelOption(.backlog, value: 4_096)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in setUp(channel, hub) }
        .bind(host: host, port: port).get()
      return CallStandin(group, loop, hub, channel)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  private static func setUp(
    _ channel: any Channel, _ hub: NIOLoopBound<CallHub>
  ) -> EventLoopFuture<Void> {
    let upgrader = NIOWebSocketServerUpgrader(
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(HubHandler(hub))
        }
      })
    return channel.pipeline.configureHTTPServerPipeline(
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
  }

  /// The port that is listened on.
  public var port: Int { channel.localAddress?.port ?? 0 }

  public func counters() async throws -> CallHubCounters {
    try await loop.submit { self.hub.value.counters }.get()
  }

  public func stop() async {
    _ = try? await loop.submit { self.hub.value.stop() }.get()
    try? await channel.close()
    try? await group.shutdownGracefully()
  }
}
