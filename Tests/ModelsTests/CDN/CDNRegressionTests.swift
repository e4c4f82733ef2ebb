import CachePolicy
import MediaUnits
import Models
import Scenario
import Testing

/// Faults that were found once, and what shows that they are gone.
@Suite struct CDNRegressionTests {
  private static let purges =
    "cdn.purges=["
    + stride(from: 2, through: 18, by: 2).map { "{at: \($0) s}" }.joined(separator: ", ") + "]"

  @Test(arguments: [
    "lru", "fifo", "clock", "sieve", "s3-fifo", "lfu", "arc", "2q", "slru", "gdsf", "w-tinylfu",
  ])
  func `purged copies come back once, whatever the policy`(_ kind: String) throws {
    for start in ["cold", "stationary"] {
      let measures = try run(
        scenario(
          busyWorld + [
            "catalogue.titles=5", "cdn.edge={kind: \(kind), capacity: 5 MB}",
            "cdn.start={kind: \(start)}", CDNRegressionTests.purges,
          ], window: "20 s")
      ).measures
      #expect(measures.edge.totalRequests > 0)
      #expect(measures.edge.requests(.segment, .miss) > 0)
    }
  }

  @Test func `an object misses at most once more after a purge`() throws {
    func misses(_ more: [String]) throws -> Int64 {
      let measures = try run(
        scenario(
          busyWorld + ["catalogue.titles=1", "cdn.edges=1", "cdn.start={kind: cold}"] + more,
          window: "20 s")
      ).measures
      return AssetClass.allCases.reduce(0) { $0 + measures.edge.requests($1, .miss) }
    }
    let before = try misses([])
    #expect(before > 0)
    #expect(try misses(["cdn.purges=[{at: 10 s}]"]) <= 2 * before)
  }

  @Test func `what was missed once enters at its second miss, and not before`() throws {
    func hits(_ admission: String) throws -> Int64 {
      try run(
        scenario(
          busyWorld + [
            "catalogue.titles=5", "cdn.edges=1", "cdn.start={kind: cold}",
            "cdn.edge.admission={kind: \(admission)}",
          ], window: "2 min")
      ).measures.edge.requests(.segment, .hit)
    }
    #expect(try hits("second-miss") < hits("all"))
    #expect(try hits("second-miss") > 0)
  }

  // SIG-069
  @Test func `a manifest that was published again is sent, not confirmed`() throws {
    func confirmed(_ more: [String]) throws -> (Int64, Int64) {
      let measures = try run(
        scenario(
          busyWorld + [
            "catalogue.titles=2", "cdn.edges=1", "cdn.start={kind: cold}",
            "cdn.ttl.mediaManifest={maxAge: 2 s, staleWhileRevalidate: 0}",
          ] + more, window: "20 s")
      ).measures
      let row = measures.origin[.mediaManifest]
      return (row.notModified, row.requests)
    }
    let usual = try confirmed([])
    let again = try confirmed([
      "catalogue.republish=[{at: 5 s, titles: 2}, {at: 10 s, titles: 2}, {at: 15 s, titles: 2}]"
    ])
    // Without a new version all but the first of each title are 304.
    #expect(usual.1 - usual.0 == 2)
    #expect(again.1 - again.0 > 2)
  }

  @Test func `copies that expire together do so behind a stationary shared tier too`() throws {
    func revalidated(_ start: String) throws -> Int64 {
      let measures = try run(
        scenario(
          busyWorld + [
            "catalogue.titles=5", "cdn.edgesBehindShield=200", "cdn.start={kind: \(start)}",
            "cdn.ttl.playlists={maxAge: 1 h, staleWhileRevalidate: 0, "
              + "expiry: {kind: synchronised, period: 5 s}}",
          ], window: "40 s")
      ).measures
      return measures.edge.requests(.mediaPlaylist, .revalidated)
    }
    let (cold, stationary) = (try revalidated("cold"), try revalidated("stationary"))
    #expect(cold > 20)
    #expect(Double(stationary) > 0.5 * Double(cold))
  }
}
