import CachePolicy
import MediaUnits
import Models
import Telemetry
import Testing

@testable import LoadHarness

/// RFC 9111 over loopback; the pure rules have their own tests in CachePolicyTests.
struct `The edge as a server` {
  private typealias Script = EdgeOrigin.Script

  private static func cacheable(_ more: [(String, String)] = [], _ body: String = "body") -> Script
  {
    Script(fields: [("Cache-Control", "max-age=60")] + more, body: body)
  }

  @Test func `a fresh copy answers again, with Age and Cache-Status`() async throws {
    try await EdgeFixture.with(
      Self.cacheable([("ETag", "\"a\"")]), configure: { $0.weighing = .bodies }
    ) { origin, client, edge in
      let first = try await client.get("/a")
      #expect(
        first.cacheStatus == ["fwd=uri-miss", "fwd-status=200", "ttl=59", "stored"]
          || first.cacheStatus == ["fwd=uri-miss", "fwd-status=200", "ttl=60", "stored"])
      #expect(first.field("age") == nil)
      let second = try await client.get("/a")
      #expect(second.isHit && second.text == "body" && second.field("age") != nil)
      #expect(second.field("date") == first.field("date") && second.field("via") != nil)
      #expect(origin.asked.count == 1)
      _ = try await client.get("/a?x")
      #expect(origin.asked.count == 2, "another query is another key")
      let counters = try await edge.counters()
      #expect(counters.hits == 1 && counters.misses == 2 && counters.stored == 2)
      #expect(try await edge.usedBytes() == 8)
    }
  }

  @Test func `it says of each answer what it knows, and nothing of before for a kept one`()
    async throws
  {
    let script = Self.cacheable([
      ("CMSD-Static", "br=800,ot=v"), ("CMSD-Dynamic", "\"origin\";etp=5;rd=7"),
    ])
    try await EdgeFixture.with(
      script,
      configure: {
        $0.tellsServerData = true
        $0.suggestedBitrate = .kilobits(1_500)
      }
    ) { _, client, _ in
      for isHit in [false, true] {
        let answer = try await client.get("/a")
        #expect(answer.isHit == isHit)
        #expect(answer.fields["cmsd-static"] == ["br=800,ot=v"])
        var reader = CMSDReader()
        let hops = reader.hops(answer.fields["cmsd-dynamic"].joined(separator: ", "))
        #expect(hops.map(\.name) == (isHit ? [] : ["origin"]) + ["firstframe"])
        let own = try #require(hops.last)
        #expect(own.suggestedBitrate == 1_500_000 && own.responseDelay ?? -1 >= 0)
        #expect(own.roundTrip ?? 9 < 5 && own.throughput ?? 0 > 0)
        #expect(reader.report.malformed == 0)
      }
    }
    try await EdgeFixture.with(script) { _, client, _ in
      let answer = try await client.get("/a")
      #expect(answer.fields["cmsd-dynamic"].count == 1, "passed on as it came")
    }
  }

  @Test func `conditions and ranges of clients are answered from the copy`() async throws {
    let script = Self.cacheable(
      [("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], "0123456789")
    try await EdgeFixture.with(script) { origin, client, _ in
      // On a miss the whole is asked for, whatever the client has.
      let first = try await client.get("/a", [("Range", "bytes=2-3"), ("If-None-Match", "\"x\"")])
      #expect(first.status == 206 && first.text == "23")
      #expect(origin.asked[0].fields[.range] == nil && origin.asked[0].fields[.ifNoneMatch] == nil)
      let none = try await client.get("/a", [("If-None-Match", "\"b\", \"a\"")])
      #expect(none.status == 304 && none.isHit && none.field("etag") == "\"a\"")
      #expect(none.field("content-length") == nil)
      let date = try await client.get(
        "/a", [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")])
      #expect(date.status == 304)
      let part = try await client.get("/a", [("Range", "bytes=-2")])
      #expect(part.status == 206 && part.text == "89")
      #expect(part.field("content-range") == "bytes 8-9/10")
      #expect(try await client.get("/a", [("Range", "bytes=10-")]).status == 416)
      let head = try await client.send("HEAD", "/a")
      #expect(head.isHit && head.body.isEmpty && head.field("content-length") == "10")
      #expect(origin.asked.count == 1)
    }
  }

  @Test func `a stale copy is validated, and a 304 renews its fields`() async throws {
    let script = Script(
      fields: [("Cache-Control", "max-age=0"), ("ETag", "\"a\""), ("X-A", "1"), ("X-B", "1")])
    try await EdgeFixture.with(script) { origin, client, edge in
      _ = try await client.get("/a")
      origin.answer(
        Script(
          status: 304, fields: [("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("X-A", "2")]))
      let second = try await client.get("/a")
      #expect(origin.asked[1].fields[.ifNoneMatch] == "\"a\"")
      #expect(second.status == 200 && second.text == "body")
      #expect(second.field("x-a") == "2" && second.field("x-b") == "1")
      #expect(second.cacheStatus.contains("fwd=stale"))
      #expect(second.cacheStatus.contains("fwd-status=304"))
      let third = try await client.get("/a")
      #expect(third.isHit && third.field("x-a") == "2")
      #expect(try await edge.counters().revalidated == 1)
    }
  }

  @Test func `a 304 for another copy is not believed`() async throws {
    try await EdgeFixture.with(
      Script(fields: [("Cache-Control", "max-age=0"), ("ETag", "\"a\"")])
    ) { origin, client, _ in
      _ = try await client.get("/a")
      origin.answer { asked in
        asked.fields[.ifNoneMatch] == nil
          ? Self.cacheable([("ETag", "\"b\"")], "new")
          : Script(status: 304, fields: [("ETag", "\"b\"")])
      }
      #expect(try await client.get("/a").text == "new")
      #expect(origin.asked.count == 3)
      #expect(try await client.get("/a").isHit)
    }
  }

  @Test func `requests that come together are one at the origin`() async throws {
    var script = Self.cacheable([], String(repeating: "x", count: 300_000))
    script.delay = .milliseconds(100)
    try await EdgeFixture.with(script) { origin, client, edge in
      let bodies = try await withThrowingTaskGroup(of: LiveAnswer.self) { group in
        for _ in 0..<20 { group.addTask { try await client.get("/a") } }
        var all: [LiveAnswer] = []
        for try await answer in group { all.append(answer) }
        return all
      }
      #expect(origin.asked.count == 1)
      #expect(bodies.allSatisfy { $0.status == 200 && $0.body.count == 300_000 })
      #expect(bodies.filter { $0.cacheStatus.contains("collapsed") }.count >= 1)
      let counters = try await edge.counters()
      #expect(counters.misses == 1 && counters.collapsed + counters.hits == 19)
    }
  }

  @Test func `variants stand side by side, and those who waited for another's ask for theirs`()
    async throws
  {
    let origin: @Sendable (EdgeOrigin.Asked) -> EdgeOrigin.Script = { asked in
      var script = Self.cacheable(
        [("Vary", "Accept-Language")], asked.fields[.acceptLanguage] ?? "none")
      script.delay = .milliseconds(60)
      return script
    }
    try await EdgeFixture.with { server, client, _ in
      server.answer(origin)
      let answers = try await withThrowingTaskGroup(of: (String, LiveAnswer).self) { group in
        for word in ["en", "de", "en", "fr", "de"] {
          group.addTask { (word, try await client.get("/a", [("Accept-Language", word)])) }
        }
        var all: [(String, LiveAnswer)] = []
        for try await answer in group { all.append(answer) }
        return all
      }
      for (word, answer) in answers { #expect(answer.text == word) }
      let before = server.asked.count
      for word in ["en", "de", "fr"] {
        let answer = try await client.get("/a", [("Accept-Language", word)])
        #expect(answer.isHit && answer.text == word)
      }
      #expect(server.asked.count == before)
      let miss = try await client.get("/a", [("Accept-Language", "it")])
      #expect(miss.cacheStatus.contains("fwd=vary-miss"))
    }
  }

  @Test func `what must not be stored is not`() async throws {
    try await EdgeFixture.with { origin, client, edge in
      for (index, fields) in [
        [("Cache-Control", "no-store, max-age=60")], [("Cache-Control", "private, max-age=60")],
        [("Cache-Control", "max-age=60"), ("Vary", "*")], [],
      ].enumerated() {
        origin.answer(Script(fields: fields))
        for _ in 0..<2 {
          let answer = try await client.get("/\(index)")
          #expect(!answer.isHit && !answer.cacheStatus.contains("stored"), "\(fields)")
        }
      }
      origin.answer(Self.cacheable())
      let secret = [("Authorization", "x")]
      _ = try await client.get("/secret", secret)
      #expect(try await !client.get("/secret", secret).isHit)
      #expect(try await edge.counters().stored <= 1)
    }
  }

  @Test func `what is somebody's, or about another host, is stored only as RFC 9111 has it`()
    async throws
  {
    let forwarded = [("X-Forwarded-Host", "elsewhere.test")]
    for isCareful in [true, false] {
      try await EdgeFixture.with(configure: { $0.isCareful = isCareful }) { origin, client, _ in
        origin.answer(Self.cacheable([("Set-Cookie", "session=1")]))
        _ = try await client.get("/cookie")
        #expect(try await client.get("/cookie").isHit == !isCareful)
        origin.answer { asked in
          Self.cacheable([], asked.fields[.forwardedHost] ?? "here")
        }
        // Nobody gets what another has asked to be about a host of his.
        #expect(try await client.get("/host", forwarded).text == "elsewhere.test")
        #expect(try await client.get("/host").text == (isCareful ? "here" : "elsewhere.test"))
        // A copy that is there is good for both.
        let hit = try await client.get("/host", forwarded)
        #expect(hit.isHit && hit.text == (isCareful ? "here" : "elsewhere.test"))
      }
    }
    // Where an answer says that it varies by the field, it is in the key.
    try await EdgeFixture.with { origin, client, _ in
      origin.answer { asked in
        Self.cacheable(
          [("Vary", "X-Forwarded-Host")], asked.fields[.forwardedHost] ?? "here")
      }
      #expect(try await client.get("/host").text == "here")
      #expect(try await client.get("/host", forwarded).text == "elsewhere.test")
      let hit = try await client.get("/host", forwarded)
      #expect(hit.isHit && hit.text == "elsewhere.test")
      #expect(try await client.get("/host").text == "here")
    }
  }

  @Test func `fields of one connection are neither forwarded nor stored`() async throws {
    let script = Self.cacheable([("Connection", "X-One"), ("X-One", "1"), ("X-Two", "2")])
    try await EdgeFixture.with(script) { origin, client, _ in
      _ = try await client.get("/a", [("TE", "trailers"), ("X-Mine", "3")])
      #expect(origin.asked[0].fields[.te] == nil)
      let hit = try await client.get("/a")
      #expect(hit.isHit && hit.field("x-one") == nil && hit.field("x-two") == "2")
    }
  }

  @Test func `requests may ask for more or less than what is fresh`() async throws {
    try await EdgeFixture.with(Self.cacheable([("Age", "30")])) { origin, client, _ in
      let missing = try await client.get("/a", [("Cache-Control", "only-if-cached")])
      #expect(missing.status == 504 && origin.asked.isEmpty)
      _ = try await client.get("/a")
      #expect(try await client.get("/a", [("Cache-Control", "only-if-cached")]).isHit)
      for word in ["no-cache", "max-age=10", "min-fresh=50"] {
        let answer = try await client.get("/a", [("Cache-Control", word)])
        #expect(answer.cacheStatus.first == "fwd=request", "\(word)")
      }
      #expect(
        try await client.get("/a", [("Pragma", "no-cache")]).cacheStatus.first == "fwd=request")
      #expect(try await client.get("/a").isHit)
      origin.answer(
        Script(fields: [("Cache-Control", "max-age=10"), ("Age", "20"), ("ETag", "\"a\"")]))
      _ = try await client.get("/b")
      #expect(try await client.get("/b", [("Cache-Control", "max-stale=60")]).isHit)
    }
  }

  @Test func `a failing origin leaves what may be served stale`() async throws {
    let fields = [("Cache-Control", "max-age=0, stale-if-error=60"), ("ETag", "\"a\"")]
    try await EdgeFixture.with(Script(fields: fields)) { origin, client, edge in
      _ = try await client.get("/a")
      origin.answer(Script(status: 503, body: "no"))
      let error = try await client.get("/a")
      #expect(error.status == 200 && error.text == "body")
      #expect(error.cacheStatus.contains("fwd-status=503"))
      #expect(try await client.get("/b").status == 503, "what is not there is not made up")
      #expect(try await client.get("/b").text == "no")
      origin.answer(Script(dropsHead: true))
      #expect(try await client.get("/a").text == "body")
      #expect(try await client.get("/c").status == 502)
      #expect(try await edge.counters().staleHits == 2)
      origin.answer(Script(fields: [("Cache-Control", "max-age=0, must-revalidate")]))
      _ = try await client.get("/d")
      origin.answer(Script(dropsHead: true))
      #expect(try await client.get("/d").status == 502)
    }
  }

  @Test func `stale-while-revalidate answers at once and asks behind`() async throws {
    let fields = [("Cache-Control", "max-age=0, stale-while-revalidate=60"), ("ETag", "\"a\"")]
    try await EdgeFixture.with(Script(fields: fields, body: "old")) { origin, client, _ in
      _ = try await client.get("/a")
      var slow = Self.cacheable([], "new")
      slow.delay = .milliseconds(100)
      origin.answer(slow)
      let stale = try await client.get("/a")
      #expect(stale.isHit && stale.text == "old")
      while try await client.get("/a").text == "old" {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(origin.asked.count == 2, "one request behind however many were answered")
    }
  }

  @Test func `unsafe requests make the copy invalid, unless they fail`() async throws {
    try await EdgeFixture.with(Self.cacheable()) { origin, client, edge in
      for method in ["POST", "PUT", "DELETE", "PATCH"] {
        _ = try await client.get("/a")
        #expect(try await client.get("/a").isHit)
        origin.answer(Script(status: 500))
        _ = try await client.send(method, "/a", body: "x")
        #expect(try await client.get("/a").isHit, "\(method)")
        origin.answer(Self.cacheable())
        _ = try await client.send(method, "/a", body: "x")
        #expect(origin.asked.last?.method == method)
        #expect(try await !client.get("/a").isHit, "\(method)")
      }
      _ = try await client.get("/there")
      origin.answer(Script(fields: [("Location", "there")]))
      _ = try await client.send("POST", "/other", body: "x")
      origin.answer(Self.cacheable())
      #expect(try await !client.get("/there").isHit)
    }
  }

  @Test func `a body that breaks off is not kept, one of unknown length is`() async throws {
    var broken = Self.cacheable()
    broken.dropsBody = true
    try await EdgeFixture.with(broken) { origin, client, edge in
      await #expect(throws: (any Error).self) { try await client.get("/a") }
      var chunked = Self.cacheable([], "whole")
      chunked.isChunked = true
      origin.answer(chunked)
      let answer = try await client.get("/a")
      #expect(answer.text == "whole" && !answer.isHit)
      let hit = try await client.get("/a")
      #expect(hit.isHit && hit.field("content-length") == "5")
      #expect(try await edge.usedBytes() > 1_000, "an object takes more than its body")
    }
  }

  @Test func `capacity, admission and the largest object are kept to`() async throws {
    let script = Self.cacheable([], String(repeating: "x", count: 400))
    try await EdgeFixture.with(
      script,
      configure: {
        $0.capacity = 1000
        $0.weighing = .bodies
      }
    ) { _, client, edge in
      for index in 0..<10 { _ = try await client.get("/\(index)") }
      #expect(try await edge.usedBytes() == 800)
      #expect(try await edge.counters().evicted == 8)
      #expect(try await client.get("/9").isHit)
      #expect(try await !client.get("/0").isHit)
    }
    try await EdgeFixture.with(script, configure: { $0.limits.largestObject = 399 }) {
      _, client, _ in
      for _ in 0..<2 {
        let answer = try await client.get("/a")
        #expect(!answer.isHit)
      }
    }
    try await EdgeFixture.with(script, configure: { $0.admission = .bloom }) { _, client, _ in
      for time in 0..<3 {
        let answer = try await client.get("/a")
        #expect(answer.isHit == (time == 2))
      }
    }
    try await EdgeFixture.with(
      script, configure: { $0.admission = .size(atMost: 399) }
    ) { _, client, _ in
      for _ in 0..<3 {
        let answer = try await client.get("/a")
        #expect(!answer.isHit)
      }
    }
  }

  @Test(arguments: ["lru", "fifo", "clock", "sieve", "s3-fifo", "lfu", "arc", "2q", "slru", "gdsf"])
  func `every eviction kind keeps within its capacity`(_ name: String) async throws {
    let kinds: [String: EvictionKind] = [
      "lru": .lru, "fifo": .fifo, "clock": .clock(bits: 1), "sieve": .sieve,
      "s3-fifo": .s3FIFO(.libCacheSim), "lfu": .lfu, "arc": .arc, "2q": .twoQ,
      "slru": .slru(segments: 4), "gdsf": .gdsf,
    ]
    let kind = try #require(kinds[name])
    try await EdgeFixture.with(
      Self.cacheable([], String(repeating: "x", count: 100)),
      configure: {
        $0.eviction = kind
        $0.capacity = 2_000
        $0.weighing = .bodies
      }
    ) { _, client, edge in
      for index in 0..<200 { _ = try await client.get("/\(index * index % 37)") }
      let used = try await edge.usedBytes()
      #expect(used > 0 && used <= 2_000)
      let counters = try await edge.counters()
      #expect(counters.hits + counters.misses == 200 && counters.hits > 0)
    }
  }

  @Test func `an origin that stops in the middle of an answer is given up`() async throws {
    var silent = Self.cacheable()
    silent.delay = .seconds(3)
    try await EdgeFixture.with(
      silent, configure: { $0.responseTimeout = .milliseconds(300) }
    ) { origin, client, edge in
      let answer = try await client.get("/a")
      #expect(answer.status == 504)
      #expect(try await edge.counters().originFailures == 1)
    }
  }

  @Test func `a HEAD renews nothing by itself and breaks no connection`() async throws {
    let fields = [("Cache-Control", "max-age=0, stale-while-revalidate=60"), ("ETag", "\"a\"")]
    try await EdgeFixture.with(Script(fields: fields, isChunked: true)) { origin, client, _ in
      for _ in 0..<3 {
        let answer = try await client.send("HEAD", "/a")
        #expect(answer.status == 200 && answer.body.isEmpty)
      }
      #expect(origin.asked.map(\.method) == ["HEAD", "HEAD", "HEAD"])
      _ = try await client.get("/a")
      let head = try await client.send("HEAD", "/a")
      #expect(head.isHit && head.field("content-length") == "4")
      while origin.asked.count < 5 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(origin.asked[4].method == "GET", "the copy is renewed behind it")
      #expect(try await client.get("/a").text == "body")
    }
  }

  @Test func `a request body that is too large is refused`() async throws {
    try await EdgeFixture.with(configure: { $0.limits.largestRequest = 100 }) { origin, client, _ in
      let big = String(repeating: "x", count: 101)
      let answer = try await client.send("POST", "/a", body: big)
      #expect(answer.status == 413)
      #expect(origin.asked.isEmpty)
    }
  }

  @Test func `addresses are read as written, and nothing else is`() {
    #expect(OriginAddress(url: "http://a") == OriginAddress(host: "a", port: 80))
    #expect(OriginAddress(url: "http://a:81/") == OriginAddress(host: "a", port: 81))
    #expect(
      OriginAddress(url: "https://[::1]:8443")
        == OriginAddress(
          host: "::1", port: 8443, isSecure: true))
    for text in [
      "", "a:80", "ftp://a", "http://", "http://a/b", "http://a:0", "http://u@a", "http://a:x",
    ] {
      #expect(OriginAddress(url: text) == nil, "\(text)")
    }
    func path(_ reference: String) -> String? {
      EdgeTarget.path(of: reference, from: "/b/c?x", hosts: ["h"])
    }
    #expect(path("d") == "/b/d" && path("../d") == "/d" && path("/d?y") == "/d?y")
    #expect(path("http://h/d") == "/d" && path("//H/d") == "/d" && path("?y") == "/b/c?y")
    #expect(path("http://other/d") == nil && path("mailto:x") == nil && path("") == "/b/c?x")
  }
}
