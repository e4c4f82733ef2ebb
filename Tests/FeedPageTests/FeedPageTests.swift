import CachePolicy
import FeedModel
import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

@testable import FeedPage

@Suite struct FeedPageTests {
  static let session: UInt32 = 1029

  private func host(_ study: FeedStudy, logs: Bool = false) throws -> PageHost {
    let text = PageConfiguration.text(study.configuration)
    guard
      let page = FeedPage(
        text, session: Self.session, seed: study.seed, replication: 0, logs: logs)
    else { throw NoPage() }
    return PageHost(page, session: Self.session)
  }

  private struct NoPage: Error {}

  @Test func `a session in a page has the draws of the simulated one`() throws {
    // Enough sessions for the one that is looked at.
    let study = try pageScenario(["audience.viewsPerDayPerEdge=3000000"])
    let plan = try FeedRun.plan(study.configuration, seed: study.seed)
    let simulated = try FeedRun.run(
      study.configuration, plan: plan, seed: study.seed, replication: 0
    ).measures.views.filter { $0.session == Self.session }
    var host = try host(study)
    let measures = try #require(try host.run())
    #expect(measures.views.count >= 5)
    let count = min(simulated.count, measures.views.count)
    #expect(count >= 5)
    for place in 0..<count {
      #expect(measures.views[place].item == simulated[place].item)
      #expect(measures.views[place].title == simulated[place].title)
    }
    // What is watched is drawn alike where the item was shown, whatever the wait for it.
    // In a burst of swipes it is the time since the item settled that is drawn.
    let watched = (0..<count - 1).filter {
      simulated[$0].stalls == 0 && simulated[$0].played >= .seconds(1)
    }
    #expect(watched.count >= 3)
    for place in watched {
      #expect(measures.views[place].played == simulated[place].played)
    }
    let longest = measures.views.map(\.played).max()
    #expect(longest == .seconds(3))
  }

  @Test func `the first frame is when it was seen, and its parts sum to the wait`() throws {
    let study = try pageScenario()
    var host = try host(study)
    let measures = try #require(try host.run())
    let cold = measures.views[0]
    #expect(cold.flags.contains(.cold) && cold.hasStarted)
    // Feed page, manifest, master, playlist, init and segment, one after the other; then the
    // player, then the display.
    #expect(
      cold.ttff == host.answerTime * 6 + host.readyTime + host.frameTime)
    #expect(cold.part(.presentation) == host.frameTime)
    for view in measures.views where view.hasStarted {
      let sum = StartupPart.allCases.reduce(TimeSpan.zero) { $0 + view.part($1) }
      #expect(sum == view.ttff)
    }
    // Who was prepared waits for the display alone.
    let ready = measures.views.dropFirst().filter { $0.flags.contains(.ready) }
    #expect(ready.count >= 3)
    for view in ready { #expect(view.ttff == host.frameTime) }
    #expect(measures.counts.playerCreates == 3)
    #expect(measures.edge.requests(.segment, .hit) > 5)
  }

  @Test func `a stall lasts as long as the player says`() throws {
    let study = try pageScenario()
    var first = try host(study)
    let smooth = try #require(try first.run())
    // An item that is watched for longer than until the stall.
    let place = try #require(smooth.views.firstIndex { $0.played >= .seconds(2) })
    var second = try host(study)
    second.stalling = [smooth.views[place].item: .milliseconds(700)]
    let stalled = try #require(try second.run())
    #expect(stalled.views[place].stalls == 1)
    #expect(stalled.views[place].stalled == .milliseconds(700))
    #expect(stalled.views[place].played == smooth.views[place].played)
  }

  @Test func `an item whose player fails is never shown, and the session goes on`() throws {
    let study = try pageScenario(["audience.sessionLength={kind: constant, value: 2 min}"])
    var host = try host(study)
    host.failing = [1]
    let measures = try #require(try host.run())
    let view = try #require(measures.views.first { $0.item == 1 })
    #expect(!view.hasStarted)
    #expect(measures.views.contains { $0.item == 2 && $0.hasStarted })
    #expect(host.released >= 1)
  }

  @Test(arguments: [0.005, 0.1, 0.25, 3, 5.2, 9])
  func `a session that is cut has measured what it has seen`(_ seconds: Double) throws {
    let study = try pageScenario()
    var whole = try host(study)
    let all = try #require(try whole.run())
    var host = try host(study)
    let cut = try #require(try host.run(until: .zero + TimeSpan(seconds: seconds)))
    #expect(cut.views.count <= all.views.count)
    for (one, other) in zip(cut.views.dropLast(), all.views) {
      #expect(one.ttff == other.ttff && one.title == other.title)
    }
    #expect(cut.counts.sessionsCut == 1)
  }

