import Testing

@testable import Scenario

struct MetricThresholdTests {
  private func parsed(_ body: String) throws -> StudyScenario {
    try StudyScenario.parse("version: 1\nname: s\n" + body + "\n", file: "s.yaml")
  }

  @Test func `a threshold is a share, an amount or both`() throws {
    let scenario = try parsed(
      """
      thresholds:
        - {metric: wasted_ratio, relative: 5 %}
        - {metric: ttff_ms.p95, absolute: 20 ms}
        - {metric: not_started_ratio, relative: 0.1, absolute: 0.2 %}
      """)
    #expect(scenario.thresholds.map(\.relative) == [0.05, nil, 0.1])
    #expect(scenario.thresholds.map(\.absolute) == [nil, 20, 0.002])
  }

  @Test(arguments: [
    ("{metric: wasted_ratio, relative: 120 %}", "thresholds[0].relative: expected"),
    ("{metric: ttff_ms.p95, absolute: soon}", "thresholds[0].absolute: expected"),
    ("{metric: ttff_msx.p95, relative: 5 %}", "thresholds[0].metric: expected"),
  ])
  func `a threshold that cannot be gets one message`(_ row: String, _ part: String) throws {
    do {
      _ = try parsed("thresholds:\n  - " + row)
      Issue.record("accepted")
    } catch let error as ScenarioRejected {
      let found = error.problems.map(\.description)
      #expect(found.count == 1 && found[0].contains(part), "\(found)")
    }
  }
}
