import Foundation
import LoadHarness
import MediaUnits
import NIOCore
import Testing

/// Against a server that misbehaves on purpose: every fault is counted as its kind, nothing is
/// counted twice, and connections are used as the model uses them.
@Suite(.timeLimit(.minutes(2)))
struct LiveClientTests {
  @Test func `a whole answer ends with its bytes and says what the cache did`() async throws {
    let bench = try await LiveBench()
    let answer = await bench.get("/ok/1000") { $0.marks = [0, 1, 500, 1000, 2000] }
    #expect(answer.failure == nil)
    #expect(answer.bytes == 1000)
    #expect(answer.body?.utf8.count == 1000)
    #expect(answer.headers?.status == 200)
    #expect(answer.headers?.verdict.outcome == .hit)
    #expect(answer.marks == [0, 1, 500, 1000])
    #expect(answer.connections == [false])
    let stamps = answer.events.map(\.at)
    #expect(stamps == stamps.sorted())
    try await bench.stop()
  }

  @Test func `a body that is not kept is counted`() async throws {
    let bench = try await LiveBench()
    let answer = await bench.get("/ok/300000") { $0.keepsBody = false }
    #expect(answer.bytes == 300_000)
    #expect(answer.body == nil)
    try await bench.stop()
  }

  @Test(arguments: [
    ("/malformed", LiveFailure.malformed), ("/badlength", .malformed),
    ("/endless", .bodyOverBound), ("/loop", .redirectLoop), ("/elsewhere", .redirectElsewhere),
    ("/short", .wrongContentLength), ("/long", .wrongContentLength),
    ("/nohead", .closedBeforeHead), ("/halfhead", .closedBeforeHead), ("/mid", .closedMidBody),
    ("/cut", .closedMidBody), ("/reset", .closedMidBody), ("/silent", .firstByteTimeout),
    ("/stuck", .wholeTimeout),
  ])
  func `each fault of a server is a kind of failure`(path: String, kind: LiveFailure) async throws {
    let bench = try await LiveBench()
    let token = bench.send(path) {
      // Short only where the wait is what is tested: machines can be slow.
      if kind == .firstByteTimeout { $0.timeouts.firstByte = .milliseconds(200) }
      if kind == .wholeTimeout { $0.timeouts.whole = .milliseconds(500) }
    }
    let answer = LiveBench.Answer(await bench.events(token))
    #expect(answer.failure == kind)
    // The player goes on as if nothing had been.
    #expect(await bench.get("/ok/10").bytes == 10)
    #expect(bench.ends(token) == 1)
    let counters = try await bench.client.counters()
    #expect(counters.requests == 2 && counters.ended == 1 && counters.failed == 1)
    try await bench.stop()
  }

  @Test func `nobody listening is unreachable and no TCP answer is a connect timeout`()
    async throws
  {
    let bench = try await LiveBench()
    try await bench.server.stop()
    #expect(await bench.get("/ok/1").failure == .unreachable)
    try await bench.stop()
    // A block for documentation (RFC 5737) that a packet may vanish in, or be refused for.
    let target = LiveTarget(
      isSecure: false, host: "192.0.2.1", port: 9,
      address: try SocketAddress(ipAddress: "192.0.2.1", port: 9))
    let far = try await LiveBench { $0.targets = [target] }
    let failure = await far.get("/") {
      $0.timeouts = .init(
        connect: .milliseconds(200), firstByte: .seconds(1), whole: .seconds(2))
    }.failure
    #expect(failure == .connectTimeout || failure == .unreachable)
    try await far.stop()
  }

  @Test func `interim answers, chunks, trailers and bodies until the end are read`() async throws {
    let bench = try await LiveBench()
    #expect(await bench.get("/continue").body == "after")
    #expect(await bench.get("/chunked").body == "abcdefgh")
    #expect(await bench.get("/unlimited").bytes == 50)
    #expect(await bench.get("/fivehundred").headers?.verdict.outcome == .error)
    try await bench.stop()
  }

  @Test func `redirects on the target are followed and counted`() async throws {
    let bench = try await LiveBench()
    let answer = await bench.get("/hop/3")
    #expect(answer.bytes == 7)
    #expect(answer.headers?.redirects == 4)
    #expect(answer.connections == [false, true, true, true, true])
    #expect(await bench.get("/hop/5").failure == .redirectLoop)
    try await bench.stop()
  }

  @Test func `methods and bodies arrive, and a path cannot break its line`() async throws {
    let bench = try await LiveBench()
    let posted = await bench.get("/echo/1") {
      $0.method = "POST"
      $0.body = Array("hello".utf8)
    }
    #expect(posted.body == "POST /echo/1 hello")
    let odd = await bench.get("/echo/a b\r\nX: y/ü")
    #expect(odd.body == "GET /echo/a%20b%0D%0AX:%20y/%C3%BC ")
    try await bench.stop()
  }

