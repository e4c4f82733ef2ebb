import MediaUnits
import NIOCore
import NIOSSL

/// The virtual players' HTTP client.
///
/// It follows the model's rules about connections. A request names its player and the number of one
/// of that player's connections; the client opens the connection when it is not open, keeps it
/// between requests for as long as the server and ``LiveClientConfiguration/idleTime`` allow, and
/// sends the requests of an HTTP/1.1 connection one after the other. All of a player's work is done
/// on one event loop. A player that is done has to be closed (``closePlayer(_:)``).
///
/// What it leaves out: TLS sessions are not resumed (NIOSSL has no way to), so that each new
/// connection pays a whole TLS 1.3 handshake; no pipelining; no cache; no decoding of content.
/// It talks to the configured targets alone: a redirect to any other server is not followed.
public final class LiveClient: Sendable {
  private let loops: [NIOLoopBoundBox<LiveLoop>]
  public let configuration: LiveClientConfiguration

  /// - Parameters:
  ///   - group: the loops to work on; the caller shuts it down after ``shutDown()``.
  ///   - sink: is told what happens, on the event loop of the player; it must not block.
  /// - Throws: when the trusted certificates cannot be read.
  public init(
    configuration: LiveClientConfiguration, group: any EventLoopGroup,
    sink: @escaping @Sendable (LiveEvent) -> Void
  ) throws {
    self.configuration = configuration
    let tls = try LiveClient.tls(configuration)
    loops = group.makeIterator().map { loop in
      NIOLoopBoundBox.makeBoxSendingValue(
        LiveLoop(configuration, eventLoop: loop, tls: tls, sink: sink), eventLoop: loop)
    }
  }

  private static func tls(_ configuration: LiveClientConfiguration) throws -> NIOSSLContext? {
    if !configuration.targets.contains(where: \.isSecure) { return nil }
    var tls = TLSConfiguration.makeClientConfiguration()
    switch configuration.trust {
    case .system: break
    case .file(let path): tls.trustRoots = .file(path)
    case .anyone: tls.certificateVerification = .none
    }
    switch configuration.transport {
    case .http1: tls.applicationProtocols = ["http/1.1"]
    case .http2: tls.applicationProtocols = ["h2", "http/1.1"]
    case .http2PriorKnowledge: tls.applicationProtocols = ["h2"]
    }
    return try NIOSSLContext(configuration: tls)
  }

  private func box(_ player: UInt32) -> NIOLoopBoundBox<LiveLoop> {
    loops[Int(player) % loops.count]
  }

  /// Takes a request; from any thread. Its events follow in the sink.
  public func send(_ request: LiveRequest) {
    let box = box(request.player)
    box.eventLoop.execute { box.value.send(request) }
  }

  /// Gives a request up, if it has not ended: over HTTP/2 its stream is reset, over HTTP/1.1 its
  /// connection closed, so that the next request pays for a new one.
  public func cancel(_ token: UInt64, of player: UInt32) {
    let box = box(player)
    box.eventLoop.execute { box.value.cancel(token) }
  }

  /// Gives up a player's requests and closes its connections.
  public func closePlayer(_ player: UInt32) {
    let box = box(player)
    box.eventLoop.execute { box.value.closePlayer(player) }
  }

  /// The sums over all loops.
  public func counters() async throws -> LiveCounters {
    var sum = LiveCounters()
    for box in loops {
      sum.add(try await box.eventLoop.submit { box.value.counters }.get())
    }
    return sum
  }

  /// Gives up everything and waits until every socket is closed. Requests that come later fail.
  public func shutDown() async throws {
    for box in loops { try await box.eventLoop.flatSubmit { box.value.shutDown() }.get() }
  }
}
