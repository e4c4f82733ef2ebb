import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

/// Players by kind, packaging, audio apart and the prefetch families, in the world.
@Suite struct PlayerWorldTests {
  static let families = [
    "head", "first-segments", "player-knob", "staged", "connection", "playlists", "dashlet",
    "pdas", "hazard",
  ]
  static let players = [
    "default", "media3", "media3-short-form", "media3-single", "avplayer", "hls.js", "dash.js",
    "chromium-mse", "chromium-native",
  ]

  static let worlds: [[String]] =
    families.map { ["policy.prefetch={kind: \($0)}", "network.access=[{kind: lte}]"] }
    + players.map { ["policy.player={kind: \($0)}", "network.access=[{kind: 3g}]"] }
    + [
      ["catalogue.packaging=dash"], ["catalogue.audio=96 kbps"],
      ["catalogue.audio=128 kbps", "catalogue.packaging=dash", "network.access=[{kind: 3g}]"],
      ["catalogue.audio=64 kbps", "network.http=1.1", "network.connectionsPerHost=2"],
      [
        "catalogue.audio=96 kbps", "policy.prefetch={kind: staged}",
        "network.access=[{kind: lte, events: [{kind: hand-over, at: 20 s}]}]",
      ],
      [
        "policy.prefetch={kind: head, suspendOnStall: true, rung: 0}",
        "network.access=[{kind: 3g}]",
      ],
      ["policy.prefetch={kind: hazard}", "network.access=[{kind: congested-cell}]"],
      ["policy.prefetch={kind: hazard, itemsAhead: 10}", "audience.backSwipe=0.4"],
    ]

  /// Covers: VF-026, VF-048
  @Test(arguments: worlds)
  func `times and bytes add up with every player, package and family`(_ set: [String]) throws {
    let measures = try run(scenario(set)).measures
    #expect(measures.views.count > 200)
    for view in measures.views {
      var sum = TimeSpan.zero
      for part in StartupPart.allCases { sum += view.part(part) }
      #expect(sum == view.ttff, "session \(view.session) item \(view.item)")
    }
    for balance in measures.balances {
      #expect(balance.delivered == balance.rendered + balance.wasted + balance.stillBuffered)
      #expect(balance.rendered >= 0 && balance.wasted >= 0 && balance.stillBuffered >= 0)
      #expect(balance.prefetchedWasted <= balance.prefetched)
      #expect(balance.prefetched <= balance.delivered)
    }
    #expect(measures.balances.contains { $0.delivered > 0 })
  }

  private func asked(_ asset: AssetClass, _ measures: FeedMeasures) -> Int64 {
    CacheOutcome.allCases.reduce(0) { $0 + measures.client.requests(asset, $1) }
  }

  private func cold(_ result: FeedRunResult) -> [TimeSpan] {
    result.sessions.map { $0[0] }.filter(\.hasStarted).map(\.ttff)
  }

  /// The first views of sessions on a link that brings rung 1 (600 kbps) at so many kilobits a
  /// second, with a start at 99 ms of media.
  private func firstViews(
    _ player: String, kilobits: Int, cell: Bool = false
  ) throws -> [ViewRecord] {
    let result = try run(
      scenario(
        steady + [
          "network.access[0].sessionRate=\(kilobits) kbps",
          "policy.player={kind: \(player), startThreshold: 99 ms, resumeThreshold: 99 ms}",
        ] + (cell ? ["network.access[0].cell={rate: 100 Gbps}"] : [])))
    return result.sessions.map { $0[0] }.filter { $0.hasStarted && $0.played > .seconds(3) }
  }

