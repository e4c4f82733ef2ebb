import MediaUnits
import SimulationKernel
import Testing

@testable import LoadHarness

struct LiveTargetTests {
  @Test(arguments: [
    ("http://127.0.0.1", "127.0.0.1", 80, "127.0.0.1"),
    ("https://127.0.0.1/", "127.0.0.1", 443, "127.0.0.1"),
    ("HTTP://127.0.0.1:8080/some/path", "127.0.0.1", 8_080, "127.0.0.1:8080"),
    ("http://[::1]:81", "::1", 81, "[::1]:81"),
  ])
  func `a URL names a target`(url: String, host: String, port: Int, authority: String) throws {
    let target = try LiveTarget(url: url)
    #expect(target.host == host && target.port == port)
    #expect(target.authority == authority)
    #expect(target.address.port == port)
  }

  @Test(arguments: [
    "", "127.0.0.1:80", "ftp://127.0.0.1", "http://", "http://:80", "http://a@127.0.0.1",
    "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://127.0.0.1:x", "http://[::1",
    "http://[::1]x",
  ])
  func `a text that names no server is refused`(url: String) {
    let failure = #expect(throws: LiveTarget.Failure.self) { _ = try LiveTarget(url: url) }
    #expect(failure?.isLookup == false)
  }

  @Test func `a target owns what has its scheme, host and port`() throws {
    let target = try LiveTarget(url: "http://127.0.0.1:8080")
    let owns = { (text: String) in
      target.owns(URIReference(text).resolved(against: target.reference(path: "/a/b")))
    }
    #expect(owns("c") && owns("/x?y") && owns("//127.0.0.1:8080/z"))
    #expect(owns("http://127.0.0.1:8080/z"))
    #expect(!owns("http://127.0.0.1/z") && !owns("https://127.0.0.1:8080/z"))
    #expect(!owns("http://127.0.0.2:8080/z") && !owns("//example.invalid/z"))
    #expect(!owns("http://x@127.0.0.1:8080/z"))
    let other = try LiveTarget(url: "http://127.0.0.1:81")
    let configuration = LiveClientConfiguration(targets: [other, target], clock: LiveClock())
    let placed = configuration.place("../s.m4s?k=1", relativeTo: target.reference(path: "/a/b/c"))
    #expect(placed?.target == 1 && placed?.reference.requestTarget == "/a/s.m4s?k=1")
    let elsewhere = "http://cdn.example.invalid/s.m4s"
    #expect(configuration.place(elsewhere, relativeTo: target.reference(path: "/")) == nil)
    let https = try LiveTarget(url: "https://127.0.0.1")
    #expect(https.owns(URIReference("https://127.0.0.1:443/z")))
  }

  @Test func `deadlines come in order, and those of ended requests leave`() {
    let random = RandomStreams(seed: 5, replication: 0)
    var queue = DeadlineQueue()
    var live: [UInt64: Int64] = [:]
    var now: Int64 = 0
    for step in 0..<20_000 {
      let bits = random.bits(StreamName(rawValue: 7), entity: UInt64(step))
      if bits % 4 == 0, let serial = live.keys.min() {
        live[serial] = nil
      } else {
        live[UInt64(step)] = now + Int64((bits >> 8) % 1_000)
        queue.push(Instant(nanoseconds: now + Int64((bits >> 8) % 1_000)), UInt64(step))
        queue.compact(liveCount: live.count) { live[$0] != nil }
        #expect(queue.count <= 1_024 + 2 * live.count)
      }
      now += 1
      while let serial = queue.pop(until: Instant(nanoseconds: now)) {
        if let at = live[serial] { #expect(at <= now) }
        live[serial] = nil
      }
      if step % 100 == 0 { #expect(live.values.allSatisfy { $0 > now }) }
    }
    #expect(!live.isEmpty)
  }
}
