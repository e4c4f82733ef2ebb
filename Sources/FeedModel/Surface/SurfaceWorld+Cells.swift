import MediaUnits
import NetworkModels
import SimulationKernel

/// Cells: what the links of several viewers share.
extension SurfaceWorld {
  /// Tells viewers of marks and ends that a cell has brought.
  mutating func progressCell(_ cell: Int, _ context: inout Context<SurfaceEvent>) {
    viewerContext.begin(at: context.now)
    viewerContext.cells[cell].advance(to: context.now)
    while let (owner, flow) = viewerContext.cells[cell].takeFinished(at: context.now) {
      let viewer = viewers[Int(owner.slot)]
      if !viewer.pointee.isActive { continue }
      if !viewer.pointee.finishInCell(Int(owner.request), flow: flow, &viewerContext) { continue }
      endTurn(viewer, &context)
    }
    scheduleCell(cell, &context)
  }
}
