import CacheModel
import Models
import Scenario
import Testing

@testable import Studies

/// What one pilot counts has its chance, and the caches are filled by it: an interval over
/// replications has to hold that chance, too.
@Suite struct PilotNoiseTests {
  private static let seeds: Range<UInt64> = 1..<13
  private static let replications: Range<UInt16> = 0..<6

  /// The share of the segments' bytes that the edges have.
  private func hitRatio(
    seed: UInt64, replication: UInt16, pilotOf pilot: UInt16
  ) throws -> Double {
    let made = try FeedStudy.parse(
      "version: 1\nname: test\n", file: "test.yaml",
      overrides: [
        "audience.window=1 min", "audience.warmUp=0 s", "audience.sessionLength=10 s",
        "audience.viewsPerDayPerEdge=10000000", "catalogue.titles=2000",
        "cdn.edge.capacity=4 GB", "seed=\(seed)",
      ].map { Override(set: $0) })
    let edge = try FeedRun.run(
      made.configuration,
      plan: FeedRun.plan(made.configuration, seed: seed, replication: pilot),
      seed: seed, replication: replication
    ).measures.edge
    let hits = edge.bytes(.segment, .hit) + edge.bytes(.segment, .staleHit)
    return Double(hits) / Double(CacheOutcome.allCases.reduce(0) { $0 + edge.bytes(.segment, $1) })
  }

  private func variance(_ values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
  }

  /// Means of seeds vary as much as their replications claim, by an F of 11 and 60 degrees of
  /// freedom: a thousandth is above 3.4. A pilot is a part of what they vary by: with the same
  /// viewers, twelve pilots give twelve hit ratios, whose variance is told from a twentieth of
  /// that of replications. Were the pilot shared, that part would be in all means and in no claim.
  @Test func `the spread of replications holds the chance of pilots`() throws {
    var means: [Double] = []
    var within = 0.0
    for seed in Self.seeds {
      let values = try Self.replications.map {
        try hitRatio(seed: seed, replication: $0, pilotOf: $0)
      }
      means.append(values.reduce(0, +) / Double(values.count))
      within += variance(values) / Double(Self.seeds.count)
    }
    let ratio = variance(means) / (within / Double(Self.replications.count))
    #expect(ratio < 3.4)
    let ofPilots = variance(
      try Self.seeds.map { try hitRatio(seed: 1, replication: 0, pilotOf: UInt16($0)) })
    #expect(ofPilots > within / 20, "\(ofPilots / within) of the variance of replications")
    print("pilots: \(ofPilots / within), seeds: \(ratio)")
  }
}
