import MediaUnits
import Models
import Scenario
import Testing

// docs/decisions/0022: what a device class says of the display, the main thread and load.
@Suite struct DeviceTableTests {
  private func load(_ body: String, _ set: [String] = []) throws(ScenarioRejected) -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: test\n" + body, file: "scenarios/test.yaml",
      overrides: set.map { Override(set: $0) })
  }

  @Test func `weaker classes have longer ways to the display`() throws {
    let devices = try load("").configuration.devices
    #expect(devices.count == 3)
    let attach = try devices.map { try #require($0.presentation).attach.quantile(0.5) }
    #expect(zip(attach, [0.005, 0.010, 0.020]).allSatisfy { abs($0 - $1) < 1e-9 })
    let refresh = try devices.map { try #require($0.presentation).refresh }
    #expect(refresh == [.microseconds(8330), .microseconds(16_670), .microseconds(16_670)])
    let create = try devices.map { try #require($0.mainThread).create.quantile(0.5) }
    #expect(zip(create, [0.010, 0.020, 0.070]).allSatisfy { abs($0 - $1) < 1e-9 })
    #expect(try devices.map { try #require($0.stress).players } == [0.05, 0.1, 0.2])
    let source = devices.map { $0.sourcePreparation?.quantile(0.5) ?? 0 }
    #expect(zip(source, [0.040, 0.080, 0.160]).allSatisfy { abs($0 - $1) < 1e-9 })
  }

  @Test func `each of them can be turned off, or set in part`() throws {
    let made = try load(
      "",
      [
        "devices[0].presentation=none", "devices[0].mainThread=none", "devices[0].stress=none",
        "devices[1].stress.swipe=0.5", "devices[1].presentation.composition=3",
      ]
    ).configuration.devices
    #expect(made[0].presentation == nil && made[0].mainThread == nil && made[0].stress == nil)
    #expect(made[1].stress?.swipe == 0.5 && made[1].stress?.players == 0.1)
    #expect(made[1].presentation?.composition == 3)
    #expect(made[1].presentation?.refresh == .microseconds(16_670))
  }

  @Test(arguments: [
    ("devices[0].presentation.attach=-1 ms", "devices[0].presentation.attach"),
    ("devices[0].presentation.refresh=60", "devices[0].presentation.refresh"),
    ("devices[0].presentation.composition=11", "devices[0].presentation.composition"),
    ("devices[0].stress.players=-1", "devices[0].stress.players"),
    ("devices[0].mainThread.creates=1 ms", "did you mean create?"),
  ])
  func `wrong values are named`(_ set: String, _ expected: String) {
    do throws(ScenarioRejected) {
      _ = try load("", [set])
      Issue.record("accepted \(set)")
    } catch {
      #expect(error.problems.contains { "\($0)".contains(expected) }, "\(error.problems)")
    }
  }

  @Test func `one Media3 player is one player, whatever the pool says`() throws {
    let policy = try load("policy: {player: {kind: media3-single}, pool: {size: 5, ahead: 2}}")
      .configuration.policy
    #expect(policy.pool.size == 1 && policy.pool.ahead == 0 && policy.pool.behind == 0)
    #expect(policy.player.isSetUpAnew)
    #expect(policy.startThreshold == .seconds(1) && policy.player.minimumBuffer == .seconds(50))
    #expect(try !load("policy: {player: {kind: media3}}").configuration.policy.player.isSetUpAnew)
    for (kind, takesParts) in ["chromium-mse": true, "chromium-native": false, "hls.js": false] {
      let player = try load("policy: {player: {kind: \(kind)}}").configuration.policy.player
      #expect(player.takesParts == takesParts, "\(kind)")
    }
  }

  @Test func `beside a mixed feed the display counts and the main thread is refused`() throws {
    let made = try load("surface: {}", ["devices[0].presentation.refresh=20 ms"])
    #expect(made.configuration.devices[0].presentation?.refresh == .milliseconds(20))
    do throws(ScenarioRejected) {
      _ = try load("surface: {}", ["devices[0].mainThread=none"])
      Issue.record("accepted")
    } catch {
      #expect(error.problems.contains { "\($0)".contains("mainThread") }, "\(error.problems)")
    }
  }
}
