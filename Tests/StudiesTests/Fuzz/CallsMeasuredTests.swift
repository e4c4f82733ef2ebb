import CallSignalling
import MediaUnits
import Models
import SimulationKernel
import Testing

struct `Measured calls` {
  /// Every delay constant, everybody answers after a second, nobody is behind a translator.
  private var plain: CallsConfiguration {
    var made = CallsConfiguration()
    made.network = constant(.milliseconds(50))
    made.answering = constant(.seconds(1))
    made.declines = 0
    made.ignores = 0
    made.talking = constant(.seconds(30))
    made.describing = constant(.milliseconds(100))
    made.checking = constant(.milliseconds(200))
    made.keyFrame = constant(.milliseconds(100))
    made.mix = TranslationMix(symmetric: 0, restricted: 0, blocksUDP: 0)
    made.client.heartbeatJitter = 0
    return made
  }

  private func constant(_ span: TimeSpan) -> DelayLaw { DelayLaw(span, span) }

  private var few: CallsAudience {
    var made = CallsAudience()
    made.callers = 10
    made.interpreters = 10
    made.callsPerHour = 100
    made.warmUp = .minutes(1)
    return made
  }

  private func measures(
    _ configuration: CallsConfiguration, _ audience: CallsAudience, _ replication: UInt16 = 0
  ) throws -> CallsMeasures {
    try CallsWorld.measured(
      configuration, audience, RandomStreams(seed: 5, replication: replication),
      shuffleTies: nil, eventLimit: 50_000_000
    ).measures
  }

  /// From the accept at the server: two ways and two descriptions, a candidate of each, the checks,
  /// three round trips for a reflexive address and DTLS, a key frame, and the word of it. One of
  /// five candidates comes before its description and saves a round trip.
  /// Covers: ICC-035, ICC-055.
  @Test func `setting up takes the sum of its parts`() throws {
    let found = try measures(plain, few)
    #expect(found.setups.count > 50 && found.failedSetups.isEmpty)
    #expect(Set(found.setups) == [1_100_000_000, 1_200_000_000])
    #expect(found.connected == found.accepted && found.paths[0] == found.accepted)
  }

