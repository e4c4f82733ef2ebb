import Foundation
import Glibc
import Testing

@testable import LoadHarness

/// The edge as a process of its own, with many variants and many objects. Small numbers of both;
/// `FIRSTFRAME_EDGE_LOAD` says how many times as many (make test-slow: 25).
@Suite(.serialized, .timeLimit(.minutes(30)))
struct EdgeLoadTests {
  private static let times =
    ProcessInfo.processInfo.environment["FIRSTFRAME_EDGE_LOAD"].flatMap { Int($0) } ?? 1

  private static let word: StaticString = "<end>"

  /// An answer of the origin; its body ends with the word that is counted.
  private static func answer(_ fields: String, bytes: Int) -> HostileServer.Manner {
    .says(
      "HTTP/1.1 200 OK\r\nCache-Control: max-age=6000\r\nContent-Type: text/plain\r\n"
        + "ETag: \"a-tag-of-some-length\"\r\n\(fields)Content-Length: \(bytes)\r\n\r\n"
        + String(repeating: "x", count: bytes - 5) + "<end>")
  }

  /// Sends requests, fifty at a time.
  private static func ask(
    _ client: BareClient, _ range: Range<Int>, _ head: (Int) -> String
  ) -> Int {
    var answered = 0
    for first in stride(from: range.lowerBound, to: range.upperBound, by: 50) {
      let block = first..<min(first + 50, range.upperBound)
      let text = block.map { head($0) + "Host: a\r\n\r\n" }.joined()
      let seen = client.ask(text, until: word, times: block.count, within: 30)
      answered += seen
      if seen < block.count { break }
    }
    return answered
  }

  @Test func `the last of many variants of one address costs no more than the first ones`()
    throws
  {
    let origin = try HostileServer(Self.answer("Vary: X-Variant, Accept-Encoding\r\n", bytes: 20))
    defer { origin.stop() }
    let edge = try LiveProgram(["edge", "--origin", origin.url, "--port", "0"])
    defer { edge.stop() }
    let client = try BareClient(port: try edge.port())
    let head = { (index: Int) in "GET /one HTTP/1.1\r\nX-Variant: \(index)\r\n" }
    let (count, block) = (4_000 * Self.times, 1_000)
    // The first ones load code; they do not count.
    #expect(Self.ask(client, 0..<500, head) == 500)
    var costs: [Double] = []
    for first in stride(from: 500, to: 500 + count, by: block) {
      let before = edge.time()
      let answered = Self.ask(client, first..<first + block, head)
      try #require(answered == block)
      costs.append(Double(edge.time() - before) / Double(block) / 1_000)
    }
    let (first, last) = (costs[0], costs.suffix(max(1, costs.count / 10)).min() ?? 0)
    print("edge: \(count) variants, CPU a request: first \(first) us, last \(last) us")
    #expect(last <= 2 * first, "\(costs)")
    // The latest one is there.
    let again = client.ask(head(500 + count - 1) + "Host: a\r\n\r\n", within: 0.3)
    #expect(again.text.contains("firstframe; hit"), "\(again.text)")
  }

  @Test func `many objects take no more memory than the capacity says`() throws {
    let origin = try HostileServer(Self.answer("", bytes: 300))
    defer { origin.stop() }
    let capacity = Self.times >= 25 ? 256 << 20 : 32 << 20
    let edge = try LiveProgram([
      "edge", "--origin", origin.url, "--port", "0", "--capacity", "\(capacity)B",
    ])
    let port = try edge.port()
    let client = try BareClient(port: port)
    let head = { @Sendable (index: Int) in
      "GET /a/path/of/some/length/object-\(index) HTTP/1.1\r\n"
    }
    let count = 40_000 * Self.times
    #expect(Self.ask(client, 0..<500, head) == 500)
    let base = edge.memory("VmRSS")
    let threads = 4
    let answered = Answered()
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      guard let client = try? BareClient(port: port) else { return }
      let share = count / threads
      let first = 500 + thread * share
      answered.add(Self.ask(client, first..<first + share, head))
    }
    #expect(answered.count == count)
    let (peak, now) = (edge.memory("VmHWM"), edge.memory("VmRSS"))
    let text = edge.stop()
    let used =
      text.split(separator: "\n").last?.split(separator: " ").suffix(5).first
      .flatMap { Int($0) } ?? 0
    print(
      "edge: \(count) objects under \(capacity >> 20) MiB: \(used >> 20) MiB counted, resident "
        + "\(base >> 20) MiB before, \(now >> 20) MiB after, \(peak >> 20) MiB at most")
    // The base: program, threads, buffers and connections.
    #expect(peak <= capacity / 10 * 12 + (64 << 20))
    #expect(used <= capacity && used > capacity / 10 * 9, "\(text)")
    #expect(now - base < capacity / 10 * 11 + (8 << 20), "what is counted is what is taken")
    #expect(now - base > capacity / 10 * 8, "what is counted is what is taken")
  }

  private final class Answered: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var count = 0

    func add(_ more: Int) { lock.withLock { count += more } }
  }
}