  @Test func `a player that takes parts plays what has come of a segment, others wait for all`()
    throws
  {
    let whole = try firstViews("default", kilobits: 800)
    let parts = try firstViews("chromium-mse", kilobits: 800)
    let shared = try firstViews("chromium-mse", kilobits: 800, cell: true)
    #expect(whole.count > 10 && parts.count > 10 && shared.count > 10)
    // A segment of 2 s takes 1.5 s and more.
    #expect(whole.allSatisfy { $0.stalls >= 1 && $0.stalled > .seconds(1) })
    #expect(parts.allSatisfy { $0.stalls == 0 } && shared.allSatisfy { $0.stalls == 0 })
    // Where media come slower than they play, nobody is spared.
    let slow = try firstViews("chromium-mse", kilobits: 400)
    #expect(slow.count > 5 && slow.allSatisfy { $0.stalls >= 1 && $0.stalled > .seconds(1) })
  }

  private let steady =
    constantWorld + ["policy.prefetch.headLength=0 s", "audience.personas=[{kind: typical}]"]

  /// Covers: VF-048
  @Test func `VF-048: DASH starts one round trip sooner, because one MPD replaces two playlists`()
    throws
  {
    let hls = try run(scenario(steady))
    let dash = try run(scenario(steady + ["catalogue.packaging=dash"]))
    #expect(asked(.mediaPlaylist, dash.measures) == 0)
    #expect(asked(.masterPlaylist, dash.measures) > 0)
    #expect(asked(.mediaPlaylist, hls.measures) > 0)
    let pairs = Array(zip(cold(hls), cold(dash)))
    #expect(pairs.count > 20)
    for (a, b) in pairs {
      // A round trip of 30 ms and 4 ms at the edge; the rest is bytes, few ones.
      #expect(a - b > .milliseconds(33) && a - b < .milliseconds(38), "\(a) \(b)")
    }
  }

