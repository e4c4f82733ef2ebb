import Foundation
import Scenario
import Statistics
import Testing

@testable import Reports
@testable import Studies

@Suite struct ResultDocumentTests {
  private func object(_ text: String) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `the result obeys its published schema`() throws {
    let schema = try object(ResultDocument.jsonSchema())
    let document = try object(ResultDocument.text(Fixture.result()))
    #expect(SchemaCheck(document, schema).faults == [])
  }

  @Test func `a gate's result says what each changed key did, by the same schema`() throws {
    let change = ConfigurationChange(key: "policy.pool.size", before: "3", after: "1")
    let found = MetricCauses(
      metric: .known("ttff_swipe_ms.p95"), change: 24, replications: 8,
      causes: [Cause(change: change, share: 1, interval: nil, alone: 24, undone: 24)],
      together: nil, togetherInterval: nil)
    let nothing = Comparison([], baseline: [], candidate: [], isPaired: true)
    let baseline = BaselineComparison(
      path: "base.json", digest: "00000000", seed: 7, comparison: nothing, optional: [],
      cohorts: nothing, changes: [change], causes: [found], parts: [])
    let document = try object(ResultDocument.text(Fixture.result(), against: baseline))
    #expect(SchemaCheck(document, try object(ResultDocument.jsonSchema())).faults == [])
    let causes = try #require(document["causes"] as? [[String: Any]])
    let keys = try #require(causes.first?["keys"] as? [[String: Any]])
    #expect(keys.first?["key"] as? String == "policy.pool.size")
    #expect(keys.first?["share"] as? Double == 1)
    #expect(try object(ResultDocument.text(Fixture.result()))["causes"] == nil)
  }

  @Test(arguments: ["verdict", "fingerprint", "budgets", "views", "surplus", "exitCode"])
  func `the schema refuses a damaged result`(_ name: String) throws {
    let schema = try object(ResultDocument.jsonSchema())
    var document = try object(ResultDocument.text(Fixture.result()))
    switch name {
    case "verdict": document[name] = "perhaps"
    case "fingerprint": document[name] = "AB"
    case "budgets": document[name] = nil
    case "views": document[name] = -1
    case "exitCode": document[name] = "0"
    default: document[name] = 1
    }
    let faults = SchemaCheck(document, schema).faults
    #expect(faults.count == 1, "\(faults)")
    #expect(faults[0].contains(name))
  }

