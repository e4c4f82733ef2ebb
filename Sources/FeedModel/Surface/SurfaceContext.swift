import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Which of a viewer's planned events is meant.
enum SurfacePlan {
  /// One that is never cancelled.
  case loose
  case timer(SurfaceTimers.Timer)
  /// The one that looks at a card's playhead.
  case playhead(Int)
}

/// What a viewer of a mixed feed has the simulation do when his turn ends.
enum SurfaceCommand {
  case plan(SurfaceEvent, at: Instant, phase: Phase, as: SurfacePlan)
  case cancel(SurfacePlan)
  /// Looks anew when a transfer in a cell passes its mark or ends.
  case changeCell(Int)
}

/// What a viewer of a mixed feed has around him while something happens to him: the time, what all
/// viewers write into, and what he leaves behind for others.
struct SurfaceContext: ~Copyable {
  /// When it happens.
  private(set) var now = Instant.zero
  private let byAddress = ByAddress()
  var measures: FeedMeasures
  /// What the links of several viewers share.
  var cells: [Cell]
  /// What the simulation is to do, in this order.
  private(set) var commands: [SurfaceCommand] = []

  // Memory that every turn uses anew.
  var visibilityCommands: [VisibilityMachine.Command] = []
  var poolCommands: [PlayerPool.Command] = []
  var gateCommands: [ScrollGate.Command] = []
  var pagerCommands: [FeedPager.Command] = []
  var layoutCommands: [WidgetFeed.Command] = []

  init(measures: FeedMeasures, cells: [Cell]) {
    self.measures = measures
    self.cells = cells
  }

  /// A turn begins: something happens to one viewer.
  mutating func begin(at now: Instant) { self.now = now }

  /// Something will happen to the viewer.
  ///
  /// - Parameter plan: by what it is cancelled; what went by that before is forgotten.
  mutating func plan(
    _ event: SurfaceEvent, at time: Instant, phase: Phase = .normal, as plan: SurfacePlan = .loose
  ) {
    commands.append(.plan(event, at: time, phase: phase, as: plan))
  }

  /// What was planned as this does not happen, unless it has.
  mutating func cancel(_ plan: SurfacePlan) { commands.append(.cancel(plan)) }

  /// What the viewer has in a cell has changed.
  mutating func changeCell(_ cell: Int) { commands.append(.changeCell(cell)) }

  /// The commands are done.
  mutating func forgetCommands() { commands.removeAll(keepingCapacity: true) }
}
