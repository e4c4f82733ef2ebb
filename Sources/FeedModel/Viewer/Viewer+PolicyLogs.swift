import FeedPolicy
import MediaUnits

/// Logs of the machines that viewers drive, as commands to the outside.
///
/// Each machine of each session has a log of its own, from its configuration on. Costs one
/// comparison for every event where no logs are wanted. Included are the machines
/// (``PolicyMachine``); a viewer's estimators and rules have no events.
extension Viewer {
  /// Writes down an event of a machine and the commands that it gave, those from `first` on.
  @inline(__always)
  func noteTold<Machine: LoggedMachine>(
    _ machine: Machine.Type, _ event: Machine.Event, at now: Instant,
    _ commands: [Machine.Command], from first: Int = 0, _ context: inout ViewerContext
  ) {
    if context.logsPolicies { addLines(machine, event, at: now, commands, from: first, &context) }
  }

  @inline(never)
  private func addLines<Machine: LoggedMachine>(
    _ machine: Machine.Type, _ event: Machine.Event, at now: Instant,
    _ commands: [Machine.Command], from first: Int, _ context: inout ViewerContext
  ) {
    var lines: [UInt8] = []
    PolicyLog.add(machine, event, at: now, commands, from: first, into: &lines)
    context.outsideCommands.append(
      .told(session: session, machine: Machine.logName, lines: lines))
  }

  /// Begins the logs of a session's machines.
  func beginLogs(_ context: inout ViewerContext) {
    if !context.logsPolicies { return }
    beginLog(PlayerPool.self, pool.configuration, &context)
    beginLog(PrefetchPolicy.self, prefetch.configuration, &context)
    beginLog(CursorPager.self, pages.pager.configuration, &context)
    beginLog(ScrubSession.self, ScrubSession().configuration, &context)
    guard hasClient, let state = client else { return }
    beginLog(ReadinessGate.self, state.pointee.gate.configuration, &context)
    beginLog(PauseStack.self, state.pointee.stack.configuration, &context)
    beginLog(DraftStore.self, state.pointee.drafts.configuration, &context)
    if clientSettings.pointee.telemetry == nil { return }
    beginLog(ViewLog.self, state.pointee.log.configuration, &context)
    beginLog(TelemetryBatcher.self, state.pointee.batcher.configuration, &context)
  }

  private func beginLog<Machine: LoggedMachine>(
    _ machine: Machine.Type, _ configuration: Machine.Configuration, _ context: inout ViewerContext
  ) {
    var lines: [UInt8] = []
    PolicyLog.begin(machine, configuration, into: &lines)
    context.outsideCommands.append(
      .told(session: session, machine: Machine.logName, lines: lines))
  }
}