  @Test func `the schema names the clocks that have a histogram, and says what is pooled`() throws {
    let text = ResultDocument.jsonSchema()
    let schema = try object(text)
    let properties = try #require(schema["properties"] as? [String: [String: Any]])
    let items = try #require(properties["histograms"]?["items"] as? [String: Any])
    let members = try #require(items["properties"] as? [String: [String: Any]])
    #expect(
      members["metric"]?["enum"] as? [String]
        == ["ttff_ms", "ttff_cold_ms", "ttff_swipe_ms", "ttff_play_ms"])
    #expect(text.contains("percentile of the views of all replications"))
    #expect(text.contains("all started views that waited for more than the display"))
  }

  @Test func `the head of the document is fixed text`() throws {
    let text = ResultDocument.text(try Fixture.result())
    let identity = RunIdentity(try Fixture.result())
    let head = """
      {
        "schema": 1,
        "kind": "firstframe.result",
        "scenario": {
          "name": "hand-made",
          "digest": "\(identity.digest)",
          "description": "A result made by hand",
          "short": false
        },
        "seed": 7,
        "shuffleTies": null,
        "fingerprint": "00000000000000ab",
        "verdict": "invalid",
        "exitCode": 13,
        "replications": {"run":8,"cap":16,"looks":[8,16],"partial":false},
        "events": 5000,
        "simulatedSeconds": 90.0,
        "views": 1200,
        "sessions": 40,
      """
    #expect(text.hasPrefix(head))
    #expect(text.hasSuffix("\n}\n"))
  }

  @Test func `a budget names its file without the folder`() throws {
    let text = ResultDocument.text(try Fixture.result())
    #expect(text.contains("\"place\": \"hand.yaml:10\""))
    #expect(!text.contains("some/folder"))
    #expect(ResultDocument.place("--set budgets") == "--set budgets")
  }

  @Test func `an interval stands as two ends and is null when there is none`() throws {
    let document = try object(ResultDocument.text(Fixture.result()))
    let budgets = try #require(document["budgets"] as? [[String: Any]])
    #expect(budgets[0]["interval"] as? [Double] == [405.75, 418.75])
    #expect(budgets[2]["interval"] is NSNull)
    #expect(budgets[2]["isLowerBound"] as? Bool == true)
    let values = try #require(budgets[0]["values"] as? [Any])
    #expect(values[0] as? Double == 412.25 && values[1] is NSNull)
  }

  @Test func `fixed buckets are exact and fine buckets hold the same views`() throws {
    let document = try object(ResultDocument.text(Fixture.result()))
    let histograms = try #require(document["histograms"] as? [[String: Any]])
    #expect(histograms.count == 8)
    let fixed = try #require(histograms[0]["fixedBuckets"] as? [[Any]])
    #expect(fixed.map { $0[2] as? Int } == [1, 0, 1, 0, 0, 0, 0, 0, 1])
    #expect(fixed.map { $0[3] as? Int } == [0, 0, 0, 0, 0, 1, 0, 0, 0])
    let fine = try #require(histograms[0]["buckets"] as? [[Double]])
    #expect(fine.count == 4)
    #expect(fine.reduce(0) { $0 + $1[2] } == 3)
    // Every time lies in its bucket, and no bucket is wider than 1.6 % of its end.
    for (row, time) in zip(fine, [0, 150, 700, 5000]) {
      #expect(row[0] <= Double(time) && Double(time) <= row[1])
      #expect(row[1] - row[0] <= 0.016 * row[1])
    }
  }

  @Test func `only tiers that counted something are listed`() throws {
    let document = try object(ResultDocument.text(Fixture.result()))
    let tiers = try #require(document["tiers"] as? [[String: Any]])
    #expect(tiers.map { $0["outcome"] as? String } == ["hit", "miss"])
    #expect(tiers.allSatisfy { $0["tier"] as? String == "edge" })
    #expect(tiers.map { $0["bytes"] as? Int } == [900, 100])
  }

  @Test func `the parts of a breakdown sum to its total exactly`() throws {
    let document = try object(ResultDocument.text(Fixture.result()))
    let breakdown = try #require(document["startupBreakdown"] as? [String: [String: Any]])
    for band in ["p50", "p95"] {
      let parts = try #require(breakdown[band]?["parts"] as? [[String: Any]])
      let sum = parts.reduce(0) { $0 + ($1["nanoseconds"] as? Int ?? 0) }
      #expect(sum > 0 && sum == breakdown[band]?["totalNanoseconds"] as? Int)
    }
    #expect(breakdown["waited"]?["exemplar"] is NSNull)
  }

  @Test func `the digest depends on all that the result depends on`() throws {
    let scenario = try Fixture.scenario()
    func digest(_ change: (inout StudyOptions) -> Void) -> String {
      var options = StudyOptions()
      change(&options)
      return RunIdentity(scenario, options: options).digest
    }
    let plain = digest { _ in }
    #expect(digest { $0.threads = 9 } == plain)
    let others = [
      digest { $0.seed = 8 }, digest { $0.shuffleTies = 1 }, digest { $0.fixedReplications = 16 },
      digest { $0.fixedReplications = 8 },
    ]
    #expect(Set(others + [plain]).count == 5)
    #expect(RunIdentity(try Fixture.result()).digest == plain)
  }

  @Test func `lists of numbers fill lines and short objects stay on one`() {
    let numbers = JSONText.array((0..<60).map { .integer(Int64($0)) })
    let text = JSONLayout.text(["a": ["b": 1], "n": numbers])
    let lines = text.split(separator: "\n")
    #expect(lines[1] == "  \"a\": {\"b\":1},")
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines.count == 8)
  }
}