  /// Covers: ICC-037, ICC-040.
  @Test func `relays over UDP, TCP and TLS take 2, 3 and 5 round trips to be found`() throws {
    var medians: [Int64] = []
    for (symmetric, blocksUDP, onlyTLS) in [(1.0, 0.0, 0.0), (0, 1, 0), (0, 1, 1)] {
      var configuration = plain
      configuration.mix = TranslationMix(
        symmetric: symmetric, restricted: 0, blocksUDP: blocksUDP, onlyTLS: onlyTLS)
      configuration.relayCapacity = 100
      let found = try measures(configuration, few)
      #expect(found.relayTaken == found.accepted && found.relayBlocked == 0)
      medians.append(try #require(found.setups.max()))
    }
    #expect(medians == [1_300_000_000, 1_400_000_000, 1_600_000_000])
    // What checks over UDP cost before.
    var slow = plain
    slow.mix = TranslationMix(symmetric: 0, restricted: 0, blocksUDP: 1, onlyTLS: 0)
    slow.relayCapacity = 100
    slow.tcpExtra = constant(.seconds(1))
    #expect(try measures(slow, few).setups.max() == 2_400_000_000)
  }

  /// Covers: ICC-053.
  @Test func `a WebSocket over TLS costs a round trip more`() throws {
    var audience = few
    audience.deadPerHour = 6
    for (trips, expected) in [(3 as Int64, 300), (4, 400)] {
      var configuration = plain
      configuration.connectRoundTrips = trips
      let found = try measures(configuration, audience)
      #expect(found.connects.count > 20)
      #expect(Set(found.connects) == [Int64(expected) * 1_000_000])
    }
  }

  /// Covers: ICC-002.
  @Test func `whoever may not look for the server has its address typed`() throws {
    var configuration = plain
    configuration.discovery = constant(.milliseconds(300))
    configuration.addressTyping = constant(.seconds(9))
    let found = try measures(configuration, few)
    #expect(Set(found.discoveries) == [300_000_000] && found.connected > 50)
    configuration.discoveryDenied = 1
    let typed = try measures(configuration, few)
    #expect(Set(typed.discoveries) == [9_000_000_000] && typed.discoveries.count == 20)
    #expect(typed.connected > 50)
  }

  /// Covers: ICC-042.
  @Test func `a slow camera delays the own picture and the description`() throws {
    var configuration = plain
    configuration.cameraStart = constant(.milliseconds(400))
    let found = try measures(configuration, few)
    #expect(Set(found.localFrames) == [400_000_000])
    // The caller's camera; the interpreter's has started by the time the offer comes.
    #expect(found.setups.max() == 1_600_000_000)
  }

  /// The relays as a loss system with Poisson arrivals: Erlang's formula holds whatever the law of
  /// the holding times.
  /// Covers: ICC-038.
  @Test(arguments: [2.2, 4.4])
  func `relays block as Erlang B says`(_ offered: Double) throws {
    var configuration = plain
    configuration.mix = TranslationMix(symmetric: 1, restricted: 0, blocksUDP: 0)
    configuration.talking = DelayLaw(.seconds(5), .seconds(15))
    var audience = few
    audience.callers = 60
    audience.interpreters = 60
    audience.duration = .hours(4)
    // A call holds its relay for 10 s and the 0.9 s of checks, DTLS and the first picture.
    audience.callsPerHour = offered * 3_600 / 10.9
    var differences: [Double] = []
    for replication in 0..<12 as Range<UInt16> {
      let found = try measures(configuration, audience, replication)
      let needed = Double(found.relayTaken + found.relayBlocked)
      let holding = found.relayTime.seconds / Double(found.relayTaken)
      let load = needed / found.time.seconds * holding
      #expect(abs(load - offered) < 0.15 * offered)
      var inverse = 1.0
      for servers in 1...5 { inverse = 1 + inverse * Double(servers) / load }
      differences.append(Double(found.relayBlocked) / needed - 1 / inverse)
    }
    let mean = differences.reduce(0, +) / 12
    let variance = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 11
    let error = (variance / 12).squareRoot()
    #expect(error < 0.01)
    #expect(abs(mean) <= 4 * error)
  }

  /// Covers: ICC-008.
  @Test(arguments: [4, 8, 12, 21])
  func `false expiry follows its closed form when outages come at random`(_ seconds: Int64) throws {
    var configuration = plain
    configuration.network = constant(.milliseconds(1))
    var audience = few
    audience.callsPerHour = 0
    audience.callers = 100
    audience.interpreters = 20
    audience.duration = .hours(6)
    audience.outagesPerHour = 2
    audience.outageLength = constant(.seconds(seconds))
    let found = try measures(configuration, audience)
    let expected = min(max((Double(seconds) - 5) / 15, 0), 1)
    let share = Double(found.falseExpiries) / Double(found.outages)
    let error = (expected * (1 - expected) / Double(found.outages)).squareRoot()
    #expect(found.outages > 1_000)
    // A few outages come while the client is still on its way back from the one before.
    #expect(abs(share - expected) <= 4 * error + 0.02 * expected)
  }

  /// Covers: ICC-006, X-012.
  @Test func `heartbeats come every 15 s and keep the radio on for 10 of them`() throws {
    var audience = few
    audience.callsPerHour = 0
    let found = try measures(plain, audience)
    let users = 20.0
    let beats = Double(found.heartbeats) / users / found.time.seconds
    #expect(abs(beats - 1 / 15.0) < 0.001)
    let radio = found.radioTime.seconds / users / found.time.seconds
    #expect(abs(radio - 10 / 15.0) < 0.01)
  }

  /// Covers: ICC-048, ICC-049.
  @Test func `everybody is back soon after the server has forgotten all`() throws {
    var audience = few
    audience.stopsPerHour = 6
    audience.callsPerHour = 0
    let found = try measures(plain, audience)
    #expect(found.recoveries.count >= 20 && found.recoveries.count % 20 == 0)
    #expect(found.recoveries.max() ?? .max < 10_000_000_000)
    #expect(found.registrationsPeak > 1)
  }

  /// Covers: ICC-025.
  @Test func `only the literal rule rings whose connection is known to be gone`() throws {
    var audience = few
    audience.awayPerHour = 20
    audience.callsPerHour = 300
    for rule in [DepartureRule.available, .unavailable, .removed, .grace(.seconds(10))] {
      var configuration = plain
      configuration.server.departure = rule
      let found = try measures(configuration, audience)
      #expect((found.ghostRings > 0) == (rule == .available), "\(rule)")
      #expect(found.doubleRings == 0)
    }
  }

  /// A process that begins anew has no token: its own name is locked while the server believes in
  /// the old connection, and no longer than the presence's life.
  /// Covers: ICC-004, ICC-005.
  @Test func `a restart behind a dead connection waits for its name no longer than the presence`() {
    var configuration = plain
    configuration.server.returning = .token
    let steps: [ScheduledStep<CallsAction>] = [
      ScheduledStep(at: .zero + .seconds(30), .fault(Fault(.halfOpen, target: 1))),
      ScheduledStep(at: .zero + .seconds(31), .kill(1)),
      ScheduledStep(at: .zero + .seconds(32), .start(1)),
    ]
    configuration.callers = 1
    let run = CallsWorld.run(
      configuration,
      ProtocolSchedule(
        seed: 1, actors: 2, duration: .seconds(70), settling: .zero, steps: steps), records: true)
    let down = run.sequence.filter { $0.from == 2 && $0.to == 1 && $0.sent > .zero + .seconds(32) }
    #expect(down.first?.label == MessageType.fault.rawValue)
    let back = down.first { $0.label == MessageType.registered.rawValue }
    // The last heartbeat came at 30 s at the latest; the user tries again every ten seconds.
    #expect(back.map { $0.sent <= .zero + .seconds(30 + 20 + 11) } == true)
  }
}

struct `Pictures of calls` {
  private let law = CallQuality()
  private let trip = TimeSpan.milliseconds(100)

