import FeedPolicy
import MediaUnits
import Synchronization
import Testing

@testable import ForeignPolicies

/// What `PrefetchConformance` finds, and what it lets pass.
@Suite struct PrefetchConformanceTests {
  @Test(arguments: PrefetchFamily.allCases)
  func `the shipped families keep the rules`(_ family: PrefetchFamily) {
    var configuration = PrefetchPolicy.Configuration(
      family: family, furtherLength: .seconds(2), segmentLength: .seconds(2))
    configuration.itemsAhead = 3
    let findings = PrefetchConformance(itemsAhead: 3, sessions: 1000)
      .findings(of: PrefetchPolicy.self, configuration)
    #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
  }

  /// Faults that a policy may have.
  enum Fault: CaseIterable, Equatable {
    case current, far, empty, stage, unknown, again, offline, held, random, shared, copied, many
  }

  private static let calls = Mutex(0)
  private static let lastSeen = Mutex(TimeSpan.zero)

  private final class Store: Sendable {
    let moves = Mutex(0)
  }

  /// The shipped policy with a fault.
  private struct Faulty: PolicyMachine {
    private let fault: Fault
    private var policy = PrefetchPolicy(PrefetchPolicy.Configuration())
    private var current: UInt32 = 0
    private var latest: PrefetchPolicy.Command?
    private let store = Store()

    init(_ fault: Fault) { self.fault = fault }

    mutating func handle(
      _ event: PrefetchPolicy.Event, at now: Instant, into commands: inout [PrefetchPolicy.Command]
    ) {
      if case .feedMoved(let item, _) = event { current = item.index }
      policy.handle(event, at: now, into: &commands)
      let next = ItemID(current + 1)
      let start = PrefetchPolicy.Command.start(next, length: .seconds(30), .next)
      switch (fault, event) {
      case (.current, .feedMoved):
        commands.append(.start(ItemID(current), length: .seconds(2), .next))
      case (.far, .feedMoved):
        commands.append(.start(ItemID(current + 99), length: .seconds(2), .next))
      case (.empty, .feedMoved): commands.append(.start(next, length: .zero, .next))
      case (.stage, .feedMoved): commands.append(.warm(next, .media, .next))
      case (.unknown, .feedExtended(let last)): commands.append(.cancel(last))
      case (.again, .bufferChanged):
        if let latest { commands.append(latest) }
      case (.offline, .connectivityChanged(false)), (.held, .hostHeld(true)):
        commands.append(start)
      case (.random, .feedMoved):
        let calls = PrefetchConformanceTests.calls.withLock { calls in
          calls += 1
          return calls
        }
        commands.append(.limitBuffer(.milliseconds(Int64(calls % 7))))
      case (.shared, .bufferChanged(let ahead, _)):
        let before = PrefetchConformanceTests.lastSeen.withLock { last in
          defer { last = max(.zero, ahead) }
          return last
        }
        commands.append(.limitBuffer(before))
      case (.copied, .feedMoved):
        let moves = store.moves.withLock { moves in
          moves += 1
          return moves
        }
        commands.append(.limitBuffer(.seconds(Int64(moves))))
      case (.many, .itemFailed):
        commands += Array(repeating: .limitBuffer(nil), count: 100)
      default: break
      }
      for command in commands {
        if case .start = command { latest = command }
      }
    }
  }

  private static let faults: [(Fault, PrefetchConformance.Rule)] = [
    (.current, .possible), (.far, .possible), (.empty, .possible), (.stage, .possible),
    (.unknown, .possible), (.again, .new), (.offline, .offline), (.held, .held), (.random, .same),
    (.shared, .apart), (.copied, .copied), (.many, .few),
  ]

  @Test(arguments: PrefetchConformanceTests.faults)
  func `a fault is found`(_ fault: Fault, _ rule: PrefetchConformance.Rule) throws {
    let findings = PrefetchConformance(itemsAhead: 3, sessions: 200)
      .findings(of: Faulty.self, fault)
    let found = try #require(findings.first { $0.rule == rule }, "\(findings)")
    #expect(found.description.contains("expected ") && found.description.contains("(session "))
  }

