import CachePolicy
import Models
import Scenario
import Testing

/// A small busy world: few titles, so that every edge is asked for the same objects all the time.
let busyWorld = [
  "catalogue.titles=40", "audience.viewsPerDayPerEdge=600000", "audience.sessionLength=2 min",
  "audience.drain=5 min", "policy.abr={kind: fixed, rung: 1}",
]

extension FeedMeasures {
  func fetches(_ tier: CacheTier) -> FetchCounters { fetched[Int(tier.rawValue)] }

  func tier(_ tier: CacheTier) -> TierCounters {
    switch tier {
    case .edge: edge
    case .regional: regional
    case .shield: shield
    }
  }

  /// (hit + stale_hit) / (all - error) of some classes at a tier.
  func hitRatio(_ tier: CacheTier, _ classes: [AssetClass]) -> Double {
    var (good, all): (Int64, Int64) = (0, 0)
    for asset in classes {
      for outcome in CacheOutcome.allCases where outcome != .error {
        let count = self.tier(tier).requests(asset, outcome)
        all += count
        if outcome == .hit || outcome == .staleHit { good += count }
      }
    }
    return Double(good) / Double(all)
  }

  /// Each tier's fetches are the next one's requests, in requests and in bytes, but for what is on
  /// its way.
  ///
  /// - Parameter tiers: those that there are, each of whose nodes has the next one behind it.
  func checkConservation(_ tiers: [CacheTier]) {
    for (index, tier) in tiers.enumerated() {
      let fetches = fetches(tier)
      let sent = fetches.total.requests
      let received = fetches.total.bytes
      let (before, after) = (fetches.before, fetches.after)
      if index + 1 < tiers.count {
        let next = self.tier(tiers[index + 1])
        #expect(
          sent + before.up + before.waiting == next.totalRequests + after.up + after.waiting,
          "\(tier) requests")
        #expect(
          received + after.downBytes == next.totalBytes + before.downBytes, "\(tier) bytes")
      } else {
        let all = origin.total
        #expect(
          sent + before.up == all.requests + all.unreachable + after.up, "\(tier) requests")
        #expect(received + after.downBytes == all.bytes + before.downBytes, "\(tier) bytes")
        #expect(counts.originRequests == all.requests && counts.originBytes == all.bytes)
      }
      #expect(fetches.total.failed <= sent && fetches.total.background <= sent)
    }
  }
}
