import AsyncHTTPClient
import Foundation
import LoadHarness
import NIOCore
import NIOHTTP1
import Scenario
import Testing

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

  static func scenario(_ overrides: [String] = []) throws -> FeedStudy {
    try FeedStudy.parse(
      text, file: "live.yaml", overrides: overrides.map { Override(set: $0) })
  }

  /// Runs `body` with a stand-in and a client, and ends both.
  static func withStandin(
    _ overrides: [String] = [], options: StandinOptions = StandinOptions(),
    _ body: (StandinOrigin, LiveRequests) async throws -> Void
  ) async throws {
    let server = try await StandinOrigin.start(
      try scenario(overrides), options: options, port: 0)
    let client = LiveRequests(base: "http://127.0.0.1:\(server.port)")
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

/// An answer with its whole body.
struct LiveAnswer {
  let status: Int
  let fields: HTTPHeaders
  let body: [UInt8]

  func field(_ name: String) -> String? { fields.first(name: name) }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The parameters of the last `Cache-Status` member, such as `fwd=stale`.
  var cacheStatus: [String] {
    (fields["cache-status"].last ?? "").split(separator: ";").dropFirst()
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  var isHit: Bool { cacheStatus.contains("hit") }
}

/// Requests to one server.
final class LiveRequests: Sendable {
  let base: String
  private let client: HTTPClient

  init(base: String) {
    self.base = base
    var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
    settings.decompression = .disabled
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
  }

  func get(_ path: String, _ fields: [(String, String)] = []) async throws -> LiveAnswer {
    try await send("GET", path, fields)
  }

  func send(
    _ method: String, _ path: String, _ fields: [(String, String)] = [], body: String? = nil
  ) async throws -> LiveAnswer {
    var request = HTTPClientRequest(url: base + path)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in fields { request.headers.add(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let response = try await client.execute(request, timeout: .seconds(20))
    let buffer = try await response.body.collect(upTo: 4_000_000)
    return LiveAnswer(
      status: Int(response.status.code), fields: response.headers,
      body: Array(buffer.readableBytesView))
  }

  func stop() async { try? await client.shutdown() }
}