  @Test func `every rule has a fault`() {
    #expect(
      Set(PrefetchConformanceTests.faults.map(\.1)) == Set(PrefetchConformance.Rule.allCases))
    #expect(PrefetchConformanceTests.faults.map(\.0) == Fault.allCases)
  }

  // MARK: Packages

  private static func package(
    _ word: String = "mine", version: String = "1.0", summary: String = "Mine",
    keys names: [String] = []
  ) -> PrefetchPackage {
    PrefetchPackage(
      word, version: version, summary, machine: PrefetchPolicy.self,
      defaults: PrefetchPolicy.Configuration(),
      parameters: names.map { .time($0, \.headLength, "A length") },
      itemsAhead: { $0.itemsAhead })
  }

  @Test(arguments: [
    (package("head"), "policy package head: expected a word that is no other kind"),
    (package("two words"), "expected a name of letters, digits, - and _"),
    (package(version: "1 0"), "version: expected 1 to 64 letters, digits and signs"),
    (package(summary: ""), "summary: expected a line that says what it does"),
    (package(keys: ["rung"]), "rung: expected a key that its kind does not have already"),
    (package(keys: ["a", "a"]), "a: expected each key once, got it twice"),
    (package(keys: ["4you"]), "4you: expected a name of letters"),
  ])
  func `a package that cannot be a kind is named`(_ package: PrefetchPackage, _ said: String) {
    var packages = PolicyPackages()
    packages.prefetch = [package]
    let faults = PolicyPackages.install(packages) { _ in
      .init(words: ["head", "external"], keys: ["kind", "rung"])
    }
    #expect(faults.count == 1)
    #expect(faults.first?.contains(said) == true, "\(faults)")
  }

  @Test func `a default outside of its range is named`() {
    let package = PrefetchPackage(
      "mine", version: "1", "Mine", machine: PrefetchPolicy.self,
      defaults: PrefetchPolicy.Configuration(),
      parameters: [.count("items", \.itemsAhead, in: 5...6, "Items")],
      itemsAhead: { $0.itemsAhead })
    var packages = PolicyPackages()
    packages.prefetch = [package, package]
    let faults = PolicyPackages.install(packages) { _ in .init(words: [], keys: ["kind"]) }
    #expect(faults.count == 3, "\(faults)")
    #expect(faults[0].contains("items: expected a default within its range"))
  }

  @Test func `a policy's identity is what it answers`() {
    let own = PrefetchConformanceTests.package().row.identity
    #expect(own == PrefetchConformanceTests.package().row.identity)
    #expect(own.digest.utf8.count == 64)
    var other = PrefetchPolicy.Configuration()
    other.concurrency = 1
    let changed = PrefetchPackage(
      "mine", version: "1.0", "Mine", machine: PrefetchPolicy.self, defaults: other,
      parameters: [], itemsAhead: { $0.itemsAhead })
    #expect(changed.row.identity.digest != own.digest)
  }

  // MARK: Renditions

  @Test func `the shipped rules keep the rules of their host`() {
    let shipped: [BitrateRule] = [
      .fixed(RungIndex(3)), .throughput(ThroughputRule()), .bola(BolaRule()),
    ]
    for rule in shipped {
      let findings = BitrateConformance().findings { rule.rung(for: $0, in: $1) }
      #expect(findings.isEmpty, "\(rule): \(findings)")
    }
  }

  @Test func `a rule that breaks one is found`() throws {
    let calls = Mutex<UInt32>(0)
    let faults: [(BitrateConformance.Rule, (BitrateSnapshot, Ladder) -> RungIndex)] = [
      (.onLadder, { _, ladder in RungIndex(UInt32(ladder.count)) }),
      (.belowCap, { _, ladder in ladder.top }),
      (
        .same,
        { _, _ in
          calls.withLock { calls in
            calls += 1
            return RungIndex(calls % 5 == 0 ? 0 : 1)
          }
        }
      ),
    ]
    #expect(faults.map(\.0) == BitrateConformance.Rule.allCases)
    for (rule, fault) in faults {
      let findings = BitrateConformance(snapshots: 1000).findings(of: fault)
      #expect(findings.contains { $0.rule == rule }, "\(rule): \(findings)")
    }
  }

  @Test func `a rule of a package is held to the ladder and the cap, and named`() throws {
    let package = BitratePackage(
      "steep", version: "2", "The highest rung", defaults: PrefetchPolicy.Configuration(),
      parameters: [.count("items", \.itemsAhead, in: 0...9, "Items")]
    ) { configuration, _, ladder in
      RungIndex(UInt32(ladder.count * configuration.itemsAhead))
    }
    #expect(package.row.identity.decides == "bit rate")
    var configuration = try ForeignPolicyTests.scenario([
      "policy.startupCap.rate=none", "policy.abr={kind: fixed, rung: 3}",
    ]).configuration
    let built = try ForeignPolicyTests.run(configuration)
    configuration.policy.bitrateDecider = package.decider([.count(9)])
    ForeignPolicyTests.expectSame(built, try ForeignPolicyTests.run(configuration))
    configuration.policy.bitrateDecider = package.decider([.count(0)])
    let lowest = try ForeignPolicyTests.run(configuration)
    #expect(lowest.measures.counts.deliveredBytes < built.measures.counts.deliveredBytes / 2)
  }
}
