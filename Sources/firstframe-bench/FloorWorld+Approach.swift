import FeedPolicy
import Models
import SimulationKernel

/// Memory that the coming events need, asked for before it is their turn, as the world does it:
/// with ten thousand viewers nearly every event is of one who is in no cache.
extension FloorWorld {
  @inline(__always)
  mutating func approach(_ event: FloorEvent, _ nearness: Nearness) {
    guard case .viewerDue(let slot, let object) = event else { return }
    let viewer = viewers[Int(slot)]
    // Nothing of him is read yet.
    if nearness == .soon {
      return ComingMemory.fetch(viewer, bytes: MemoryLayout<FloorViewer>.size)
    }
    approach(viewer.pointee, UInt64(object), nearness)
  }

  /// What an event of a viewer needs, which may be about an object.
  @inline(__always)
  private func approach(_ viewer: borrowing FloorViewer, _ object: UInt64, _ nearness: Nearness) {
    switch nearness {
    case .soon: break
    case .near: viewer.approachTurn()
    case .second: ComingMemory.fetch(caches.address(of: object, atEdge: Int(viewer.edge)), bytes: 1)
    case .next:
      ComingMemory.fetch(
        caches.entry(of: object, atEdge: Int(viewer.edge)), bytes: MemoryLayout<NodeEntry>.size)
    }
  }
}

extension FloorViewer {
  /// What every turn reads.
  @inline(__always)
  func approachTurn() {
    requests.approach()
    // The current item and the next one.
    for item in current...current + 1 {
      ComingMemory.fetch(items + place(item), bytes: MemoryLayout<FloorItem>.stride)
    }
    ComingMemory.fetch(array: prefetch.memory.records, bytes: 160)
    ComingMemory.fetch(array: prefetch.memory.plan, bytes: 64)
    ComingMemory.fetch(array: prefetch.memory.draft, bytes: 64)
    ComingMemory.fetch(array: pool.memory.slots, bytes: 64)
    ComingMemory.fetch(array: pool.memory.generations, bytes: 16)
    ComingMemory.fetch(array: estimator.memory, bytes: 128)
    ComingMemory.fetch(players, bytes: 1)
  }
}
