import CacheModel
import FeedPolicy
import MediaUnits
import NetworkModels
import SimulationKernel

/// Cells: transfers of many viewers in one shared capacity.
extension FeedWorld {
  /// The cells of all networks and edges, and for each network the place of its first one.
  static func cells(_ configuration: FeedConfiguration) -> ([Cell], [Int]) {
    var cells: [Cell] = []
    var first: [Int] = []
    for network in configuration.networks {
      first.append(cells.count)
      guard let cell = network.cell else { continue }
      for edge in 0..<configuration.cdn.edges {
        for _ in 0..<cell.count { cells.append(Cell(cell, edge: edge)) }
      }
    }
    return (cells, first)
  }

  /// The cell of a session, or -1.
  mutating func cellOfSession(_ session: UInt32, network: Int) -> Int {
    guard let cell = networks[network].cell else { return -1 }
    let edges = UInt32(self.edges)
    let edge = Int(session % edges)
    return firstCell[network] + edge * cell.count + Int(session / edges) % cell.count
  }

  /// How the viewer's round trip weighs in his cell.
  mutating func cellBias(_ viewer: ViewerPointer) -> Double {
    networks[viewer.pointee.network].cell!.bias.weight(
      roundTrip: viewer.pointee.roundTrip.nanoseconds)
  }

  /// Lets transfers whose time has come into the viewer's cell.
  mutating func enterCell(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    let now = context.now.nanoseconds
    let cell = viewer.pointee.cell
    let bias = cellBias(viewer)
    for index in 0..<viewer.pointee.link.flows.count {
      let flow = viewer.pointee.link.flows[index]
      if flow.joinAt > now || flow.cellFlow >= 0 { continue }
      let number = cells[cell].take(
        Cell.Owner(slot: viewer.pointee.slot, request: UInt32(flow.request)))
      viewer.pointee.link.flows[index].cellFlow = number
      let bytes = flow.markAt >= 0 ? flow.remaining - flow.markAt : flow.remaining
      cells[cell].link.add(
        number, bytes: bytes > 0 ? bytes : 0, weight: flow.weight * bias,
        cap: viewer.pointee.link.rate.rate, at: now)
    }
    setCaps(viewer, at: context.now)
    progressCell(cell, &context)
  }

  /// Gives each of the viewer's transfers in the cell its part of his own link as a cap.
  private mutating func setCaps(_ viewer: ViewerPointer, at now: Instant) {
    var weight = 0.0
    let count = viewer.pointee.link.flows.count
    for index in 0..<count where viewer.pointee.link.flows[index].cellFlow >= 0 {
      weight += viewer.pointee.link.flows[index].weight
    }
    for index in 0..<count where viewer.pointee.link.flows[index].cellFlow >= 0 {
      let flow = viewer.pointee.link.flows[index]
      cells[viewer.pointee.cell].link.changeCap(
        flow.cellFlow, to: viewer.pointee.link.rate.rate * flow.weight / weight,
        at: now.nanoseconds)
    }
  }

  /// The viewer's transfers have changed: their caps do, and with them what the cell brings next.
  mutating func refreshCell(_ viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    setCaps(viewer, at: context.now)
    rescheduleCell(viewer.pointee.cell, &context)
  }

  /// Marks and ends that the cell has brought.
  mutating func progressCell(_ cell: Int, _ context: inout Context<FeedEvent>) {
    cells[cell].link.advance(to: context.now.nanoseconds)
    while let end = cells[cell].link.takeFinished() {
      let owner = cells[cell].owners[end.flow]
      cells[cell].giveBack(end.flow)
      let viewer = viewers[Int(owner.slot)]
      syncLink(viewer, at: context.now)
      finishInCell(viewer, Int(owner.request), end.flow, &context)
    }
    rescheduleCell(cell, &context)
  }

