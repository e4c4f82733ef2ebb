import CallSignalling
import ForeignPolicies
import MediaUnits
import MessageDelivery
import Models
import SampleRules
import Scenario
import SimulationKernel
import Synchronization
import Testing

@testable import Studies

/// What machines of messages and calls are told, and what of them is found.
struct MachineConformanceTests {
  private static let conformance = MachineConformance(sessions: 300)

  @Test func `machines that keep the rules have no finding`() {
    let conformance = MachineConformanceTests.conformance
    #expect(conformance.findings(ofPolls: PollMachine.self, .init()).isEmpty)
    #expect(conformance.findings(ofPolls: SamplePolls.self, .init()).isEmpty)
    #expect(conformance.findings(ofQuality: QualityMonitor.self, .init()).isEmpty)
    #expect(conformance.findings(ofQuality: SampleQuality.self, .init()).isEmpty)
  }

  /// What machines share that must share nothing.
  private static let calls = Mutex(0)

  /// What a copy of a machine shares with it.
  private final class Shared: Sendable {
    let count = Mutex(0)
    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// A machine with one fault: what it adds to the shipped one's answers.
  private struct Fault {
    private let rule: MachineConformance.Rule
    private let shared = Shared()
    private var told = 0

    init(_ rule: MachineConformance.Rule) { self.rule = rule }

    /// How many commands too many there are, and whether they cannot be done.
    mutating func next() -> (count: Int, isImpossible: Bool) {
      told += 1
      switch rule {
      case .few: return (told == 20 ? 65 : 0, false)
      case .possible: return (0, told == 20)
      case .same, .apart:
        // Counts what all machines are told.
        let number = MachineConformanceTests.calls.withLock { number in
          number += 1
          return number
        }
        return (number % 7 == 0 ? 1 : 0, false)
      case .copied: return (shared.next() % 50 == 0 ? 1 : 0, false)
      }
    }
  }

  private struct FaultyPolls: PolicyMachine {
    private var machine = PollMachine(.init())
    private var fault: Fault

    init(_ rule: MachineConformance.Rule) { fault = Fault(rule) }

    mutating func handle(
      _ event: PollMachine.Event, at now: Instant, into commands: inout [PollMachine.Command]
    ) {
      machine.handle(event, at: now, into: &commands)
      let (count, isImpossible) = fault.next()
      for _ in 0..<count { commands.append(.setTimer(0, at: now + .seconds(9), jitter: .zero)) }
      if isImpossible { commands += [.poll(4_000_000), .poll(4_000_000)] }
    }
  }

  private struct FaultyQuality: PolicyMachine {
    private var machine = QualityMonitor()
    private var fault: Fault

    init(_ rule: MachineConformance.Rule) { fault = Fault(rule) }

    mutating func handle(
      _ event: QualityMonitor.Event, at now: Instant, into commands: inout [QualityMonitor.Command]
    ) {
      machine.handle(event, at: now, into: &commands)
      for _ in 0..<fault.next().count { commands.append(.warn) }
    }
  }

  @Test(arguments: MachineConformance.Rule.allCases)
  func `a poll machine that breaks a rule is found`(_ rule: MachineConformance.Rule) {
    let findings = MachineConformanceTests.conformance.findings(ofPolls: FaultyPolls.self, rule)
    #expect(findings.contains { $0.rule == rule }, "\(findings)")
  }

  // Nothing that a monitor commands is impossible by itself.
  @Test(arguments: MachineConformance.Rule.allCases.filter { $0 != .possible })
  func `a monitor that breaks a rule is found`(_ rule: MachineConformance.Rule) {
    let findings = MachineConformanceTests.conformance.findings(ofQuality: FaultyQuality.self, rule)
    #expect(findings.contains { $0.rule == rule }, "\(findings)")
  }

  @Test func `a finding names the rule, what was expected and the event`() throws {
    let findings = MachineConformanceTests.conformance.findings(ofPolls: FaultyPolls.self, .few)
    let text = try #require(findings.first).description
    #expect(text.hasPrefix("an event has few commands: expected at most 64 commands for an event"))
    #expect(text.hasSuffix("(session 0, in order, event 20)"), "\(text)")
  }

  // MARK: What a host does with commands

