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
    _ log: MachineLog<Machine>?, _ event: Machine.Event, at now: Instant,
    _ commands: [Machine.Command], from first: Int = 0, _ context: inout ViewerContext
  ) {
    if let log { leave(log.add(event, now, commands, first), Machine.logName, &context) }
  }

  /// Lines of a machine's log go to the outside.
  @inline(never)
  private func leave(
    _ lines: [UInt8], _ machine: StaticString, _ context: inout ViewerContext
  ) {
    context.outsideCommands.append(.told(session: session, machine: machine, lines: lines))
  }

  /// Begins the logs of a session's machines.
  func beginLogs(_ context: inout ViewerContext) {
    guard let logs = context.logs else { return }
    // Another one's policy has a log of its own, or none.
    if policy.pointee.victimDecider == nil {
      beginLog(logs.pool, pool.configuration, &context)
    }
    if !context.foreign.isUsed {
      beginLog(logs.prefetch, prefetch.configuration, &context)
    }
    beginLog(logs.pager, pages.pager.configuration, &context)
    beginLog(logs.scrub, ScrubSession().configuration, &context)
    guard hasClient, let state = client else { return }
    beginLog(logs.gate, state.pointee.gate.configuration, &context)
    beginLog(logs.pauses, state.pointee.stack.configuration, &context)
    beginLog(logs.drafts, state.pointee.drafts.configuration, &context)
    if clientSettings.pointee.telemetry == nil { return }
    beginLog(logs.views, state.pointee.log.configuration, &context)
    beginLog(logs.batcher, state.pointee.batcher.configuration, &context)
  }

  private func beginLog<Machine: LoggedMachine>(
    _ log: MachineLog<Machine>, _ configuration: Machine.Configuration,
    _ context: inout ViewerContext
  ) {
    leave(log.begin(configuration), Machine.logName, &context)
  }
}
