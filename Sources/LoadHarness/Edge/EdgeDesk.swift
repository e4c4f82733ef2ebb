import NIOCore
import NIOHTTP1

/// Where connections of clients bring their requests: the way to the cache, which is on a loop of
/// its own when connections have several.
final class EdgeDesk: Sendable {
  let configuration: EdgeConfiguration
  private let cache: NIOLoopBound<EdgeCache>

  init(_ cache: NIOLoopBound<EdgeCache>, _ configuration: EdgeConfiguration) {
    self.cache = cache
    self.configuration = configuration
  }

  /// Takes a request of a client; nil when it has been answered meanwhile.
  ///
  /// - Parameter loop: the connection's.
  func take(
    _ request: HTTPRequestHead, _ content: ByteBuffer?, of client: EdgeClientHandler,
    on loop: any EventLoop
  ) -> EdgeVisit? {
    if cache.eventLoop === loop {
      let cache = cache.value
      let exchange = cache.take(request, content, sink: client)
      return exchange.isOver ? nil : .near(exchange, cache)
    }
    let state = configuration.tellsServerData ? client.connectionState() : nil
    let crossing = EdgeCrossing(
      NIOLoopBound(client, eventLoop: loop), cache, isWritable: client.isWritable, state)
    crossing.begin(request, content)
    return .far(crossing)
  }
}

/// A request that the cache has, as its client's connection knows it.
enum EdgeVisit {
  /// The cache is on the connection's loop.
  case near(EdgeExchange, EdgeCache)
  /// It is on another one.
  case far(EdgeCrossing)

  /// The client is gone.
  func leave() {
    switch self {
    case .near(let exchange, let cache): cache.left(exchange)
    case .far(let crossing): crossing.leave()
    }
  }

  /// The client's connection takes more bytes, or no more for now.
  func readinessChanged(_ isWritable: Bool) {
    switch self {
    case .near(let exchange, _): exchange.readinessChanged()
    case .far(let crossing): crossing.readinessChanged(isWritable)
    }
  }
}