  @Test func `a player's numbered connections are used again, one request at a time`()
    async throws
  {
    let bench = try await LiveBench()
    let tokens = (0..<6).map { bench.send("/ok/100", connection: UInt16($0 % 2)) }
    var reused = 0
    for token in tokens {
      let answer = LiveBench.Answer(await bench.events(token))
      #expect(answer.bytes == 100)
      reused += answer.connections == [true] ? 1 : 0
    }
    #expect(reused == 4)
    #expect(bench.server.connections == 2)
    #expect(await bench.get("/ok/1", player: 2).connections == [false])
    try await bench.stop()
  }

  @Test func `a connection that was idle for too long is opened anew`() async throws {
    let bench = try await LiveBench { $0.idleTime = .milliseconds(20) }
    #expect(await bench.get("/ok/1").connections == [false])
    try await Task.sleep(for: .milliseconds(60))
    #expect(await bench.get("/ok/1").connections == [false])
    #expect(bench.server.connections == 2)
    try await bench.stop()
  }

  @Test func `a server that closes after an answer, or between answers, costs a connection`()
    async throws
  {
    let bench = try await LiveBench()
    #expect(await bench.get("/goodbye").body == "bye")
    #expect(await bench.get("/ok/1").connections == [false])
    #expect(await bench.get("/lurk").body == "here")
    let retried = await bench.get("/ok/5")
    #expect(retried.bytes == 5)
    #expect(retried.connections == [true, false])
    #expect(try await bench.client.counters().retried == 1)
    try await bench.stop()
    let strict = try await LiveBench { $0.retriesRefused = false }
    #expect(await strict.get("/lurk").body == "here")
    #expect(await strict.get("/ok/5").failure == .closedBeforeHead)
    try await strict.stop()
  }

  @Test func `a cancelled request ends once and costs HTTP 1 its connection`() async throws {
    let bench = try await LiveBench()
    let stuck = bench.send("/stuck")
    let behind = bench.send("/ok/9")
    try await Task.sleep(for: .milliseconds(100))
    bench.client.cancel(stuck, of: 1)
    bench.client.cancel(stuck, of: 1)
    #expect(LiveBench.Answer(await bench.events(stuck)).failure == .cancelled)
    let after = LiveBench.Answer(await bench.events(behind))
    #expect(after.bytes == 9)
    #expect(after.connections == [false])
    #expect(bench.ends(stuck) == 1)
    try await bench.stop()
  }

  @Test func `closing a player, or the client, ends what is under way`() async throws {
    let bench = try await LiveBench()
    let one = [bench.send("/stuck"), bench.send("/ok/1"), bench.send("/silent", connection: 1)]
    let other = bench.send("/stuck", player: 2)
    bench.client.closePlayer(1)
    for token in one {
      #expect(LiveBench.Answer(await bench.events(token)).failure == .cancelled)
    }
    #expect(await bench.get("/ok/3").bytes == 3)
    try await bench.client.shutDown()
    #expect(LiveBench.Answer(await bench.events(other)).failure == .cancelled)
    #expect(await bench.get("/ok/3").failure == .cancelled)
    try await bench.stop()
  }

  @Test func `each player can have an address of its own`() async throws {
    let bench = try await LiveBench()
    for player in 1...3 {
      let source = try SocketAddress(ipAddress: "127.0.0.\(10 + player)", port: 0)
      let answer = await bench.get("/ok/4", player: UInt32(player)) { $0.sourceAddress = source }
      #expect(answer.bytes == 4)
    }
    let wrong = try SocketAddress(ipAddress: "203.0.113.9", port: 0)
    let failed = await bench.get("/ok/4", player: 9) { $0.sourceAddress = wrong }
    #expect(failed.failure == .sourceExhausted)
    try await bench.stop()
  }

  @Test func `no descriptor left is the generator's own failure`() async {
    // A limit holds for a whole process, so this one is a process of its own.
    await #expect(processExitsWith: .success) {
      let bench = try await LiveBench()
      guard await bench.get("/ok/1").bytes == 1 else { fatalError("no first answer") }
      var limit = rlimit()
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      getrlimit(resource, &limit)
      limit.rlim_cur = 3
      setrlimit(resource, &limit)
      let answer = await bench.get("/ok/1", player: 2)
      guard answer.failure == .descriptorsExhausted, await bench.get("/ok/1").bytes == 1 else {
        fatalError("got \(String(describing: answer.failure))")
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test func `a check of the body decides`() async throws {
    final class Counts: LiveBodyCheck {
      let expected: Int
      var sum = 0
      init(_ expected: Int) { self.expected = expected }
      func take(_ bytes: UnsafeRawBufferPointer) { for byte in bytes { sum += Int(byte) } }
      func isRight() -> Bool { sum == expected }
    }
    let bench = try await LiveBench()
    let right = await bench.get("/ok/50") { $0.check = { Counts(50 * 0x78) } }
    #expect(right.bytes == 50)
    let wrong = await bench.get("/ok/50") { $0.check = { Counts(1) } }
    #expect(wrong.failure == .wrongContent)
    try await bench.stop()
  }
}
