import MediaUnits
import MessageDelivery

/// SplitMix64 (Steele, Lea and Flood 2014, doi 10.1145/2660193.2660195): repeatable by seed.
struct SeededGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number in 0 ..< bound.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `n` times.
  mutating func once(in n: Int) -> Bool { below(n) == 0 }
}

func video(_ number: UInt64) -> VideoID { VideoID(high: 7, low: number) }
func client(_ number: UInt32) -> ClientID { ClientID(number) }
func seconds(_ count: Int64) -> Instant { .zero + .seconds(count) }

extension PolicyMachine {
  /// The commands of one event.
  mutating func tell(_ event: Event, at now: Instant = .zero) -> [Command] {
    var commands: [Command] = []
    handle(event, at: now, into: &commands)
    return commands
  }

  /// The commands of several events, one after the other.
  @discardableResult
  mutating func tell(all events: [Event], at now: Instant = .zero) -> [Command] {
    var commands: [Command] = []
    for event in events { handle(event, at: now, into: &commands) }
    return commands
  }
}

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
