import CacheModel
import MediaUnits
import Models
import Testing

@testable import FeedModel

// docs/decisions/0033: an app's launch as a part of a cold start's clock.
@Suite struct AppLaunchTests {
  private let noScrub = ["audience.personas=[{kind: typical, scrub: 0}]"]

  private func firsts(_ set: [String]) throws -> [ViewRecord] {
    try run(scenario(constantWorld + noScrub + set)).sessions.map { $0[0] }
  }

  @Test func `no launch changes no event`() throws {
    let without = try run(scenario())
    let none = try run(
      scenario(["devices=[{kind: high}, {kind: mid, appLaunch: 0 s}, {kind: low-end}]"]))
    let same = try run(scenario(["devices=[{kind: high}, {kind: mid}, {kind: low-end}]"]))
    #expect(none.fingerprint == same.fingerprint)
    #expect(without.measures.views.allSatisfy { $0.part(.launch) == .zero })
  }

  @Test func `a launch comes before everything else of a session's first view alone`() throws {
    let (before, after) = (try firsts([]), try firsts(["devices[0].appLaunch=700 ms"]))
    #expect(before.count == after.count && before.count > 10)
    var started = 0
    for (a, b) in zip(before, after) where a.hasStarted && b.hasStarted {
      started += 1
      #expect(b.part(.launch) == .milliseconds(700))
      #expect(b.ttff == a.ttff + .milliseconds(700))
      #expect(b.ttffPlay == a.ttffPlay)
      #expect(b.settledAt == a.settledAt)
      for part in StartupPart.allCases where part != .launch {
        #expect(b.parts[part] == a.parts[part], "\(part.name)")
      }
    }
    #expect(started > 10)
    let all = try run(scenario(constantWorld + ["devices[0].appLaunch=700 ms"])).measures.views
    #expect(all.contains { !$0.flags.contains(.cold) })
    for view in all {
      #expect((view.part(.launch) > .zero) == view.flags.contains(.cold))
      #expect(StartupPart.allCases.reduce(0) { $0 + view.parts[$1] } == view.ttff.nanoseconds)
    }
  }

  @Test func `who leaves before the app is there has asked for nothing`() throws {
    let result = try run(scenario(constantWorld + ["devices[0].appLaunch=20 h"]))
    let views = result.measures.views
    #expect(views.count > 10)
    #expect(views.allSatisfy { !$0.hasStarted && $0.part(.launch) == $0.ttff })
    #expect(views.contains { !$0.flags.contains(.cut) })
    #expect(result.measures.counts.requests == 0 && result.measures.counts.feedPages == 0)
  }

  /// Patience runs from app open, so that a launch is a part of what the viewer waits through.
  @Test func `a launch uses up patience`() throws {
    let hurried = ["audience.patienceFloor=1 s", "audience.patience=0 s"]
    let views = try firsts(hurried + ["devices[0].appLaunch=900 ms"])
    let left = views.filter { !$0.hasStarted && !$0.flags.contains(.cut) }
    #expect(!left.isEmpty)
    #expect(left.allSatisfy { $0.ttff == .seconds(1) && $0.part(.launch) == .milliseconds(900) })
  }

  @Test func `each session has a launch of its own, by its device's law`() throws {
    let law = "devices[0].appLaunch={kind: uniform, min: 300 ms, max: 2 s}"
    let launches = try firsts([law]).filter(\.hasStarted).map { $0.part(.launch) }
    #expect(launches.allSatisfy { $0 >= .milliseconds(300) && $0 <= .seconds(2) })
    #expect(Set(launches).count > launches.count / 2)
    let mean = launches.reduce(0) { $0 + $1.milliseconds } / Double(launches.count)
    #expect(abs(mean - 1150) < 4 * 1700 / (12 * Double(launches.count)).squareRoot())
  }

  @Test func `extra cold starts launch, too`() throws {
    let made = try scenario(
      constantWorld + ["devices[0].appLaunch=700 ms", "audience.extraColdStarts=40"])
    let extra = try run(made).measures.extraColdStarts
    #expect(extra.count == 40)
    #expect(extra.filter(\.hasStarted).allSatisfy { $0.part(.launch) == .milliseconds(700) })
  }

  @Test func `a record keeps its size and what its start waited for`() {
    #expect(MemoryLayout<ViewRecord>.stride == 224)
    var view = ViewRecord(
      session: 1, item: 2, title: 3, network: 0, device: 0, flags: .cold, firstRung: 0,
      settledAt: .zero, ttff: .zero, ttffPlay: .zero, played: .zero, stalled: .zero, stalls: 4,
      parts: StartupParts())
    #expect(view.answer == StartAnswer())
    let answer = StartAnswer(asset: .segment, tier: .shield, reason: .evicted, wait: 1 << 40)
    view.answer = answer
    view.parts[.presentation] = .max
    view.parts[.launch] = 7
    #expect(view.answer == answer && view.stalls == 4)
    #expect(view.parts[.presentation] == .max && view.parts[.launch] == 7)
  }
}