  /// Covers: VF-048
  @Test func `audio of its own costs its bytes, and a start waits for both`() throws {
    let one = try run(scenario(steady))
    let two = try run(scenario(steady + ["catalogue.audio=150 kbps"]))
    // Audio is asked for segment by segment, too.
    let ratio =
      Double(asked(.segment, two.measures)) / Double(asked(.segment, one.measures))
    #expect(ratio > 1.9 && ratio < 2.1)
    let delivered = [one, two].map { $0.measures.balances.reduce(0) { $0 + $1.delivered } }
    // 600 kbps of video and 150 kbps of audio.
    let bytes = Double(delivered[1]) / Double(delivered[0])
    #expect(bytes > 1.2 && bytes < 1.3)
    // Two seconds of 6 Mbps are 1.5 MB: 0.6 s of this link before anything plays.
    let loud = try run(scenario(steady + ["catalogue.audio=6 Mbps"]))
    for (a, b) in zip(cold(one), cold(loud)) { #expect(b - a > .milliseconds(300)) }
  }

  /// Covers: SIG-042
  @Test(arguments: families)
  func `SIG-042, VF-027: prefetched or not, an item costs one manifest`(_ family: String) throws {
    let result = try run(
      scenario(["audience.backSwipe=0", "policy.prefetch={kind: \(family)}"]))
    var most: [UInt32: UInt32] = [:]
    for view in result.measures.views {
      most[view.session] = max(view.item, most[view.session] ?? 0)
    }
    // At most one for each item up to the last that came into reach.
    let reach = most.values.reduce(0) { $0 + Int64($1) + 1 + 10 }
    #expect(asked(.mediaManifest, result.measures) <= reach)
    #expect(asked(.mediaManifest, result.measures) >= Int64(most.values.reduce(0, +)))
  }

  /// Covers: REEL-023, VF-026
  @Test func `REEL-023, VF-026: warm-ups fetch no media, and playlists alone save their steps`()
    throws
  {
    func measured(_ prefetch: String) throws -> (media: Int64, mean: Double) {
      let result = try run(
        scenario([
          "policy.prefetch=\(prefetch)", "network.access=[{kind: lte}]",
          "policy.player.posters=false",
        ]))
      let swipes = result.measures.views.filter { !$0.flags.contains(.cold) && $0.hasStarted }
      let sum = swipes.reduce(0.0) { $0 + $1.ttff.milliseconds }
      return (
        result.measures.balances.reduce(0) { $0 + $1.prefetched }, sum / Double(swipes.count)
      )
    }
    let none = try measured("{kind: head, headLength: 0 s}")
    let connection = try measured("{kind: connection}")
    let playlists = try measured("{kind: playlists}")
    let staged = try measured("{kind: staged}")
    #expect(none.media == 0 && connection.media == 0 && playlists.media == 0)
    #expect(staged.media > 0)
    #expect(connection.mean <= none.mean)
    #expect(playlists.mean < none.mean * 0.8)
    #expect(staged.mean < playlists.mean)
  }

  /// Covers: REEL-028
  @Test func `players that buffer less waste less`() throws {
    func wasted(_ player: String) throws -> Double {
      let balances = try run(
        scenario(["policy.player={kind: \(player)}"], window: "3 min")
      ).measures.balances
      return Double(balances.reduce(0) { $0 + $1.wasted })
        / Double(balances.reduce(0) { $0 + $1.delivered })
    }
    let short = try wasted("default, forwardBuffer: 6 s")
    let present = try wasted("default")
    #expect(short < present)
    #expect(try wasted("media3") > present)
    // Two levels let the buffer fall to 5 s before it is filled again.
    #expect(try wasted("media3-short-form") < present)
  }

  /// On a link of 0.5 Mbps a segment of 600 kbps takes longer than it plays: AVPlayer wants 4 s of
  /// media, Media3's demo half a second.
  @Test func `a player that wants more media starts later`() throws {
    func start(_ player: String, _ rate: String) throws -> TimeSpan {
      let starts = cold(
        try run(
          scenario(
            steady + [
              "policy.player={kind: \(player), posters: false}", "audience.patienceFloor=1 min",
              "network.access[0].sessionRate=\(rate)", "policy.initialEstimate=\(rate)",
            ])))
      return starts.min()!
    }
    let slow = try players(at: "500 kbps", start)
    #expect(slow.demo < slow.media3 && slow.media3 < slow.whole && slow.whole < slow.avplayer)
    // 2 s more of 600 kbps at 0.5 Mbps are 2.4 s, give or take the segment's size.
    #expect(slow.avplayer - slow.whole > .milliseconds(2_000))
    let fast = try players(at: "5 Mbps", start)
    // With 1.3 times the rate one segment is enough for AVPlayer.
    #expect(fast.avplayer == fast.whole)
  }

  private func players(
    at rate: String, _ start: (String, String) throws -> TimeSpan
  ) throws -> (demo: TimeSpan, media3: TimeSpan, whole: TimeSpan, avplayer: TimeSpan) {
    (
      try start("media3-short-form", rate), try start("media3", rate),
      try start("default, startThreshold: 2 s", rate), try start("avplayer", rate)
    )
  }

  /// Covers: SIG-023
  @Test func `by hazard less is wasted than with the same starts and the player's own buffer`()
    throws
  {
    func measured(_ prefetch: String) throws -> (waste: Double, late: Double) {
      let measures = try run(
        scenario(
          ["policy.prefetch=\(prefetch)", "network.access=[{kind: lte}]"], window: "3 min")
      ).measures
      let wasted = measures.balances.reduce(0) { $0 + $1.wasted }
      let delivered = measures.balances.reduce(0) { $0 + $1.delivered }
      let late = measures.views.filter { $0.ttff > .milliseconds(200) }.count
      return (Double(wasted) / Double(delivered), Double(late) / Double(measures.views.count))
    }
    let segments = try measured("{kind: first-segments, itemsAhead: 8, concurrency: 4}")
    let hazard = try measured("{kind: hazard}")
    #expect(hazard.waste < segments.waste)
    #expect(hazard.late <= segments.late + 0.01)
  }
}
