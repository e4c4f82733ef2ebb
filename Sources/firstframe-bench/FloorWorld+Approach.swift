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
    switch nearness {
    case .soon: ComingMemory.fetch(viewer, bytes: MemoryLayout<FloorViewer>.size)
    case .near:
      viewer.pointee.requests.approach()
      // The current item and the next one.
      for item in viewer.pointee.current...viewer.pointee.current + 1 {
        ComingMemory.fetch(
          viewer.pointee.items + viewer.pointee.place(item), bytes: MemoryLayout<FloorItem>.stride)
      }
      ComingMemory.fetch(array: viewer.pointee.prefetch.memory.records, bytes: 160)
      ComingMemory.fetch(array: viewer.pointee.prefetch.memory.plan, bytes: 64)
      ComingMemory.fetch(array: viewer.pointee.prefetch.memory.draft, bytes: 64)
      ComingMemory.fetch(array: viewer.pointee.pool.memory.slots, bytes: 64)
      ComingMemory.fetch(array: viewer.pointee.pool.memory.generations, bytes: 16)
      ComingMemory.fetch(array: viewer.pointee.estimator.memory, bytes: 128)
      ComingMemory.fetch(viewer.pointee.players, bytes: 1)
    case .second:
      ComingMemory.fetch(
        caches.address(of: UInt64(object), atEdge: Int(viewer.pointee.session.edge)), bytes: 1)
    case .next:
      ComingMemory.fetch(
        caches.entry(of: UInt64(object), atEdge: Int(viewer.pointee.session.edge)),
        bytes: MemoryLayout<NodeEntry>.size)
    }
  }

}
