import Testing

@testable import Scenario

/// Which keys of a feed a mixed feed follows.
@Suite struct MixedFeedKeyTests {
  /// The mappings that may stand where a shape is, those of a list's elements too.
  private func objects(_ shape: Shape) -> [ObjectShape] {
    switch shape {
    case .optional(let inner), .list(let inner, _), .map(_, let inner, _): objects(inner)
    case .object(let object): [object]
    case .kinds(let kinds): kinds.map(\.object)
    default: []
    }
  }

  /// The shapes that a key path without indices names.
  private func shapes(_ path: String) -> [Shape] {
    var places = [ScenarioTable.schema.root]
    var found: [Shape] = []
    for key in path.split(separator: ".") {
      found = places.flatMap { $0.fields.filter { $0.name == key }.map(\.shape) }
      places = found.flatMap(objects)
    }
    return found
  }

  @Test func `every key that it follows is a key of a scenario`() {
    for path in ScenarioChecks.used.sorted() {
      #expect(!shapes(path).isEmpty, "no key \(path)")
    }
    #expect(shapes("network.access.noSuchKey").isEmpty)
    #expect(shapes("noSuchPart.rate").isEmpty)
  }

  private func problems(_ network: String) -> [String] {
    do {
      _ = try StudyScenario.parse(
        "version: 1\nname: x\nsurface: {}\nnetwork: {\(network)}\n", file: "s.yaml")
      return []
    } catch { return error.problems.map(\.description) }
  }

  @Test func `a key below one that it follows is followed`() throws {
    for access in [
      "rateSigma: 0.2, outageRate: 1 Mbps", "cell: {rate: 10 Mbps}",
      "events: [{kind: hand-over, at: 1 s}]",
    ] {
      let found = problems("access: [{kind: lte, \(access)}]")
      #expect(found.isEmpty, "\(found)")
    }
  }

  @Test func `it has the connections that its HTTP version has`() throws {
    let found = problems("http: 1.1, connectionsPerHost: 4")
    #expect(found.isEmpty, "\(found)")
    let refused = problems("model: pensieve")
    let first = try #require(refused.first)
    #expect(refused.count == 1 && first.hasPrefix("s.yaml:4:"), "\(refused)")
    #expect(first.contains(" network.model: expected the default"), "\(first)")
  }
}
