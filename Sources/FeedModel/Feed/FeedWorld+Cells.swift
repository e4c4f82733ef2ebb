import CacheModel
import MediaUnits
import NetworkModels
import SimulationKernel

/// What a viewer has changed in the cell that he is in.
struct CellChange {
  var cell: Int
  /// A transfer has come into it.
  var hasEntered: Bool
}

/// Cells: transfers of many viewers in one shared capacity.
extension FeedWorld {
  /// What a turn of a viewer has changed in his cell; nil: nothing.
  @inline(__always)
  mutating func takeCellChange(of viewer: borrowing Viewer) -> CellChange? {
    if !viewerContext.changesCell && !viewerContext.entersCell { return nil }
    let change = CellChange(cell: viewer.cell, hasEntered: viewerContext.entersCell)
    viewerContext.changesCell = false
    viewerContext.entersCell = false
    return change
  }

  /// Takes note of a change. Who has something in the cell may have a turn.
  mutating func note(_ change: CellChange, _ context: inout Context<FeedEvent>) {
    if change.hasEntered {
      progressCell(change.cell, &context)
    } else {
      scheduleCell(change.cell, &context)
    }
  }

  /// Tells viewers of marks and ends that a cell has brought.
  mutating func progressCell(_ cell: Int, _ context: inout Context<FeedEvent>) {
    viewerContext.cells[cell].advance(to: context.now)
    while let (owner, flow) = viewerContext.cells[cell].takeFinished(at: context.now) {
      let viewer = viewers[Int(owner.slot)]
      if finish(Int(owner.request), flow, of: &viewer.pointee, context) {
        goOn(owner.slot, &context)
      }
    }
    scheduleCell(cell, &context)
  }

  /// - Returns: false where the viewer is gone.
  private mutating func finish(
    _ request: Int, _ flow: Int, of viewer: inout Viewer,
    _ context: borrowing Context<FeedEvent>
  ) -> Bool {
    if !viewer.isActive { return false }
    viewerContext.begin(at: context.now, source: context.source)
    viewer.syncLink(at: context.now, &viewerContext)
    viewer.finishInCell(request, flow, &viewerContext)
    return true
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
