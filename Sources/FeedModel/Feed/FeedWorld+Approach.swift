import CacheModel
import MediaUnits
import SimulationKernel

/// Memory that the coming events need, asked for before it is their turn.
///
/// With many viewers nearly every event is of one who is in no cache, and waits for main memory
/// some dozen times. What has to be read to know an address was asked for in the round before.
/// Nothing here changes anything.
extension FeedWorld {
  @inline(__always)
  public mutating func approach(_ event: FeedEvent, _ nearness: Nearness) {
    switch event {
    case .requestAtEdge(let slot, let index, _):
      approach(requestOf: viewers[Int(slot)], Int(index), nearness)
    case .pairAtEdge(let slot, let pair):
      let viewer = viewers[Int(slot)]
      approach(requestOf: viewer, Int(pair.second), nearness)
      if nearness != .soon { approach(objectOf: viewer, Int(pair.first), nearness) }
    case .viewerDue(let slot, let isSettling):
      approach(viewers[Int(slot)], nearness, isSettling: isSettling)
    default: return
    }
  }

  @inline(__always)
  private func approach(requestOf viewer: ViewerPointer, _ index: Int, _ nearness: Nearness) {
    if nearness == .soon { return ComingMemory.fetch(viewer, bytes: MemoryLayout<Viewer>.size) }
    if nearness == .near { approach(turnOf: viewer) }
    approach(objectOf: viewer, index, nearness)
    viewer.pointee.approach(nearness, request: index)
  }

  /// What a request asks for, as the edge knows it.
  @inline(__always)
  private func approach(objectOf viewer: ViewerPointer, _ index: Int, _ nearness: Nearness) {
    switch nearness {
    case .soon: break
    case .near: viewer.pointee.approach(request: index)
    case .second:
      guard let (edge, key) = viewer.pointee.comingKey(index) else { return }
      ComingMemory.fetch(caches.address(of: key, atEdge: edge), bytes: 1)
    case .next:
      guard let (edge, key) = viewer.pointee.comingKey(index) else { return }
      ComingMemory.fetch(
        caches.entry(of: key, atEdge: edge), bytes: MemoryLayout<NodeEntry>.size)
    }
  }

  @inline(__always)
  private func approach(_ viewer: ViewerPointer, _ nearness: Nearness, isSettling: Bool) {
    if nearness == .soon { return ComingMemory.fetch(viewer, bytes: MemoryLayout<Viewer>.size) }
    if nearness == .near { approach(turnOf: viewer) }
    viewer.pointee.approach(nearness, isSettling: isSettling)
  }

  /// The event that the simulation has for a viewer.
  @inline(__always)
  private func approach(turnOf viewer: ViewerPointer) {
    let slot = Int(viewer.pointee.slot)
    turns.withUnsafeBufferPointer { ComingMemory.fetch($0.baseAddress.map { $0 + slot }, bytes: 1) }
  }
}
