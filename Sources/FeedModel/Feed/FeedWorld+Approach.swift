import CacheModel
import FeedPolicy
import MediaUnits
import NetworkModels
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

  /// A request comes to its edge; with its answer the viewer goes on, so that most of what is his
  /// is needed.
  @inline(__always)
  private func approach(
    requestOf viewer: ViewerPointer, _ index: Int, _ nearness: Nearness
  ) {
    if nearness == .soon { return ComingMemory.fetch(viewer, bytes: MemoryLayout<Viewer>.size) }
    if nearness == .near { approach(turnOf: viewer) }
    approach(objectOf: viewer, index, nearness)
    switch nearness {
    case .soon: break
    case .near:
      ComingMemory.fetch(
        viewer.pointee.transport.memory.transfers, bytes: 2 * MemoryLayout<Flow>.stride)
      ComingMemory.fetch(viewer.pointee.agenda.memory, bytes: FeedWorld.agendaBytes)
    case .second:
      // The viewer may be another one by now.
      if index >= viewer.pointee.requests.count { return }
      let item = viewer.pointee.requests[index].item
      let place = viewer.pointee.place(item)
      ComingMemory.fetch(viewer.pointee.items.at(place), bytes: MemoryLayout<ItemState>.size)
      if item != viewer.pointee.current { approach(itemsOf: viewer, from: 0, count: 1) }
      approach(machinesOf: viewer)
    case .next: ComingMemory.fetch(viewer.pointee.disk.memory.end, bytes: 1)
    }
  }

  /// What a request asks for, as the edge knows it.
  @inline(__always)
  private func approach(
    objectOf viewer: ViewerPointer, _ index: Int, _ nearness: Nearness
  ) {
    if index >= viewer.pointee.requests.count { return }
    let edge = Int(viewer.pointee.edge)
    switch nearness {
    case .soon: break
    case .near:
      ComingMemory.fetch(viewer.pointee.requests.at(index), bytes: MemoryLayout<Request>.size)
    case .second:
      ComingMemory.fetch(caches.address(of: viewer.pointee.key(index), atEdge: edge), bytes: 1)
    case .next:
      ComingMemory.fetch(
        caches.entry(of: viewer.pointee.key(index), atEdge: edge),
        bytes: MemoryLayout<NodeEntry>.size)
    }
  }

  /// - Parameter isSettling: the next item begins.
  @inline(__always)
  private func approach(
    _ viewer: ViewerPointer, _ nearness: Nearness, isSettling: Bool
  ) {
    switch nearness {
    case .soon: ComingMemory.fetch(viewer, bytes: MemoryLayout<Viewer>.size)
    case .near:
      approach(turnOf: viewer)
      ComingMemory.fetch(
        viewer.pointee.transport.memory.transfers, bytes: 2 * MemoryLayout<Flow>.stride)
      ComingMemory.fetch(viewer.pointee.agenda.memory, bytes: FeedWorld.agendaBytes)
    case .second:
      if isSettling {
        // The one before, this one and the next two: one of them takes the place of another.
        approach(itemsOf: viewer, from: -1, count: 4)
        ComingMemory.fetch(array: viewer.pointee.titles.memory, bytes: 256)
      } else {
        approach(itemsOf: viewer, from: 0, count: 1)
      }
      approach(machinesOf: viewer)
    case .next:
      if let request = ending(viewer) {
        ComingMemory.fetch(request, bytes: MemoryLayout<Request>.size)
      }
      ComingMemory.fetch(viewer.pointee.disk.memory.end, bytes: 1)
    }
  }

  /// The event that the simulation has for a viewer.
  @inline(__always)
  private func approach(turnOf viewer: ViewerPointer) {
    let slot = Int(viewer.pointee.slot)
    turns.withUnsafeBufferPointer { ComingMemory.fetch($0.baseAddress.map { $0 + slot }, bytes: 1) }
  }

  /// Items around the current one.
  @inline(__always)
  private func approach(itemsOf viewer: ViewerPointer, from first: Int32, count: UInt32) {
    let begin = viewer.pointee.current &+ UInt32(bitPattern: first)
    for offset in 0..<count {
      let place = viewer.pointee.place(begin &+ offset)
      ComingMemory.fetch(viewer.pointee.items.at(place), bytes: MemoryLayout<ItemState>.size)
    }
  }

  /// Connections, policies, players: an estimate of what of each is read, the first few elements.
  @inline(__always)
  private func approach(machinesOf viewer: ViewerPointer) {
    ComingMemory.fetch(viewer.pointee.transport.memory.connections, bytes: connectionBytes)
    let policy = viewer.pointee.prefetch.memory
    ComingMemory.fetch(array: policy.records, bytes: 160)
    ComingMemory.fetch(array: policy.plan, bytes: 64)
    ComingMemory.fetch(array: policy.draft, bytes: 64)
    let pool = viewer.pointee.pool.memory
    ComingMemory.fetch(array: pool.slots, bytes: 64)
    ComingMemory.fetch(array: pool.generations, bytes: 16)
    ComingMemory.fetch(viewer.pointee.players.memory, bytes: 128)
    ComingMemory.fetch(array: viewer.pointee.estimator.median.memory, bytes: 128)
    ComingMemory.fetch(viewer.pointee.disk.memory.start, bytes: DiskLog.startBytes)
  }

  /// What is read of a connection: BBR's state lies at the end.
  @inline(__always)
  private var connectionBytes: Int {
    setting.pointee.transport.pointee.congestion == .bbr
      ? MemoryLayout<Connection>.size : MemoryLayout<Connection>.size - MemoryLayout<BBRState>.size
  }

  /// The request whose transfer most likely ends next.
  @inline(__always)
  private func ending(_ viewer: ViewerPointer) -> UnsafeMutablePointer<Request>? {
    guard let index = viewer.pointee.transport.firstRequest else { return nil }
    return index < viewer.pointee.requests.count ? viewer.pointee.requests.at(index) : nil
  }

  /// Of an agenda that has what most have.
  private static let agendaBytes = 5 * MemoryLayout<Agenda.Entry>.stride
}
