import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

struct `Scroll gate` {
  /// Covers: VF-039, OQ-09.
  @Test func `above the limit nothing begins and at rest everything does`() {
    var gate = ScrollGate(.init(rule: .velocity(2)))
    #expect(commands(of: .scrolled(velocity: 1.9, crosses: true), from: &gate) == [])
    #expect(
      commands(of: .scrolled(velocity: -2.1, crosses: false), from: &gate) == [.admit(.none)])
    #expect(commands(of: .scrolled(velocity: 5, crosses: true), from: &gate) == [])
    #expect(commands(of: .settled, from: &gate) == [.admit(.all)])
    #expect(gate.closings == 1)
  }

  /// Covers: VF-040, OQ-09.
  @Test(arguments: [50, 100, 200] as [Int64])
  func `a debounce counts from the last crossing and not from the rest`(delay: Int64) {
    var gate = ScrollGate(.init(rule: .debounce(.milliseconds(delay))))
    #expect(
      commands(of: .scrolled(velocity: 1, crosses: true), at: 10, from: &gate) == [
        .setTimer(at: at(10 + delay)), .admit(.none),
      ])
    #expect(
      commands(of: .scrolled(velocity: 1, crosses: true), at: 30, from: &gate) == [
        .setTimer(at: at(30 + delay))
      ])
    #expect(commands(of: .settled, at: 35, from: &gate) == [])
    #expect(
      commands(of: .timerFired, at: 10 + delay, from: &gate) == [.setTimer(at: at(30 + delay))])
    #expect(commands(of: .timerFired, at: 30 + delay, from: &gate) == [.admit(.all)])
    #expect(commands(of: .timerFired, at: 31 + delay, from: &gate) == [])
    #expect(gate.ignored == 2)
  }

  /// Covers: OQ-09.
  @Test func `the predicted rest narrows the gate instead of shutting it`() {
    var gate = ScrollGate(.init(rule: .predictedRest(1)))
    #expect(
      commands(of: .scrolled(velocity: 3, crosses: true), from: &gate) == [.admit(.predicted)])
    #expect(commands(of: .scrolled(velocity: 0.5, crosses: true), from: &gate) == [.admit(.all)])
    var none = ScrollGate(.init(rule: .none))
    #expect(commands(of: .scrolled(velocity: 99, crosses: true), from: &none) == [])
    #expect(commands(of: .scrolled(velocity: .nan, crosses: true), from: &none) == [])
    #expect(none.ignored == 1)
  }

  /// Covers: VF-039, VF-040.
  @Test(arguments: 0..<250 as Range<UInt64>)
  func `any order of events leaves the gate open at last`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    let rules: [ScrollGate.Rule] = [
      .none, .velocity(2), .predictedRest(2), .debounce(.milliseconds(100)),
    ]
    let rule = rules[generator.below(4)]
    var gate = ScrollGate(.init(rule: rule))
    var known = ScrollGate.Admission.all
    var now: Int64 = 0
    var quietSince: Int64 = -1_000
    for _ in 0..<500 {
      now += Int64(generator.below(60))
      let event: ScrollGate.Event
      switch generator.below(8) {
      case 0: event = .settled
      case 1...3: event = .timerFired
      default:
        let crosses = generator.once(in: 3)
        if crosses { quietSince = now }
        event = .scrolled(velocity: Double(generator.below(80)) / 10 - 4, crosses: crosses)
        if case .velocity(let limit) = rule, case .scrolled(let velocity, _) = event {
          _ = commands(of: event, at: now, from: &gate).map { known = Self.applied($0, known) }
          #expect((gate.admission == .none) == (abs(velocity) > limit), "seed \(seed)")
          continue
        }
      }
      for command in commands(of: event, at: now, from: &gate) {
        known = Self.applied(command, known)
      }
      #expect(known == gate.admission, "seed \(seed)")
      if case .debounce = rule, gate.admission == .all, event == .timerFired {
        #expect(now - quietSince >= 100, "seed \(seed): opened too soon")
      }
    }
    _ = commands(of: .settled, at: now, from: &gate)
    _ = commands(of: .timerFired, at: now + 100, from: &gate)
    #expect(gate.admission == .all, "seed \(seed)")
  }

  static func applied(
    _ command: ScrollGate.Command, _ known: ScrollGate.Admission
  ) -> ScrollGate.Admission {
    if case .admit(let admission) = command { return admission }
    return known
  }
}
