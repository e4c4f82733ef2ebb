import FeedPolicy
import MediaUnits

/// The commands of one event.
func commands<Machine: PolicyMachine>(
  of event: Machine.Event, at milliseconds: Int64 = 0, from machine: inout Machine
) -> [Machine.Command] {
  var commands: [Machine.Command] = []
  machine.handle(
    event, at: .zero.advanced(saturatingBy: .milliseconds(milliseconds)), into: &commands)
  return commands
}

/// Plays a log through a fresh machine, in three ways that must agree: a new array for each event,
/// one array reused, and a copy that takes over from the original in the middle.
func replayed<Machine: PolicyMachine>(
  _ log: [(now: Instant, event: Machine.Event)], _ configuration: Machine.Configuration,
  of type: Machine.Type
) -> (separate: [[Machine.Command]], reused: [[Machine.Command]], copied: [[Machine.Command]]) {
  var first = Machine(configuration)
  var second = Machine(configuration)
  var third = Machine(configuration)
  var separate: [[Machine.Command]] = []
  var reused: [[Machine.Command]] = []
  var copied: [[Machine.Command]] = []
  var scratch: [Machine.Command] = []
  for (index, entry) in log.enumerated() {
    var own: [Machine.Command] = []
    first.handle(entry.event, at: entry.now, into: &own)
    separate.append(own)
    scratch.removeAll(keepingCapacity: true)
    second.handle(entry.event, at: entry.now, into: &scratch)
    reused.append(scratch)
    if index == log.count / 2 {
      var original = third
      third = original
      // What happens to the original afterwards must not reach the copy.
      var discarded: [Machine.Command] = []
      for entry in log.prefix(20) {
        original.handle(entry.event, at: entry.now, into: &discarded)
      }
    }
    var taken: [Machine.Command] = []
    third.handle(entry.event, at: entry.now, into: &taken)
    copied.append(taken)
  }
  return (separate, reused, copied)
}

/// FNV-1a over the text of the commands, one line for each event: equal on every platform.
func digest<Command>(of commands: [[Command]]) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for list in commands {
    for byte in (list.map { "\($0)" }.joined(separator: ";") + "\n").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
  }
  return hash
}
