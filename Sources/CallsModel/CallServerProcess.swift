import CallSignalling
import MediaUnits
import ModelBasics

/// The process that the signalling server runs in: it stops, and comes back without a memory. What
/// it has set or asked for before belongs to nobody afterwards.
struct CallServerProcess {
  private(set) var machine: CallServer
  private(set) var isUp = true
  /// Counts its stops and its starts.
  private(set) var epoch: UInt32 = 0
  private var timers = SlotTable<CallServer.Timer>()

  init(_ configuration: CallServer.Configuration) { machine = CallServer(configuration) }

  /// Whether what was set in an epoch still finds who set it.
  func isUp(in epoch: UInt32) -> Bool { isUp && epoch == self.epoch }

  mutating func stop() {
    isUp = false
    epoch += 1
  }

  mutating func restart(_ configuration: CallServer.Configuration) {
    isUp = true
    epoch += 1
    machine = CallServer(configuration)
  }

  mutating func handle(
    _ event: CallServer.Event, at now: Instant, into commands: inout [CallServer.Command]
  ) {
    machine.handle(event, at: now, into: &commands)
  }

  /// Keeps a timer until it fires.
  ///
  /// - Returns: its number among those that are kept.
  mutating func keep(_ timer: CallServer.Timer) -> UInt32 { timers.add(timer) }

  /// A timer that was kept fires.
  mutating func takeTimer(_ slot: UInt32) -> CallServer.Timer {
    timers.giveBack(slot)
    return timers[slot]
  }
}