  @Test func `a timer fires no sooner than a millisecond from now, and the last one alone`() {
    var held = PollCommands()
    let now = Instant.zero + .seconds(10)
    var commands: [PollMachine.Command] = [
      .setTimer(7, at: now, jitter: .seconds(-1)), .setTimer(7, at: .zero, jitter: .max),
      .setTimer(9, at: .distantFuture, jitter: .zero),
    ]
    #expect(held.hold(&commands, at: now) == nil)
    let year = TimeSpan.days(365)
    #expect(
      commands == [
        .setTimer(1, at: now + .milliseconds(1), jitter: .zero),
        .setTimer(2, at: now + .milliseconds(1), jitter: year),
        .setTimer(3, at: now + year, jitter: .zero),
      ])
    #expect(held.fired(1) == nil && held.fired(2) == nil && held.fired(3) == 9)
  }

  @Test func `a poll has a higher number than those before`() {
    var held = PollCommands()
    var commands: [PollMachine.Command] = [.poll(0), .poll(5)]
    #expect(held.hold(&commands, at: .zero) == nil && commands.count == 2)
    commands = [.poll(6), .poll(5)]
    #expect(held.hold(&commands, at: .zero) == .usedNumber(5) && commands.isEmpty)
  }

  @Test func `a second has few commands, on a clock that may be set back`() {
    var pace = CommandPace()
    let now = Instant.zero + .seconds(100)
    for part in 0..<4 { #expect(pace.note(64, at: now + .milliseconds(Int64(part))) == nil) }
    #expect(pace.note(1, at: now + .milliseconds(999)) == .fast(257))
    #expect(pace.note(64, at: now + .seconds(1)) == nil)
    #expect(pace.note(65, at: now + .seconds(5)) == .many(65))
    for _ in 0..<4 { #expect(pace.note(64, at: now - .seconds(50)) == nil) }
  }

  @Test func `a warning is there until it is cleared`() {
    var held = QualityCommands()
    var commands: [QualityMonitor.Command] = [.warn, .setTimer(4, at: .zero)]
    #expect(held.hold(&commands, at: .zero) == nil && held.isPoor && held.fired(1) == 4)
    commands = [.clear]
    #expect(held.hold(&commands, at: .zero) == nil && !held.isPoor)
  }

  // MARK: Runs

  private static let messages = """
    version: 1
    name: test
    world: messages
    messages:
      audience: {groups: 1, clients: 3, duration: 2 h, opensPerDay: 100, sendsPerDay: 100}
    """

  private static let talking = """
    version: 1
    name: test
    world: calls
    calls:
      audience: {callers: 4, interpreters: 4, duration: 30 min, callsPerHour: 60}
      quality: {spellsPerHour: 60}
    """

  private struct OtherWorld: Error {}

  private static func messagesPlan() throws -> MessagesPlan {
    let study = try StudyScenario.parse(messages, file: "test.yaml")
    guard case .messages(let plan) = study.plan else { throw OtherWorld() }
    return plan
  }

  private static func callsPlan() throws -> CallsPlan {
    let study = try StudyScenario.parse(talking, file: "test.yaml")
    guard case .calls(let plan) = study.plan else { throw OtherWorld() }
    return plan
  }

  /// A package's decider with its defaults.
  private static func polls<Machine: PolicyMachine>(
    _ machine: Machine.Type, _ configuration: Machine.Configuration
  ) -> ForeignPolls
  where Machine.Event == PollMachine.Event, Machine.Command == PollMachine.Command {
    ForeignPolls(
      PollPackage(
        "own", version: "1", "Own", machine: machine, defaults: configuration, parameters: []
      ).decider([]))
  }

  private static func quality<Machine: PolicyMachine>(
    _ machine: Machine.Type, _ configuration: Machine.Configuration
  ) -> ForeignQuality
  where Machine.Event == QualityMonitor.Event, Machine.Command == QualityMonitor.Command {
    ForeignQuality(
      QualityPackage(
        "own", version: "1", "Own", machine: machine, defaults: configuration, parameters: []
      ).decider([]))
  }

  private static func run<Plan: SampledWorld>(_ plan: Plan) throws -> WorldRun {
    try plan.replication(seed: 1, replication: 0, shuffleTies: nil)
  }

  private static func expectSame(_ one: WorldRun, _ other: WorldRun) {
    #expect(one.events > 500 && one.events == other.events)
    #expect(one.fingerprint == other.fingerprint)
    #expect("\(one.samples)" == "\(other.samples)")
  }

  @Test func `the shipped poll machine asked as a foreign one gives the same run`() throws {
    var plan = try MachineConformanceTests.messagesPlan()
    let shipped = try MachineConformanceTests.run(plan)
    plan.configuration.polls = MachineConformanceTests.polls(
      PollMachine.self, plan.configuration.poll)
    MachineConformanceTests.expectSame(shipped, try MachineConformanceTests.run(plan))
    var other = PollMachine.Configuration()
    other.trackedInterval = .seconds(3)
    plan.configuration.polls = MachineConformanceTests.polls(PollMachine.self, other)
    #expect(try MachineConformanceTests.run(plan).fingerprint != shipped.fingerprint)
  }

  @Test func `the shipped monitor asked as a foreign one gives the same run`() throws {
    var plan = try MachineConformanceTests.callsPlan()
    let shipped = try MachineConformanceTests.run(plan)
    plan.configuration.quality.monitors = MachineConformanceTests.quality(
      QualityMonitor.self, .init())
    MachineConformanceTests.expectSame(shipped, try MachineConformanceTests.run(plan))
  }

  /// Says that media are lost by a timer of its own, half a minute after the first sample.
  private struct Impatient: PolicyMachine {
    struct Configuration: Sendable, Equatable {}
    private var isSet = false
    init(_ configuration: Configuration) {}
    mutating func handle(
      _ event: QualityMonitor.Event, at now: Instant, into commands: inout [QualityMonitor.Command]
    ) {
      if case .timerFired(8) = event { commands.append(.severed) }
      if isSet { return }
      isSet = true
      commands.append(.setTimer(8, at: now + .seconds(30)))
    }
  }

  @Test func `a monitor's timers fire, and what it takes for lost ends the call`() throws {
    var plan = try MachineConformanceTests.callsPlan()
    func measures(_ plan: CallsPlan) throws -> CallsMeasures {
      try CallsWorld.measured(
        plan.configuration, plan.audience, RandomStreams(seed: 1, replication: 0),
        shuffleTies: nil, eventLimit: 10_000_000
      ).measures
    }
    let shipped = try measures(plan)
    plan.configuration.quality.monitors = MachineConformanceTests.quality(
      Impatient.self, .init())
    let cut = try measures(plan)
    #expect(cut.seconds > 0 && cut.seconds < shipped.seconds)
    #expect(cut.warnings == 0)
  }

  @Test func `a run ends where commands cannot be done`() throws {
    var plan = try MachineConformanceTests.messagesPlan()
    plan.configuration.polls = MachineConformanceTests.polls(RestlessPolls.self, .init())
    #expect {
      _ = try MachineConformanceTests.run(plan)
    } throws: {
      ($0 as? SimulationError)?.code == .policyFailed
    }
    var other = try MachineConformanceTests.callsPlan()
    other.configuration.quality.monitors = MachineConformanceTests.quality(
      RestlessQuality.self, .init())
    #expect {
      _ = try MachineConformanceTests.run(other)
    } throws: {
      ($0 as? SimulationError)?.code == .policyFailed
    }
  }

