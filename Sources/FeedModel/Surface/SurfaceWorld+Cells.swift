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
      finish(Int(owner.request), flow: flow, of: &viewer.pointee, &context)
    }
    scheduleCell(cell, &context)
  }

  private mutating func finish(
    _ request: Int, flow: Int, of viewer: inout SurfaceViewer,
    _ context: inout Context<SurfaceEvent>
  ) {
    if !viewer.isActive { return }
    if !viewer.finishInCell(request, flow: flow, &viewerContext) { return }
    endTurn(of: &viewer, &context)
  }
}
