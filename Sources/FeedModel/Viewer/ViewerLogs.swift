import FeedPolicy
import MediaUnits

/// What writes the logs of the machines that viewers drive (``FeedPolicy/PolicyLog``).
///
/// Only who wants logs makes one, and what writes is reached through it alone: a program that never
/// makes one, such as a page that only simulates, is linked without the words of nine machines.
final class ViewerLogs: Sendable {
  let pool = MachineLog<PlayerPool>()
  let prefetch = MachineLog<PrefetchPolicy>()
  let pager = MachineLog<CursorPager>()
  let scrub = MachineLog<ScrubSession>()
  let gate = MachineLog<ReadinessGate>()
  let pauses = MachineLog<PauseStack>()
  let drafts = MachineLog<DraftStore>()
  let views = MachineLog<ViewLog>()
  let batcher = MachineLog<TelemetryBatcher>()
}

/// What writes the logs of one kind of machine.
struct MachineLog<Machine: LoggedMachine>: Sendable {
  /// The lines with which a log begins.
  let begin: @Sendable (_ configuration: Machine.Configuration) -> [UInt8]
  /// The lines of an event and of the commands that followed it, those from a place on.
  let add:
    @Sendable (
      _ event: Machine.Event, _ now: Instant, _ commands: [Machine.Command], _ first: Int
    ) -> [UInt8]

  init() {
    begin = { configuration in
      var lines: [UInt8] = []
      PolicyLog.begin(Machine.self, configuration, into: &lines)
      return lines
    }
    add = { event, now, commands, first in
      var lines: [UInt8] = []
      PolicyLog.add(Machine.self, event, at: now, commands, from: first, into: &lines)
      return lines
    }
  }
}
