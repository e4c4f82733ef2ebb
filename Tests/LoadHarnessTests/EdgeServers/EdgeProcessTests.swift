import CachePolicy
import Foundation
import MediaUnits
import Models
import Telemetry
import Testing

@testable import LoadHarness

/// The products that are installed here; says which are not.
private let products: [EdgeServerKind] = [EdgeServerKind.nginx, .varnish].filter { kind in
  if kind.path != nil { return true }
  print("skipped: tests against \(kind.rawValue), which is missing: \(kind.installation)")
  return false
}

@Suite(.serialized) struct EdgeProcessTests {
  private func withServer(
    _ kind: EdgeServerKind, _ policy: EdgeServerPolicy = EdgeServerPolicy(),
    _ body: (EdgeProcess, ScriptedOrigin) throws -> Void
  ) throws {
    let origin = try ScriptedOrigin()
    defer { origin.close() }
    let server = try EdgeProcess.start(kind: kind, origin: origin.url, policy: policy)
    defer { server.stop() }
    try body(server, origin)
  }

  private func status(_ path: String, _ server: EdgeProcess) throws -> String {
    let answer = try ScriptedOrigin.get(path, port: server.port)
    #expect(answer.status == 200)
    return answer.fields["x-cache-status"] ?? "none"
  }

  @Test(arguments: products)
  func `the second request is a hit, an uncacheable one never is`(_ kind: EdgeServerKind) throws {
    try withServer(kind) { server, origin in
      #expect(try status("/fresh", server) == "MISS")
      #expect(try status("/fresh", server) == "HIT")
      #expect(try ScriptedOrigin.get("/fresh", port: server.port).body == "body of /fresh")
      #expect(origin.count("/fresh") == 1)
      for _ in 0..<2 {
        let status = try status("/none", server)
        #expect(status != "HIT")
      }
      #expect(origin.count("/none") == 2)
    }
  }

  @Test(arguments: products)
  func `an expired copy is validated, within its window it is served at once`(
    _ kind: EdgeServerKind
  ) throws {
    try withServer(kind) { server, origin in
      #expect(try status("/etag", server) == "MISS")
      #expect(try status("/swr", server) == "MISS")
      sleep(3)
      #expect(try status("/etag", server) == "REVALIDATED")
      #expect(origin.count("/etag") == 2)
      origin.setDelay(0.5)
      let begin = Date()
      let stale = try status("/swr", server)
      #expect(["STALE", "UPDATING"].contains(stale), "\(stale)")
      #expect(Date().timeIntervalSince(begin) < 0.3)
      usleep(1_000_000)
      origin.setDelay(0)
      #expect(origin.count("/swr") == 2)
      #expect(try status("/swr", server) == "HIT")
    }
  }

  @Test(arguments: products)
  func `a failing origin is answered with the stale copy when the policy says so`(
    _ kind: EdgeServerKind
  ) throws {
    try withServer(kind) { server, origin in
      _ = try status("/sie", server)
      sleep(3)
      origin.setFailing(true)
      for _ in 0..<2 {
        let answer = try ScriptedOrigin.get("/sie", port: server.port)
        #expect(answer.status == 200 && answer.body == "body of /sie")
        #expect(answer.fields["x-cache-status"] == "STALE")
      }
      // Nothing is kept of what was never fetched.
      #expect(try ScriptedOrigin.get("/other", port: server.port).status == 503)
      origin.setFailing(false)
      let after = try status("/sie", server)
      #expect(["EXPIRED", "MISS", "HIT", "REVALIDATED"].contains(after), "\(after)")
    }
    var strict = EdgeServerPolicy()
    strict.collapsing.staleOnFailure = .never
    try withServer(kind, strict) { server, origin in
      _ = try status("/sie", server)
      sleep(3)
      origin.setFailing(true)
      #expect(try ScriptedOrigin.get("/sie", port: server.port).status == 503)
    }
  }

