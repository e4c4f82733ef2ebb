import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func at(_ milliseconds: Int64) -> Instant {
  .zero.advanced(saturatingBy: .milliseconds(milliseconds))
}

struct `Several providers` {
  private func machine(
    _ rule: ProviderSwitch.Rule = .failover, providers: Int = 3, hedgeAfter: TimeSpan? = nil
  ) -> ProviderSwitch {
    ProviderSwitch(
      ProviderSwitch.Configuration(providers: providers, rule: rule, hedgeAfter: hedgeAfter))
  }

  @Test func `a request goes to the session's provider until that has failed twice`() {
    var machine = machine()
    for request in 1...2 as ClosedRange<UInt32> {
      #expect(
        commands(of: .requested(request: request), from: &machine) == [
          .send(request: request, provider: 0)
        ])
      // A copy that fails is asked of the next.
      #expect(
        commands(of: .failed(request: request, provider: 0), from: &machine) == [
          .send(request: request, provider: 1)
        ])
    }
    #expect(machine.current == 1 && machine.switches == 1)
    #expect(
      commands(of: .requested(request: 3), at: 1_000, from: &machine) == [
        .send(request: 3, provider: 1)
      ])
  }

  @Test func `a request that every provider fails is given up`() {
    var machine = machine()
    _ = commands(of: .requested(request: 1), from: &machine)
    #expect(
      commands(of: .failed(request: 1, provider: 0), from: &machine) == [
        .send(request: 1, provider: 1)
      ])
    #expect(
      commands(of: .failed(request: 1, provider: 1), from: &machine) == [
        .send(request: 1, provider: 2)
      ])
    #expect(
      commands(of: .failed(request: 1, provider: 2), from: &machine) == [.giveUp(request: 1)])
    #expect(commands(of: .failed(request: 1, provider: 2), from: &machine) == [])
    #expect(machine.ignored == 1)
  }

  @Test func `a penalty ends, and where all are left out the first to come back is asked`() {
    var machine = machine(providers: 2)
    for request in 1...2 as ClosedRange<UInt32> {
      _ = commands(of: .requested(request: request), from: &machine)
      _ = commands(of: .failed(request: request, provider: 0), from: &machine)
    }
    for request in 1...2 as ClosedRange<UInt32> {
      _ = commands(of: .failed(request: request, provider: 1), at: 10, from: &machine)
    }
    #expect(
      commands(of: .requested(request: 3), at: 20, from: &machine) == [
        .send(request: 3, provider: 0)
      ])
  }

  @Test func `a first byte that is late brings a second copy, and the first to answer wins`() {
    var machine = machine(providers: 2, hedgeAfter: .milliseconds(200))
    #expect(
      commands(of: .requested(request: 7), from: &machine) == [
        .send(request: 7, provider: 0), .setTimer(request: 7, at: at(200)),
      ])
    // Early timers are set anew.
    #expect(
      commands(of: .timerFired(request: 7), at: 199, from: &machine) == [
        .setTimer(request: 7, at: at(200))
      ])
    #expect(
      commands(of: .timerFired(request: 7), at: 200, from: &machine) == [
        .send(request: 7, provider: 1)
      ])
    #expect(
      commands(of: .firstByte(request: 7, provider: 1), at: 250, from: &machine) == [
        .cancel(request: 7, provider: 0)
      ])
    // The loser's news are late.
    #expect(commands(of: .firstByte(request: 7, provider: 0), at: 260, from: &machine) == [])
    #expect(
      commands(
        of: .ended(request: 7, provider: 1, bytes: ByteCount(1000), span: .milliseconds(10)),
        at: 300, from: &machine) == [])
    #expect(machine.hedges == 1 && machine.ignored == 1)
    #expect(commands(of: .timerFired(request: 7), at: 400, from: &machine) == [])
  }

  @Test func `another is switched to when it was measured to be faster by the gain`() {
    var machine = machine(.measured, providers: 2)
    func load(_ request: UInt32, of provider: UInt8, kilobytes: Int64, at time: Int64) {
      _ = commands(of: .requested(request: request), at: time, from: &machine)
      if provider != machine.current {
        _ = commands(of: .failed(request: request, provider: machine.current), from: &machine)
      }
      _ = commands(
        of: .ended(
          request: request, provider: provider, bytes: ByteCount(kilobytes * 1000),
          span: .seconds(1)), at: time, from: &machine)
    }
    load(1, of: 0, kilobytes: 1000, at: 0)
    load(2, of: 1, kilobytes: 1400, at: 1_000)
    #expect(machine.current == 0)
    load(3, of: 0, kilobytes: 200, at: 2_000)
    load(4, of: 0, kilobytes: 200, at: 3_000)
    #expect(machine.current == 1 && machine.switches == 1)
    // Not back before the hold is over.
    load(5, of: 1, kilobytes: 10, at: 4_000)
    #expect(machine.current == 1)
  }

  @Test func `a steering order holds where it is the rule, and names only who is there`() {
    var steered = machine(.steered)
    #expect(commands(of: .steered(ProviderOrder([7, 2, 2, 0])), from: &steered) == [])
    #expect(steered.current == 2)
    #expect(commands(of: .steered(ProviderOrder([7, 2, 0])), from: &steered) == [])
    #expect(steered.ignored == 1)
    var other = machine(.failover)
    _ = commands(of: .steered(ProviderOrder([2])), from: &other)
    #expect(other.current == 0)
    #expect(Array(ProviderOrder([7, 2, 2, 9, 0])) == [7, 2, 0])
  }

  @Test func `a session goes back to its provider when the penalty is over`() {
    for rule in [ProviderSwitch.Rule.failover, .measured, .steered] {
      var machine = machine(rule, providers: 2)
      _ = commands(of: .steered(ProviderOrder([0, 1])), from: &machine)
      for request in 1...2 as ClosedRange<UInt32> {
        _ = commands(of: .requested(request: request), from: &machine)
        _ = commands(of: .failed(request: request, provider: 0), from: &machine)
      }
      #expect(machine.current == 1)
      _ = commands(of: .requested(request: 3), at: 59_999, from: &machine)
      #expect(machine.current == 1)
      _ = commands(of: .requested(request: 4), at: 60_000, from: &machine)
      #expect(machine.current == (rule == .measured ? 1 : 0), "\(rule)")
      #expect(machine.switches == (rule == .measured ? 1 : 2))
    }
  }

  @Test func `a fixed rule gives up what fails, and stays where it is`() {
    var machine = machine(.fixed)
    for request in 1...5 as ClosedRange<UInt32> {
      #expect(
        commands(of: .requested(request: request, mayProbe: true), from: &machine) == [
          .send(request: request, provider: 0)
        ])
      #expect(
        commands(of: .failed(request: request, provider: 0), from: &machine) == [
          .giveUp(request: request)
        ])
    }
    #expect(machine.current == 0 && machine.switches == 0)
  }

  @Test func `probes go round the others, one of so many that nobody waits for`() {
    var machine = ProviderSwitch(
      ProviderSwitch.Configuration(providers: 3, rule: .measured, probeEvery: 3))
    var sent: [UInt8] = []
    for request in 0..<12 as Range<UInt32> {
      let now = Int64(request) * 1000
      // Those that somebody waits for do not count.
      _ = commands(of: .requested(request: 100 + request), at: now, from: &machine)
      let made = commands(
        of: .requested(request: request, mayProbe: true), at: now, from: &machine)
      for case .send(_, let provider) in made { sent.append(provider) }
      _ = commands(of: .cancelled(request: 100 + request), at: now, from: &machine)
      _ = commands(of: .cancelled(request: request), at: now, from: &machine)
    }
    #expect(sent == [0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 2])
    #expect(machine.probes == 4 && machine.current == 0)
  }

  @Test func `a probe finds the faster provider, which nobody had used`() {
    var machine = ProviderSwitch(
      ProviderSwitch.Configuration(providers: 2, rule: .measured, probeEvery: 2))
    for request in 0..<8 as Range<UInt32> {
      let now = Int64(request) * 1000
      let made = commands(
        of: .requested(request: request, mayProbe: true), at: now, from: &machine)
      guard case .send(_, let provider)? = made.first else { continue }
      let kilobytes: Int64 = provider == 0 ? 100 : 300
      _ = commands(
        of: .ended(
          request: request, provider: provider, bytes: ByteCount(kilobytes * 1000),
          span: .seconds(1)), at: now + 500, from: &machine)
    }
    #expect(machine.current == 1 && machine.switches == 1)
  }

  /// 60 · 2000 events, late, repeated and out of order.
  @Test(arguments: Array(0..<60 as Range<UInt64>))
  func `every request is answered, given up or cancelled, and no copy is stopped twice`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed)
    let count = 1 + Int(seed % 4)
    let rule = [ProviderSwitch.Rule.fixed, .failover, .measured, .steered][Int(seed / 4 % 4)]
    var machine = ProviderSwitch(
      ProviderSwitch.Configuration(
        providers: count, rule: rule,
        hedgeAfter: seed % 2 == 0 && rule != .fixed ? .milliseconds(50) : nil,
        probeEvery: Int(seed % 3), limit: 6))
    var open: Set<[UInt32]> = []
    for step in 0..<2000 {
      let request = UInt32(generator.below(12))
      let provider = UInt8(generator.below(5))
      let events: [ProviderSwitch.Event] = [
        .requested(request: request, mayProbe: step % 2 == 0),
        .firstByte(request: request, provider: provider),
        .ended(
          request: request, provider: provider,
          bytes: ByteCount(Int64(generator.below(100_001))),
          span: .milliseconds(Int64(generator.below(101)))),
        .failed(request: request, provider: provider), .cancelled(request: request),
        .timerFired(request: request), .steered(ProviderOrder([provider, 0])),
      ]
      let event = events[generator.below(events.count)]
      let ignored = machine.ignored
      for command in commands(of: event, at: Int64(step) * 7, from: &machine) {
        switch command {
        case .send(let request, let provider):
          #expect(Int(provider) < count)
          open.insert([request, UInt32(provider)])
        case .cancel(let request, let provider):
          #expect(open.remove([request, UInt32(provider)]) != nil)
        case .setTimer(_, let time): #expect(time >= at(Int64(step) * 7))
        case .giveUp(let request): open = open.filter { $0[0] != request }
        }
      }
      switch event {
      case .ended(let request, _, _, _), .cancelled(let request):
        // Of one that was not watched nobody knows.
        if machine.ignored == ignored { open = open.filter { $0[0] != request } }
      default: break
      }
      #expect(Int(machine.current) < count)
    }
  }
}
