import CacheModel
import SimulationKernel

/// The pending event of each timer that the caches have set.
struct CacheTimers {
  private var fetches: [[EventHandle]]
  private var machines: [[EventHandle]]

  init(nodes: Int) {
    fetches = Array(repeating: [], count: nodes)
    machines = Array(repeating: [], count: nodes)
  }

  /// Nothing pending is `.none`.
  subscript(timer: CacheTimer) -> EventHandle {
    get {
      switch timer {
      case .fetchExpired(let node, let fetch):
        let row = fetches[Int(node)]
        return Int(fetch) < row.count ? row[Int(fetch)] : .none
      case .machine(let node, let machine):
        let row = machines[Int(node)]
        return Int(machine) < row.count ? row[Int(machine)] : .none
      }
    }
    set {
      switch timer {
      case .fetchExpired(let node, let fetch):
        CacheTimers.set(&fetches[Int(node)], Int(fetch), newValue)
      case .machine(let node, let machine):
        CacheTimers.set(&machines[Int(node)], Int(machine), newValue)
      }
    }
  }

  private static func set(_ row: inout [EventHandle], _ place: Int, _ handle: EventHandle) {
    if place >= row.count && handle == .none { return }
    while row.count <= place { row.append(.none) }
    row[place] = handle
  }
}
