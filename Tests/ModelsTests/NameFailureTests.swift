import MediaUnits
import ModelBasics
import Models
import Scenario
import SimulationKernel
import Testing

@testable import NetworkModels

// docs/decisions/0033: look-ups of names that fail.
@Suite struct NameFailureTests {
  private func failing(_ keys: String) -> [String] {
    constantWorld + ["network.access[0].nameFailure={\(keys)}"]
  }
  /// Nobody leaves before a frame.
  private let patient = [
    "audience.patienceFloor=1 h", "audience.personas=[{kind: typical, scrub: 0}]",
  ]

  @Test func `a look-up has a bounded number of tries`() {
    let streams = RandomStreams(seed: 1, replication: 0)
    func outcomes(_ failure: NameFailure) -> [NameFailure.Outcome] {
      (0..<4_000).map {
        failure.outcome(of: $0, session: 7, answer: .milliseconds(25), streams)
      }
    }
    let never = NameFailure(unanswered: 0, refused: 0, timeout: .seconds(5), tries: 2)
    #expect(outcomes(never).allSatisfy { $0 == .init(lost: .zero, hasFailed: false) })
    let silent = NameFailure(unanswered: 1, refused: 0, timeout: .seconds(5), tries: 2)
    #expect(outcomes(silent).allSatisfy { $0 == .init(lost: .seconds(10), hasFailed: true) })
    let refused = NameFailure(unanswered: 0, refused: 1, timeout: .seconds(5), tries: 3)
    #expect(outcomes(refused).allSatisfy { $0 == .init(lost: .milliseconds(75), hasFailed: true) })
    let half = outcomes(NameFailure(unanswered: 0.3, refused: 0.2, timeout: .seconds(5), tries: 2))
    func share(_ isMeant: (NameFailure.Outcome) -> Bool) -> Double {
      Double(half.count(where: isMeant)) / Double(half.count)
    }
    #expect(abs(share { $0.hasFailed } - 0.25) < 0.03)
    #expect(abs(share { $0 == .init(lost: .seconds(5), hasFailed: false) } - 0.15) < 0.03)
    #expect(abs(share { $0 == .init(lost: .milliseconds(25), hasFailed: false) } - 0.1) < 0.03)
    #expect(abs(share { $0 == .init(lost: .seconds(10), hasFailed: true) } - 0.09) < 0.03)
  }

  @Test func `no failure changes no event`() throws {
    let none = try run(scenario(failing("unanswered: 0, refused: 0")))
    let plain = try run(scenario(constantWorld))
    #expect(none.fingerprint == plain.fingerprint)
    #expect(plain.measures.counts.nameFailures == 0)
  }

  @Test func `without a name nothing is asked of anybody`() throws {
    let result = try run(scenario(failing("unanswered: 1")))
    let counts = result.measures.counts
    #expect(result.measures.views.count > 10)
    #expect(result.measures.views.allSatisfy { !$0.hasStarted && $0.part(.feed) == $0.ttff })
    #expect(counts.nameFailures > 0 && counts.nameFailures == counts.clientErrors)
    #expect(counts.connectionsOpened == 0 && counts.requests == 0)
    #expect(counts.clientRetries > 0 && counts.clientRetries <= counts.nameFailures)
  }

  /// One try of 200 ms at most is lost before a look-up that works; a look-up of two lost tries
  /// has failed, and is repeated after the player's waits of 1, 2, 4 and 8 s.
  @Test func `a start waits for the tries and for the client's own waits`() throws {
    let set = patient + ["audience.burstStart=0"]
    let plain = try run(scenario(constantWorld + set)).sessions.map { $0[0] }
    let failed = try run(scenario(failing("unanswered: 0.5, timeout: 200 ms") + set)).sessions
      .map { $0[0] }
    #expect(plain.count == failed.count && plain.count > 10)
    var sums: Set<TimeSpan> = []
    var before = TimeSpan.zero
    for wait in [0, 1, 2, 4, 8, 8, 8, 8] as [Int64] {
      if wait > 0 { before = before + .milliseconds(400) + .seconds(wait) }
      sums.formUnion([before, before + .milliseconds(200)])
    }
    var seen: Set<TimeSpan> = []
    for (a, b) in zip(plain, failed) where a.hasStarted && b.hasStarted {
      for part in [StartupPart.feed, .nameLookup] {
        let lost = b.part(part) - a.part(part)
        #expect(sums.contains(lost), "\(part.name): \(lost)")
        seen.insert(lost)
      }
      #expect(StartupPart.allCases.reduce(0) { $0 + b.parts[$1] } == b.ttff.nanoseconds)
    }
    #expect(seen.count >= 4 && seen.contains(.milliseconds(1400)))
  }

  /// Who leaves while the edge's name is looked up has waited for that and for nothing behind it.
  @Test func `a view that is left meanwhile has waited for the name`() throws {
    let views = try run(
      scenario(
        failing("unanswered: 0.6, timeout: 5 s")
          + ["audience.patienceFloor=3 s", "audience.patience=0 s"])
    ).measures.views.filter { !$0.hasStarted && $0.flags.isDisjoint(with: [.cut]) }
    let named = views.filter {
      $0.flags.contains(.cold) && $0.part(.nameLookup) > .seconds(2)
    }
    #expect(!named.isEmpty)
    #expect(named.allSatisfy { $0.part(.feed) + $0.part(.nameLookup) + $0.part(.queue) == $0.ttff })
  }

  @Test(arguments: ["1.1", "2", "3"])
  func `every byte and every request ends, over any protocol`(_ http: String) throws {
    let set = ["network.http=\(http)", "network.access[0].events=[{kind: hand-over, at: 6 s}]"]
    let result = try run(scenario(failing("unanswered: 0.2, refused: 0.2, timeout: 1 s") + set))
    let counts = result.measures.counts
    #expect(counts.nameFailures > 10 && counts.clientErrors == counts.nameFailures)
    #expect(result.measures.views.count(where: \.hasStarted) > 50)
    for balance in result.measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered)
    }
    for view in result.measures.views {
      #expect(StartupPart.allCases.reduce(0) { $0 + view.parts[$1] } == view.ttff.nanoseconds)
    }
  }

  @Test func `the client's rule says how often it is asked again`() throws {
    let rule = ["client={retry: {kind: backoff, retries: 3, asksAfterwards: false}}"]
    let result = try run(scenario(failing("refused: 1, tries: 1") + patient + rule))
    let counts = result.measures.counts
    #expect(counts.sessions > 10)
    #expect(counts.nameFailures <= 4 * counts.sessions)
    #expect(counts.nameFailures > 3 * counts.sessions)
    let endless = try run(scenario(failing("refused: 1, tries: 1") + patient)).measures.counts
    #expect(endless.nameFailures > 4 * endless.sessions)
  }

  @Test func `a request whose server has no name says so`() throws {
    let made = try scenario(failing("refused: 1, tries: 1"))
    let plan = try FeedRun.plan(made.configuration, seed: made.seed)
    let session = try #require(try run(made).measures.views.first).session
    let recording = try #require(
      try FeedRun.run(
        made.configuration, plan: plan, seed: made.seed, replication: 0, watching: session
      ).recording)
    #expect(recording.requests.contains { $0.outcome == .unresolved })
    #expect(recording.connections.isEmpty)
  }
}
