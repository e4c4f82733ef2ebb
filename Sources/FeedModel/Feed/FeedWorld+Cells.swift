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
    viewerContext.cells[cell].advance(to: context.now)
    while let (owner, flow) = viewerContext.cells[cell].takeFinished(at: context.now) {
      let viewer = viewers[Int(owner.slot)]
      if !viewer.pointee.isActive { continue }
      viewerContext.begin(at: context.now, source: context.source)
      viewer.pointee.syncLink(at: context.now, &viewerContext)
      viewer.pointee.finishInCell(Int(owner.request), flow, &viewerContext)
      goOn(viewer, &context)
    }
    scheduleCell(cell, &context)
  }

  private mutating func scheduleCell(_ cell: Int, _ context: inout Context<FeedEvent>) {
    context.cancel(viewerContext.cells[cell].event)
    viewerContext.cells[cell].event = .none
    guard let next = viewerContext.cells[cell].nextChange(at: context.now) else { return }
    viewerContext.cells[cell].event = context.schedule(
      .cellChanged(cell: UInt32(cell)), at: next,
      for: CacheHierarchy.edgeEntity(viewerContext.cells[cell].edge), phase: .arrival)
  }
}
