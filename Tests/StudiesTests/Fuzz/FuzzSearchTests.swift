import MediaUnits
import Models
import Studies
import Testing

struct `Searches for schedules` {
  /// What the seeded faults of `Tests/Mutants/protocols.txt` must not survive.
  @Test func `2,000 seeds find nothing in the sound variants of the message protocol`() {
    for variant in MessagingFuzz.Variant.allCases where variant.isSound {
      let broken = Fuzzer(MessagingFuzz(variant)).search(0..<2_000).broken
      #expect(broken.isEmpty, "\(variant)")
      if !broken.isEmpty { return }
    }
  }

  @Test func `2,000 seeds find nothing in the sound variants of the call protocol`() {
    for variant in CallsFuzz.Variant.allCases where variant.isSound {
      let broken = Fuzzer(CallsFuzz(variant)).search(0..<2_000).broken
      #expect(broken.isEmpty, "\(variant)")
      if !broken.isEmpty { return }
    }
  }

  /// Covers: TBM-010, TBM-029, TBM-034, TBM-037, TBM-054, TBM-060, TBM-061, X-008.
  @Test(arguments: MessagingFuzz.Variant.allCases.filter(\.isSound))
  func `sound variants of the message protocol hold and come to everything they can`(
    _ variant: MessagingFuzz.Variant
  ) {
    let target = MessagingFuzz(variant)
    let report = Fuzzer(target).search(0..<4_000)
    #expect(report.broken.isEmpty)
    #expect(report.unreached(by: target).isEmpty)
    #expect(report.events > 400_000)
    // The race that the source text warns of is no rarity of a search: one seed of fifty.
    let late = report.counts[Int(MessagingProperty.lateRegistration.rawValue)]
    #expect(late >= 80 || !target.canReach(.lateRegistration), "\(late)")
  }

  /// Covers: TBM-010, TBM-022, TBM-031, TBM-032, TBM-051, TBM-055.
  @Test(arguments: [
    (MessagingFuzz.Variant.literal, MessagingProperty.noFalseView),
    (.pushOnly, .statusConverges), (.boolean, .noFalseView), (.forgetful, .nothingStuck),
  ])
  func `faulty variants of the message protocol are found out`(
    _ variant: MessagingFuzz.Variant, _ property: MessagingProperty
  ) {
    let report = Fuzzer(MessagingFuzz(variant)).search(0..<4_000)
    #expect(report.broken.contains(property))
  }

  /// Covers: ICC-003, ICC-010, ICC-016, ICC-017, ICC-021, ICC-024, ICC-026, ICC-046, ICC-054.
  @Test(arguments: CallsFuzz.Variant.allCases.filter(\.isSound))
  func `sound variants of the call protocol hold and come to everything they can`(
    _ variant: CallsFuzz.Variant
  ) {
    let target = CallsFuzz(variant)
    let report = Fuzzer(target).search(0..<4_000)
    #expect(report.broken.isEmpty)
    #expect(report.unreached(by: target).isEmpty)
    #expect(report.events > 400_000)
  }

  /// Covers: ICC-025, ICC-048.
  @Test(arguments: [
    (CallsFuzz.Variant.literal, CallsProperty.noGhostRing), (.unlocked, .oneCallEach),
  ])
  func `faulty variants of the call protocol are found out`(
    _ variant: CallsFuzz.Variant, _ property: CallsProperty
  ) {
    let report = Fuzzer(CallsFuzz(variant)).search(0..<2_000)
    #expect(report.broken.contains(property))
  }

  @Test func `a search is the same in one piece and in several`() {
    let fuzzer = Fuzzer(MessagingFuzz(.literal))
    let whole = fuzzer.search(0..<300)
    var parts = fuzzer.search(0..<100)
    parts.add(fuzzer.search(100..<300))
    #expect(parts.fingerprint == whole.fingerprint)
    #expect(parts.events == whole.events)
    #expect(parts.reached == whole.reached)
    #expect(parts.failing == whole.failing)
    #expect(
      parts.failures(of: .noFalseView).map(\.schedule)
        == whole.failures(of: .noFalseView).map(\.schedule))
  }
}

struct `Smallest cases` {
  /// The race of the source: an info packet overtakes the registration of an upload.
  @Test
  func `TBM-032: the race is found from seeds alone, shrunk, kept as text, replayed and drawn`()
    throws
  {
    let target = MessagingFuzz(.literal)
    let report = Fuzzer(target).search(0..<500)
    var shrinker = Shrinker(target)
    let shrunk = shrinker.shrink(report.failures(of: .noFalseView))
    let small = try #require(shrunk)
    #expect(small.schedule.steps.count <= 8)
    #expect(small.schedule.settling == .zero)

    let text = FuzzFile.text(small, of: target, commit: "abc")
    #expect(FuzzFile.targetName(in: text) == target.name)
    let read = try FuzzFile.read(text, of: target)
    #expect(read.property == .noFalseView)
    #expect(read.schedule == small.schedule)
    let run = target.run(read.schedule, records: true)
    #expect(run.probes.violations.contains { $0.property == .noFalseView && $0.at == small.at })

    // The same schedule does no harm where packets have versions.
    let sound = MessagingFuzz(.versioned).run(read.schedule, records: false)
    #expect(sound.probes.violations.isEmpty)

    let diagram = SequenceDiagram(small, of: target)
    #expect(diagram.mermaid.hasPrefix("sequenceDiagram\n"))
    #expect(diagram.mermaid.contains("broken: no sender sees viewed before"))
    #expect(diagram.mermaid.contains("packet"))
    #expect(diagram.svg.hasPrefix("<svg ") && diagram.svg.hasSuffix("</svg>\n"))
    #expect(diagram.arrows.allSatisfy { ($0.received ?? .zero) <= small.at })
    #expect(diagram.arrows.count > 5 && diagram.arrows.count < run.sequence.count)
    let lines = diagram.mermaid.split(separator: "\n")
    #expect(lines.last?.contains("broken") == true)
  }

