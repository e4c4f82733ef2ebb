import Foundation
import Glibc
import MediaUnits
import Testing

@testable import LoadHarness

/// What the edge takes of clients that do not keep to the rules, over bare sockets.
@Suite(.serialized) struct `The edge's limits` {
  /// Runs `body` with an edge whose origin answers every request with a short body.
  private func withEdge(
    _ change: (inout EdgeConfiguration) -> Void = { _ in },
    _ body: (EdgeServer, HostileServer) async throws -> Void
  ) async throws {
    let origin = try HostileServer(.says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    defer { origin.stop() }
    let address = try #require(OriginAddress(url: origin.url))
    var configuration = EdgeConfiguration(origin: address)
    configuration.connectTimeout = .milliseconds(200)
    configuration.responseTimeout = .milliseconds(200)
    change(&configuration)
    let edge = try await EdgeServer.start(configuration, port: 0, loops: EdgeFixture.loops)
    try await body(edge, origin)
    await edge.stop()
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400"),
    ("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", "405"),
    ("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "405"),
    ("GET / HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n", "200"),
    ("GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", "200"),
    ("GET / HTTP/1.0\r\n\r\n", "200"),
  ])
  func `requests that break the rules are refused without asking the origin`(
    _ request: String, _ status: String
  ) async throws {
    try await withEdge { edge, origin in
      let answer = try BareClient(port: edge.port).ask(request, within: 5)
      #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(answer.isClosed)
      #expect((origin.connections > 0) == (status == "200"))
      if status == "405" { #expect(answer.text.lowercased().contains("allow: get, head")) }
    }
  }

  @Test func `a body that is too large is answered, and one without an end cut`() async throws {
    try await withEdge({ $0.limits.largestRequest = 100_000 }) { edge, origin in
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
      let large = try BareClient(port: edge.port).ask(
        head + "150000\r\n\r\n" + String(repeating: "x", count: 150_000), within: 5)
      #expect(large.text.hasPrefix("HTTP/1.1 413 "), "\(large)")
      let endless = try BareClient(port: edge.port).ask(
        head + "100000000\r\n\r\n" + String(repeating: "x", count: 5_000_000), within: 5)
      #expect(endless.isClosed && !endless.text.contains(" 200 "), "\(endless)")
      #expect(origin.connections == 0)
    }
  }

  @Test(arguments: [
    "", "GET / HTT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
  ])
  func `a client that says no more is let go`(_ request: String) async throws {
    try await withEdge({
      $0.limits.headTimeout = .milliseconds(700)
      $0.limits.bodyTimeout = .milliseconds(700)
      $0.limits.leastIdle = .seconds(60)
    }) { edge, _ in
      let begin = ContinuousClock.now
      let answer = try BareClient(port: edge.port).ask(request, within: 5)
      #expect(answer.isClosed, "\(answer)")
      #expect(ContinuousClock.now - begin > .milliseconds(600))
    }
  }

  @Test func `a head that comes byte by byte is let go, too`() async throws {
    try await withEdge({ $0.limits.headTimeout = .milliseconds(700) }) { edge, _ in
      let client = try BareClient(port: edge.port)
      let begin = ContinuousClock.now
      for byte in "GET / HTTP/1.1\r\nX-Long: " + String(repeating: "y", count: 100) {
        if !client.send(String(byte)) { break }
        usleep(50_000)
      }
      #expect(client.ask("", within: 1).isClosed)
      #expect(ContinuousClock.now - begin < .seconds(5))
    }
  }

  @Test func `a connection that carries nothing is closed whatever it owes`() async throws {
    try await withEdge({ $0.limits.leastIdle = .seconds(1) }) { edge, _ in
      let client = try BareClient(port: edge.port)
      #expect(client.ask("", within: 5).isClosed)
    }
  }

  @Test func `more connections than there may be are closed at once`() async throws {
    try await withEdge({ $0.limits.clients = 3 }) { edge, _ in
      let clients = try (0..<3).map { _ in try BareClient(port: edge.port) }
      let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
      for client in clients { #expect(client.ask(request, within: 0.5).text.contains(" 200 ")) }
      let fourth = try BareClient(port: edge.port).ask(request, within: 5)
      #expect(fourth.isClosed && fourth.text.isEmpty, "\(fourth)")
      clients[0].close()
      usleep(200_000)
      let next = try BareClient(port: edge.port)
      #expect(next.ask(request, within: 0.5).text.contains(" 200 "))
    }
  }
}
