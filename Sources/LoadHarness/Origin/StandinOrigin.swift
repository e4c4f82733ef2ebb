import Scenario

/// A stand-in for the origin: it serves a scenario's catalogue as real HLS, its feed and its event
/// intake, with the sizes, lifetimes and versions that the simulator works with.
///
/// Paths are those of ``MediaLayout``; beside them `/healthz`, `/stats`, a player's page
/// (``StandinPage``), and for clients that have its token (``RunToken``) `POST` and
/// `DELETE /faults` and `POST /republish?titles=N`.
public final class StandinOrigin: Sendable {
  private let state: StandinState
  private let listener: WebListener
  /// Where it listens.
  public var port: Int { listener.port }

  private init(_ state: StandinState, _ listener: WebListener) {
    self.state = state
    self.listener = listener
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
    let listener = try await WebListener.start(
      StandinResponder(state: state), host: host, port: port,
      tls: try certificate?.configuration())
    return StandinOrigin(state, listener)
  }

  /// What it has answered so far.
  public var stats: StandinStats { state.stats }

  /// The faults that are on.
  public var faults: [StandinFault] {
    get { state.faults }
    set { state.faults = newValue }
  }

  /// Publishes the most popular titles again, from now on; false after a thousand times.
  @discardableResult
  public func republish(titles: UInt32) -> Bool { state.republish(titles) }

  /// Stops listening and ends its connections.
  public func stop() async { await listener.stop() }
}