  @Test(arguments: products)
  func `simultaneous requests for an absent object share one fetch`(
    _ kind: EdgeServerKind
  ) throws {
    try withServer(kind) { server, origin in
      origin.setDelay(0.3)
      let port = server.port
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        _ = try? ScriptedOrigin.get("/fresh", port: port)
      }
      #expect(origin.count("/fresh") == 1)
    }
  }

  @Test(arguments: products)
  func `queries are part of the key only when the policy says so`(_ kind: EdgeServerKind) throws {
    for keys in [true, false] {
      var policy = EdgeServerPolicy()
      policy.keysQueries = keys
      try withServer(kind, policy) { server, _ in
        _ = try status("/fresh?a=1", server)
        let second = try status("/fresh?a=2", server)
        #expect(second == (keys ? "MISS" : "HIT"))
      }
    }
  }

  @Test(arguments: products)
  func `a server that was stopped leaves neither processes nor files`(
    _ kind: EdgeServerKind
  ) throws {
    var folder = ""
    var port = 0
    try withServer(kind) { server, _ in
      folder = server.folder
      port = server.port
      #expect(server.isRunning && FileManager.default.fileExists(atPath: folder))
    }
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(!ReadyProbe.answers(port: port, asks: false))
    let lines = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid in
      FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
    }
    #expect(!lines.contains { String(decoding: $0, as: UTF8.self).contains(folder) })
  }

  @Test(.enabled(if: mayShape), arguments: products)
  func `a server at the far end of a link answers through it`(_ kind: EdgeServerKind) throws {
    let pair = try NamespacePair()
    defer { pair.remove() }
    let link = try UserLink(pair)
    defer { link.stop() }
    // Connections that bind nothing have the block's first address.
    link.assign(
      pair.settings.clients[1],
      LinkProfile(downlink: 20e6, uplink: 20e6, roundTrip: 50_000_000))
    let origin = try pair.run(in: .edge) { try ScriptedOrigin() }
    defer { origin.close() }
    let server = try EdgeProcess.start(
      kind: kind, origin: origin.url, policy: EdgeServerPolicy(), namespace: pair)
    defer { server.stop() }
    let (host, port) = (pair.edgeAddress, server.port)
    for expected in ["MISS", "HIT"] {
      let begin = Date()
      let answer = try pair.run(in: .client) {
        try ScriptedOrigin.get("/fresh", port: port, host: host)
      }
      let time = Date().timeIntervalSince(begin)
      #expect(answer.status == 200 && answer.fields["x-cache-status"] == expected)
      #expect(time >= 0.100 && time < 0.5, "\(time)")
    }
    #expect(link.counters(of: pair.settings.clients[1])?.down.packetsOut ?? 0 > 4)
  }

  @Test func `servers and files of a process that is no more are taken away`() throws {
    let dead = try Subprocess.start(["true"])
    dead.wait()
    let folder = "/tmp/firstframe-edge-\(dead.pid)-1"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // A left-over server names its folder, another process that has its number by now does not.
    let server = try Subprocess.start(["sh", "-c", "sleep 60; : \(folder)"])
    defer { server.stop() }
    try "\(server.pid)".write(
      toFile: "\(folder)/server.pid", atomically: true, encoding: .utf8)
    EdgeProcess.removeStale()
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(server.wait() == 128 + SIGKILL)
    let other = try Subprocess.start(["sleep", "60"])
    defer { other.stop() }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "\(other.pid)".write(toFile: "\(folder)/server.pid", atomically: true, encoding: .utf8)
    EdgeProcess.removeStale()
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(other.poll() == nil)
  }

  @Test(arguments: products)
  func `a paused server answers nobody until it runs again`(_ kind: EdgeServerKind) throws {
    try withServer(kind) { server, _ in
      server.setPaused(true)
      #expect(!ReadyProbe.answers(port: server.port, asks: true))
      server.setPaused(false)
      #expect(ReadyProbe.answers(port: server.port, asks: true))
    }
  }

  @Test func `a group is stopped when each of its processes is`() throws {
    // The shell leads a group of two that never sleep.
    let busy = "while :; do :; done"
    let group = try Subprocess.start(["sh", "-c", "(\(busy)) & \(busy)"])
    defer { group.stop() }
    usleep(100_000)
    #expect(!ProcessTable.isStopped(group: group.pid))
    // Only the leader.
    kill(group.pid, SIGSTOP)
    let deadline = ContinuousClock.now + .seconds(10)
    while ProcessTable.state(of: group.pid) != "T", ContinuousClock.now < deadline { usleep(1000) }
    #expect(!ProcessTable.isStopped(group: group.pid))
    kill(-group.pid, SIGSTOP)
    while !ProcessTable.isStopped(group: group.pid), ContinuousClock.now < deadline { usleep(1000) }
    #expect(ProcessTable.isStopped(group: group.pid))
    kill(-group.pid, SIGCONT)
  }

  @Test func `nginx serves TLS and HTTP/2 with a certificate of its own`() throws {
    guard products.contains(.nginx), let curl = ProgramPath.find("curl"),
      ProgramPath.find("openssl") != nil
    else { return }
    var policy = EdgeServerPolicy()
    policy.servesTLS = true
    policy.http2 = true
    try withServer(.nginx, policy) { server, _ in
      let chain = try #require(server.certificate?.chain)
      let words = try Subprocess.run([
        curl, "-s", "--cacert", chain, "-o", "/dev/null", "-w", "%{http_version} %{http_code}",
        "https://127.0.0.1:\(server.port)/fresh",
      ])
      #expect(words == "2 200")
    }
  }

  @Test func `nginx logs requests in a form that the cache replay reads`() throws {
    guard products.contains(.nginx) else { return }
    var policy = EdgeServerPolicy()
    policy.logsRequests = true
    try withServer(.nginx, policy) { server, _ in
      _ = try status("/fresh", server)
      usleep(1_500_000)
      let line = try String(contentsOfFile: server.accessLog, encoding: .utf8)
      #expect(line.hasPrefix("127.0.0.1 - - ["))
      #expect(line.contains("\"GET /fresh HTTP/1.1\" 200 14 \"-\" \"MISS\""))
    }
  }

  @Test(arguments: products)
  func `a product says of each answer what it knows`(_ kind: EdgeServerKind) throws {
    var policy = EdgeServerPolicy()
    policy.tellsServerData = true
    try withServer(kind, policy) { server, origin in
      origin.setDelay(0.3)
      var reader = CMSDReader()
      for isHit in [false, true] {
        let answer = try ScriptedOrigin.get("/fresh", port: server.port)
        #expect(answer.status == 200)
        let hops = reader.hops(answer.fields["cmsd-dynamic"] ?? "")
        #expect(hops.map(\.name) == [kind.rawValue] && reader.report.malformed == 0)
        guard kind == .nginx, let hop = hops.first else { continue }
        #expect(hop.roundTrip ?? -1 >= 0 && hop.roundTrip ?? 9 < 5)
        let delay = try #require(hop.responseDelay)
        #expect(isHit ? delay == 0 : delay > 0.25, "\(delay)")
      }
    }
    try withServer(kind) { server, _ in
      let answer = try ScriptedOrigin.get("/fresh", port: server.port)
      #expect(answer.fields["cmsd-dynamic"] == nil)
    }
  }

  @Test func `nginx's log of queries has what players told`() throws {
    guard products.contains(.nginx) else { return }
    var policy = EdgeServerPolicy()
    policy.logsRequests = true
    policy.keysQueries = false
    try withServer(.nginx, policy) { server, _ in
      for number in 1...3 {
        var writer = CMCDWriter(version: 1)
        writer.add(.mtp, number: 4_949_000 * Double(number))
        writer.add(.bs, isOn: number == 2)
        writer.add(.sid, text: "s\(number)")
        writer.add(next: "seg,1;a=\"b\".m4s", part: nil)
        #expect(try status("/fresh?" + writer.query, server) == (number == 1 ? "MISS" : "HIT"))
      }
      usleep(1_500_000)
      let read = try FieldTelemetryReader(
        files: [server.accessLog], mapping: BuiltInMapping.common.mapping
      ).read()
      #expect(read.keysOfCMCD.known == 10 && read.keysOfCMCD.bad == 0)
      #expect(read.tally.requests.throughputs.seen == [4_900_000, 9_900_000, 14_800_000])
      #expect(read.tally.requests.starved == 1 && read.tally.requests.withCMCD == 3)
    }
  }

  @Test func `a server that cannot start says why and leaves nothing`() throws {
    guard products.contains(.nginx) else { return }
    var policy = EdgeServerPolicy()
    policy.certificate = .init(chain: "/nonexistent/chain.pem", key: "/nonexistent/key.pem")
    let failure = #expect(throws: HarnessFailure.self) {
      try EdgeProcess.start(kind: .nginx, origin: "http://127.0.0.1:1", policy: policy)
    }
    #expect(failure?.message.contains("chain.pem") == true, "\(failure?.message ?? "")")
    #expect(failure?.exitCode == 69)
    let wrong = #expect(throws: HarnessFailure.self) {
      try EdgeProcess.start(kind: .nginx, origin: "ftp://x", policy: EdgeServerPolicy())
    }
    #expect(wrong?.message.contains("http://127.0.0.1:9000") == true)
  }
}
