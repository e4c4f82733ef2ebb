import Foundation
import LoadHarness
import Scenario

/// A small scenario, a stand-in for it on a free port, and a client that follows nothing and
/// unpacks nothing.
enum LiveFixture {
  static let text = """
    version: 1
    name: live
    description: a small catalogue for tests over loopback
    catalogue:
      titles: 40
    """

  /// Who may change the stand-in of ``withStandin(_:options:_:)``.
  static let token = RunToken()
  static let bearer = [("Authorization", "Bearer \(token.text)")]

  static func scenario(
    _ overrides: [String] = [], short: Bool = false
  ) throws -> FeedStudy {
    try FeedStudy.parse(
      text, file: "live.yaml", overrides: overrides.map { Override(set: $0) }, short: short)
  }

  /// Runs `body` with a stand-in and a client, and ends both.
  static func withStandin(
    _ overrides: [String] = [], options: StandinOptions = StandinOptions(),
    _ body: (StandinOrigin, LiveRequests) async throws -> Void
  ) async throws {
    var options = options
    options.token = options.token ?? token
    let server = try await StandinOrigin.start(
      try scenario(overrides), options: options, port: 0)
    let client = LiveRequests(port: server.port)
    do {
      try await body(server, client)
    } catch {
      await client.stop()
      await server.stop()
      throw error
    }
    await client.stop()
    await server.stop()
  }
}
