import Models
import Scenario
import Testing

/// `audience.background` and `audience.sampling` in a scenario file.
@Suite struct AudienceScaleTableTests {
  private func parse(_ set: [String]) throws -> FeedStudy {
    try FeedStudy.parse(
      "version: 1\nname: scale\n", file: "scale.yaml", overrides: set.map { Override(set: $0) })
  }

  @Test func `the share of the simulated follows from both audiences`() throws {
    let made = try parse([
      "audience.viewsPerDayPerEdge=1000000", "cdn.edgesBehindShield=20", "cdn.edges=20",
      "audience.background={viewers: 10000000, viewsPerDay: 18}",
    ])
    #expect(made.configuration.scale.factor == 10)
    #expect(made.configuration.audience.viewsPerDayPerEdge == 1_000_000)
    #expect(made.configuration.scale.stride == 1)
  }

  @Test func `a sample has a share of the sessions and keeps popular titles`() throws {
    let made = try parse(["audience.sampling={share: 5 %}"])
    let whole = try parse([])
    let scale = made.configuration.scale
    #expect(scale.factor == 20 && scale.stride == 20)
    #expect(
      made.configuration.audience.viewsPerDayPerEdge * 20
        == whole.configuration.audience.viewsPerDayPerEdge)
    let popular = made.configuration.catalogue.probabilities
    #expect(popular[Int(scale.headTitles)] * 20 * 128 <= 0.05)
    #expect(popular[Int(scale.headTitles) - 1] * 20 * 128 > 0.05)
  }

  @Test func `contradictions are told in one pass`() throws {
    do {
      _ = try parse([
        "audience.background={viewers: 1000}", "audience.sampling={share: 30 %}",
        "cdn.edge={kind: sieve, admission: {kind: second-miss}}",
        "cdn.start={kind: everything}", "cdn.origin.concurrency=10",
      ])
      Issue.record("expected problems")
    } catch let error as ScenarioRejected {
      let keys = Set(error.problems.map(\.keyPath))
      for key in [
        "audience.sampling", "audience.sampling.share", "cdn.edge", "cdn.edge.admission",
        "cdn.start", "cdn.origin.concurrency",
      ] { #expect(keys.contains(key), "\(key) in \(keys)") }
    }
  }
}
