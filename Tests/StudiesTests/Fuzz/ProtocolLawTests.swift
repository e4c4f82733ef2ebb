import MediaUnits
import Models
import SimulationKernel
import Studies
import Testing

struct `Laws of the protocols` {
  private let streams = RandomStreams(seed: 11, replication: 0)
  private let stream = StreamName(rawValue: 99)

  /// A heartbeat every 15 s and a life of 20 s: an outage of D seconds expires a live user with
  /// probability clamp((D - 5) / 15, 0, 1) (parameters section 10).
  /// Covers: ICC-006, ICC-007, ICC-008.
  @Test(arguments: [4, 8, 12, 16, 21])
  func `false expiry follows its closed form`(_ seconds: Int) {
    var configuration = CallsConfiguration()
    configuration.client.heartbeatJitter = 0
    configuration.network = DelayLaw(.milliseconds(1), .milliseconds(1))
    let runs = 1_500
    var expired = 0
    for run in 0..<runs {
      let u = streams.uniform(stream, entity: UInt64(seconds), draw: UInt32(run))
      let start = Instant.zero + TimeSpan(seconds: 40 + 15 * u)
      let schedule = ProtocolSchedule<CallsAction>(
        seed: UInt64(run), actors: 3, duration: .seconds(100), settling: .zero,
        steps: [
          ScheduledStep(
            at: start,
            .fault(
              Fault(
                .drop, target: 2, channel: .socket, direction: .up,
                length: .seconds(Int64(seconds)))))
        ])
      let result = CallsFuzz(.recommended, configuration).run(schedule, records: false)
      if result.probes.reached >> UInt64(CallsProperty.presenceExpired.rawValue) & 1 == 1 {
        expired += 1
      }
    }
    let expected = min(max((Double(seconds) - 5) / 15, 0), 1)
    let share = Double(expired) / Double(runs)
    let error = (expected * (1 - expected) / Double(runs)).squareRoot()
    #expect(abs(share - expected) <= 4 * error + 1e-3)
  }

  /// The relays as a loss system: Erlang's formula (1917). 10 concurrent calls of which 22 % are
  /// relayed block 4.9 %, 20 block 23 %.
  /// Covers: ICC-038.
  @Test(arguments: [(2.2, 0.049), (4.4, 0.23)])
  func `relays block as Erlang B says`(_ offered: Double, _ stated: Double) {
    var inverse = 1.0
    for servers in 1...5 { inverse = 1 + inverse * Double(servers) / offered }
    let expected = 1 / inverse
    #expect(abs(expected - stated) < 0.005)
    var pool = RelayPool(capacity: 5)
    var ends: [Double] = []
    var now = 0.0
    let arrivals = 200_000
    for index in 0..<arrivals {
      let (u, v) = streams.uniformPair(stream, entity: 1, pair: UInt32(index))
      now -= PortableMath.log(u) / offered
      let before = ends.count
      ends.removeAll { $0 <= now }
      for _ in ends.count..<before { pool.free() }
      if pool.take() { ends.append(now - PortableMath.log(v)) }
    }
    let share = Double(pool.blocked) / Double(arrivals)
    // Blocked arrivals come in bursts: the variance is a few times that of independent ones.
    let error = (expected * (1 - expected) / Double(arrivals) * 5).squareRoot()
    #expect(abs(share - expected) <= 4 * error)
  }

  /// Covers: ICC-036, ICC-037.
  @Test func `relays are needed for the shares that the mix gives`() {
    let mix = TranslationMix()
    var counts = [Int](repeating: 0, count: 5)
    let pairs = 100_000
    for index in 0..<pairs {
      var ends: [(Translation, blocksUDP: Bool)] = []
      for end in 0..<2 as Range<UInt64> {
        let (u, v) = streams.uniformPair(stream, entity: 10 + end, pair: UInt32(index))
        ends.append((mix.translation(u), blocksUDP: v < mix.blocksUDP))
      }
      counts[Int(MediaPath.between(ends[0], ends[1], usesTLS: false).rawValue)] += 1
    }
    let open = (1 - mix.blocksUDP) * (1 - mix.blocksUDP)
    let hard = mix.symmetric * mix.symmetric + 2 * mix.symmetric * mix.restricted
    for (path, expected) in [(MediaPath.relayUDP, open * hard), (.relayTCP, 1 - open)] {
      let share = Double(counts[Int(path.rawValue)]) / Double(pairs)
      let error = (expected * (1 - expected) / Double(pairs)).squareRoot()
      #expect(abs(share - expected) <= 4 * error)
    }
    #expect(abs(open * hard - 0.122) < 0.001 && abs(1 - open - 0.088) < 0.001)
  }

