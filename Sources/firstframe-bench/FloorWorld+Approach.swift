import CPrefetch
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
    case .soon: fetch(viewer, bytes: MemoryLayout<FloorViewer>.size)
    case .near:
      fetch(
        viewer.pointee.requests,
        bytes: viewer.pointee.requestCount * MemoryLayout<FloorRequest>.stride)
      // The current item and the next one.
      for item in viewer.pointee.current...viewer.pointee.current + 1 {
        fetch(
          viewer.pointee.items + viewer.pointee.place(item), bytes: MemoryLayout<FloorItem>.stride)
      }
      fetch(array: viewer.pointee.prefetch.memory.records, bytes: 160)
      fetch(array: viewer.pointee.prefetch.memory.plan, bytes: 64)
      fetch(array: viewer.pointee.prefetch.memory.draft, bytes: 64)
      fetch(array: viewer.pointee.pool.memory.slots, bytes: 64)
      fetch(array: viewer.pointee.pool.memory.generations, bytes: 16)
      fetch(array: viewer.pointee.estimator.memory, bytes: 128)
      fetch(viewer.pointee.players, bytes: 1)
    case .second:
      fetch(caches.address(of: UInt64(object), atEdge: Int(viewer.pointee.edge)), bytes: 1)
    case .next:
      fetch(
        caches.entry(of: UInt64(object), atEdge: Int(viewer.pointee.edge)),
        bytes: MemoryLayout<NodeEntry>.size)
    }
  }

  @inline(__always)
  private func fetch(_ address: UnsafeRawPointer?, bytes: Int) {
    guard let address else { return }
    var offset = 0
    while offset < bytes {
      cache_prefetch(address + offset)
      offset += FloorWorld.cacheLine
    }
  }

  /// Elements of an array, and the count that lies before them.
  @inline(__always)
  private func fetch(array address: UnsafeRawPointer?, bytes: Int) {
    guard let address else { return }
    fetch(address - FloorWorld.arrayHead, bytes: FloorWorld.arrayHead + bytes)
  }

  private static let cacheLine = 64
  /// Bytes of an array's head; addresses are only asked for, so another head would do no harm.
  private static let arrayHead = 32
}
