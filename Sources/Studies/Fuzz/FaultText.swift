import MediaUnits
import Models
import SimulationKernel

/// Faults as words, and how they are drawn.
enum FaultText {
  static func text(_ fault: Fault) -> String {
    let target: String
    switch fault.target {
    case Fault.everyone: target = "all"
    case Fault.server: target = "server"
    default: target = "\(fault.target)"
    }
    return "fault \(fault.kind) \(target) \(fault.channel) \(fault.direction) "
      + "\(fault.length.nanoseconds) \(fault.amount)"
  }

  /// The words after `fault`.
  static func fault(_ words: ArraySlice<Substring>) -> Fault? {
    let words = Array(words)
    guard words.count == 6, let kind = FaultKind.allCases.first(where: { "\($0)" == words[0] }),
      let channel = FaultChannel.allCases.first(where: { "\($0)" == words[2] }),
      let direction = FaultDirection.allCases.first(where: { "\($0)" == words[3] }),
      let length = Int64(words[4]), let amount = Int64(words[5]), length >= 0,
      length <= TimeSpan.days(366).nanoseconds, abs(amount) <= TimeSpan.days(366).nanoseconds
    else { return nil }
    let target: UInt32
    switch words[1] {
    case "all": target = Fault.everyone
    case "server": target = Fault.server
    default:
      guard let number = UInt32(words[1]) else { return nil }
      target = number
    }
    return Fault(
      kind, target: target, channel: channel, direction: direction,
      length: .nanoseconds(length), amount: amount)
  }

  /// Faults that are weaker: half as long, one way only.
  static func simpler(_ fault: Fault) -> [Fault] {
    var weaker: [Fault] = []
    if fault.length > .seconds(1) {
      var half = fault
      half.length = .seconds(fault.length.nanoseconds / 2_000_000_000)
      weaker.append(half)
    }
    if fault.amount > 1_000_000_000 {
      var half = fault
      half.amount = fault.amount / 2_000_000_000 * 1_000_000_000
      weaker.append(half)
    }
    if fault.direction == .both {
      for direction in [FaultDirection.up, .down] {
        var one = fault
        one.direction = direction
        weaker.append(one)
      }
    }
    return weaker
  }
}

/// Random numbers of one schedule, in the order in which they are asked for.
struct ScheduleDraws {
  private let streams: RandomStreams
  private var count: UInt32 = 0

  init(seed: UInt64) { streams = RandomStreams(seed: seed, replication: 0) }

  mutating func bits() -> UInt64 {
    count += 1
    return streams.bits(.faultSchedule, entity: 0, draw: count)
  }

  /// A number in 0 ..< bound.
  mutating func below(_ bound: Int) -> Int {
    Int(bits().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func once(in n: Int) -> Bool { below(n) == 0 }

  mutating func span(_ shortest: TimeSpan, _ longest: TimeSpan) -> TimeSpan {
    let steps = (longest - shortest).nanoseconds / 1_000_000
    return shortest + .milliseconds(Int64(below(Int(steps) + 1)))
  }

  mutating func fault(
    _ kinds: [FaultKind], channels: [FaultChannel], actors: UInt32
  ) -> Fault {
    let kind = kinds[below(kinds.count)]
    var target = once(in: 3) ? Fault.everyone : UInt32(below(Int(actors)))
    if kind == .slow || kind == .staleRead || kind == .crashAfterWrite { target = Fault.server }
    if kind == .crash && once(in: 2) { target = Fault.server }
    return Fault(
      kind, target: target, channel: channels[below(channels.count)],
      direction: FaultDirection.allCases[below(3)],
      length: span(.milliseconds(200), .seconds(20)),
      amount: span(.milliseconds(100), .seconds(15)).nanoseconds)
  }
}
