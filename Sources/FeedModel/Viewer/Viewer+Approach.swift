import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Memory of a viewer that his next happening needs, asked for before it is his turn.
///
/// What has to be read to know an address was asked for in the round before. Nothing here changes
/// anything.
extension Viewer {
  /// What happens by itself comes.
  ///
  /// - Parameter isSettling: the next item begins.
  @inline(__always)
  func approach(_ nearness: Nearness, isSettling: Bool) {
    switch nearness {
    // The viewer himself is asked for.
    case .soon: break
    case .near: approachTurn()
    case .second:
      if isSettling {
        // The one before, this one and the next two: one of them takes the place of another.
        approachItems(from: -1, count: 4)
        ComingMemory.fetch(array: titles.memory, bytes: 256)
      } else {
        approachItems(from: 0, count: 1)
      }
      approachMachines()
    case .next:
      if let index = transport.firstRequest, index < requests.count {
        ComingMemory.fetch(requests.at(index), bytes: MemoryLayout<Request>.size)
      }
      ComingMemory.fetch(disk.memory.end, bytes: 1)
    }
  }

  /// A request comes to its edge; with its answer the viewer goes on, so that most of what is his
  /// is needed.
  @inline(__always)
  func approach(_ nearness: Nearness, request index: Int) {
    switch nearness {
    case .soon: break
    case .near: approachTurn()
    case .second:
      // The viewer may be another one by now.
      if index >= requests.count { return }
      let item = requests[index].item
      ComingMemory.fetch(items.at(place(item)), bytes: MemoryLayout<ItemState>.size)
      if item != current { approachItems(from: 0, count: 1) }
      approachMachines()
    case .next: ComingMemory.fetch(disk.memory.end, bytes: 1)
    }
  }

  /// What is asked for by a request.
  @inline(__always)
  func approach(request index: Int) {
    if index >= requests.count { return }
    ComingMemory.fetch(requests.at(index), bytes: MemoryLayout<Request>.size)
  }

  /// What an edge knows the object of a request by; nil where the viewer is another one by now.
  @inline(__always)
  func comingKey(_ index: Int) -> (edge: Int, key: UInt64)? {
    index < requests.count ? (Int(edgeNode(index)), key(index)) : nil
  }

  /// What every turn reads.
  @inline(__always)
  private func approachTurn() {
    ComingMemory.fetch(transport.memory.transfers, bytes: 2 * MemoryLayout<Flow>.stride)
    ComingMemory.fetch(agenda.memory, bytes: Viewer.agendaBytes)
  }

  /// Items around the current one.
  @inline(__always)
  private func approachItems(from first: Int32, count: UInt32) {
    let begin = current &+ UInt32(bitPattern: first)
    for offset in 0..<count {
      ComingMemory.fetch(items.at(place(begin &+ offset)), bytes: MemoryLayout<ItemState>.size)
    }
  }

  /// Connections, policies, players: an estimate of what of each is read, the first few elements.
  @inline(__always)
  private func approachMachines() {
    ComingMemory.fetch(transport.memory.connections, bytes: connectionBytes)
    let policy = prefetch.memory
    ComingMemory.fetch(array: policy.records, bytes: 160)
    ComingMemory.fetch(array: policy.plan, bytes: 64)
    ComingMemory.fetch(array: policy.draft, bytes: 64)
    let pool = self.pool.memory
    ComingMemory.fetch(array: pool.slots, bytes: 64)
    ComingMemory.fetch(array: pool.generations, bytes: 16)
    ComingMemory.fetch(players.memory, bytes: 128)
    ComingMemory.fetch(array: estimator.median.memory, bytes: 128)
    ComingMemory.fetch(disk.memory.start, bytes: DiskLog.startBytes)
  }

  /// What is read of a connection: BBR's state lies at the end.
  @inline(__always)
  private var connectionBytes: Int {
    setting.pointee.transport.pointee.congestion == .bbr
      ? MemoryLayout<Connection>.size : MemoryLayout<Connection>.size - MemoryLayout<BBRState>.size
  }

  /// Of an agenda that has what most have.
  private static let agendaBytes = 5 * MemoryLayout<Agenda.Entry>.stride
}
