import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@testable import LoadHarness

@Suite struct SessionLinkTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  private func scenario(_ settings: [String] = []) throws -> FeedStudy {
    try FeedStudy.load(
      "\(Self.root)/scenarios/wifi-budget-gate.yaml",
      overrides: settings.map { Override(set: $0) })
  }

  private func link(_ scenario: FeedStudy, _ session: UInt32, seed: UInt64 = 1) -> SessionLink {
    scenario.configuration.link(
      of: session, streams: RandomStreams(seed: seed, replication: 0), length: .seconds(60))
  }

  @Test func `a session's link is the scenario's and a function of seed and session`() throws {
    let scenario = try scenario()
    let first = link(scenario, 3)
    #expect(first == link(scenario, 3))
    #expect(first.rate != link(scenario, 4).rate && first.rate != link(scenario, 3, seed: 2).rate)
    // Good Wi-Fi (parameters.md section 1.7).
    #expect(first.uplinkRate == 15e6 && first.queueLimit == 60_000_000)
    #expect(first.loss == .independent(0.001))
    #expect(first.rate.starts.allSatisfy { $0 % 1_000_000_000 == 0 })
    #expect(first.rate.starts.count > 30 && first.rate.starts.count <= 60)
    let profile = LinkProfile(first, session: 3)
    #expect(profile.down.delay + profile.up.delay == first.roundTrip)
    #expect(profile.down.queue == .time(60_000_000, leastPackets: 20))
    #expect(profile.lossKey == 3 && profile.up.loss == .none)
  }

  /// The median of the sessions' mean rates is the law's. Tolerance: four standard errors of a
  /// median of 500 lognormal rates with sigma 0.8 and seconds with 0.3.
  @Test func `the sessions' rates follow the scenario's law`() throws {
    let scenario = try scenario()
    let rates = (0..<500).map { session -> Double in
      let rate = link(scenario, UInt32(session)).rate
      return rate.mean
    }.sorted()
    let error = 1.2533 * (0.8 * 0.8 + 0.3 * 0.3).squareRoot() / 500.0.squareRoot()
    #expect(abs(log(rates[250] / 40.4473e6)) < 4 * error, "\(rates[250])")
  }

  @Test func `a constant link is one step, a tunnel is a silence in it`() throws {
    let plain = try scenario([
      "network.access=[{kind: constant, name: wifi-good, rate: 5 Mbps, roundTrip: 30 ms}]"
    ])
    #expect(link(plain, 0).rate == RateTrace(constant: 5e6))
    #expect(link(plain, 0).roundTrip == 30_000_000)
    let tunnel = try scenario([
      "network.access=[{kind: constant, name: wifi-good, rate: 5 Mbps, roundTrip: 30 ms, "
        + "events: [{kind: tunnel, at: 4 s, length: 2 s}]}]"
    ])
    #expect(
      link(tunnel, 0).rate
        == RateTrace(
          starts: [0, 4_000_000_000, 6_000_000_000], rates: [5e6, 0, 5e6], end: .hold))
  }
}
