import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

// docs/decisions/0022: from a ready frame to the display, the main thread, decoders under load.
@Suite struct PresentationTests {
  static let off = (0..<3).flatMap { device in
    ["presentation", "mainThread", "stress"].map { "devices[\(device)].\($0)=none" }
  }

  private func views(_ set: [String]) throws -> [ViewRecord] {
    try run(scenario(set)).measures.views
  }

  private func watched(_ set: [String], session: Int = 0) throws -> SessionRecording {
    let made = try scenario(set)
    let plan = try FeedRun.plan(made.configuration, seed: made.seed)
    let number = try #require(
      FeedRun.run(made.configuration, plan: plan, seed: made.seed, replication: 0).measures.views
        .first
    ).session
    let result = try FeedRun.run(
      made.configuration, plan: plan, seed: made.seed, replication: 0, watching: number)
    return try #require(result.recording)
  }

  /// The value was that of the commit before there was any presentation until the network moved
  /// (model version 5), and is another with pilots of 64 sessions (6).
  @Test func `with everything off the events are those of before`() throws {
    let result = try run(scenario(PresentationTests.off))
    #expect(result.fingerprint.value == 0x5949_eda0_17d2_b6be)
    #expect(result.measures.views.allSatisfy { $0.part(.presentation) == .zero })
    #expect(result.measures.views.allSatisfy { $0.part(.mainThread) == .zero })
    #expect(try run(scenario()).fingerprint != result.fingerprint)
  }

  @Test func `a view takes no more memory for the parts that were added`() {
    #expect(MemoryLayout<ViewRecord>.stride == 224)
    #expect(StartupPart.allCases.count == 18)
    var parts = StartupParts()
    for part in StartupPart.allCases { parts[part] = Int64(part.rawValue) + 1 }
    for part in StartupPart.allCases { #expect(parts[part] == Int64(part.rawValue) + 1) }
  }

  @Test func `a ready frame costs its presentation, and so does every other`() throws {
    let shown =
      constantWorld + [
        "devices[0].presentation={attach: 5 ms, refresh: 10 ms, composition: 2}"
      ]
    let now = try views(shown)
    let ready = now.filter { $0.hasStarted && $0.flags.contains(.ready) }
    #expect(ready.count > 500)
    for view in ready {
      #expect(view.part(.presentation) == view.ttff)
      #expect(view.ttff >= .milliseconds(25) && view.ttff < .milliseconds(35))
      #expect(!view.flags.contains(.cold))
    }
    // Every moment of a period is equally likely.
    let mean = ready.reduce(0) { $0 + $1.ttff.milliseconds } / Double(ready.count)
    #expect(abs(mean - 30) < 4 * 10 / (12 * Double(ready.count)).squareRoot())
    #expect(now.filter(\.hasStarted).allSatisfy { $0.part(.presentation) >= .milliseconds(25) })
    let late = now.filter { $0.hasStarted && !$0.flags.contains(.ready) }
    #expect(late.contains { $0.flags.contains(.cold) })
    #expect(late.allSatisfy { $0.ttff > $0.part(.presentation) })
  }

  @Test func `a first view is later by its presentation, and plays from then on`() throws {
    let attach = ["devices[0].presentation={attach: 5 ms, refresh: 0 ms, composition: 0}"]
    let world = constantWorld + ["audience.personas=[{kind: typical, scrub: 0}]"]
    let before = try run(scenario(world)).sessions.map { $0[0] }
    let after = try run(scenario(world + attach)).sessions.map { $0[0] }
    #expect(before.count == after.count && before.count > 10)
    for (a, b) in zip(before, after) where a.hasStarted && b.hasStarted {
      #expect(b.ttff == a.ttff + .milliseconds(5))
      #expect(b.played == a.played)
    }
  }

  @Test func `who leaves before the frame is shown has not seen it`() throws {
    let slow = ["devices[0].presentation={attach: 20 h, refresh: 0 ms, composition: 0}"]
    let views = try views(constantWorld + slow)
    #expect(views.count > 10)
    #expect(views.allSatisfy { !$0.hasStarted && $0.played == .zero })
    let ready = views.filter { $0.flags.contains(.ready) && !$0.flags.contains(.cut) }
    #expect(!ready.isEmpty)
    #expect(ready.allSatisfy { $0.part(.presentation) == $0.ttff })
  }

  @Test func `work on the main thread is done one after the other`() throws {
    let pool = ["policy.pool={size: 5, ahead: 2, behind: 2}"]
    let thread = ["devices[0].mainThread={create: 40 ms, retarget: 15 ms}"]
    func waits(_ recording: SessionRecording) -> [TimeSpan] {
      var waits: [TimeSpan] = []
      for change in recording.changes {
        if case .assigned(_, let usableAt, true) = change.kind {
          waits.append(usableAt - change.at)
        }
      }
      return Array(waits.prefix(3))
    }
    let free = try watched(constantWorld + pool)
    #expect(waits(free) == [.milliseconds(10), .milliseconds(10), .milliseconds(10)])
    let held = try watched(constantWorld + pool + thread)
    #expect(waits(held) == [.milliseconds(40), .milliseconds(80), .milliseconds(120)])
    let slow = ["devices[0].mainThread={create: 40 ms, retarget: 2 s}"]
    let part = try views(constantWorld + pool + slow).map { $0.part(.mainThread) }
    #expect(part.contains { $0 > .milliseconds(100) })
  }

  @Test func `a pool of five costs an entry phone more than a flagship`() throws {
    func mean(_ device: String, _ size: Int) throws -> Double {
      let started = try views([
        "devices=[{kind: \(device)}]", "audience.burstStart=0.5",
        "policy.pool={size: \(size), ahead: \(size / 2), behind: \((size - 1) / 2)}",
      ]).filter { $0.hasStarted && !$0.flags.contains(.cold) }
      return started.reduce(0) { $0 + $1.part(.mainThread).milliseconds } / Double(started.count)
    }
    let (high, low) = (try mean("high", 5), try mean("low-end", 5))
    #expect(low > 2 * high, "\(low) against \(high)")
    #expect(low > (try mean("low-end", 2)))
  }

  @Test func `what a device does beside it slows a decoder's set-up down`() throws {
    func lengths(_ set: [String]) throws -> [TimeSpan] {
      try watched(constantWorld + set).changes.compactMap {
        if case .decoder(_, let from, let until, _) = $0.kind { return until - from }
        return nil
      }
    }
    let plain = try lengths([])
    #expect(plain.allSatisfy { [.milliseconds(100), .milliseconds(8)].contains($0) })
    #expect(try lengths(["devices[0].stress={players: 0, transfers: 0, swipe: 0}"]) == plain)
    let busy = try lengths(["devices[0].stress={players: 0, transfers: 0.5, swipe: 0}"])
    #expect(busy.allSatisfy { $0.nanoseconds % 2_000_000 == 0 && $0 >= .milliseconds(8) })
    #expect(busy.contains { $0 > .milliseconds(100) })
    let crowded = try lengths(["devices[0].stress={players: 1, transfers: 0, swipe: 0}"])
    #expect(crowded.contains { [.milliseconds(200), .milliseconds(16)].contains($0) })
  }

  @Test func `one Media3 player sets source and decoder up with each item`() throws {
    let world =
      constantWorld + [
        "policy.player={kind: media3-single, posters: false}", "audience.burstStart=0",
        "devices[0].sourcePreparation=40 ms",
      ]
    let result = try run(scenario(world))
    #expect(result.measures.counts.playerCreates == result.measures.counts.sessions)
    #expect(result.measures.views.allSatisfy { !$0.flags.contains(.ready) })
    let swipes = result.measures.views.filter { $0.hasStarted && !$0.flags.contains(.cold) }
    // Source, decoder and first decode, with the data there.
    let prepared = swipes.filter { $0.ttff == .milliseconds(170) }
    #expect(Double(prepared.count) > 0.9 * Double(swipes.count))
    #expect(swipes.allSatisfy { $0.ttff >= .milliseconds(170) })
    let reused = try views(constantWorld + ["policy.pool={size: 1, ahead: 0, behind: 0}"])
      .filter { $0.hasStarted && !$0.flags.contains(.cold) }
    #expect(reused.contains { $0.ttff == .milliseconds(38) })
    // Another item and the old one's surface, on the main thread, and the display.
    let whole = try views(
      world + [
        "devices[0].mainThread={create: 10 ms, retarget: 12 ms}",
        "devices[0].presentation={attach: 5 ms, refresh: 0 ms, composition: 0}",
      ]
    ).filter { $0.hasStarted && !$0.flags.contains(.cold) }
    #expect(whole.contains { $0.ttff == .milliseconds(12 + 5 + 170 + 5) })
    #expect(whole.contains { $0.part(.mainThread) == .milliseconds(17) })
  }

  @Test(arguments: [[], ["policy.player={kind: media3-single}"]])
  func `the order of simultaneous events moves nothing of note`(_ set: [String]) throws {
    let made = try scenario(set)
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    func starts(_ shuffle: UInt64?) throws -> [Double] {
      try FeedRun.run(
        made.configuration, plan: plan, seed: 1, replication: 0, shuffleTies: shuffle
      ).measures.views.map(\.ttff.milliseconds)
    }
    let (plain, shuffled) = (try starts(nil), try starts(99))
    #expect(try starts(nil) == plain)
    #expect(plain.count == shuffled.count)
    let (a, b) = (plain.reduce(0, +), shuffled.reduce(0, +))
    #expect(abs(a - b) <= 0.01 * a)
  }
}