  @Test func `late and wrong news changes nothing`() throws {
    let study = try pageScenario()
    var plain = try host(study)
    let before = try #require(try plain.run())
    var host = try host(study)
    _ = try host.page.advance(to: .zero)
    let nobody = OutsideToken(slot: 0, index: 0, generation: 0, session: Self.session)
    let stranger = OutsideToken(slot: 9, index: 0, generation: 0, session: 77)
    for news: OutsidePlayerNews in [
      .ready(player: 40, generation: 1), .ready(player: 0, generation: 99),
      .failed(player: 7, generation: 1), .presented(item: 5), .stalled(item: 0),
      .resumed(item: 0),
    ] {
      host.page.hear(OutsideAnswer(nobody, .player(news)), at: .zero)
      host.page.hear(OutsideAnswer(stranger, .player(news)), at: .zero)
    }
    let after = try #require(try host.run())
    #expect(PageMeasures.text(after) == PageMeasures.text(before))
  }

  /// What browsers have played is kept in this form (`results/truth`): who adds a counter raises
  /// the version, changes these numbers, and brings the kept sessions to the new form.
  @Test func `the form of what is kept is version 3, and no other text is read`() {
    let text = PageMeasures.text(FeedMeasures(networks: 1, devices: 1))
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    #expect(words.prefix(6) == ["measures", "3", "6", "10", "27", "1"])
    #expect(PageMeasures.read(text, networks: 1, devices: 1) != nil)
    for place in 1...5 {
      var other = words.map(String.init)
      other[place] = "\(Int(words[place])! - 1)"
      #expect(
        PageMeasures.read(Array(other.joined(separator: " ").utf8), networks: 1, devices: 1) == nil)
    }
  }

  @Test func `the logs are those of the policies`() throws {
    let study = try pageScenario()
    var host = try host(study, logs: true)
    _ = try host.run()
    var rest = host.page.logText[...]
    var machines: [String] = []
    while let end = rest.firstIndex(of: 0x0A) {
      let head = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      let count = try #require(Int(head[1]))
      let lines = Array(rest[(end + 1)..<(end + 1 + count)])
      machines.append(String(head[0]))
      guard case .equal(_, let commands) = try #require(PolicyLog.replay(lines)) else {
        Issue.record("\(head[0]): other commands")
        break
      }
      if head[0] == "player-pool" { #expect(commands > 10) }
      rest = rest[(end + 1 + count)...]
    }
    #expect(machines.contains("player-pool") && machines.contains("prefetch-policy"))
  }

  @Test(arguments: [
    [], ["policy.abr={kind: fixed, rung: 1}", "policy.startupCap.rate=none"],
    ["policy.abr={kind: bola}", "policy.prefetch={kind: hazard}"],
    ["audience.personas=[{kind: flicker}, {kind: watcher}]", "audience.watchLimit=none"],
  ])
  func `a configuration comes out of its text as it went in`(_ changes: [String]) throws {
    let study = try pageScenario(changes)
    let text = PageConfiguration.text(study.configuration)
    let read = try #require(PageConfiguration.read(text))
    #expect(PageConfiguration.text(read) == text)
    #expect(read.policy.pool == study.configuration.policy.pool)
    #expect(read.policy.prefetch == study.configuration.policy.prefetch)
    #expect(read.audience.watchLimit == study.configuration.audience.watchLimit)
    #expect(read.catalogue.ladder == study.configuration.catalogue.ladder)
    // Any other text is none.
    for count in [0, 4, 6, 40, text.count / 3, text.count - 1] {
      #expect(PageConfiguration.read(Array(text.prefix(count))) == nil)
    }
    #expect(PageConfiguration.read(text + [0x20, 0x31]) == nil)
  }

  @Test func `what a page's viewer cannot be is named`() throws {
    #expect(PageConfiguration.lacks(try pageScenario().configuration).isEmpty)
    var configuration = try pageScenario().configuration
    configuration.catalogue.audioRate = .kilobits(64)
    configuration.client.crashShare = 0.1
    #expect(PageConfiguration.lacks(configuration).count == 2)
    #expect(!LiveFeed.isSession(5))
    let text = PageConfiguration.text(try pageScenario().configuration)
    let isRefused = FeedPage(text, session: 5, seed: 1, replication: 0, logs: false) == nil
    #expect(isRefused)
  }
}
