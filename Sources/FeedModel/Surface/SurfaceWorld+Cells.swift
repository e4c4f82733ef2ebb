import MediaUnits
import NetworkModels
import SimulationKernel

/// Cells: what the links of several viewers share.
extension SurfaceWorld {
  /// Tells viewers of marks and ends that a cell has brought.
  mutating func progressCell(_ cell: Int, _ context: inout Context<SurfaceEvent>) {
    viewerContext.begin(at: context.now)
    viewerContext.cells[cell].link.advance(to: context.now.nanoseconds)
    while let (owner, flow) = viewerContext.cells[cell].takeFinished() {
      let viewer = viewers[Int(owner.slot)]
      if !viewer.pointee.isActive { continue }
      if !viewer.pointee.finishInCell(Int(owner.request), flow: flow, &viewerContext) { continue }
      endTurn(viewer, &context)
    }
    scheduleCell(cell, &context)
  }
}
