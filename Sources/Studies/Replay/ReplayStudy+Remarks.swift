import Models
import Scenario

extension ReplayStudy {
  /// What the plan asks of the trace and it cannot give, and what the user should know about the
  /// kinds at the capacities asked for: sentences without a full stop.
  public var remarks: [String] { traceRemarks + kindRemarks }

  private var traceRemarks: [String] {
    var remarks: [String] = []
    if plan.expiry != .ignore && trace.lifetimes.isEmpty {
      remarks.append("the trace has no lifetimes: nothing expires")
    }
    if plan.tiers != nil && trace.nodes.isEmpty {
      remarks.append("the trace has no nodes, or one: all requests go to one edge")
    }
    if !plan.unitSizes && trace.sizes.isEmpty {
      remarks.append("the trace has no sizes: every object is one byte")
    }
    return remarks
  }

  private var kindRemarks: [String] {
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
