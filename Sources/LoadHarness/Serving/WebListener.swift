import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// A web server of ours on a port, from its start to its end.
final class WebListener: Sendable {
  /// Where it listens.
  let port: Int
  private let listener: any Channel
  private let task: Task<Void, any Error>
  private let isOver = Atomic<Bool>(false)

  private init(_ listener: any Channel, _ task: Task<Void, any Error>) {
    self.listener = listener
    self.task = task
    port = listener.localAddress?.port ?? 0
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - tls: for HTTP/2 and HTTP/1.1 over TLS; nil for plain HTTP/1.1.
  /// - Throws: what the system says when the port cannot be had.
  static func start<Responder: HTTPResponder>(
    _ responder: Responder, host: String, port: Int, tls: TLSConfiguration? = nil
  ) async throws -> WebListener
  where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    var logger = Logger(label: "server")
    logger.logLevel = .critical
    let server = HTTPServerBuilder { answer in
      if let tls {
        KeptConnections(try HTTP2UpgradeChannel(tlsConfiguration: tls, responder: answer))
      } else {
        KeptConnections(HTTP1Channel(responder: answer))
      }
    }
    let (running, continuation) = AsyncThrowingStream<any Channel, any Error>.makeStream()
    let application = Application(
      responder: responder, server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: nil, backlog: 1024),
      onServerRunning: { channel in continuation.yield(channel) }, logger: logger)
    let task = Task {
      do {
        try await application.run()
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
        throw error
      }
    }
    for try await listener in running { return WebListener(listener, task) }
    throw CancellationError()
  }

  /// Stops listening, lets what is under way end for some time (two seconds are assumed), and
  /// closes what is left then.
  func stop(within patience: Duration = .seconds(2)) async {
    try? await listener.close()
    let watch = Task {
      _ = try? await task.value
      isOver.store(true, ordering: .relaxed)
    }
    let limit = ContinuousClock.now + patience
    while !isOver.load(ordering: .relaxed) && ContinuousClock.now < limit {
      try? await Task.sleep(for: .milliseconds(10))
    }
    task.cancel()
    await watch.value
  }
}
