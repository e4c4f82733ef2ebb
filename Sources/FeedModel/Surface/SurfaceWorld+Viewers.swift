import CacheModel
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The viewers' places, and what their turns leave to the simulation.
extension SurfaceWorld {
  /// A session begins.
  mutating func begin(_ session: UInt32, _ context: inout Context<SurfaceEvent>) {
    let viewer = takeViewer(session, at: context.now)
    activeSessions += 1
    viewerContext.measures.counts.sessions += 1
    if activeSessions > viewerContext.measures.peakSessions {
      viewerContext.measures.peakSessions = activeSessions
    }
    viewerContext.begin(at: context.now)
    begin(&viewer.pointee, &context)
  }

  private mutating func begin(
    _ viewer: inout SurfaceViewer, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.begin(&viewerContext)
    endTurn(of: &viewer, &context)
  }

  /// A viewer's place in memory, reused when there is one.
  private mutating func takeViewer(_ session: UInt32, at now: Instant) -> SurfacePointer {
    let settings = (UnsafePointer(setting), UnsafePointer(surface))
    let traits = SurfaceTraits(session, at: now, settings.0, settings.1)
    if let slot = freeViewers.popLast() {
      let viewer = viewers[Int(slot)]
      viewer.initialize(
        to: SurfaceViewer(settings.0, settings.1, slot: slot, traits, afterGone: viewer))
      return viewer
    }
    let viewer = SurfacePointer.allocate(capacity: 1)
    viewer.initialize(
      to: SurfaceViewer(
        settings.0, settings.1, slot: UInt32(viewers.count), traits, afterGone: nil))
    viewers.append(viewer)
    return viewer
  }

  /// A viewer has left: his place is another's.
  mutating func makeRoom(_ slot: UInt32) {
    freeViewers.append(slot)
    activeSessions -= 1
  }

  /// After a turn of a viewer: does what he has left to the simulation.
  mutating func endTurn(
    of viewer: inout SurfaceViewer, _ context: inout Context<SurfaceEvent>
  ) {
    viewer.endTurn(&viewerContext)
    for index in 0..<viewerContext.commands.count {
      switch viewerContext.commands[index] {
      case .plan(let event, let time, let phase, let plan):
        let handle = context.schedule(event, at: time, for: viewer.session, phase: phase)
        viewer.keep(handle, as: plan)
      case .cancel(let plan): context.cancel(viewer.forget(plan))
      case .changeCell(let cell): scheduleCell(cell, &context)
      }
    }
    viewerContext.forgetCommands()
  }

  /// Looks at a cell when a transfer in it passes its mark or ends, and no sooner.
  mutating func scheduleCell(_ cell: Int, _ context: inout Context<SurfaceEvent>) {
    context.cancel(viewerContext.cells[cell].event)
    viewerContext.cells[cell].event = .none
    guard let next = viewerContext.cells[cell].nextChange(at: context.now) else { return }
    viewerContext.cells[cell].event = context.schedule(
      .cellChanged(cell: UInt32(cell)), at: next,
      for: CacheHierarchy.edgeEntity(viewerContext.cells[cell].edge), phase: .arrival)
  }
}
