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

  @Test func `every key that it follows, and every exception, is a key of a scenario`() {
    for path in ScenarioChecks.used.union(ScenarioChecks.exceptions).sorted() {
      #expect(!shapes(path).isEmpty, "no key \(path)")
    }
    for path in ScenarioChecks.exceptions {
      #expect(
        ScenarioChecks.used.contains { path.hasPrefix($0 + ".") },
        "\(path) is followed nowhere, so that it is no exception")
    }
    #expect(shapes("network.access.noSuchKey").isEmpty)
    #expect(shapes("noSuchPart.rate").isEmpty)
  }

  @Test func `a key below one that it follows is followed, but for the exceptions`() throws {
    func problems(_ access: String) -> [String] {
      do {
        _ = try StudyScenario.parse(
          "version: 1\nname: x\nsurface: {}\nnetwork: {access: [{kind: lte, \(access)}]}\n",
          file: "s.yaml")
        return []
      } catch { return error.problems.map(\.description) }
    }
    #expect(problems("rateSigma: 0.2, outageRate: 1 Mbps").isEmpty)
    let found = problems("cell: {rate: 10 Mbps}")
    #expect(found.count == 1)
    let first = try #require(found.first)
    #expect(first.hasPrefix("s.yaml:4:"), "\(first)")
    #expect(first.contains(" network.access[0].cell: expected the default"), "\(first)")
  }
}
