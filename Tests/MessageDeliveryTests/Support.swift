import MediaUnits
import MessageDelivery
import PolicyTesting

func video(_ number: UInt64) -> VideoID { VideoID(high: 7, low: number) }
func client(_ number: UInt32) -> ClientID { ClientID(number) }
func seconds(_ count: Int64) -> Instant { .zero + .seconds(count) }

/// Every event in every state, as lines `state event -> state: commands`.
func table<Machine: PolicyMachine>(
  _ configuration: Machine.Configuration, _ type: Machine.Type,
  states: [(String, [Machine.Event])], events: [(String, Machine.Event)],
  state: (Machine) -> String, command: (Machine.Command) -> String
) -> [String] {
  var lines: [String] = []
  for (name, setup) in states {
    for (label, event) in events {
      var machine = Machine(configuration)
      machine.tell(all: setup)
      let commands = machine.tell(event, at: seconds(1)).map(command).joined(separator: ", ")
      lines.append(
        "\(name) \(label) -> \(state(machine))" + (commands.isEmpty ? "" : ": \(commands)"))
    }
  }
  return lines
}

/// Short names for what commands and events hold.
func text(_ errand: Errand) -> String { "\(errand.kind)\(errand.video.low)" }
func text(_ at: Instant) -> String { "\(at.nanoseconds / 1_000_000_000)s" }
