import Models
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// The edge as a server: the simulator's cache policies as a real caching reverse proxy.
///
/// Everything happens on one event loop of its own thread: no locks, and the order of events at the
/// cache is the order in which they came.
public final class EdgeServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let cache: NIOLoopBound<EdgeCache>
  private let channel: any Channel
  public let configuration: EdgeConfiguration
  /// Where it listens.
  public let port: Int

  private init(
    _ group: MultiThreadedEventLoopGroup, _ cache: NIOLoopBound<EdgeCache>,
    _ channel: any Channel, _ configuration: EdgeConfiguration
  ) {
    self.group = group
    self.cache = cache
    self.channel = channel
    self.configuration = configuration
    port = channel.localAddress?.port ?? 0
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - certificate: for TLS, over which HTTP/2 is offered; nil for plain HTTP/1.1.
  /// - Throws: what the system says when the port cannot be had.
  public static func start(
    _ configuration: EdgeConfiguration, host: String = "127.0.0.1", port: Int,
    certificate: ServerCertificate? = nil
  ) async throws -> EdgeServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let loop = group.next()
      let tls = try certificate.map { try $0.context() }
      let cache = try await loop.submit {
        NIOLoopBound(try EdgeCache(configuration, loop: loop), eventLoop: loop)
      }.get()
      let clients = try await loop.submit {
        NIOLoopBound(EdgeClients(most: configuration.limits.clients), eventLoop: loop)
      }.get()
      let channel = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          EdgeServer.prepare(channel, cache, clients, tls)
        }
        .bind(host: host, port: port).get()
      return EdgeServer(group, cache, channel, configuration)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  private static func prepare(
    _ channel: any Channel, _ cache: NIOLoopBound<EdgeCache>, _ clients: NIOLoopBound<EdgeClients>,
    _ tls: NIOSSLContext?
  ) -> EventLoopFuture<Void> {
    let settings = cache.value.configuration
    guard clients.value.admit(channel) else {
      return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
    }
    let clock = EdgeIdleClock(idle: .nanoseconds(settings.idleTimeout.nanoseconds))
    guard let tls else {
      return channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
          withPipeliningAssistance: true, withErrorHandling: true)
        try pipeline.addHandler(EdgeClientHandler(cache.value, closedBy: clock))
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
      return channel.eventLoop.makeCompletedFuture { try prepareStreams(channel, cache) }
    } http1ChannelConfigurator: { channel in
      bound.value.isSecured()
      return channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
          withPipeliningAssistance: true, withErrorHandling: true)
        try pipeline.addHandler(EdgeClientHandler(cache.value))
      }
    }
  }

  private static func prepareStreams(
    _ channel: any Channel, _ cache: NIOLoopBound<EdgeCache>
  ) throws {
    let limits = cache.value.configuration.limits
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
        try pipeline.addHandler(EdgeClientHandler(cache.value, in: bound.value))
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
    try? await group.shutdownGracefully()
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
