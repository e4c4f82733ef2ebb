import Scenario
import SimulationKernel
import Statistics
import Studies
import Testing

/// Laws of a browser's players, from logs whose laws are known.
@Suite struct PlayerCalibrationTests {
  /// What players of the logs cost, milliseconds.
  private struct Truth {
    var opening = 4.0
    var setup = 20.0
    var reuse = 8.0
    var decode = 6.0
    var need = 300.0
    var presentation = 25.0
    /// Share more of a set-up for each other player.
    var players = 0.0
    /// Media of each part that comes, and how long the next takes.
    var part = 100.0
    var pace = 30.0
  }

  /// Sessions whose times are those of a truth, each varied by up to a tenth.
  private func log(_ truth: Truth, sessions: UInt32 = 60, seed: UInt64 = 5) -> PlayerLog {
    let draws = RandomStreams(seed: seed, replication: 0)
    var counter: UInt32 = 0
    func about(_ value: Double) -> Double {
      counter += 1
      return value * (0.9 + 0.2 * draws.uniform(StreamName(rawValue: 9), entity: UInt64(counter)))
    }
    let made = (0..<sessions).map { session in
      PlayerLog.Session(
        session: session,
        players: (0..<6).map { place in
          let isNew = place < 3
          let due = 1000 * Double(place)
          let opened = due + about(truth.opening)
          let others = Int(place) % 3
          let setup =
            about(isNew ? truth.setup : truth.reuse) * (1 + truth.players * Double(others))
          let metadata = opened + setup
          // Every second item's media come while it is waited for.
          let first = place % 2 == 0 ? metadata + 50 : opened
          let pace = place % 2 == 0 ? truth.pace : 0
          let parts = (0..<12).map { [first + pace * Double($0), truth.part * Double($0 + 1)] }
          let there = parts.first { $0[1] >= truth.need }?[0] ?? 0
          let ready = max(metadata, there) + about(truth.decode)
          return PlayerUse(
            player: UInt32(place % 3), item: UInt32(place), isNew: isNew, due: due, worked: 1,
            opened: opened, configured: opened, metadata: metadata, ready: ready,
            players: others, transfers: Int(place) / 2,
            appends: parts.filter { $0[0] <= ready },
            plays: [[ready + 10, 1, ready + 10 + about(truth.presentation)]])
        })
    }
    return PlayerLog(
      PlayerLog.Head(
        browser: "Chrome/1", feeding: .mse, processors: 2, viewers: 2, scenario: "test", seed: 1),
      sessions: made)
  }

  private func fit(_ truth: Truth) throws -> PlayerCalibration {
    try PlayerCalibration([log(truth)], options: PlayerCalibration.Options())
  }

  @Test func `laws are those of the log`() throws {
    let fit = try fit(Truth())
    let truth = [
      "playerCreation": 4.0, "mainThread.retarget": 4, "decoderSetup": 20, "decoderReuse": 8,
      "firstDecode": 6, "presentation.attach": 25, "mainThread.create": 1,
    ]
    #expect(fit.quantities.count == truth.count)
    for quantity in fit.quantities {
      let expected = try #require(truth[quantity.key]) / 1000
      let median = try #require(quantity.median)
      // Uniform within a tenth of 120 values or more: the median's standard error is under 1 %.
      #expect(abs(median.value / expected - 1) < 0.03, "\(quantity.key): \(median)")
      #expect(quantity.values == quantity.values.sorted())
      #expect(quantity.values.count == 21)
    }
  }

  @Test(arguments: [100.0, 300, 700]) func `the media that a start needs are found`(
    need: Double
  ) throws {
    var truth = Truth()
    truth.need = need
    let threshold = try #require(try fit(truth).threshold.estimate)
    #expect(abs(threshold.value * 1000 - need) < 1)
    let decode = try #require(try fit(truth).quantities.first { $0.key == "firstDecode" })
    #expect(abs(try #require(decode.median).value * 1000 - 6) < 0.3)
  }

  @Test func `media that always were there tell no threshold`() throws {
    var log = log(Truth())
    for session in log.sessions.indices {
      log.sessions[session].players = log.sessions[session].players.filter { $0.item % 2 == 1 }
    }
    let fit = try PlayerCalibration([log], options: PlayerCalibration.Options())
    #expect(fit.threshold.estimate == nil)
    #expect(fit.threshold.refusal?.contains("got 0") ?? false)
    #expect(!fit.fragment(name: "test", sources: ["a"]).contains("startThreshold:"))
  }

  @Test func `a set-up that others slow down is told from one that they do not`() throws {
    var truth = Truth()
    truth.players = 0.5
    let slowed = try fit(truth)
    let share = try #require(slowed.stress.first { $0.key == "stress.players" }?.estimate)
    #expect(abs(share.value - 0.5) < 0.08)
    // The laws are those of a set-up beside nobody.
    let setup = try #require(slowed.quantities.first { $0.key == "decoderSetup" }?.median)
    #expect(abs(setup.value * 1000 - 20) < 1)
    let alone = try fit(Truth())
    #expect(alone.stress.allSatisfy { $0.estimate == nil && $0.refusal != nil })
  }

  @Test func `too few values carry no law, and none at all is nothing`() throws {
    let few = try PlayerCalibration(
      [log(Truth(), sessions: 20)], options: PlayerCalibration.Options())
    let creation = try #require(few.quantities.first { $0.key == "playerCreation" })
    #expect(creation.refusal == "expected at least 100 values, got 60")
    #expect(creation.values.isEmpty)
    let none = try PlayerCalibration(
      [log(Truth(), sessions: 2)], options: PlayerCalibration.Options())
    #expect(none.isEmpty)
  }

  @Test func `the fragment is a scenario with the laws`() throws {
    let fit = try fit(Truth())
    let text = fit.fragment(name: "chromium-mse", sources: ["run"])
    let scenario = try FeedStudy.parse(text, file: "fit.yaml", overrides: [])
    let device = scenario.configuration.devices[0]
    let setup = try #require(fit.quantities.first { $0.key == "decoderSetup" })
    #expect(abs(device.decoderSetup.quantile(0.5) - setup.values[10]) < 1e-4)
    #expect(device.presentation?.refresh == .zero)
    #expect(scenario.configuration.policy.startThreshold == .milliseconds(300))
    #expect(text == fit.fragment(name: "chromium-mse", sources: ["run"]))
    var native = fit
    native.heads[0].feeding = .native
    let words = native.fragment(name: "chromium-native", sources: ["run"])
    #expect(words.contains("  - kind: chromium-native\n") && !words.contains("chromium-mse"))
    #expect(words.contains("    kind: chromium-native\n"))
  }
}
