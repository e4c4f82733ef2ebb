import CallSignalling
import MediaUnits
import Models
import Studies
import Testing

struct `Calls that lose their signalling` {
  private func probes(
    _ configuration: CallsConfiguration, _ steps: [(Double, CallsAction)], settles: Bool = true
  ) -> ProtocolProbes<CallsProperty> {
    var configuration = configuration
    configuration.mix = TranslationMix(symmetric: 0, restricted: 0, blocksUDP: 0)
    configuration.declines = 0
    configuration.ignores = 0
    configuration.answering = DelayLaw(.seconds(1), .seconds(2))
    configuration.checking = DelayLaw(.milliseconds(50), .milliseconds(500))
    configuration.talking = DelayLaw(.seconds(60), .seconds(60))
    return CallsFuzz(.recommended, configuration).run(
      ProtocolSchedule(
        seed: 2, actors: 3, duration: .seconds(100), settling: settles ? .seconds(120) : .zero,
        steps: steps.map { ScheduledStep(at: .zero + TimeSpan(seconds: $0.0), $0.1) }),
      records: false
    ).probes
  }

  private func happened(
    _ property: CallsProperty, _ probes: ProtocolProbes<CallsProperty>
  ) -> Bool { probes.reached >> UInt64(property.rawValue) & 1 == 1 }

  /// Covers: ICC-001, ICC-024.
  @Test func `an app that goes to the background is not called, and comes back`() {
    let probes = probes(
      CallsConfiguration(), [(10, .suspend(2)), (20, .call(0, 2)), (60, .resume(2))])
    #expect(probes.violations.isEmpty)
    #expect(happened(.lostRace, probes))
  }

  /// Covers: ICC-027, ICC-049.
  @Test func `a call survives a broken connection with a grace, and the server's end never`() {
    for grace in [0, 15] as [Int64] {
      var configuration = CallsConfiguration()
      configuration.client.signallingGrace = .seconds(grace)
      if grace > 0 { configuration.server.departure = .grace(.seconds(grace)) }
      let cut = Fault(.corrupt, target: 0, channel: .socket, length: .milliseconds(16_000))
      let cutAt = probes(configuration, [(10, .call(0, 2)), (30, .fault(cut))])
      #expect(cutAt.violations.isEmpty)
      #expect(happened(.tokenTakenUp, cutAt) == (grace > 0))
      let stop = Fault(.crash, target: Fault.server, length: .seconds(1))
      let stopped = probes(configuration, [(10, .call(0, 2)), (30, .fault(stop))])
      #expect(stopped.violations.isEmpty)
      #expect(happened(.serverLostCalls, stopped))
    }
  }

  /// Covers: ICC-055.
  @Test func `a call counts as connected when both see each other`() {
    let probes = probes(CallsConfiguration(), [(10, .call(0, 2))])
    #expect(happened(.connected, probes) && probes.violations.isEmpty)
    let early = self.probes(CallsConfiguration(), [], settles: false)
    #expect(!happened(.connected, early))
  }

  /// Covers: ICC-009, ICC-014.
  @Test func `presence is pushed: nobody asks, and an interpreter is hidden one way later`() {
    var configuration = CallsConfiguration()
    configuration.network = DelayLaw(.milliseconds(50), .milliseconds(50))
    let run = CallsFuzz(.recommended, configuration).run(
      ProtocolSchedule(
        seed: 2, actors: 3, duration: .seconds(30), settling: .zero,
        steps: [ScheduledStep(at: .zero + .seconds(10), .call(0, 2))]), records: true)
    let presence = run.sequence.filter { $0.label == MessageType.presence.rawValue }
    #expect(!presence.isEmpty && presence.allSatisfy { $0.from == 3 })
    let hidden = presence.filter { $0.sent == .zero + .milliseconds(10_050) }
    #expect(hidden.map(\.to).sorted() == [0, 1])
    #expect(hidden.allSatisfy { $0.received == .zero + .milliseconds(10_100) })
  }
}
