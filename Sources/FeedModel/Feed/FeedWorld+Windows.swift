import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits
import SimulationKernel

/// Counts of the windows so far: minus the counters at the beginning while a window is open.
struct WindowBook {
  private enum State: UInt8 { case ahead, open, closed }
  private(set) var sums: [WindowMeasures]
  private var states: [State]

  init(count: Int) {
    sums = [WindowMeasures](repeating: WindowMeasures(), count: count)
    states = [State](repeating: .ahead, count: count)
  }

  /// - Parameter counters: nil where they begin at zero.
  mutating func open(_ window: Int, counters: WindowMeasures?) {
    precondition(states[window] == .ahead, "a window begins once")
    states[window] = .open
    if let counters { sums[window].add(counters, sign: -1) }
  }

  /// Has no effect on a window that never began or has ended.
  mutating func close(_ window: Int, counters: WindowMeasures) {
    if states[window] != .open { return }
    states[window] = .closed
    sums[window].add(counters)
  }
}

/// Parts of the measured time that are reported by themselves.
extension FeedWorld {
  static func startWindows(_ simulation: inout Simulation<FeedWorld>) {
    let zero = Instant.zero + simulation.world.configuration.cdn.warmUp
    let end =
      simulation.world.arrivalsEnd + simulation.world.configuration.audience.drain
    for index in 0..<simulation.world.configuration.windows.count {
      let window = simulation.world.configuration.windows[index]
      if window.from == .zero {
        // The counters begin at zero with it, after a warm-up too.
        simulation.world.windows.open(index, counters: nil)
      } else if zero + window.from < end {
        simulation.schedule(
          .windowEdge(window: UInt32(index), isEnd: false), at: zero + window.from,
          for: audienceEntity, source: audienceEntity, phase: .observe)
      }
      if zero + window.to < end {
        simulation.schedule(
          .windowEdge(window: UInt32(index), isEnd: true), at: zero + window.to,
          for: audienceEntity, source: audienceEntity, phase: .observe)
      }
    }
  }

  mutating func passEdge(ofWindow window: Int, isEnd: Bool) {
    let counters = counters()
    if isEnd {
      windows.close(window, counters: counters)
    } else {
      windows.open(window, counters: counters)
    }
  }

  /// Ends the windows that the end of the run cut, and puts all of them into the measures.
  mutating func closeWindows() {
    let counters = counters()
    for window in 0..<configuration.windows.count { windows.close(window, counters: counters) }
    measures.windows = windows.sums
  }

  /// The counters as they stand.
  private mutating func counters() -> WindowMeasures {
    var sum = WindowMeasures()
    sum.client = measures.client
    caches.forEachTier { tier, counters in
      switch tier {
      case .edge: sum.edge.add(counters)
      case .regional: sum.regional.add(counters)
      case .shield: sum.shield.add(counters)
      }
    }
    sum.requests = measures.counts.requests
    let origin = caches.originCounters.total
    sum.originRequests = origin.requests
    sum.originBytes = origin.bytes
    sum.deliveredBytes = measures.counts.deliveredBytes
    return sum
  }
}
