import CallSignalling
import MediaUnits
import Models
import Studies
import Testing

struct `Clients whose clocks are wrong` {
  private func run(
    _ steps: [(Double, CallsAction)], _ seed: UInt64 = 2
  ) -> ProtocolRun<CallsProperty> {
    CallsFuzz(.recommended).run(
      ProtocolSchedule(
        seed: seed, actors: 3, duration: .seconds(100), settling: .seconds(120),
        steps: steps.map { ScheduledStep(at: .zero + TimeSpan(seconds: $0.0), $0.1) }),
      records: true)
  }

  private func skew(_ target: UInt32, ahead: Int64, _ length: Int64) -> CallsAction {
    .fault(
      Fault(.skew, target: target, length: .seconds(length), amount: ahead * 1_000_000_000))
  }

  ///
  @Test func `a step ahead fires the timers that it jumps over, and one of the server nothing`() {
    // The caller of an unanswered ring gives up when its own clock says so.
    let call: (Double, CallsAction) = (10, .call(0, 2))
    let plain = run([call])
    let jumped = run([call, (10.5, skew(0, ahead: 13, 60))])
    let server = run([call, (10.5, skew(Fault.server, ahead: 13, 60))])
    #expect(plain.probes.violations.isEmpty && jumped.probes.violations.isEmpty)
    #expect(server.sequence == plain.sequence && jumped.sequence != plain.sequence)
    let hangUp = jumped.sequence.first {
      $0.from == 0 && $0.label == MessageType.hangup.rawValue
    }
    #expect(hangUp?.sent == .zero + .milliseconds(10_500))
  }

  /// The clock of the second fault begins when the first ends, and what it jumps over is due then.
  ///
  @Test func `of two wrong clocks at once the later one holds once the earlier is set back`() {
    let call: (Double, CallsAction) = (10, .call(0, 2))
    let run = run([call, (10.2, skew(0, ahead: 1, 1)), (10.5, skew(0, ahead: 13, 60))])
    let hangUp = run.sequence.first { $0.from == 0 && $0.label == MessageType.hangup.rawValue }
    #expect(hangUp?.sent == .zero + .milliseconds(11_200))
    #expect(run.probes.violations.isEmpty)
  }

  ///
  @Test func `a search draws wrong clocks itself, names them and makes them smaller`() throws {
    let target = CallsFuzz(.recommended)
    var drawn: [CallsAction] = []
    for seed in 0..<500 as Range<UInt64> {
      let own = target.schedule(seed: seed).steps.map(\.action).first {
        if case .fault(let fault) = $0 { fault.kind == .skew } else { false }
      }
      drawn += own.map { [$0] } ?? []
    }
    #expect(drawn.count > 50, "\(drawn.count)")
    let action = try #require(drawn.first)
    #expect(target.text(action).hasPrefix("fault skew "))
    #expect(!target.simpler(action).isEmpty)
  }

  ///
  @Test(arguments: CallsFuzz.Variant.allCases.filter(\.isSound))
  func `the schedules of 1,000 seeds hold with clocks that jump as well`(
    _ variant: CallsFuzz.Variant
  ) {
    let target = CallsFuzz(variant)
    var differing = 0
    for seed in 0..<1_000 as Range<UInt64> {
      var schedule = target.schedule(seed: seed)
      let plain = target.run(schedule, records: false)
      let end = schedule.duration.nanoseconds / 1_000_000
      for part in 0..<3 as Range<Int64> {
        let at = Int64((seed &* 7_919 &+ UInt64(part) &* 104_729) % UInt64(end))
        let client = UInt32((seed &+ UInt64(part)) % UInt64(schedule.actors))
        let length = 1 + Int64(seed % 17) * (part + 1)
        schedule.steps.append(
          ScheduledStep(
            at: .zero + .milliseconds(at),
            skew(part == 2 ? Fault.everyone : client, ahead: 1 + Int64(seed % 23), length)))
      }
      schedule.steps.sort { $0.at < $1.at }
      let jumped = target.run(schedule, records: false)
      if jumped.fingerprint != plain.fingerprint { differing += 1 }
      #expect(jumped.probes.violations.isEmpty, "\(seed)")
    }
    #expect(differing > 900)
  }
}
