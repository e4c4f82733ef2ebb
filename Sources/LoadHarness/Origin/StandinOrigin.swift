import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import Scenario
import Synchronization

/// A stand-in for the origin: it serves a scenario's catalogue as real HLS, its feed and its event
/// intake, with the sizes, lifetimes and versions that the simulator works with.
///
/// Paths are those of ``MediaLayout``; beside them `/healthz`, `/stats`, a player's page
/// (``StandinPage``), and for clients on this machine `POST` and `DELETE /faults` and
/// `POST /republish?titles=N`.
public final class StandinOrigin: Sendable {
  private let state: StandinState
  private let task: Task<Void, any Error>
  private let listener: any Channel
  private let isOver = Atomic<Bool>(false)
  /// Where it listens.
  public let port: Int

  private init(_ state: StandinState, _ task: Task<Void, any Error>, listener: any Channel) {
    self.state = state
    self.task = task
    self.listener = listener
    port = listener.localAddress?.port ?? 0
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - certificate: for TLS, over which HTTP/2 is offered; nil for plain HTTP/1.1.
  /// - Throws: what the system says when the port cannot be had; ``HarnessFailure`` for media that
  ///   are not those of the scenario's catalogue.
  public static func start(
    _ scenario: FeedStudy, options: StandinOptions = StandinOptions(),
    host: String = "127.0.0.1", port: Int, certificate: ServerCertificate? = nil
  ) async throws -> StandinOrigin {
    var scenario = scenario
    try options.media?.give(to: &scenario)
    let state = StandinState(scenario, options)
    var logger = Logger(label: "standin")
    logger.logLevel = .critical
    let server: HTTPServerBuilder =
      if let certificate {
        try .http2Upgrade(tlsConfiguration: certificate.configuration())
      } else {
        .http1()
      }
    let (running, continuation) = AsyncThrowingStream<any Channel, any Error>.makeStream()
    let application = Application(
      responder: StandinResponder(state: state), server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: nil, backlog: 1024),
      onServerRunning: { channel in continuation.yield(channel) },
      logger: logger)
    let task = Task {
      do {
        try await application.run()
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
        throw error
      }
    }
    for try await listener in running { return StandinOrigin(state, task, listener: listener) }
    throw CancellationError()
  }

  /// What it has answered so far.
  public var stats: StandinStats { state.stats }

  /// The faults that are on.
  public var faults: [StandinFault] {
    get { state.faults }
    set { state.faults = newValue }
  }

  /// Publishes the most popular titles again, from now on.
  public func republish(titles: UInt32) { state.republish(titles) }

  /// Stops listening and ends its connections.
  ///
  /// The listener goes first, and only then what is left is cancelled: a connection that is
  /// accepted and not yet taken up must not be thrown away.
  public func stop() async {
    try? await listener.close()
    let watch = Task {
      _ = try? await task.value
      isOver.store(true, ordering: .relaxed)
    }
    for _ in 0..<40 where !isOver.load(ordering: .relaxed) {
      try? await Task.sleep(for: .milliseconds(50))
    }
    task.cancel()
    await watch.value
  }
}
