import Models
import Scenario

extension ReplayStudy {
  /// What the user should know about the kinds at the capacities asked for.
  var remarks: [String] {
    var caches: [(kind: EvictionKind, capacity: ReplayPlan.Capacity)] = []
    if let tiers = plan.tiers {
      caches = [tiers.edge, tiers.shield].map { ($0.kind, $0.capacity) }
    } else {
      for kind in plan.kinds { caches += plan.capacities.map { (kind, $0) } }
    }
    return caches.compactMap { cache in
      cache.kind.limit(at: replayed(cache.capacity)).map { limit in
        let name = "\(CacheWords.text(cache.kind)) at \(cache.capacity.text)"
        return switch limit {
        case .storesNothing:
          "\(name) stores nothing: its window, 1 % of the capacity, is empty, as in libCacheSim; "
            + "\(CacheWords.text(.wTinyLFUWide)) has one"
        case .countsCoarsely:
          "\(name) counts next to nothing: its sketch is too large for 32 bits, as in libCacheSim; "
            + "\(CacheWords.text(.wTinyLFUWide)) counts"
        }
      }
    }
  }
}