  private mutating func finishInCell(
    _ viewer: ViewerPointer, _ request: Int, _ number: Int, _ context: inout Context<FeedEvent>
  ) {
    var place = 0
    while place < viewer.pointee.link.flows.count
      && viewer.pointee.link.flows[place].cellFlow != number
    {
      place += 1
    }
    if place == viewer.pointee.link.flows.count { return }
    viewer.pointee.radio.receive(at: context.now)
    noteShare(viewer, request, viewer.pointee.link.flows[place].lost)
    if viewer.pointee.link.flows[place].markAt >= 0 {
      // The rest follows as a flow of its own.
      viewer.pointee.link.flows[place].remaining = viewer.pointee.link.flows[place].markAt
      viewer.pointee.link.flows[place].markAt = -1
      viewer.pointee.link.flows[place].cellFlow = -1
      reachStart(viewer, self.place(viewer.pointee.requests[request].item), &context)
    } else {
      _ = viewer.pointee.link.remove(request: request)
      if isHere(viewer, request) { complete(viewer, request, &context) }
    }
    if viewer.pointee.isActive { rescheduleLink(viewer, &context) }
  }

  private mutating func rescheduleCell(_ cell: Int, _ context: inout Context<FeedEvent>) {
    context.cancel(cells[cell].event)
    cells[cell].event = .none
    // What ended at this instant while something else was changed is waiting to be told.
    let next =
      cells[cell].link.hasFinished ? context.now.nanoseconds : cells[cell].link.nextChange
    if next == .max { return }
    cells[cell].event = context.schedule(
      .cellChanged(cell: UInt32(cell)), at: Instant(nanoseconds: next),
      for: CacheHierarchy.edgeEntity(cells[cell].edge), phase: .arrival)
  }

  /// Wire bytes that the viewer's transfers still bring.
  mutating func backlog(_ viewer: ViewerPointer) -> Double {
    var sum = 0.0
    for index in 0..<viewer.pointee.link.flows.count {
      let flow = viewer.pointee.link.flows[index]
      if flow.cellFlow < 0 {
        if flow.remaining > 0 { sum += flow.remaining }
      } else {
        sum += cells[viewer.pointee.cell].link.remaining(of: flow.cellFlow)
        if flow.markAt >= 0 { sum += flow.markAt }
      }
    }
    return sum
  }

  /// A transfer in a cell counts more from now on: it enters anew.
  mutating func reenter(
    _ viewer: ViewerPointer, _ request: Int, _ context: inout Context<FeedEvent>
  ) {
    for index in 0..<viewer.pointee.link.flows.count
    where viewer.pointee.link.flows[index].request == request {
      let flow = viewer.pointee.link.flows[index]
      if flow.cellFlow < 0 { return }
      viewer.pointee.link.flows[index].remaining = remaining(of: flow, viewer, at: context.now)
      viewer.pointee.link.flows[index].cellFlow = -1
    }
    enterCell(viewer, &context)
  }

  /// Takes a transfer off the viewer's link and cell; nil when there is none.
  ///
  /// - Returns: wire bytes that have not come.
  mutating func withdraw(_ viewer: ViewerPointer, _ request: Int, at now: Instant) -> Double? {
    guard let flow = viewer.pointee.link.remove(request: request) else { return nil }
    return remaining(of: flow, viewer, at: now)
  }

  /// Wire bytes of a transfer that has left the link; it leaves the cell, too.
  private mutating func remaining(
    of flow: Flow, _ viewer: ViewerPointer, at now: Instant
  ) -> Double {
    if flow.cellFlow < 0 { return flow.remaining }
    let cell = viewer.pointee.cell
    cells[cell].link.advance(to: now.nanoseconds)
    // One that has just ended is given back when its end is told.
    if !cells[cell].link.contains(flow.cellFlow) { return flow.markAt >= 0 ? flow.markAt : 0 }
    let left = cells[cell].link.remove(flow.cellFlow, at: now.nanoseconds)
    cells[cell].giveBack(flow.cellFlow)
    return flow.markAt >= 0 ? flow.markAt + left : left
  }

  /// No transfer of the viewer uses the link or the cell before `time`.
  mutating func hold(_ viewer: ViewerPointer, until time: Int64, at now: Instant) {
    for index in 0..<viewer.pointee.link.flows.count {
      let flow = viewer.pointee.link.flows[index]
      viewer.pointee.link.flows[index].remaining = remaining(of: flow, viewer, at: now)
      viewer.pointee.link.flows[index].cellFlow = -1
      if flow.joinAt < time { viewer.pointee.link.flows[index].joinAt = time }
    }
  }
}