  @Test func `ICC-048: two winners need two callers and little else`() throws {
    let target = CallsFuzz(.unlocked)
    let report = Fuzzer(target).search(0..<500)
    var shrinker = Shrinker(target)
    let shrunk = shrinker.shrink(report.failures(of: .oneCallEach))
    let small = try #require(shrunk)
    #expect(small.schedule.steps.count == 2)
    let calls = small.schedule.steps.allSatisfy {
      if case .call = $0.action { true } else { false }
    }
    #expect(calls)
  }

  @Test func `files that are no failures are refused with their line`() {
    let target = MessagingFuzz(.literal)
    let good = "\(FuzzFile.header)\ntarget x\nproperty no-return\nseed 1\n"
    let bad: [(String, Int)] = [
      ("nothing", 1), (good + "actors 1\n", 5), (good + "actors many\n", 5),
      (good + "step 1 send 0\n", 5), (good + "step -1 view 0\n", 5), (good + "step 1 view 7\n", 5),
      (good + "what\n", 5), ("\(FuzzFile.header)\ntarget x\nproperty y\n", 3),
      (good + "step 2 view 0\nstep 1 view 0\n", 1), (good + "step 1 fault drop 0 all\n", 5),
    ]
    for (text, line) in bad {
      let fault = #expect(throws: FuzzFile.Fault.self) {
        _ = try FuzzFile.read(text, of: target)
      }
      #expect(fault?.line == line, "\(text)")
    }
  }

  @Test func `every schedule survives being written down`() throws {
    for seed in 0..<300 as Range<UInt64> {
      let messages = MessagingFuzz(.recommended)
      let first = FuzzFailure<MessagingFuzz>(
        property: .noReturn, at: .zero, schedule: messages.schedule(seed: seed))
      #expect(
        try FuzzFile.read(FuzzFile.text(first, of: messages), of: messages).schedule
          == first.schedule)
      let calls = CallsFuzz(.recommended)
      let second = FuzzFailure<CallsFuzz>(
        property: .nothingLeft, at: .zero, schedule: calls.schedule(seed: seed))
      #expect(
        try FuzzFile.read(FuzzFile.text(second, of: calls), of: calls).schedule == second.schedule)
    }
  }
}

struct `Exhaustive searches` {
  private var reply: ProtocolSchedule<MessagingAction> {
    var schedule = ProtocolSchedule<MessagingAction>(
      seed: 1, actors: 2, duration: .seconds(60), settling: .minutes(5),
      steps: [
        ScheduledStep(at: .zero + .seconds(1), .send(from: 0, to: 1)),
        ScheduledStep(at: .zero + .seconds(12), .view(1)),
        ScheduledStep(at: .zero + .seconds(40), .view(1)),
      ])
    schedule.choicesFrom = .zero + .seconds(1)
    return schedule
  }

  @Test func `every fate of the first messages is tried once`() {
    for depth in 0...4 {
      let (report, isComplete) = Fuzzer(MessagingFuzz(.recommended)).exhaust(
        reply, depth: depth, choices: [.normal, .late, .lost])
      #expect(isComplete)
      let runs = [1, 3, 9, 27, 81]
      #expect(report.seeds == runs[depth])
    }
    let (report, isComplete) = Fuzzer(MessagingFuzz(.recommended)).exhaust(
      reply, depth: 9, limit: 100)
    #expect(report.seeds == 100 && !isComplete)
  }

  /// Covers: TBM-032, TBM-048, TBM-050.
  @Test(arguments: MessagingFuzz.Variant.allCases.filter(\.isSound))
  func `one video arrives and is known to be viewed whatever becomes of the first six messages`(
    _ variant: MessagingFuzz.Variant
  ) {
    let (report, isComplete) = Fuzzer(MessagingFuzz(variant)).exhaust(reply, depth: 6)
    #expect(isComplete && report.seeds > 400)
    #expect(report.broken.isEmpty)
  }

  /// Covers: ICC-016, ICC-020, ICC-021.
  @Test func `two callers and one interpreter agree whatever becomes of the first messages`() {
    var configuration = CallsFuzz(.recommended).configuration
    configuration.mix = TranslationMix(symmetric: 0, restricted: 0, blocksUDP: 0)
    var schedule = ProtocolSchedule<CallsAction>(
      seed: 3, actors: 3, duration: .seconds(30), settling: .seconds(120),
      steps: [
        ScheduledStep(at: .zero + .seconds(5), .call(0, 2)),
        ScheduledStep(at: .zero + .seconds(5), .call(1, 2)),
        ScheduledStep(at: .zero + .seconds(9), .accept(2)),
        ScheduledStep(at: .zero + .milliseconds(9_050), .hangUp(0)),
        ScheduledStep(at: .zero + .milliseconds(9_050), .hangUp(1)),
      ])
    // From the requests on: who has registered is not the question.
    schedule.choicesFrom = .zero + .seconds(5)
    let (report, isComplete) = Fuzzer(CallsFuzz(.recommended, configuration)).exhaust(
      schedule, depth: 11, choices: [.normal, .late])
    #expect(isComplete && report.seeds == 2_048)
    #expect(report.broken.isEmpty)
  }
}
