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
    let slot: UInt32
    switch event {
    case .requestAtEdge(let place, _, _), .pairAtEdge(let place, _), .viewerDue(let place, _):
      slot = place
    default: return
    }
    let viewer = viewers[Int(slot)]
    // Nothing of him is read yet.
    if nearness == .soon { return ComingMemory.fetch(viewer, bytes: MemoryLayout<Viewer>.size) }
    if nearness == .near { approach(turnAt: Int(slot)) }
    approach(viewer.pointee, event, nearness)
  }

  /// What an event of a viewer needs.
  @inline(__always)
  private func approach(_ viewer: borrowing Viewer, _ event: FeedEvent, _ nearness: Nearness) {
    switch event {
    case .requestAtEdge(_, let index, _):
      approach(objectOf: viewer, Int(index), nearness)
      viewer.approach(nearness, request: Int(index))
    case .pairAtEdge(_, let pair):
      approach(objectOf: viewer, Int(pair.second), nearness)
      viewer.approach(nearness, request: Int(pair.second))
      approach(objectOf: viewer, Int(pair.first), nearness)
    case .viewerDue(_, let isSettling): viewer.approach(nearness, isSettling: isSettling)
    default: break
    }
  }

  /// What a request asks for, as the edge knows it.
  @inline(__always)
  private func approach(objectOf viewer: borrowing Viewer, _ index: Int, _ nearness: Nearness) {
    switch nearness {
    case .soon: break
    case .near: viewer.approach(request: index)
    case .second:
      guard let (edge, key) = viewer.comingKey(index) else { return }
      ComingMemory.fetch(caches.address(of: key, atEdge: edge), bytes: 1)
    case .next:
      guard let (edge, key) = viewer.comingKey(index) else { return }
      ComingMemory.fetch(
        caches.entry(of: key, atEdge: edge), bytes: MemoryLayout<NodeEntry>.size)
    }
  }

  /// The event that the simulation has for a viewer.
  @inline(__always)
  private func approach(turnAt slot: Int) {
    turns.withUnsafeBufferPointer { ComingMemory.fetch($0.baseAddress.map { $0 + slot }, bytes: 1) }
  }
}
