import CPrefetch
import MediaUnits
import SimulationKernel

/// Memory that the coming events need, asked for before it is their turn.
///
/// With many viewers nearly every event is of one who is in no cache, and waits for main memory a
/// dozen times. Nothing here reads more than addresses or changes anything.
extension FeedWorld {
  public mutating func approach(_ event: FeedEvent, isNext: Bool) {
    var request = 0
    let slot: UInt32
    switch event {
    case .linkChanged(let place), .watchEnded(let place), .settled(let place),
      .bufferEnded(let place), .loadResumed(let place), .burstEnded(let place):
      slot = place
    case .playerReady(let place, _, _): slot = place
    case .requestAtEdge(let place, let index, _):
      slot = place
      request = Int(index)
    default: return
    }
    let viewer = viewers[Int(slot)]
    if !isNext {
      fetch(viewer, bytes: MemoryLayout<Viewer>.size)
      return
    }
    // The viewer itself was asked for before.
    fetch(
      viewer.pointee.items + place(viewer.pointee.current), bytes: MemoryLayout<ItemState>.size)
    fetch(viewer.pointee.hosts.edge.connections, bytes: MemoryLayout<Connection>.size)
    if request < viewer.pointee.requestCount {
      fetch(viewer.pointee.requests + request, bytes: MemoryLayout<Request>.size)
    }
    if let flows = viewer.pointee.link.flows.address {
      fetch(flows, bytes: 2 * MemoryLayout<Flow>.stride)
    }
  }

  @inline(__always)
  private func fetch(_ address: UnsafeRawPointer, bytes: Int) {
    var offset = 0
    while offset < bytes {
      cache_prefetch(address + offset)
      offset += FeedWorld.cacheLine
    }
  }

  private static let cacheLine = 64
}
