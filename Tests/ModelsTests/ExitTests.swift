import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

@testable import FeedModel

/// `audience.exits`: viewers who close the app after a view that made them wait.
@Suite struct ExitTests {
  private static let slow = [
    "network.access=[{kind: 3g}]", "policy.prefetch.itemsAhead=0",
  ]

  @Test func `nobody leaves for waiting unless a file asks for it`() throws {
    let made = try scenario(Self.slow)
    #expect(made.configuration.audience.exits == nil)
    let asked = try scenario(Self.slow + ["audience.exits={}"])
    let exits = try #require(asked.configuration.audience.exits)
    #expect(
      exits
        == ExitHazards(
          slowStart: .seconds(2), perLateSecond: 0.058, perStalledSecond: 0.1))
    // Without a risk he draws and stays: not one event is another.
    let none = try scenario(
      Self.slow + ["audience.exits={perLateSecond: 0, perStalledSecond: 0}"])
    #expect(try run(none).fingerprint == run(made).fingerprint)
  }

  @Test func `risks add up over seconds, and nothing waited is no risk`() {
    let exits = ExitHazards(slowStart: .seconds(2), perLateSecond: 0.5, perStalledSecond: 0.25)
    #expect(exits.probability(waited: .seconds(2), stalled: .zero) == 0)
    let once = exits.probability(waited: .seconds(3), stalled: .seconds(2))
    #expect(abs(once - 0.632_120_558_828_557_7) < 1e-12)
    #expect(exits.probability(waited: .seconds(4), stalled: .seconds(4)) > once)
  }

  @Test func `who leaves is the last view of its session, as often as the risk says`() throws {
    let made = try scenario(
      Self.slow + [
        "audience.sessionLength=3 h", "audience.patience=1 h",
        "audience.exits={slowStart: 1 s, perLateSecond: 0.05, perStalledSecond: 0.2}",
      ], window: "4 min")
    let exits = try #require(made.configuration.audience.exits)
    var (leavers, expected, variance) = (0.0, 0.0, 0.0)
    for session in try run(made).sessions {
      #expect(session.dropLast().allSatisfy { !$0.flags.contains(.last) })
      for view in session where !view.flags.contains(.cut) && view.title != .max {
        let p = exits.probability(waited: view.ttff, stalled: view.stalled)
        if view.flags.contains(.last) { leavers += 1 }
        expected += p
        variance += p * (1 - p)
      }
    }
    #expect(expected > 30)
    #expect(abs(leavers - expected) < 4 * variance.squareRoot(), "\(leavers) of \(expected)")
  }

  @Test func `up to his exit a viewer does what he did without`() throws {
    let calm = constantWorld + ["policy.prefetch.itemsAhead=0"]
    let stays = try run(scenario(calm)).sessions
    let leaves = try run(
      scenario(calm + ["audience.exits={slowStart: 0 s, perLateSecond: 0.2}"])
    ).sessions
    #expect(stays.count == leaves.count)
    for (a, b) in zip(stays, leaves) {
      for (before, after) in zip(a, b) {
        #expect(before.item == after.item && before.title == after.title)
      }
    }
    #expect(zip(stays, leaves).count { $1.count < $0.count } > 3)
  }

  @Test func `joints, switches and jumps are those of segments that follow each other`() {
    let ladder = Ladder([.kilobits(300), .kilobits(600), .kilobits(1100)])
    var item = ShownItem()
    for rung: UInt32 in [0, 0, 2, 1] {
      item.show(RungIndex(rung), for: .seconds(2), of: ladder)
    }
    #expect(item.media.joints == 3 && item.media.switches == 2)
    #expect(item.media.changes == 800_000 + 500_000)
    #expect(item.media.switchedItems == 1 && item.media.media == 8_000_000_000)
  }
}
