import Scenario
import Testing

/// `audience.extraColdStarts` in a scenario file.
@Suite struct ExtraColdStartTableTests {
  private func problems(_ set: [String]) -> [Problem] {
    do {
      _ = try FeedStudy.parse(
        "version: 1\nname: cold\naudience:\n  extraColdStarts: 10\n", file: "cold.yaml",
        overrides: set.map { Override(set: $0) })
      return []
    } catch {
      return error.problems
    }
  }

  @Test func `there are none unless a file asks for them`() throws {
    let plain = try FeedStudy.parse("version: 1\nname: cold\n", file: "cold.yaml")
    #expect(plain.configuration.audience.extraColdStarts == 0)
    #expect(problems([]).isEmpty)
  }

  @Test(arguments: [
    ("audience.diurnal={}", "audience.diurnal"),
    ("audience.crowds=[{name: a, from: 0 s, length: 10 s, factor: 2}]", "audience.crowds"),
    ("audience.background={viewers: 10000000}", "audience.background"),
    ("audience.sampling={share: 5 %}", "audience.sampling"),
    ("network.access=[{kind: lte, cell: {rate: 50 Mbps}}]", "a cell"),
    ("cdn.origin.outages=[{kind: error, from: 1 s, length: 2 s}]", "cdn.origin.outages"),
    ("cdn.origin.concurrency=10", "cdn.origin.concurrency"),
    ("cdn.shield={kind: lru, collapsing: absent-only}", "absent-only"),
  ])
  func `what they would bias, or be biased by, refuses them where they stand`(
    _ change: (set: String, named: String)
  ) throws {
    let found = problems([change.set])
    #expect(found.count == 1)
    let problem = try #require(found.first)
    #expect(problem.keyPath == "audience.extraColdStarts")
    #expect("\(problem)".hasPrefix("cold.yaml:4:20: "), "\(problem)")
    #expect("\(problem)".contains(change.named), "\(problem)")
  }

  @Test func `a mixed feed has none`() {
    #expect(problems(["surface={}"]).map(\.keyPath) == ["audience.extraColdStarts"])
  }
}
