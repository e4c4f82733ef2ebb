import CachePolicy
import FeedPolicy
import ForeignPolicies
import MediaUnits
import Models
import SampleRules
import Scenario
import SimulationKernel
import Synchronization
import Testing

/// What rules of somebody else's are asked, and what of them is found.
struct RuleConformanceTests {
  @Test func `shipped rules are answered the same`() {
    let conformance = RuleConformance(questions: 2_000)
    let cap = BitrateCap(BitrateCap.Configuration(release: .stableThroughput(spread: 0.3)))
    #expect(conformance.findings(ofRelease: cap.isReleased(for:)).isEmpty)
    let retry = RetryPolicy()
    #expect(conformance.findings(ofRetry: { retry.answer(failures: $0.failures) }).isEmpty)
    #expect(conformance.findings(ofVictim: SampleVictim().victim(of:)).isEmpty)
    #expect(conformance.findings(ofGate: SampleGate().lets).isEmpty)
    #expect(conformance.findings(ofAdmission: SampleAdmission().admits).isEmpty)
    #expect(conformance.findings(ofLifetime: SampleLifetime().lifetime(of:)).isEmpty)
  }

  @Test func `a rule with a memory is found`() {
    let calls = Mutex(0)
    func count() -> Int {
      calls.withLock { calls in
        calls += 1
        return calls
      }
    }
    let conformance = RuleConformance(questions: 500)
    #expect(conformance.findings(ofRelease: { _ in count() % 5 == 0 }).count == 1)
    #expect(
      conformance.findings(ofRetry: { _ in .retry(after: .seconds(Int64(count())), jitter: .zero) })
        .count == 1)
    #expect(conformance.findings(ofVictim: { count() % $0.players.count }).count == 1)
    #expect(conformance.findings(ofGate: { _ in count() % 5 == 0 }).count == 1)
    #expect(conformance.findings(ofAdmission: { _ in count() % 5 == 0 }).count == 1)
    #expect(conformance.findings(ofLifetime: { _ in .seconds(Int64(count())) }).count == 1)
  }

  @Test func `a player that may not be taken is found`() {
    let findings = RuleConformance(questions: 500).findings(ofVictim: { $0.players.count })
    #expect(
      findings.map(\.description).allSatisfy {
        $0.hasPrefix("an answer can be done: expected one of")
      })
    #expect(findings.count == 1)
  }

  @Test(arguments: [true, false])
  func `a machine of eviction that keeps the rules has no finding`(_ isRenewed: Bool) {
    var configuration = SampleEviction.Configuration()
    configuration.isRenewedByUse = isRenewed
    let findings = EvictionConformance(caches: 20, requests: 1_000).findings {
      SampleEviction(configuration, capacity: $0)
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  /// A machine that breaks one rule.
  private struct Faulty: EvictionMachine {
    static let shared = Mutex<UInt64>(0)
    private var machine: SampleEviction
    private let fault: EvictionConformance.Rule

    init(_ fault: EvictionConformance.Rule, capacity: ByteCount) {
      machine = SampleEviction(.init(), capacity: capacity)
      self.fault = fault
    }

    mutating func used(_ object: UInt32, at now: Instant) {
      switch fault {
      case .stored: machine.used(object, at: now)
      // Every third use of any cache is overlooked.
      case .same, .apart:
        let number = Faulty.shared.withLock { number in
          number += 1
          return number
        }
        if number % 3 != 0 { machine.used(object, at: now) }
      }
    }

    mutating func stored(_ object: UInt32, size: ByteCount, at now: Instant) {
      machine.stored(object, size: size, at: now)
    }

    mutating func victim() -> UInt32 {
      let victim = machine.victim()
      return fault == .stored && victim % 5 == 0 ? victim + 1_000 : victim
    }

    mutating func removed(_ object: UInt32) { machine.removed(object) }
  }

  @Test(arguments: EvictionConformance.Rule.allCases)
  func `a machine of eviction that breaks a rule is found`(_ fault: EvictionConformance.Rule) {
    let findings = EvictionConformance(caches: 10, requests: 500).findings {
      Faulty(fault, capacity: $0)
    }
    #expect(findings.contains { $0.rule == fault }, "\(findings)")
  }

  /// Names an object that is not there from the third victim on.
  private final class Wrong: EvictionDeciders, EvictionDecider {
    private let state = Mutex<(machine: SampleEviction, victims: Int, refused: [UInt32])>(
      (SampleEviction(.init(), capacity: .zero), 0, []))

    var refused: [UInt32] { state.withLock { $0.refused } }
    var hasFailed: Bool { !refused.isEmpty }
    func decider(capacity: ByteCount) -> any EvictionDecider { self }
    func used(_ object: UInt32, at now: Instant) {
      state.withLock { $0.machine.used(object, at: now) }
    }
    func stored(_ object: UInt32, size: ByteCount, at now: Instant) {
      state.withLock { $0.machine.stored(object, size: size, at: now) }
    }
    func victim() -> UInt32 {
      state.withLock { state in
        state.victims += 1
        return state.victims < 3 ? state.machine.victim() : 4_000_000_000
      }
    }
    func removed(_ object: UInt32) { state.withLock { $0.machine.removed(object) } }
    func refuse(_ victim: UInt32) { state.withLock { $0.refused.append(victim) } }
  }

  @Test func `a run ends where an object is named that is not stored`() throws {
    var configuration = try ForeignPolicyTests.scenario([
      "cdn.edge.capacity=20 MB", "cdn.start={kind: cold}", "cdn.shield=none", "cdn.regional=none",
    ]).configuration
    let wrong = Wrong()
    configuration.cdn.edge.eviction = .foreign(ForeignEviction(wrong))
    #expect {
      _ = try ForeignPolicyTests.run(configuration)
    } throws: { error in
      (error as? SimulationError)?.code == .policyFailed
    }
    #expect(wrong.refused == [4_000_000_000])
  }

  @Test func `what is wrong with rules is named by place`() {
    var packages = PolicyPackages()
    packages.release = [
      ReleasePackage("played", version: "1", "Taken", defaults: 0, parameters: []) { _, _ in true }
    ]
    packages.eviction = [
      EvictionPackage(
        "mine", version: "1", "Mine", machine: SampleEviction.self, defaults: .init(),
        parameters: [.flag("capacity", \.isRenewedByUse, "Taken by the tier")])
    ]
    let faults = PolicyPackages.install(packages) { ScenarioPolicies.shipped($0) }
    #expect(faults.count == 2, "\(faults)")
    #expect(faults.first?.contains("no other kind of policy.startupCap.release") == true)
    #expect(faults.last?.contains("capacity: expected a key that its kind does not have") == true)
  }
}
