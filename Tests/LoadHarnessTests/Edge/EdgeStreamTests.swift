import Foundation
import MediaUnits
import Testing

@testable import LoadHarness

/// Attacks over HTTP/2 and TLS: each ends in a closed connection within its bound, and the edge
/// goes on answering others.
@Suite(.serialized, .enabled(if: TestCertificate.isPossible))
struct `The edge under attack over HTTP 2` {
  private static let large = 200_000

  private func withEdge(
    _ change: (inout EdgeLimits) -> Void = { _ in },
    _ body: (EdgeServer, HostileServer) async throws -> Void
  ) async throws {
    let origin = try HostileServer(
      .says(
        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: \(Self.large)\r\n\r\n"
          + String(repeating: "x", count: Self.large)))
    defer { origin.stop() }
    var configuration = EdgeConfiguration(
      origin: try #require(OriginAddress(url: origin.url)))
    configuration.limits.leastIdle = .seconds(60)
    change(&configuration.limits)
    let certificate = try ServerCertificate.selfSigned()
    defer { certificate.remove() }
    let edge = try await EdgeServer.start(
      configuration, port: 0, loops: EdgeFixture.loops, certificate: certificate)
    try await body(edge, origin)
    // Whatever came before, others are answered.
    let client = try await FrameClient.connect(port: edge.port)
    client.send(FrameClient.request(1, "/after"))
    var isAnswered = false
    for _ in 0..<300 where !isAnswered {
      try await Task.sleep(for: .milliseconds(10))
      isAnswered = client.frames.contains { $0.type == 1 && $0.stream == 1 }
    }
    #expect(isAnswered, "\(client.frames.map(\.type))")
    await client.close()
    await edge.stop()
  }

  @Test(arguments: Flood.all)
  func `floods and bombs end in a closed connection`(_ flood: Flood) async throws {
    try await withEdge { edge, _ in
      let client = try await FrameClient.connect(port: edge.port)
      let begin = ContinuousClock.now
      let turns = await client.flood(most: flood.most, flood.bytes)
      #expect(turns != nil, "\(flood.name): \(flood.most) and still open")
      #expect(ContinuousClock.now - begin < .seconds(5), "\(flood.name)")
      await client.close()
    }
  }

  @Test func `more streams than there may be are refused`() async throws {
    try await withEdge({
      $0.streams = 10
      $0.bodyTimeout = .seconds(1)
    }) { edge, origin in
      let client = try await FrameClient.connect(port: edge.port)
      for stream in 0..<40 { client.send(FrameClient.request(UInt32(2 * stream + 1), ends: false)) }
      // Those above are refused, and those that are open and send nothing end, too.
      try await Task.sleep(for: .milliseconds(1_500))
      let reset = Set(client.frames.filter { $0.type == 3 }.map(\.stream))
      #expect(!client.isOpen || reset.count == 40, "\(reset.count) of 40")
      #expect(origin.connections == 0)
      await client.close()
    }
  }

  @Test(arguments: [0, 1])
  func `a client that takes nothing of its answer is let go, whatever else it sends`(
    _ window: Int
  ) async throws {
    try await withEdge({ $0.sendTimeout = .milliseconds(700) }) { edge, _ in
      let client = try await FrameClient.connect(
        port: edge.port, settings: FrameClient.setting(4, UInt32(window)))
      for stream in [1, 3, 5] { client.send(FrameClient.request(UInt32(stream), "/large")) }
      let begin = ContinuousClock.now
      while client.isOpen && ContinuousClock.now - begin < .seconds(5) {
        client.send(FrameClient.frame(6, payload: [UInt8](repeating: 0, count: 8)))
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(!client.isOpen)
      #expect(ContinuousClock.now - begin > .milliseconds(600))
      await client.close()
    }
  }

  @Test func `a stream that stands still beside one that moves ends alone`() async throws {
    try await withEdge({ $0.sendTimeout = .milliseconds(1_500) }) { edge, _ in
      // 65,535 bytes for the connection: the first stream takes some of them and stands.
      let client = try await FrameClient.connect(
        port: edge.port, settings: FrameClient.setting(4, 1_000))
      client.send(FrameClient.request(1, "/large"))
      client.send(FrameClient.request(3, "/large"))
      let begin = ContinuousClock.now
      while ContinuousClock.now - begin < .milliseconds(2_200) {
        for stream in [0, 3] {
          client.send(
            FrameClient.frame(8, stream: UInt32(stream), payload: FrameClient.word(4_000)))
        }
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(client.isOpen)
      #expect(client.frames.contains { $0.type == 3 && $0.stream == 1 })
      #expect(!client.frames.contains { $0.type == 3 && $0.stream == 3 })
      await client.close()
    }
  }

  @Test func `a connection without a request is let go although it sends`() async throws {
    try await withEdge({ $0.headTimeout = .milliseconds(700) }) { edge, _ in
      for kind in ["pings", "half a frame", "half a block of fields"] {
        let client = try await FrameClient.connect(port: edge.port)
        switch kind {
        case "half a frame": client.send([0, 0, 100, 1])
        case "half a block of fields":
          client.send(FrameClient.request(1, ends: false))
          client.send(FrameClient.frame(1, stream: 3, payload: FrameClient.fields()))
        default: break
        }
        let begin = ContinuousClock.now
        while client.isOpen && ContinuousClock.now - begin < .seconds(5) {
          if kind == "pings" {
            client.send(FrameClient.frame(6, payload: [UInt8](repeating: 0, count: 8)))
          }
          try await Task.sleep(for: .milliseconds(100))
        }
        #expect(!client.isOpen, "\(kind)")
        await client.close()
      }
    }
  }

  @Test func `no handshake, a slow one and garbage are let go`() async throws {
    try await withEdge({ $0.headTimeout = .milliseconds(700) }) { edge, _ in
      #expect(try BareClient(port: edge.port).ask("", within: 5).isClosed)
      #expect(try BareClient(port: edge.port).ask("GET / HTTP/1.1\r\n\r\n", within: 5).isClosed)
      let noise = String(
        decoding: (0..<4_000).map { _ in UInt8.random(in: 0..<0x80) }, as: UTF8.self)
      #expect(try BareClient(port: edge.port).ask(noise, within: 5).isClosed)
      // The head of a ClientHello that never becomes whole, a byte at a time.
      let slow = try BareClient(port: edge.port)
      let begin = ContinuousClock.now
      _ = slow.send("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}")
      for _ in 0..<60 {
        if !slow.send("\u{1}") { break }
        usleep(50_000)
      }
      #expect(slow.ask("", within: 1).isClosed)
      #expect(ContinuousClock.now - begin < .seconds(4))
    }
  }

  @Test func `nobody negotiates again`() async throws {
    try await withEdge { edge, _ in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = ["s_client", "-connect", "127.0.0.1:\(edge.port)", "-tls1_2"]
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
      try await Task.sleep(for: .milliseconds(300))
      try input.fileHandleForWriting.write(contentsOf: Data("R\n".utf8))
      let limit = ContinuousClock.now + .seconds(5)
      while process.isRunning && ContinuousClock.now < limit {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(!process.isRunning, "the connection ends")
      if process.isRunning { process.terminate() }
      let text = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      // The server says so, or closes; a second session there is not.
      #expect(text.contains("RENEGOTIATING"), "\(text)")
      #expect(text.contains("no renegotiation") || text.contains("unexpected eof"), "\(text)")
      #expect(text.components(separatedBy: "CONNECTED(").count == 2)
    }
  }
}

/// A flood by its name, its bytes at each turn, and the most turns that it may take.
struct Flood: CustomTestStringConvertible, Sendable {
  var name: String
  var most: Int
  var bytes: @Sendable (Int) -> [UInt8]
  var testDescription: String { name }

  static let all: [Flood] = [
    Flood(name: "SETTINGS", most: 300) { _ in FrameClient.frame(4) },
    Flood(name: "SETTINGS that change the table", most: 300) { turn in
      FrameClient.frame(4, payload: FrameClient.setting(1, turn % 2 == 0 ? 0 : 1 << 30))
    },
    Flood(name: "PING", most: 300) { _ in
      FrameClient.frame(6, payload: [UInt8](repeating: 0, count: 8))
    },
    Flood(name: "PRIORITY", most: 300) { _ in
      FrameClient.frame(2, stream: 1, payload: [0, 0, 0, 3, 1])
    },
    Flood(name: "frames of no known type", most: 300) { _ in
      FrameClient.frame(0x42, payload: [1, 2, 3])
    },
    Flood(name: "rapid reset (CVE-2023-44487)", most: 300) { turn in
      let stream = UInt32(2 * turn + 1)
      return FrameClient.request(stream, "/\(turn)")
        + FrameClient.frame(3, stream: stream, payload: FrameClient.word(8))
    },
    Flood(name: "streams that the server has to reset (CVE-2025-8671)", most: 300) { turn in
      let stream = UInt32(2 * turn + 1)
      return FrameClient.request(stream, "/\(turn)")
        + FrameClient.frame(8, stream: stream, payload: FrameClient.word(0))
    },
    Flood(name: "CONTINUATION", most: 20) { turn in
      turn == 0
        ? FrameClient.frame(1, stream: 1, payload: FrameClient.fields())
        : FrameClient.frame(9, stream: 1, payload: [0, 1, 0x61, 1, 0x62])
    },
    Flood(name: "empty DATA", most: 20) { turn in
      turn == 0 ? FrameClient.request(1, ends: false) : FrameClient.frame(0, stream: 1)
    },
    Flood(name: "WINDOW_UPDATE", most: 4_000) { _ in
      FrameClient.frame(8, payload: FrameClient.word(1))
    },
    Flood(name: "a window beyond 2^31", most: 3) { _ in
      FrameClient.frame(8, payload: FrameClient.word(0x7FFF_FFFF))
    },
    Flood(name: "an initial window beyond 2^31", most: 1) { _ in
      FrameClient.frame(4, payload: FrameClient.setting(4, 0x8000_0000))
    },
    Flood(name: "fields of 30 KiB", most: 2) { turn in
      turn == 0
        ? FrameClient.frame(1, stream: 1, payload: FrameClient.fields() + filler(16_000))
        : FrameClient.frame(9, flags: 4, stream: 1, payload: filler(16_000))
    },
    Flood(name: "a compressed bomb", most: 1) { _ in bomb },
    Flood(name: "no preface's frame", most: 1) { _ in [UInt8](repeating: 0xFF, count: 64) },
  ]

  /// Fields of so many bytes in all, of 1,000 bytes each.
  private static func filler(_ count: Int) -> [UInt8] {
    let value = [UInt8](repeating: 0x79, count: 1_000)
    return (0..<(count / 1_004)).flatMap { _ in [0, 1, 0x78, 0x7F, 0xE9, 0x06] + value }
  }

  /// A field of 4,000 bytes in the table, and three thousand times its number.
  private static var bomb: [UInt8] {
    let value = [UInt8](repeating: 0x7A, count: 4_000)
    let block =
      FrameClient.fields() + [0x40, 1, 0x78, 0x7F, 0xA1, 0x1E] + value
      + [UInt8](repeating: 0xBE, count: 3_000)
    return FrameClient.frame(1, flags: 5, stream: 1, payload: block)
  }
}
