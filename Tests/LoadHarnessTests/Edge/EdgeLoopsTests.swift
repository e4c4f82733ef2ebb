import Foundation
import MediaUnits
import NIOCore
import Testing

@testable import LoadHarness

/// Connections on the cache's loop, and on several of their own: what clients get is the same.
@Suite(.serialized) struct `The edge's loops` {
  static let counts = [1, 3]

  private func withEdge(
    loops: Int, _ manner: HostileServer.Manner,
    _ body: (EdgeServer, HostileServer) async throws -> Void
  ) async throws {
    let origin = try HostileServer(manner)
    defer { origin.stop() }
    let configuration = EdgeConfiguration(origin: try #require(OriginAddress(url: origin.url)))
    let edge = try await EdgeServer.start(configuration, port: 0, loops: loops)
    try await body(edge, origin)
    await edge.stop()
    #expect(try await aside { Self.holds { origin.openConnections == 0 } })
  }

  /// Does what blocks on a thread of its own: tests have few.
  private func aside<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try body() }) }.start()
    }
  }

  /// Waits until something holds, at most twenty seconds.
  private static func holds(_ condition: () -> Bool) -> Bool {
    for _ in 0..<2_000 {
      if condition() { return true }
      usleep(10_000)
    }
    return false
  }

  private static func body(_ path: String) -> String {
    let number = Int(path.dropFirst(2)) ?? 0
    return String(repeating: "\(number).", count: 1 + number * number * 150)
  }

  @Test(arguments: counts)
  func `many clients at once each get what they asked for`(_ loops: Int) async throws {
    let (clients, requests, objects) = (30, 20, 12)
    try await EdgeFixture.with(loops: loops) { origin, client, edge in
      origin.answer { asked in
        EdgeOrigin.Script(
          fields: [("Cache-Control", "max-age=60")], body: Self.body(asked.path),
          isChunked: asked.path.hasSuffix("5"))
      }
      let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<clients {
          group.addTask {
            var wrong = 0
            for turn in 0..<requests {
              let path = "/o\((number * 7 + turn * 5) % objects)"
              let answer = try await client.get(path)
              if answer.status != 200 || answer.text != Self.body(path) { wrong += 1 }
            }
            return wrong
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(wrong == 0)
      let counters = try await edge.counters()
      #expect(counters.requests == Int64(clients * requests))
      #expect(counters.hits + counters.misses + counters.collapsed == counters.requests)
      #expect(counters.originRequests == Int64(objects))
      #expect(Set(origin.asked.map(\.path)).count == objects)
    }
  }

  @Test(arguments: counts)
  func `a request behind two others keeps its body`(_ loops: Int) async throws {
    let script = EdgeOrigin.Script(fields: [("Cache-Control", "max-age=60")])
    try await EdgeFixture.with(script, loops: loops) { origin, client, edge in
      _ = try await client.get("/kept")
      let port = edge.port
      let isClosed = try await aside {
        let bare = try BareClient(port: port)
        // The miss holds up the others; the hit is answered while half of the last one's body is
        // here.
        _ = bare.ask(
          "GET /absent HTTP/1.1\r\nHost: a\r\n\r\nGET /kept HTTP/1.1\r\nHost: a\r\n\r\n"
            + "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nConnection: close\r\n\r\n"
            + "12345",
          within: 0.5)
        return bare.ask("67890", within: 10).isClosed
      }
      #expect(isClosed)
      let last = try #require(origin.asked.last)
      #expect(last.method == "POST" && last.fields[.contentLength] == "10", "\(origin.asked)")
    }
  }

  @Test(arguments: counts)
  func `what is here of a body on its way is sent at once`(_ loops: Int) async throws {
    let part = String(repeating: "x", count: 1_000)
    try await withEdge(
      loops: loops,
      .says(
        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5000\r\n\r\n\(part)")
    ) { edge, origin in
      let port = edge.port
      let answers = try await aside {
        // The body never becomes whole.
        let clients = try (0..<2).map { _ in try BareClient(port: port) }
        return clients.map { $0.ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", within: 1).text }
      }
      #expect(answers.allSatisfy { $0.hasSuffix(part) }, "\(answers)")
      #expect(answers[1].contains("; hit"))
      #expect(origin.connections == 1)
    }
  }

  @Test(arguments: counts)
  func `a head without a body yet is sent at once`(_ loops: Int) async throws {
    try await withEdge(
      loops: loops, .says("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 5\r\n\r\n")
    ) { edge, origin in
      let port = edge.port
      let text = try await aside {
        try BareClient(port: port).ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", within: 1).text
      }
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n"), "\(text)")
    }
  }

  @Test(arguments: counts)
  func `nothing behind the last answer of a connection is asked for`(_ loops: Int) async throws {
    try await EdgeFixture.with(loops: loops) { origin, _, edge in
      let port = edge.port
      let answer = try await aside {
        try BareClient(port: port).ask(
          "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            + "POST /behind HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", within: 5)
      }
      #expect(answer.isClosed && answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer)")
      #expect(origin.asked.map(\.path) == ["/last"])
    }
  }

  @Test(arguments: counts)
  func `an answer behind others has its time`(_ loops: Int) async throws {
    let script = EdgeOrigin.Script(fields: [("Cache-Control", "max-age=60")])
    try await EdgeFixture.with(
      script, loops: loops,
      configure: {
        $0.limits.headTimeout = .milliseconds(700)
        $0.limits.bodyTimeout = .milliseconds(700)
      }
    ) { origin, client, edge in
      _ = try await client.get("/kept")
      origin.answer(EdgeOrigin.Script(delay: .milliseconds(1_200)))
      let port = edge.port
      let answer = try await aside {
        try BareClient(port: port).ask(
          ["/one", "/kept", "/two"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined(),
          within: 10)
      }
      #expect(answer.text.components(separatedBy: " 200 OK").count == 4, "\(answer)")
      #expect(answer.isClosed, "for want of a fourth")
    }
  }

  @Test(arguments: counts)
  func `after an answer the time of the next head counts, not that of a body`(
    _ loops: Int
  ) async throws {
    try await EdgeFixture.with(
      loops: loops, configure: { $0.limits.headTimeout = .milliseconds(700) }
    ) { _, _, edge in
      let port = edge.port
      let answer = try await aside {
        let client = try BareClient(port: port)
        _ = client.ask(
          "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345", within: 1)
        return client.ask("67890", within: 8)
      }
      #expect(answer.isClosed && answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  @Test(arguments: counts)
  func `the origin waits for a client that reads nothing, and ends with it`(
    _ loops: Int
  ) async throws {
    try await withEdge(
      loops: loops,
      .repeats(
        "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(1 << 40)\r\n\r\n",
        String(repeating: "x", count: 1 << 16))
    ) { edge, origin in
      let port = edge.port
      let (held, later, hasEnded) = try await aside {
        let client = try BareClient(port: port)
        _ = client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        // Buffers of the system fill, and then nothing moves any more.
        var held = 0
        _ = Self.holds {
          usleep(300_000)
          defer { held = origin.sentBytes }
          return held > 0 && origin.sentBytes == held
        }
        let later = client.ask("", until: "xxxx", times: 2_000_000, within: 10)
        client.close()
        return (held, later, Self.holds { origin.openConnections == 0 })
      }
      #expect(held > 0 && held < 64 << 20)
      #expect(later >= 2_000_000, "it goes on with the client")
      #expect(hasEnded)
    }
  }

  @Test func `what a client's loop has not taken yet is waited for, too`() {
    let sink = EdgeFarSink(isWritable: true, nil)
    for _ in 0..<4 {
      #expect(sink.isWritable)
      sink.write(ByteBuffer(repeating: 0, count: 64 << 10))
    }
    #expect(!sink.isWritable)
    sink.took(64 << 10)
    #expect(sink.isWritable)
    sink.readinessChanged(false)
    #expect(!sink.isWritable)
  }

  @Test(arguments: counts)
  func `it stops in the middle of its work`(_ loops: Int) async throws {
    let body = String(repeating: "x", count: 300_000)
    for _ in 0..<5 {
      try await withEdge(
        loops: loops,
        .dribbles("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n\(body)", every: 1)
      ) { edge, origin in
        let port = edge.port
        let clients = try (0..<8).map { _ in try BareClient(port: port) }
        for (number, client) in clients.enumerated() {
          #expect(client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"))
        }
        #expect(try await aside { Self.holds { origin.connections > 0 } })
      }
    }
  }

  @Test func `it says of a connection on another loop what the system knows`() async throws {
    try await EdgeFixture.with(loops: 2, configure: { $0.tellsServerData = true }) { _, client, _ in
      let said = try await client.get("/a").field("cmsd-dynamic") ?? ""
      #expect(said.contains("rtt=") && said.contains("etp="), "\(said)")
    }
  }
}
