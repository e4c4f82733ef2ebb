import MediaUnits
import ServicePolicy

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

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension PolicyMachine {
  /// The commands of one event.
  mutating func tell(_ event: Event, at milliseconds: Int64 = 0) -> [Command] {
    var commands: [Command] = []
    handle(event, at: .zero + .milliseconds(milliseconds), into: &commands)
    return commands
  }
}

func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
