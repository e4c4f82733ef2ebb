import FeedPolicy
import MediaUnits

/// Logs of the machines that viewers drive, as commands to the outside.
///
/// Each machine of each session has a log of its own, from its configuration on. Costs one
/// comparison for every event where no logs are wanted. Included are the machines
/// (``PolicyMachine``); a viewer's estimators and rules have no events.
extension FeedWorld {
  /// Writes down an event of a machine and the commands that it gave, those from `first` on.
  @inline(__always)
  mutating func noteTold<Machine: LoggedMachine>(
    _ viewer: ViewerPointer, _ machine: Machine.Type, _ event: Machine.Event, at now: Instant,
    _ commands: [Machine.Command], from first: Int = 0
  ) {
    if logsPolicies { addLines(viewer, machine, event, at: now, commands, from: first) }
  }

  @inline(never)
  private mutating func addLines<Machine: LoggedMachine>(
    _ viewer: ViewerPointer, _ machine: Machine.Type, _ event: Machine.Event, at now: Instant,
    _ commands: [Machine.Command], from first: Int
  ) {
    var lines: [UInt8] = []
    PolicyLog.add(machine, event, at: now, commands, from: first, into: &lines)
    outsideCommands.append(
      .told(session: viewer.pointee.session, machine: Machine.logName, lines: lines))
  }

  /// Begins the logs of a session's machines.
  mutating func beginLogs(_ viewer: ViewerPointer) {
    if !logsPolicies { return }
    beginLog(viewer, PlayerPool.self, viewer.pointee.pool.configuration)
    beginLog(viewer, PrefetchPolicy.self, viewer.pointee.prefetch.configuration)
    beginLog(viewer, CursorPager.self, viewer.pointee.pager.configuration)
    beginLog(viewer, ScrubSession.self, ScrubSession().configuration)
    guard hasClient, let state = viewer.pointee.client else { return }
    beginLog(viewer, ReadinessGate.self, state.pointee.gate.configuration)
    beginLog(viewer, PauseStack.self, state.pointee.stack.configuration)
    beginLog(viewer, DraftStore.self, state.pointee.drafts.configuration)
    if clientSettings.pointee.telemetry == nil { return }
    beginLog(viewer, ViewLog.self, state.pointee.log.configuration)
    beginLog(viewer, TelemetryBatcher.self, state.pointee.batcher.configuration)
  }

  private mutating func beginLog<Machine: LoggedMachine>(
    _ viewer: ViewerPointer, _ machine: Machine.Type, _ configuration: Machine.Configuration
  ) {
    var lines: [UInt8] = []
    PolicyLog.begin(machine, configuration, into: &lines)
    outsideCommands.append(
      .told(session: viewer.pointee.session, machine: Machine.logName, lines: lines))
  }
}
