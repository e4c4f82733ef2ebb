import CacheModel
import MediaUnits
import NetworkModels
import SimulationKernel

/// Cells: transfers of many viewers in one shared capacity.
extension FeedWorld {
  /// After a turn of a viewer: what it has changed in his cell.
  mutating func lookAtCell(of viewer: ViewerPointer, _ context: inout Context<FeedEvent>) {
    if !viewerContext.changesCell && !viewerContext.entersCell { return }
    let hasEntered = viewerContext.entersCell
    viewerContext.changesCell = false
    viewerContext.entersCell = false
    if hasEntered {
      progressCell(viewer.pointee.transport.cell, &context)
    } else {
      scheduleCell(viewer.pointee.transport.cell, &context)
    }
  }

  /// Tells viewers of marks and ends that a cell has brought.
  mutating func progressCell(_ cell: Int, _ context: inout Context<FeedEvent>) {
    viewerContext.cells[cell].link.advance(to: context.now.nanoseconds)
    while let end = viewerContext.cells[cell].link.takeFinished() {
      let owner = viewerContext.cells[cell].owners[end.flow]
      viewerContext.cells[cell].giveBack(end.flow)
      let viewer = viewers[Int(owner.slot)]
      if !viewer.pointee.isActive { continue }
      viewerContext.begin(at: context.now, source: context.source)
      viewer.pointee.syncLink(at: context.now, &viewerContext)
      viewer.pointee.finishInCell(Int(owner.request), end.flow, &viewerContext)
      goOn(viewer, &context)
    }
    scheduleCell(cell, &context)
  }

  private mutating func scheduleCell(_ cell: Int, _ context: inout Context<FeedEvent>) {
    context.cancel(viewerContext.cells[cell].event)
    viewerContext.cells[cell].event = .none
    // What ended at this instant while something else was changed is waiting to be told.
    let next =
      viewerContext.cells[cell].link.hasFinished
      ? context.now.nanoseconds : viewerContext.cells[cell].link.nextChange
    if next == .max { return }
    viewerContext.cells[cell].event = context.schedule(
      .cellChanged(cell: UInt32(cell)), at: Instant(nanoseconds: next),
      for: CacheHierarchy.edgeEntity(viewerContext.cells[cell].edge), phase: .arrival)
  }
}
