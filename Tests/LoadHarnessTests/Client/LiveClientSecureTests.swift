import LoadHarness
import MediaUnits
import Testing

/// TLS and HTTP/2.
@Suite(.timeLimit(.minutes(2)))
struct LiveClientSecureTests {
  @Test func `HTTP 2 carries a player's requests on one connection`() async throws {
    let bench = try await LiveBench(.http2) { $0.transport = .http2PriorKnowledge }
    let silent = bench.send("/silent")
    let tokens = (0..<150).map { bench.send("/ok/\($0 * 1_000)") }
    for (index, token) in tokens.enumerated() {
      let answer = LiveBench.Answer(await bench.events(token))
      #expect(answer.bytes == index * 1_000)
      #expect(answer.versions == [.http2])
    }
    #expect(bench.server.connections == 1)
    bench.client.cancel(silent, of: 1)
    #expect(LiveBench.Answer(await bench.events(silent)).failure == .cancelled)
    #expect(await bench.get("/ok/7").connections == [true])
    #expect(await bench.get("/early").bytes == 3)
    try await bench.stop()
  }

  @Test(arguments: [
    ("/short", LiveFailure.wrongContentLength), ("/long", .wrongContentLength),
    ("/reset", .streamReset(2)), ("/refuse", .streamReset(7)), ("/goaway", .goneAway),
    ("/mid", .closedMidBody), ("/silent", .firstByteTimeout),
  ])
  func `each fault of an HTTP 2 server is a kind of failure`(
    path: String, kind: LiveFailure
  ) async throws {
    let bench = try await LiveBench(.http2) { $0.transport = .http2PriorKnowledge }
    let token = bench.send(path) {
      if kind == .firstByteTimeout { $0.timeouts.firstByte = .milliseconds(200) }
    }
    #expect(LiveBench.Answer(await bench.events(token)).failure == kind)
    #expect(await bench.get("/ok/10").bytes == 10)
    #expect(bench.ends(token) == 1)
    try await bench.stop()
  }

  @Test func `after GOAWAY the next request opens a connection`() async throws {
    let bench = try await LiveBench(.http2) { $0.transport = .http2PriorKnowledge }
    #expect(await bench.get("/bye").bytes == 5)
    #expect(await bench.get("/ok/5").connections == [false])
    #expect(bench.server.connections == 2)
    try await bench.stop()
  }

  @Test func `bodies longer than every window flow on`() async throws {
    let bench = try await LiveBench(.http2) {
      $0.transport = .http2PriorKnowledge
      $0.streamWindow = 1 << 16
      $0.connectionWindow = 1 << 17
    }
    let tokens = (0..<3).map { _ in bench.send("/ok/900000") }
    for token in tokens {
      #expect(LiveBench.Answer(await bench.events(token)).bytes == 900_000)
    }
    try await bench.stop()
  }

  @Test(.enabled(if: TestCertificate.isPossible, "openssl is not installed"))
  func `TLS agrees on a protocol, and a certificate that nobody trusts is a TLS failure`()
    async throws
  {
    let (context, file) = try TestCertificate.shared.get()
    let first = try await LiveBench(.tls(context), scheme: "https") { $0.trust = .file(file) }
    let answer = await first.get("/ok/1000")
    #expect(answer.bytes == 1000)
    #expect(answer.versions == [.http1])
    #expect(answer.tls > .zero)
    #expect(await first.get("/short").failure == .wrongContentLength)
    try await first.stop()
    let second = try await LiveBench(.tls(context), scheme: "https") {
      $0.trust = .anyone
      $0.transport = .http2
    }
    let multiplexed = await second.get("/ok/1000")
    #expect(multiplexed.bytes == 1000)
    #expect(multiplexed.versions == [.http2])
    try await second.stop()
    let wary = try await LiveBench(.tls(context), scheme: "https")
    #expect(await wary.get("/ok/1000").failure == .tls)
    try await wary.stop()
  }

  @Test func `plain text on a TLS port is a TLS failure, silence a connect timeout`()
    async throws
  {
    let plain = try await LiveBench(.plainText, scheme: "https") { $0.trust = .anyone }
    #expect(await plain.get("/ok/1").failure == .tls)
    try await plain.stop()
    let silent = try await LiveBench(.silent, scheme: "https") { $0.trust = .anyone }
    let answer = await silent.get("/ok/1") { $0.timeouts.connect = .milliseconds(200) }
    #expect(answer.failure == .connectTimeout)
    try await silent.stop()
  }
}
