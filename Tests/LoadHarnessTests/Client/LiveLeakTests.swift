import Foundation
import LoadHarness
import MediaUnits
import NIOCore
import Testing

/// Many requests of every kind, faults included: each ends once, and nothing is left behind.
/// 2,000 of them; `FIRSTFRAME_LIVE_REQUESTS` says another number (make test-slow: 100,000).
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LiveLeakTests {
  private static let requests =
    ProcessInfo.processInfo.environment["FIRSTFRAME_LIVE_REQUESTS"].flatMap { Int($0) } ?? 2_000

  private static let paths = [
    "/ok/1000", "/ok/20000", "/mid", "/ok/1", "/nohead", "/goodbye", "/short", "/chunked",
    "/ok/300", "/malformed", "/hop/2", "/long", "/lurk", "/reset", "/ok/9000", "/loop", "/cut",
    "/endless", "/continue", "/elsewhere", "/stuck",
  ]

  private static let http2Paths = [
    "/ok/1000", "/ok/20000", "/mid", "/ok/1", "/reset", "/refuse", "/goaway", "/short", "/long",
    "/bye", "/early", "/ok/300", "/silent", "/ok/9000",
  ]

  private func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  private func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  }

  @Test(arguments: [false, true])
  func `descriptors and memory stay flat over many requests, faults included`(
    isHTTP2: Bool
  ) async throws {
    DescriptorLimit.raise()
    let bench = try await LiveBench(isHTTP2 ? .http2 : .http1, keepsEvents: false) {
      if isHTTP2 { $0.transport = .http2PriorKnowledge }
    }
    let paths = isHTTP2 ? Self.http2Paths : Self.paths
    let isEndless = { (path: String) in path == "/stuck" || path == "/silent" }
    let before = descriptors()
    var middle = 0
    var token: [UInt64] = []
    let rounds = max(4, Self.requests / 100)
    for round in 0..<rounds {
      token = (0..<100).map { index in
        let path = paths[(round + index) % paths.count]
        return bench.send(path, player: UInt32(index % 50), connection: UInt16(index % 3)) {
          $0.bound = 100_000
          $0.timeouts = .init(
            connect: .seconds(5), firstByte: .seconds(5), whole: .milliseconds(500))
        }
      }
      // What never ends is given up by hand, as a swipe does, once something has been answered.
      if !isEndless(paths[round % paths.count]) { _ = await bench.events(token[0]) }
      for (index, token) in token.enumerated() where isEndless(paths[(round + index) % paths.count])
      {
        bench.client.cancel(token, of: UInt32(index % 50))
      }
      for token in token { _ = await bench.events(token) }
      if round % 10 == 9 { for player in 0..<50 { bench.client.closePlayer(UInt32(player)) } }
      if round == rounds / 2 { middle = resident() }
    }
    let counters = try await bench.client.counters()
    #expect(counters.requests == rounds * 100)
    #expect(counters.ended + counters.failed == counters.requests)
    #expect(counters.ended > 0 && counters.failed > 0)
    try await bench.client.shutDown()
    try await Task.sleep(for: .milliseconds(200))
    let left = descriptors() - before
    let growth = resident() - middle
    let name = isHTTP2 ? "HTTP/2" : "HTTP/1.1"
    print(
      "\(counters.requests) requests over \(name): \(left) descriptors left, \(growth) B in half 2"
    )
    // Other suites run beside this one: a few sockets of theirs may be open.
    #expect(left < 200)
    #expect(growth < 40 << 20)
    try await bench.stop()
  }
}