  // MARK: Keys

  @Test(arguments: [
    (MachineConformanceTests.messages, "messages.protocol.polls={kind: timer}", "polls:"),
    (MachineConformanceTests.talking, "calls.protocol.quality={kind: monitor}", "monitor"),
  ])
  func `at its default the key is no part of the text`(
    _ text: String, _ setting: String, _ word: String
  ) throws {
    let plain = try StudyScenario.parse(text, file: "test.yaml")
    let given = try StudyScenario.rebuilt(plain, overrides: [Override(set: setting)])
    #expect(!plain.resolvedText.contains(word))
    #expect(given.resolvedText == plain.resolvedText && given.digest == plain.digest)
    #expect(plain.policies.isEmpty)
  }

  @Test func `what is wrong with machines is named by place`() {
    var packages = PolicyPackages()
    packages.polls = [
      PollPackage(
        "timer", version: "1", "Taken", machine: SamplePolls.self, defaults: .init(),
        parameters: [])
    ]
    packages.quality = [
      QualityPackage(
        "mine", version: "1", "Mine", machine: SampleQuality.self, defaults: .init(),
        parameters: [.time("kind", \.badFor, "Taken by all")])
    ]
    let faults = PolicyPackages.install(packages) { ScenarioPolicies.shipped($0) }
    #expect(faults.count == 2, "\(faults)")
    #expect(faults.first?.contains("no other kind of messages.protocol.polls") == true)
    #expect(faults.last?.contains("kind: expected a key that its kind does not have") == true)
  }
}
