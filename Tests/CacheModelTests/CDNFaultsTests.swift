import CacheModel
import CachePolicy
import MediaUnits
import SimulationKernel
import Testing

/// From when on outages and purges can make a difference.
@Suite struct CDNFaultsTests {
  /// A first byte takes two seconds at most.
  private static let origin = OriginConfiguration(firstByte: QuantileTable(constant: 2))

  private static func at(_ seconds: Int64) -> Instant { Instant.zero + .seconds(seconds) }

  private func outage(
    _ begin: Int64, _ end: Int64, _ kind: OriginOutage.Kind = .error
  ) -> OriginOutage {
    OriginOutage(begin: CDNFaultsTests.at(begin), end: CDNFaultsTests.at(end), kind: kind)
  }

  private func purge(_ time: Int64, _ classes: [AssetClass]? = nil) -> CachePurge {
    CachePurge(at: CDNFaultsTests.at(time), classes: classes)
  }

  private func first(_ a: CDNFaults, _ b: CDNFaults) -> Instant? {
    let there = a.firstDifference(from: b, origin: CDNFaultsTests.origin)
    #expect(b.firstDifference(from: a, origin: CDNFaultsTests.origin) == there)
    return there
  }

  /// When an outage that begins at a time can be seen first.
  private func seen(_ begin: Int64) -> Instant {
    CDNFaultsTests.at(begin - 2) - .milliseconds(1)
  }

  @Test func `equal faults never make a difference`() {
    let faults = CDNFaults(outages: [outage(10, 20)], purges: [purge(30)])
    #expect(first(CDNFaults(), CDNFaults()) == nil)
    #expect(first(faults, faults) == nil)
  }

  @Test func `a purge is seen when it happens`() {
    #expect(first(CDNFaults(), CDNFaults(purges: [purge(30)])) == CDNFaultsTests.at(30))
    #expect(
      first(CDNFaults(purges: [purge(30)]), CDNFaults(purges: [purge(30), purge(40)]))
        == CDNFaultsTests.at(40))
    #expect(
      first(CDNFaults(purges: [purge(30)]), CDNFaults(purges: [purge(30, [.segment])]))
        == CDNFaultsTests.at(30))
  }

  @Test func `an outage is seen a first byte before it begins, whatever of it differs`() {
    let base = CDNFaults(outages: [outage(100, 120), outage(200, 220)])
    let changes: [([OriginOutage], Int64)] = [
      ([], 100), ([outage(100, 120)], 200), ([outage(100, 121), outage(200, 220)], 100),
      ([outage(100, 120), outage(200, 220, .timeout)], 200),
      ([outage(100, 120), outage(150, 160), outage(200, 220)], 150),
      ([outage(100, 120), outage(200, 220), outage(300, 301)], 300),
    ]
    for (outages, begin) in changes {
      #expect(first(base, CDNFaults(outages: outages)) == seen(begin), "\(begin)")
    }
  }

  @Test func `of both the first counts`() {
    let outages = CDNFaults(outages: [outage(100, 120)])
    #expect(first(outages, CDNFaults(purges: [purge(97)])) == CDNFaultsTests.at(97))
    #expect(first(outages, CDNFaults(purges: [purge(99)])) == seen(100))
  }

  @Test func `where a first byte may take for ever, an outage is seen from before the beginning`() {
    let endless = OriginConfiguration(firstByte: QuantileTable(constant: .infinity))
    let faults = CDNFaults(outages: [outage(100, 120)])
    #expect((faults.firstDifference(from: CDNFaults(), origin: endless) ?? .zero) <= .zero)
  }

  @Test func `faults of a configuration are those of its parts`() {
    var cdn = CDNConfiguration(
      edges: 1, edgesBehindShield: 1,
      edge: CacheTierConfiguration(
        capacity: .unlimited, serviceTime: QuantileTable(constant: 0),
        upstream: UpstreamConfiguration(roundTrip: QuantileTable(constant: 0), floor: .zero)),
      shield: nil, origin: CDNFaultsTests.origin, start: .cold, warmUp: .zero, assetTTL: AssetTTL())
    #expect(cdn.faults == CDNFaults())
    let faults = CDNFaults(outages: [outage(1, 2)], purges: [purge(3)])
    cdn.faults = faults
    #expect(cdn.faults == faults)
    #expect(cdn.origin.outages == faults.outages && cdn.purges == faults.purges)
  }
}
