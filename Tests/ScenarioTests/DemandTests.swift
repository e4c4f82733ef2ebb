import MediaUnits
import Models
import Scenario
import Testing

private let crowd = "{name: burst, from: 5 min, length: 2 min, factor: 3}"

private func made(_ body: String) throws -> FeedStudy {
  try FeedStudy.parse("version: 1\nname: test\n" + body, file: "s.yaml")
}

private func problems(_ body: String) -> [String] {
  do {
    _ = try made(body)
    return []
  } catch {
    return (error as? ScenarioRejected)?.problems.map(\.description) ?? ["\(error)"]
  }
}

@Suite struct DemandTests {
  @Test func `crowds, days, new titles and new versions are read`() throws {
    let scenario = try made(
      """
      audience:
        diurnal: {period: 12 h}
        crowds: [\(crowd), {name: viral, from: 0 s, length: 1 min, factor: 1, title: {kind: new}}]
      catalogue:
        titles: 1000
        newTitles: {}
        republish: [{at: 3 min, share: 0.5 %}, {at: 1 min, titles: 7}]
      cdn: {start: {kind: cold}}
      """)
    let configuration = scenario.configuration
    #expect(configuration.audience.crowds.map(\.from) == [.minutes(5), .zero])
    #expect(configuration.audience.crowds.map(\.newTitleShare) == [0, 0.3])
    #expect(configuration.audience.day != nil)
    #expect(configuration.catalogue.newTitles?.every == .seconds(4))
    #expect(
      configuration.catalogue.republishes == [
        Republish(at: .minutes(1), titles: 7), Republish(at: .minutes(3), titles: 5),
      ])
  }

  @Test func `every crowd has a window, after those of the file`() throws {
    let scenario = try made(
      """
      audience: {crowds: [\(crowd)]}
      windows: [{name: late, from: 10 min, to: 60 min}]
      budgets:
        - {metric: ttff_ms.p95, during: burst, limit: "< 1 s"}
        - {metric: "hit_ratio{tier=edge,window=late}", limit: "> 90 %"}
      """)
    #expect(scenario.windows == ["late", "burst"])
    #expect(
      scenario.configuration.windows == [
        MeasureWindow(from: .minutes(10), to: .minutes(60)),
        MeasureWindow(from: .minutes(5), to: .minutes(7)),
      ])
    #expect(
      scenario.budgets.map(\.metric.description) == [
        "ttff_ms{window=burst}.p95", "hit_ratio{tier=edge,window=late}.ratio",
      ])
  }

  @Test(arguments: [
    (
      "audience: {crowds: [{name: flash crowd, from: 0 s, length: 1 s, factor: 2}]}",
      "audience.crowds[0].name: expected a name of letters, digits, - and _", "flash crowd"
    ),
    (
      "audience: {crowds: [{name: a, from: -5 s, length: 1 s, factor: 2}]}",
      "audience.crowds[0].from: expected", "-5 s"
    ),
    (
      "audience: {crowds: [{name: a, from: 0 s, length: 1 s, factor: 0.5}]}",
      "audience.crowds[0].factor: expected a number from 1", "0.5"
    ),
    (
      "audience: {crowds: [{name: a, from: 18 min, length: 1 s, factor: 2}]}",
      "audience.crowds[0].from: expected a time before the end of audience.window", "18 min"
    ),
    (
      "audience: {crowds: [{name: a, from: 0 s, length: 1 min, factor: 2, ramp: 31 s}]}",
      "audience.crowds[0].ramp: expected at most half of length", "31 s"
    ),
    (
      "audience: {crowds: [{name: a, from: 0 s, length: 1 min, factor: 2, title: {kind: old}}]}",
      "audience.crowds[0].title.kind: expected", "old"
    ),
    (
      "audience: {crowds: [{name: a, from: 0 s, length: 1 min, factor: 2}]}\n"
        + "windows: [{name: a, from: 0 s, to: 1 s}]",
      "audience.crowds[0].name: expected each name once", "a"
    ),
    ("audience: {viewsPerDayPerEdge: 1.0e+15}", "expected at most 200000000 sessions", "e"),
    (
      "audience: {diurnal: {period: 1 min}, warmUp: 10 d}",
      "audience.diurnal.period: expected at most 4166 periods", "1 min"
    ),
    ("audience: {diurnal: {peakToTrough: 0.5}}", "audience.diurnal.peakToTrough: expected", "0.5"),
    (
      "windows: [{name: a, from: 2 s, to: 2 s}]", "windows[0].to: expected a time after from",
      "2 s"
    ),
    (
      "windows: [{name: a, from: 2 h, to: 3 h}]",
      "windows[0].from: expected a time before the end of the window and the drain", "2 h"
    ),
    (
      "catalogue: {titles: 10, republish: [{at: 1 s, titles: 11}]}",
      "catalogue.republish[0].titles: expected at most catalogue.titles", "11"
    ),
    (
      "catalogue: {republish: [{at: 18 min}]}",
      "catalogue.republish[0].at: expected a time before the end of audience.window", "18 min"
    ),
    (
      "catalogue: {titles: 4000000, republish: [{at: 1 s}]}",
      "catalogue: expected at most 4194303 titles, new titles and versions together", "8000000"
    ),
    (
      "catalogue: {newTitles: {}}", "cdn.start: expected cold, warmed or everything",
      "stationary"
    ),
    (
      "catalogue: {newTitles: {age: {kind: normal, mean: 5 s, sd: 5 s}}}\n"
        + "cdn: {start: {kind: cold}}",
      "catalogue.newTitles.age: expected values of at least 0", "a case for clip"
    ),
    (
      "audience: {crowds: [\(crowd)]}\n"
        + "budgets:\n  - {metric: ttff_ms.p95, during: brust, limit: \"< 1 s\"}",
      "budgets[0].during: expected a window of the scenario: burst", "did you mean burst?"
    ),
    (
      "budgets:\n  - {metric: \"ttff_ms{window=burst}.p95\", limit: \"< 1 s\"}",
      "budgets[0].metric: expected a window of the scenario: it has none", "burst"
    ),
    (
      "audience: {crowds: [\(crowd)]}\n"
        + "budgets:\n  - {metric: wasted_ratio, during: burst, limit: \"< 50 %\"}",
      "budgets[0].during: expected a metric that can be cut by window", "wasted_ratio cannot"
    ),
    (
      "audience: {crowds: [\(crowd)]}\nbudgets:\n"
        + "  - {metric: \"ttff_ms{window=burst}.p95\", during: burst, limit: \"< 1 s\"}",
      "budgets[0].during: expected no during beside the label window", "burst"
    ),
    (
      "budgets:\n  - {metric: \"ttff_ms{window=flash crowd}.p95\", limit: \"< 1 s\"}",
      "budgets[0].metric: expected a name of letters, digits, - and _", "such as flash-crowd"
    ),
  ])
  func `a wrong value gets one clear message`(_ body: String, _ start: String, _ part: String) {
    let found = problems(body)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(start) == true, "\(found)")
    #expect(found.first?.contains(part) == true, "\(found)")
  }

  @Test(arguments: [
    "manifest_staleness_ms", "manifest_staleness_ms.p95", "manifest_staleness_ms{window=a}.max",
    "old_version_ratio{network=a}", "wasted_ratio{window=a}", "origin_offload{tier=edge}",
    "ttff_ms{window=}.p95", "ttff_ms{window=-a}.p95",
  ])
  func `a metric that does not exist is refused`(_ text: String) {
    #expect(throws: MetricReference.Fault.self) { try MetricReference.parse(text).get() }
  }

  @Test(arguments: [
    ("manifest_staleness_ms.max", MetricReference.Unit.milliseconds),
    ("old_version_ratio", .ratio), ("origin_offload{window=a}", .ratio),
    ("hit_ratio{tier=shield,window=a-1}", .ratio), ("ttff_cold_ms{window=a}.p99", .milliseconds),
  ])
  func `a metric of a window or of versions has its unit`(
    _ text: String, _ unit: MetricReference.Unit
  ) throws {
    #expect(try MetricReference.parse(text).get().unit == unit)
  }
}