  private func shown(
    _ law: CallQuality, loss: Double = 0, uplink: Double = 10e6, isSlow: Bool = false,
    after: TimeSpan = .zero
  ) -> Double {
    law.shown(loss: loss, roundTrip: trip, uplink: uplink, isSlow: isSlow, after: after)
  }

  /// Covers: ICC-041.
  @Test func `720p30 needs 2 Mbps, and half of that gives half of the pictures`() {
    #expect(shown(law) == 30)
    #expect(shown(law, uplink: 2e6) == 30)
    #expect(shown(law, uplink: 1e6) == 15)
  }

  /// Covers: ICC-043.
  @Test func `pictures go with losses, and repeats and redundancy bring them back`() {
    var bare = law
    bare.repeats = false
    bare.redundancy = 0
    var last = 31.0
    for loss in stride(from: 0.0, through: 0.2, by: 0.02) {
      let (with, without) = (shown(law, loss: loss), shown(bare, loss: loss))
      #expect(with <= last && with >= without)
      last = with
    }
    // Six packets a picture: 0.9^6 of them are whole.
    #expect(abs(shown(bare, loss: 0.1) - 30 * 0.531441) < 1e-9)
    #expect(shown(law, loss: 0.1) > 25 && shown(bare, loss: 0.1) < 20)
    // A repeat that comes too late is none.
    #expect(law.residual(loss: 0.1, roundTrip: .milliseconds(300)) > 0.05)
  }

  /// Covers: ICC-056.
  @Test func `a slow device gives fewer pictures, and fewer still when it is hot`() {
    #expect(shown(law, isSlow: true) == 24)
    #expect(shown(law, isSlow: true, after: .minutes(10)) == 15)
    #expect(shown(law, after: .minutes(10)) == 30)
  }
}
