import Foundation
import Models
import Scenario
import Studies
import Testing

/// The kinds that a browser's calibration stands behind.
@Suite struct ChromiumKindTests {
  @Test(arguments: [("chromium", "chromium-mse"), ("chromium-native", "chromium-native")])
  func `a browser's kinds are the fit that lies in results`(
    _ device: String, _ player: String
  ) throws {
    let fit = try FeedStudy.load("results/calibration/\(player).yaml", overrides: [])
    let kinds = try FeedStudy.parse(
      """
      version: 1
      name: kinds
      devices: [{kind: \(device)}]
      policy: {player: {kind: \(player)}}

      """, file: "kinds.yaml", overrides: [])
    let (a, b) = (fit.configuration.devices[0], kinds.configuration.devices[0])
    for step in 0..<21 {
      let u = (Double(step) + 0.5) / 21
      #expect(a.playerCreation.quantile(u) == b.playerCreation.quantile(u))
      #expect(a.decoderSetup.quantile(u) == b.decoderSetup.quantile(u))
      #expect(a.decoderReuse.quantile(u) == b.decoderReuse.quantile(u))
      #expect(a.firstDecode.quantile(u) == b.firstDecode.quantile(u))
      #expect(a.mainThread?.create.quantile(u) == b.mainThread?.create.quantile(u))
      #expect(a.mainThread?.retarget.quantile(u) == b.mainThread?.retarget.quantile(u))
      #expect(a.presentation?.attach.quantile(u) == b.presentation?.attach.quantile(u))
    }
    #expect(a.presentation?.refresh == b.presentation?.refresh)
    #expect(a.presentation?.composition == b.presentation?.composition)
    #expect(a.stress?.players == b.stress?.players)
    #expect(a.stress?.transfers == b.stress?.transfers)
    #expect(a.stress?.swipe == b.stress?.swipe)
    #expect(
      fit.configuration.policy.startThreshold == kinds.configuration.policy.startThreshold)
  }
}
