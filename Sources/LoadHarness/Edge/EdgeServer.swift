import Models
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// The edge as a server: the simulator's cache policies as a real caching reverse proxy.
///
/// The cache and its requests to the origin are on one event loop: no locks, and the order of
/// events at the cache is the order in which they came there. Connections of clients, with TLS and
/// HTTP, are on the same loop or on several of their own.
public final class EdgeServer: Sendable {
  private let groups: EdgeGroups
  private let cache: NIOLoopBound<EdgeCache>
  private let channel: any Channel
  public let configuration: EdgeConfiguration
  /// Where it listens.
  public let port: Int

  private init(
    _ groups: EdgeGroups, _ cache: NIOLoopBound<EdgeCache>,
    _ channel: any Channel, _ configuration: EdgeConfiguration
  ) {
    self.groups = groups
    self.cache = cache
    self.channel = channel
    self.configuration = configuration
    port = channel.localAddress?.port ?? 0
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - loops: event loops, a thread each, for connections of clients. 1: they are on that of the
  ///     cache; more: that one is beside them, and each request crosses to it and back.
  ///   - certificate: for TLS, over which HTTP/2 is offered; nil for plain HTTP/1.1.
  /// - Throws: what the system says when the port cannot be had.
  public static func start(
    _ configuration: EdgeConfiguration, host: String = "127.0.0.1", port: Int, loops: Int = 1,
    certificate: ServerCertificate? = nil
  ) async throws -> EdgeServer {
    let groups = EdgeGroups(loops: loops)
    do {
      let loop = groups.cache.next()
      let tls = try certificate.map { try $0.context() }
      let cache = try await loop.submit {
        NIOLoopBound(try EdgeCache(configuration, loop: loop), eventLoop: loop)
      }.get()
      let desk = EdgeDesk(cache, configuration)
      let clients = EdgeClients(most: configuration.limits.clients)
      let channel = try await ServerBootstrap(group: groups.clients)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          EdgeServer.prepare(channel, desk, clients, tls)
        }
        .bind(host: host, port: port).get()
      return EdgeServer(groups, cache, channel, configuration)
    } catch {
      await groups.shutDown()
      throw error
    }
  }

  private static func prepare(
    _ channel: any Channel, _ desk: EdgeDesk, _ clients: EdgeClients, _ tls: NIOSSLContext?
  ) -> EventLoopFuture<Void> {
    let settings = desk.configuration
    guard clients.admit(channel) else {
      return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
    }
    let clock = EdgeIdleClock(idle: .nanoseconds(settings.idleTimeout.nanoseconds))
    guard let tls else {
      return channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
          withPipeliningAssistance: true, withErrorHandling: true)
        try pipeline.addHandler(EdgeClientHandler(desk, closedBy: clock))
      }
    }
    let limits = EdgeConnectionLimits(
      clock, handshake: .nanoseconds(settings.limits.headTimeout.nanoseconds))
    let bound = NIOLoopBound(limits, eventLoop: channel.eventLoop)
    do {
      try channel.pipeline.syncOperations.addHandler(limits)
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    return channel.configureHTTP2SecureUpgrade { channel in
      bound.value.isSecured()
      return channel.eventLoop.makeCompletedFuture { try prepareStreams(channel, desk) }
    } http1ChannelConfigurator: { channel in
      bound.value.isSecured()
      return channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
          withPipeliningAssistance: true, withErrorHandling: true)
        try pipeline.addHandler(EdgeClientHandler(desk))
      }
    }
  }

  private static func prepareStreams(
    _ channel: any Channel, _ desk: EdgeDesk
  ) throws {
    let limits = desk.configuration.limits
    let streams = EdgeStreams(limits)
    let bound = NIOLoopBound(streams, eventLoop: channel.eventLoop)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(streams)
    _ = try pipeline.configureHTTP2Pipeline(
      mode: .server, connectionConfiguration: EdgeStreams.connection(limits),
      streamConfiguration: EdgeStreams.stream(limits)
    ) { stream in
      stream.eventLoop.makeCompletedFuture {
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
        try pipeline.addHandler(EdgeClientHandler(desk, in: bound.value))
      }
    }
    try pipeline.addHandler(EdgeLastHandler())
  }

  /// What it has done so far.
  public func counters() async throws -> EdgeCounters {
    let cache = cache
    return try await cache.eventLoop.submit { cache.value.counters }.get()
  }

  /// Bytes of bodies in the store.
  public func usedBytes() async throws -> Int64 {
    let cache = cache
    return try await cache.eventLoop.submit { cache.value.usedBytes }.get()
  }

  /// Stops listening and ends its connections.
  public func stop() async {
    let cache = cache
    try? await channel.close().get()
    try? await cache.eventLoop.submit { cache.value.origin.shutDown() }.get()
    await groups.shutDown()
  }
}

/// The threads of an edge.
private struct EdgeGroups {
  let cache = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  /// The cache's own when there is to be one loop.
  let clients: MultiThreadedEventLoopGroup

  init(loops: Int) {
    clients = loops > 1 ? MultiThreadedEventLoopGroup(numberOfThreads: loops) : cache
  }

  /// Ends connections of clients first: the cache hears of each.
  func shutDown() async {
    if clients !== cache { try? await clients.shutdownGracefully() }
    try? await cache.shutdownGracefully()
  }
}

/// The end of an HTTP/2 connection's pipeline: an error of the connection closes it.
private final class EdgeLastHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // An error of one stream is that stream's.
    if error is NIOHTTP2Errors.StreamError { return }
    context.close(promise: nil)
  }
}
