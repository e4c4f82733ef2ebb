import CacheModel
import MediaUnits
import NetworkModels
import SimulationKernel

/// What comes over a viewer's link, or out of the cell that it is in.
extension SurfaceWorld {
  /// A transfer joins, has passed its mark or has ended.
  mutating func progressLink(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    viewer.pointee.timers.take(.link)
    viewer.pointee.changeLink()
    syncLink(viewer, at: context.now)
    // In a cell the end of the turn lets the transfer in.
    if viewer.pointee.transport.cell >= 0 { return }
    while let (place, isEnd, _) = viewer.pointee.transport.takeFinished(at: context.now) {
      take(viewer, place, isEnd: isEnd, &context)
    }
    pump(viewer, &context)
  }

  /// Tells viewers of marks and ends that a cell has brought.
  mutating func progressCell(_ cell: Int, _ context: inout Context<SurfaceEvent>) {
    cells[cell].link.advance(to: context.now.nanoseconds)
    while let (owner, flow) = cells[cell].takeFinished() {
      let viewer = viewers[Int(owner.slot)]
      if !viewer.pointee.isActive { continue }
      syncLink(viewer, at: context.now)
      let place = Int(owner.request)
      guard
        let (_, isEnd) = viewer.pointee.transport.finishInCell(
          place, flow: flow, at: context.now)
      else { continue }
      viewer.pointee.changeLink()
      take(viewer, place, isEnd: isEnd, &context)
      pump(viewer, &context)
      endTurn(viewer, &context)
    }
    scheduleCell(cell, &context)
  }

  /// The answer to a request has passed its mark, or is complete.
  private mutating func take(
    _ viewer: SurfacePointer, _ place: Int, isEnd: Bool, _ context: inout Context<SurfaceEvent>
  ) {
    if !isEnd {
      if case .card(let item) = viewer.pointee.requests[place].purpose {
        reachStart(viewer, item, &context)
      }
      return
    }
    let request = viewer.pointee.requests.remove(place)
    viewer.pointee.transport.settle(request.server, request.connection, at: context.now)
    sendWaiting(viewer, &context)
    switch request.purpose {
    case .card(let item): complete(viewer, item, request, &context)
    case .page(let number): takePage(viewer, number, &context)
    }
  }

  /// Makes up for what was put off to the end of a turn: the link's next change, if the turn has
  /// changed what is on it.
  mutating func endTurn(_ viewer: SurfacePointer, _ context: inout Context<SurfaceEvent>) {
    if !viewer.pointee.takeLinkChange() { return }
    context.cancel(viewer.pointee.timers.take(.link))
    let cell = viewer.pointee.transport.cell
    if cell >= 0 {
      if viewer.pointee.isActive {
        viewer.pointee.transport.enterCell(
          slot: viewer.pointee.slot, at: context.now, &cells)
      }
      scheduleCell(cell, &context)
    }
    if !viewer.pointee.isActive { return }
    if let next = viewer.pointee.transport.nextChange(
      after: context.now, sources: setting.pointee.sources)
    {
      let event = context.schedule(
        .linkChanged(slot: viewer.pointee.slot), at: next, for: viewer.pointee.session,
        phase: .arrival)
      viewer.pointee.timers.set(.link, event)
    }
  }

  private mutating func scheduleCell(_ cell: Int, _ context: inout Context<SurfaceEvent>) {
    context.cancel(cells[cell].event)
    cells[cell].event = .none
    guard let next = cells[cell].nextChange(at: context.now) else { return }
    cells[cell].event = context.schedule(
      .cellChanged(cell: UInt32(cell)), at: next,
      for: CacheHierarchy.edgeEntity(cells[cell].edge), phase: .arrival)
  }
}
