import CPrefetch
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
      approach(requestOf: viewers[Int(slot)], Int(pair.second), nearness)
      if nearness != .soon { approach(objectOf: viewers[Int(slot)], Int(pair.first), nearness) }
    case .settled(let slot): approach(viewers[Int(slot)], nearness, isSettling: true)
    case .linkChanged(let slot), .watchEnded(let slot), .bufferEnded(let slot),
      .loadResumed(let slot), .burstEnded(let slot), .playerReady(let slot, _, _),
      .framePresented(let slot):
      approach(viewers[Int(slot)], nearness, isSettling: false)
    case .scrubMoved(let slot), .scrubTimer(let slot):
      approach(scrubOf: viewers[Int(slot)], nearness)
    default: return
    }
  }

  /// A viewer scrubs.
  @inline(__always)
  private mutating func approach(scrubOf viewer: ViewerPointer, _ nearness: Nearness) {
    switch nearness {
    case .soon: fetch(viewer, bytes: MemoryLayout<Viewer>.size)
    case .near:
      fetch(viewer.pointee.extras, bytes: MemoryLayout<ViewerExtras>.size)
      let place = place(viewer.pointee.current)
      fetch(viewer.pointee.items + place, bytes: MemoryLayout<ItemState>.size)
    case .second, .next: return
    }
  }

  /// A request comes to its edge.
  @inline(__always)
  private mutating func approach(
    requestOf viewer: ViewerPointer, _ index: Int, _ nearness: Nearness
  ) {
    if nearness == .soon { return fetch(viewer, bytes: MemoryLayout<Viewer>.size) }
    approach(objectOf: viewer, index, nearness)
    switch nearness {
    case .soon, .next: break
    case .near:
      fetch(viewer.pointee.link.flows.address, bytes: 2 * MemoryLayout<Flow>.stride)
    case .second:
      // The viewer may be another one by now.
      if index >= viewer.pointee.requestCount { return }
      let item = viewer.pointee.requests[index].item
      fetch(viewer.pointee.items + place(item), bytes: MemoryLayout<ItemState>.size)
      fetch(viewer.pointee.hosts.edge.connections, bytes: connectionBytes)
    }
  }

  /// What a request asks for, as the edge knows it.
  @inline(__always)
  private mutating func approach(
    objectOf viewer: ViewerPointer, _ index: Int, _ nearness: Nearness
  ) {
    if index >= viewer.pointee.requestCount { return }
    let edge = Int(viewer.pointee.edge)
    switch nearness {
    case .soon: break
    case .near: fetch(viewer.pointee.requests + index, bytes: MemoryLayout<Request>.size)
    case .second: fetch(caches.address(of: key(viewer, index), atEdge: edge), bytes: 1)
    case .next:
      fetch(
        caches.entry(of: key(viewer, index), atEdge: edge), bytes: MemoryLayout<NodeEntry>.size)
    }
  }

  /// - Parameter isSettling: the next item begins.
  @inline(__always)
  private mutating func approach(
    _ viewer: ViewerPointer, _ nearness: Nearness, isSettling: Bool
  ) {
    switch nearness {
    case .soon: fetch(viewer, bytes: MemoryLayout<Viewer>.size)
    case .near: fetch(viewer.pointee.link.flows.address, bytes: 2 * MemoryLayout<Flow>.stride)
    case .second:
      if isSettling {
        // The one before, this one and the next two: one of them takes the place of another.
        let before = viewer.pointee.current &- 1
        for offset in UInt32(0)..<4 {
          let place = place(before &+ offset)
          fetch(viewer.pointee.items + place, bytes: MemoryLayout<ItemState>.size)
        }
        fetch(array: viewer.pointee.titles.memory, bytes: 256)
      } else {
        let place = place(viewer.pointee.current)
        fetch(viewer.pointee.items + place, bytes: MemoryLayout<ItemState>.size)
      }
      fetch(viewer.pointee.hosts.edge.connections, bytes: connectionBytes)
      // An estimate of what of each is read: the first few elements.
      let policy = viewer.pointee.prefetch.memory
      fetch(array: policy.records, bytes: 160)
      fetch(array: policy.plan, bytes: 64)
      fetch(array: policy.draft, bytes: 64)
      let pool = viewer.pointee.pool.memory
      fetch(array: pool.slots, bytes: 64)
      fetch(array: pool.generations, bytes: 16)
      fetch(viewer.pointee.players.baseAddress, bytes: 128)
      fetch(array: viewer.pointee.estimator.median.memory, bytes: 128)
      fetch(viewer.pointee.diskLog.start, bytes: DiskLog.startBytes)
    case .next:
      if let request = ending(viewer) { fetch(request, bytes: MemoryLayout<Request>.size) }
      fetch(viewer.pointee.diskLog.end, bytes: 1)
    }
  }

  /// What is read of a connection: BBR's state lies at the end.
  @inline(__always)
  private var connectionBytes: Int {
    transport.pointee.congestion == .bbr
      ? MemoryLayout<Connection>.size : MemoryLayout<Connection>.size - MemoryLayout<BBRState>.size
  }

  /// The request whose transfer most likely ends next.
  @inline(__always)
  private func ending(_ viewer: ViewerPointer) -> UnsafeMutablePointer<Request>? {
    if viewer.pointee.link.flows.isEmpty { return nil }
    let index = viewer.pointee.link.flows[0].request
    return index < viewer.pointee.requestCount ? viewer.pointee.requests + index : nil
  }

  @inline(__always)
  private func fetch(_ address: UnsafeRawPointer?, bytes: Int) {
    guard let address else { return }
    var offset = 0
    while offset < bytes {
      cache_prefetch(address + offset)
      offset += FeedWorld.cacheLine
    }
  }

  /// Elements of an array, and the count that lies before them.
  @inline(__always)
  private func fetch(array address: UnsafeRawPointer?, bytes: Int) {
    guard let address else { return }
    fetch(address - FeedWorld.arrayHead, bytes: FeedWorld.arrayHead + bytes)
  }

  private static let cacheLine = 64
  /// Bytes of an array's head; addresses are only asked for, so another head would do no harm.
  private static let arrayHead = 32
}
