import Foundation
import Models
import Testing

@testable import LoadHarness

/// Whether namespaces and tun devices can be made here; says why not, once.
let mayShape: Bool = {
  guard geteuid() == 0, access("/dev/net/tun", R_OK | W_OK) == 0,
    let pair = try? NamespacePair()
  else {
    print("skipped: links between namespaces need root, /dev/net/tun and the program ip")
    return false
  }
  pair.remove()
  return true
}()

@Suite(.serialized, .enabled(if: mayShape)) struct NamespaceTests {
  @Test func `namespaces and devices are there, and gone after removal`() throws {
    let pair = try NamespacePair()
    let names = try FileManager.default.contentsOfDirectory(atPath: "/run/netns")
    #expect(names.contains(pair.name(.client)) && names.contains(pair.name(.edge)))
    let routes = try Subprocess.run(
      ["ip", "-n", pair.name(.client), "route", "show", "table", "all"])
    #expect(routes.contains("local 10.71.0.0/16"))
    #expect(routes.contains("congctl cubic"))
    // A link that is still up goes with its devices.
    let link = try UserLink(pair)
    pair.remove()
    #expect(link.counters().down == LaneCounters())
    let after = (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? []
    #expect(!after.contains(pair.name(.client)) && !after.contains(pair.name(.edge)))
  }

  @Test func `namespaces of processes that are no more are taken away`() throws {
    let child = try Subprocess.start(["true"])
    child.wait()
    let name = "ff-client-\(child.pid)"
    try Subprocess.run(["ip", "netns", "add", name])
    NamespacePair.removeStale()
    #expect(!FileManager.default.fileExists(atPath: "/run/netns/\(name)"))
    #expect(NamespacePair.owner(ofNamespace: "ff-edge-12-3") == 12)
    #expect(NamespacePair.owner(ofNamespace: "somebody") == nil)
  }

  @Test func `a transfer takes the round trips and the rate of its link`() throws {
    let pair = try NamespacePair()
    defer { pair.remove() }
    let link = try UserLink(pair)
    link.assign(
      pair.address(ofPlayer: 0),
      LinkProfile(downlink: 20e6, uplink: 20e6, roundTrip: 40_000_000))
    link.assign(
      pair.address(ofPlayer: 1),
      LinkProfile(downlink: 20e6, uplink: 20e6, roundTrip: 80_000_000, loss: .independent(0.01)))
    let server = try pair.run(in: .edge) { try ByteServer(bytes: 500_000) }
    defer { server.close() }
    let address = pair.edgeAddress
    // The least of several: the machine may be busy, and nothing is faster than the link.
    func fetch(_ player: Int) throws -> (first: Double, last: Double) {
      let source = pair.address(ofPlayer: player)
      let times = try (0..<4).map { _ in
        try pair.run(in: .client) {
          try ByteServer.fetch(from: address, port: server.port, source: source)
        }
      }
      return (times.map(\.first).min() ?? 0, times.map(\.last).min() ?? 0)
    }
    let near = try fetch(0)
    // TCP's handshake and the request's round trip; then 346 packets of 1,502 bytes at 20 Mbps.
    #expect(near.first >= 0.080 && near.first < 0.120, "\(near)")
    #expect(near.last >= 0.080 + 0.207 && near.last < 0.6, "\(near)")
    let far = try fetch(1)
    #expect(far.first >= 0.160 && far.last > near.last, "\(far)")
    let counters = link.stop()
    #expect(counters.down.packetsOut > 8 * 345 && counters.down.full == 0)
    #expect(counters.noRoom == 0 && counters.refused == 0 && counters.unread == 0)
    let own = try #require(link.counters(of: pair.address(ofPlayer: 0)))
    #expect(own.down.lost == 0 && own.down.bytesOut > 500_000)
  }

  /// The least of 4, as above; tolerance 4 % and 4 ms (docs/decisions/0012: 0.3 % in most cells).
  @Test func `a transfer over the link takes as long as the transfer model says`() throws {
    let pair = try NamespacePair()
    defer { pair.remove() }
    let link = try UserLink(pair)
    defer { link.stop() }
    let server = try pair.run(in: .edge) { try ByteServer(bytes: 300_000) }
    defer { server.close() }
    let (address, source) = (pair.edgeAddress, pair.address(ofPlayer: 0))
    for (rate, trip) in [(8e6, Int64(60)), (10e6, 20), (50e6, 60), (50e6, 150)] {
      link.assign(
        source, LinkProfile(downlink: rate, uplink: rate, roundTrip: trip * 1_000_000))
      let expected = TransferModel.run(
        TransferCase(
          downlink: RateTrace(constant: rate), uplinkRate: rate, roundTrip: trip * 1_000_000,
          flows: [TransferFlow(bytes: 300_000, requestBytes: 1)]),
        tier: .closed)
      let model = Double(expected.timings[0].duration) / 1e9
      let times = try (0..<4).map { _ in
        try pair.run(in: .client) {
          try ByteServer.fetch(from: address, port: server.port, source: source)
        }.last
      }
      let least = times.min() ?? 0
      #expect(abs(least - model) < 0.04 * model + 0.004, "\(rate) \(trip): \(times), \(model)")
    }
  }

  @Test func `the number of unread packets is found in the words of ip`() {
    let text = """
      2: ffe1: <POINTOPOINT,UP> mtu 1500 qdisc pfifo_fast state UNKNOWN \\    link/none \\    \
      RX:  bytes packets errors dropped  missed   mcast           \\      1 2 0 0 0 0 \\    \
      TX:  bytes packets errors dropped carrier collsns           \\     70 8 0 17 0 0
      """
    #expect(NamespacePair.dropped(inStatistics: text) == 17)
  }
}