  /// Covers: ICC-036, ICC-039.
  @Test func `pairs that need a relay connect while it is up and fail cleanly while it is down`() {
    for isUp in [true, false] {
      var configuration = CallsConfiguration()
      configuration.mix = TranslationMix(symmetric: 1, restricted: 0, blocksUDP: 0)
      configuration.ignores = 0
      configuration.declines = 0
      configuration.answering = DelayLaw(.seconds(1), .seconds(2))
      configuration.checking = DelayLaw(.milliseconds(50), .milliseconds(500))
      var steps = [ScheduledStep<CallsAction>(at: .zero + .seconds(5), .call(0, 2))]
      if !isUp {
        steps.insert(
          ScheduledStep(at: .zero + .seconds(4), .fault(Fault(.relayDown, length: .hours(1)))),
          at: 0)
      }
      let schedule = ProtocolSchedule<CallsAction>(
        seed: 5, actors: 3, duration: .seconds(60), settling: .seconds(120), steps: steps)
      let run = CallsFuzz(.recommended, configuration).run(schedule, records: false)
      #expect(run.probes.violations.isEmpty)
      let relayed = run.probes.reached >> UInt64(CallsProperty.relayBlocked.rawValue) & 1 == 0
      #expect(relayed == isUp)
    }
  }
}

struct `Faults` {
  @Test func `X-008: a fault strikes its target, channel and direction while it lasts`() {
    var injector = FaultInjector(clients: 3)
    injector.begin(
      Fault(.drop, target: 1, channel: .service, direction: .up, length: .seconds(5)),
      at: .zero + .seconds(10))
    let inside = Instant.zero + .seconds(12)
    #expect(injector.fate(client: 1, channel: .service, direction: .up, at: inside).isLost)
    #expect(!injector.fate(client: 0, channel: .service, direction: .up, at: inside).isLost)
    #expect(!injector.fate(client: 1, channel: .store, direction: .up, at: inside).isLost)
    #expect(!injector.fate(client: 1, channel: .service, direction: .down, at: inside).isLost)
    let after = Instant.zero + .seconds(15)
    #expect(!injector.fate(client: 1, channel: .service, direction: .up, at: after).isLost)
    #expect(injector.messages == 5)
  }

  @Test func `X-008: each kind of fault does what it says to a message`() {
    func fate(_ kind: FaultKind, _ messages: Int = 1) -> MessageFate {
      var injector = FaultInjector(clients: 1)
      injector.begin(Fault(kind, length: .seconds(5), amount: 2_000_000_000), at: .zero)
      for _ in 1..<messages {
        _ = injector.fate(client: 0, channel: .push, direction: .up, at: .zero)
      }
      return injector.fate(client: 0, channel: .push, direction: .up, at: .zero)
    }
    #expect(fate(.drop).isLost && fate(.drop).lostUntil == .zero + .seconds(5))
    #expect(fate(.duplicate).isDoubled)
    #expect(fate(.delay).delay == .seconds(2))
    #expect(fate(.reorder).delay == .seconds(2) && fate(.reorder, 2).delay == .zero)
    #expect(fate(.corrupt).isDamaged)
    #expect(fate(.clientError).status == 400 && fate(.serverError).status == 503)
    #expect(fate(.tooMany).status == 429 && fate(.tooMany).retryAfter == .seconds(2))
    #expect(fate(.skew) == MessageFate())
  }
}
