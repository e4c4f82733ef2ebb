import CacheModel
import MediaUnits

extension FeedWorld {
  /// What this world's nodes have carried until now, and what has reached viewers before `mark`,
  /// the end of a ``TrafficTotals/span``: viewers may have gone ahead.
  public func traffic(before mark: Instant) -> TrafficTotals {
    var totals = TrafficTotals()
    totals.delivered = viewerContext.delivered(before: mark)
    let origin = caches.originCounters.total
    totals.origin.requests = origin.requests
    totals.origin.bytes = origin.bytes
    totals.sessions = Int64(activeSessions)
    caches.forEachTier { tier, counters in
      switch tier {
      case .edge: totals.addEdge(counters)
      case .regional: totals.regional.add(counters)
      case .shield: totals.shield.add(counters)
      }
    }
    return totals
  }

  /// Viewers in a session, and those who are gone and not forgotten.
  public var activeViewers: Int { activeSessions }
  public var idleViewers: Int { freeViewers.count + vacantSlots.count }

  /// Views of the measured time that have ended, to be looked at or taken out; what is left stands
  /// in the result.
  public mutating func withViews<Value>(_ body: (inout [ViewRecord]) -> Value) -> Value {
    body(&measures.views)
  }
}
