import MediaUnits
import MessageDelivery
import Models
import SimulationKernel
import Testing

struct `What messages cost` {
  private let streams = RandomStreams(seed: 12, replication: 0)
  private let stream = StreamName(rawValue: 98)

  /// Without pushes a sender learns of a view at its next poll: between zero and the interval
  /// later, evenly, so half the interval in the mean.
  /// Covers: TBM-005, TBM-008, TBM-013, TBM-044, TBM-047.
  @Test(arguments: [15, 60])
  func `staleness without pushes is half the poll's interval`(_ interval: Int64) throws {
    var configuration = MessagingConfiguration.recommended
    configuration.poll.trackedInterval = .seconds(interval)
    configuration.poll.idleInterval = .seconds(interval)
    configuration.poll.jitter = 0
    configuration.network = DelayLaw(.milliseconds(1), .milliseconds(1))
    configuration.transfer = DelayLaw(.milliseconds(1), .milliseconds(1))
    configuration.pushLoss = 1
    let runs = 400
    var lags: [Double] = []
    for run in 0..<runs {
      let u = streams.uniform(stream, entity: UInt64(interval), draw: UInt32(run))
      // The recipient opens its app at some time within one interval, and looks at once.
      let at = Instant.zero + .seconds(10 * interval) + TimeSpan(seconds: Double(interval) * u)
      let schedule = ProtocolSchedule<MessagingAction>(
        seed: UInt64(run), actors: 2, duration: .seconds(14 * interval), settling: .zero,
        steps: [
          ScheduledStep(at: .zero + .seconds(1), .send(from: 0, to: 1)),
          ScheduledStep(at: at, .view(1)),
        ])
      let measures = MessagingWorld.measure(configuration, schedule)
      lags.append(TimeSpan(nanoseconds: try #require(measures.viewLags.first)).seconds)
      #expect(measures.lostPushes == measures.pushes && measures.pushes > 0)
    }
    let mean = lags.reduce(0, +) / Double(runs)
    let error = Double(interval) / (12 * Double(runs)).squareRoot()
    #expect(abs(mean - Double(interval) / 2) <= 4 * error + 0.01)
    #expect(lags.allSatisfy { $0 <= Double(interval) + 0.1 })
  }

  /// A poll comes one interval, its jitter and the time of the answer after the one before, so the
  /// wait for it from a time that has nothing to do with it is E[C²] / 2 E[C] in the mean (the
  /// inspection paradox); to it come the report's way up and the packet's way down.
  /// Covers: TBM-008, TBM-013, TBM-044.
  @Test func `staleness with jitter and real delays is that of a renewal process`() throws {
    var configuration = MessagingConfiguration.recommended
    let interval = 20.0
    configuration.poll.trackedInterval = TimeSpan(seconds: interval)
    configuration.poll.idleInterval = TimeSpan(seconds: interval)
    configuration.poll.jitter = 0.5
    configuration.transfer = DelayLaw(.milliseconds(1), .milliseconds(1))
    configuration.pushLoss = 1
    let runs = 1_500
    var lags: [Double] = []
    for run in 0..<runs {
      let u = streams.uniform(stream, entity: 7, draw: UInt32(run))
      let at = Instant.zero + .seconds(200) + TimeSpan(seconds: 100 * u)
      let schedule = ProtocolSchedule<MessagingAction>(
        seed: UInt64(run), actors: 2, duration: .seconds(400), settling: .zero,
        steps: [
          ScheduledStep(at: .zero + .seconds(1), .send(from: 0, to: 1)),
          ScheduledStep(at: at, .view(1)),
        ])
      let measures = MessagingWorld.measure(configuration, schedule)
      lags.append(TimeSpan(nanoseconds: try #require(measures.viewLags.first)).seconds)
    }
    let mean = lags.reduce(0, +) / Double(runs)
    let spread = lags.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(runs - 1)
    // One way: its mean and variance by its quantiles.
    let ways = (0..<20_000).map { configuration.network.span((Double($0) + 0.5) / 20_000).seconds }
    let way = ways.reduce(0, +) / 20_000
    let variance = ways.reduce(0) { $0 + ($1 - way) * ($1 - way) } / 20_000
    let cycle = interval * 1.25 + 2 * way
    let square = cycle * cycle + interval * interval / 48 + 2 * variance
    let expected = way + square / (2 * cycle) + way
    #expect(abs(mean - expected) <= 4 * (spread / Double(runs)).squareRoot())
  }

  /// Forgetting for age tells nobody why: with it only a rule that concludes nothing is true.
  /// Covers: TBM-062.
  @Test func `a video that is forgotten for its age is not viewed`() {
    for (rule, count) in [(MissingRule.viewedIfNewer, 1), (.viewed, 1), (.nothing, 0)] {
      var configuration = MessagingConfiguration.recommended
      configuration.server.cleanup = .after(.minutes(2))
      configuration.server.sweepPeriod = .seconds(30)
      configuration.sender.missing = rule
      let measures = run(configuration, [(1, .leave(1)), (2, .send(from: 0, to: 1))])
      #expect(measures.falseViews == count, "\(rule)")
    }
  }

  /// Covers: TBM-007, TBM-009, TBM-012, TBM-033, X-012.
  @Test func `pushes save polls, a store that keeps costs more room, and each run is the same`() {
    var quiet = MessagingConfiguration.recommended
    quiet.poll.trackedInterval = .zero
    quiet.poll.idleInterval = .zero
    var busy = quiet
    busy.poll.trackedInterval = .seconds(15)
    busy.poll.idleInterval = .seconds(15)
    let schedule = ProtocolSchedule<MessagingAction>(
      seed: 4, actors: 2, duration: .minutes(30), settling: .zero,
      steps: [
        ScheduledStep(at: .zero + .seconds(20), .send(from: 0, to: 1)),
        ScheduledStep(at: .zero + .seconds(60), .view(1)),
      ])
    let few = MessagingWorld.measure(quiet, schedule)
    let many = MessagingWorld.measure(busy, schedule)
    #expect(few == MessagingWorld.measure(quiet, schedule))
    #expect(few.viewLags.count == 1 && many.viewLags.count == 1)
    #expect(many.requestCount > few.requestCount + 2 * 100)
    #expect(many.radioTime > few.radioTime)
    #expect(few.wrongTime > .zero && few.wrongTime < .seconds(30))
    var deleting = quiet
    deleting.server.cleanup = .onView
    #expect(MessagingWorld.measure(deleting, schedule).storedTime < few.storedTime)
    #expect(few.openTime == .minutes(60))
  }

  private func run(
    _ configuration: MessagingConfiguration, _ steps: [(Double, MessagingAction)],
    for duration: TimeSpan = .minutes(20)
  ) -> MessagingMeasures {
    MessagingWorld.measure(
      configuration,
      ProtocolSchedule(
        seed: 9, actors: 2, duration: duration, settling: .zero,
        steps: steps.map { ScheduledStep(at: .zero + TimeSpan(seconds: $0.0), $0.1) }))
  }

  private var withoutTimers: MessagingConfiguration {
    var configuration = MessagingConfiguration.recommended
    configuration.poll.trackedInterval = .zero
    configuration.poll.idleInterval = .zero
    return configuration
  }

  private func polls(_ measures: MessagingMeasures) -> Int {
    measures.requests[Int(RequestKind.poll.rawValue)]
  }

  @Test func `TBM-016: what follows a push decides how many polls a video costs`() {
    var counts: [Int] = []
    for rule in PollMachine.PushRule.allCases {
      var configuration = withoutTimers
      configuration.poll.onPush = rule
      let measures = run(configuration, [(5, .send(from: 0, to: 1)), (60, .view(1))])
      #expect(measures.viewLags.count == 1)
      #expect(measures.requests[Int(RequestKind.download.rawValue)] == 1)
      counts.append(polls(measures))
    }
    // nothing, poll, after the downloads, both: two polls of the start in each.
    #expect(counts[0] == 2)
    #expect(counts[1] > counts[2] && counts[2] > counts[0] && counts[3] > counts[1])
  }

  @Test func `TBM-017: an app in the background is woken as often as the system allows`() {
    for wakes in [0, 3] {
      var configuration = withoutTimers
      configuration.wakesPerHour = wakes
      configuration.sender.replaces = false
      configuration.server.replaces = false
      let sends = (0..<8).map { (Double(60 + 120 * $0), MessagingAction.send(from: 0, to: 1)) }
      let measures = run(configuration, [(5, .leave(1))] + sends)
      // A wake gets whatever waits; without wakes nothing is got before the app is opened.
      #expect(measures.requests[Int(RequestKind.download.rawValue)] == (wakes == 0 ? 0 : wakes))
    }
  }

  @Test func `TBM-046, TBM-047: with pushes blocked only a poll in the background brings news`() {
    for factor in [0, 2] as [Int64] {
      var configuration = MessagingConfiguration.recommended
      configuration.runsInBackground = true
      configuration.poll.backgroundFactor = factor
      configuration.poll.idleInterval = .minutes(2)
      let measures = run(
        configuration,
        [(5, .pushes(1, false)), (6, .leave(1)), (10, .send(from: 0, to: 1))],
        for: .hours(8))
      #expect(measures.downloadLags.count == (factor == 0 ? 0 : 1))
    }
  }

  @Test func `TBM-041, TBM-042: eight videos fit, and packets kept ready cost writes, not reads`() {
    var steps: [(Double, MessagingAction)] = []
    for number in 0..<8 { steps.append((Double(5 + number), .send(from: 0, to: 1))) }
    var computed = withoutTimers
    computed.sender.replaces = false
    computed.server.replaces = false
    var kept = computed
    kept.server.keepsPackets = true
    let a = run(computed, steps)
    let b = run(kept, steps)
    #expect(a.videos == 8 && a.requestCount == b.requestCount)
    #expect(b.reads < a.reads && b.writes > a.writes)
  }

  @Test func `TBM-045: timers help in long sessions and not in short ones`() {
    for session in [30.0, 3_600] {
      var lags: [Bool] = []
      for interval in [0, 15] as [Int64] {
        var configuration = withoutTimers
        configuration.poll.trackedInterval = .seconds(interval)
        configuration.pushLoss = 1
        // The sender leaves at the end of its session; the recipient opens its app after that or
        // within it.
        let measures = run(
          configuration,
          [(1, .leave(1)), (2, .send(from: 0, to: 1)), (session, .leave(0)), (100, .open(1))]
            .sorted { $0.0 < $1.0 }, for: .hours(1))
        lags.append(!measures.downloadLags.isEmpty)
      }
      #expect(lags == [false, session > 100])
    }
  }

  @Test func `TBM-056: names of videos are as long as is said and fit into a push`() {
    var packet = InfoPacket(version: 1, hasAllUploads: true)
    for number in 0..<8 as Range<UInt64> {
      let video = VideoID(high: .max - number, low: number)
      packet.uploads.append(.init(video: video, status: .uploaded))
      packet.downloads.append(.init(video: video, sender: ClientID(1)))
    }
    #expect(MemoryLayout<VideoID>.size == 16)
    #expect(packet.bytes(.names) < InfoPacket.pushLimit / 2)
  }
}
