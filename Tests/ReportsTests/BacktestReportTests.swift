import Foundation
import Scenario
import Statistics
import Studies
import Testing

@testable import Reports
@testable import Studies

/// The documents of a backtest, and the line that later runs print.
@Suite struct BacktestReportTests {
  private static func row(
    _ metric: BacktestMetric, _ predicted: Double, _ observed: Double, half: Double?,
    _ verdict: Backtest.Verdict, cohort: String = "", reason: String = ""
  ) -> Backtest.Row {
    let error = predicted - observed
    return Backtest.Row(
      metric: metric, cohort: cohort, predicted: predicted, observed: observed,
      interval: half.map { Interval(lower: error - $0, upper: error + $0) },
      tolerance: 30, samples: (9000, 1234), verdict: verdict, reason: reason)
  }

  private static func backtest() throws -> Backtest {
    let times = [120.0, 250, 400, 900].enumerated().map { place, time in
      ClusteredTimes.Unit(time, hasEvent: place < 3, cluster: Int32(place))
    }
    let sample = try ClusteredTimes(times, clusters: 4)
    var backtest = try Backtest(predicted: ObservedViews(), observed: ObservedViews())
    backtest.rows = [
      row(BacktestMetric.views[0], 840, 900, half: 25, .disagrees),
      row(BacktestMetric.views[6], 0.02, 0.025, half: 0.002, .agrees),
      row(
        BacktestMetric.views[0], 700, 710, half: nil, .tooLittleData, cohort: "device=<mid>",
        reason: "12 samples, 20 are needed"),
    ]
    let points = [
      Backtest.Curve.Point(time: 120, share: 0.25), Backtest.Curve.Point(time: 400, share: 0.75),
    ]
    backtest.curves = [
      Backtest.Curve(
        clock: .cold, cohort: "", predicted: points, observed: points,
        distance: try ClusteredDistance(sample, sample, seed: 1), verdict: .agrees)
    ]
    let part = Backtest.Parts.Part(
      name: "dns+connect+tls", predicted: 200, observed: 260,
      interval: Interval(lower: -70, upper: -50))
    backtest.parts = [
      Backtest.Parts(
        clock: .cold,
        whole: .init(
          name: "ttff", predicted: 800, observed: 870, interval: Interval(lower: -90, upper: -50)),
        parts: [part])
    ]
    backtest.notObserved = ["bytes_per_view"]
    backtest.views = (9000, 1234)
    return backtest
  }

  private static func report() throws -> BacktestReport {
    BacktestReport(
      try backtest(), scenario: "small", digest: "12345678", dataDigest: "0badf00d",
      replications: 8, notes: ["Three lines could not be read & were left out."])
  }

  @Test func `the text says verdict, errors with their intervals, and what explains them`() throws {
    let text = try Self.report().text(color: false)
    #expect(text.contains("DISAGREES: 1 of 2 metrics are predicted within their tolerances"))
    #expect(text.contains("(exit code 10)"))
    #expect(text.contains("1,234 views observed (data 0badf00d), 9,000 predicted"))
    #expect(text.contains("-60 ±25 ms (-6.7 %)"), "\(text)")
    #expect(text.contains("-0.50 ±0.20 points"), "\(text)")
    #expect(text.contains("12 samples, 20 are needed"))
    #expect(text.contains("Most of the error is in dns+connect+tls: -60.0 ms, 86 % of it."))
    #expect(text.contains("Not observed: bytes_per_view"))
    #expect(text.contains("Kolmogorov-Smirnov distance 0.000, p 1.000"))
  }

  @Test func `the JSON has every number, and is the same every time`() throws {
    let text = try Self.report().json()
    #expect(try text == Self.report().json())
    struct Document: Decodable {
      struct Row: Decodable {
        var metric, cohort, verdict: String
        var error: Double?
        var errorInterval: [Double]?
      }
      struct Start: Decodable { var explainedBy: String? }
      var kind, verdict: String
      var exitCode: Int
      var rows: [Row]
      var starts: [Start]
    }
    let read = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
    #expect(read.kind == "firstframe.backtest" && read.verdict == "disagrees")
    #expect(read.exitCode == 10 && read.rows.count == 3)
    #expect(read.rows[0].error == -60 && read.rows[0].errorInterval == [-85, -35])
    #expect(read.rows[2].errorInterval == nil && read.rows[2].cohort == "device=<mid>")
    #expect(read.starts.first?.explainedBy == "dns+connect+tls")
  }

  @Test func `the page has both curves on one plot, and escapes what it is told`() throws {
    let page = BacktestPage.text(try Self.report())
    #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.contains("<svg"))
    #expect(page.contains("device=&lt;mid&gt;") && !page.contains("device=<mid>"))
    #expect(page.contains("could not be read &amp; were left out"))
    let chart = BacktestPage.chart(try Self.report().backtest.curves[0])
    #expect(chart.series.map(\.name) == ["predicted", "observed"])
    #expect(chart.series.allSatisfy { $0.points.count == 2 })
    #expect(!page.contains("<script"))
  }

  // MARK: Suspects

  private static func law(
    _ name: String, _ factor: Double, _ interval: Interval, explained: Double, gain: Double
  ) -> SuspectedLaw {
    SuspectedLaw(
      name, keys: ["feed.\(name.count)"], factor: factor, interval: interval,
      explained: explained, gain: gain)
  }

  /// Two laws, the second `apart` from the first.
  private static func suspected(apart: Double) throws -> BacktestReport {
    var report = try report()
    report.suspects = Suspects(
      laws: [
        law(
          "round trips", 1.27, Interval(lower: 1.2, upper: 2), explained: 0.964, gain: 60),
        law(
          "rates <of> links", 0.8, Interval(lower: 0.5, upper: 0.9), explained: 0.31,
          gain: 60 - apart),
      ], leastGain: 5, notScaled: ["bytes of edges: nothing of it can be scaled"],
      metrics: ["ttff_cold_ms.p50"],
      runs: 4)
    return report
  }

  @Test func `a suspect is named with factor, interval and share, or not told apart`() throws {
    let named = try Self.suspected(apart: 55).text(color: false)
    #expect(
      named.contains(
        "Suspect: round trips, 1.27 (1.20 to more) times what the scenario has: explains 96 % of"),
      "\(named)")
    #expect(named.contains("0.80 (less to 0.90) times"))
    #expect(named.contains("4 predictions of 8 replications"))
    #expect(named.contains("Not scaled: bytes of edges: nothing of it can be scaled"))
    let both = try Self.suspected(apart: 5).text(color: false)
    #expect(
      both.contains("Suspects that these data do not tell apart: round trips, rates <of> links."))
    var nobody = try Self.suspected(apart: 5)
    nobody.suspects?.laws[0].gain = 4
    nobody.suspects?.laws[1].gain = 3
    #expect(nobody.text(color: false).contains("No suspect: no law explains more of the errors"))
    #expect(!(try Self.report().text(color: false).contains("uspect")))
  }

  private struct Suspected: Decodable {
    struct Law: Decodable {
      var law: String
      var keys: [String]
      var factor, explained, gain: Double
      var factorInterval: [Double]
    }
    struct Found: Decodable {
      var outcome: String
      var candidates, notScaled, metrics: [String]
      var laws: [Law]
      var runs: Int
    }
    var suspects: Found?
  }

  private func read(_ report: BacktestReport) throws -> Suspected.Found? {
    let read = try JSONDecoder().decode(Suspected.self, from: Data(report.json().utf8))
    return read.suspects
  }

  @Test func `suspects are in the JSON and on the page`() throws {
    let found = try #require(try read(Self.suspected(apart: 5)))
    #expect(found.outcome == "not told apart" && found.runs == 4 && found.notScaled.count == 1)
    #expect(found.candidates == ["round trips", "rates <of> links"])
    #expect(found.laws[0].law == "round trips" && found.laws[0].factor == 1.27)
    #expect(found.laws[0].factorInterval == [1.2, 2] && found.laws[0].explained == 0.964)
    #expect(found.laws[0].keys == ["feed.11"] && found.laws[0].gain == 60)
    #expect(try read(Self.suspected(apart: 55))?.outcome == "named")
    #expect(try read(Self.report()) == nil)
    let page = BacktestPage.text(try Self.suspected(apart: 55))
    #expect(page.contains("Which law would explain the errors"))
    #expect(page.contains("rates &lt;of&gt; links") && page.contains("1.27 (1.20 to more) times"))
    #expect(!BacktestPage.text(try Self.report()).contains("Which law"))
  }

  // MARK: The line

  private func lines(
    _ reach: Trust.Reach, verdict: String = "agrees", change: String? = nil
  ) throws -> [String] {
    var trust = Trust(
      try Self.backtest(), scenario: try Fixture.scenario(), dataDigest: "0badf00d",
      replications: 8)
    (trust.verdict, trust.change) = (verdict, change)
    return TrustLines.lines(trust, reach)
  }

  @Test func `one line says what was found, and a warning where nothing was tested`() throws {
    func words(_ lines: [String]) -> String {
      lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    }
    let within = try lines(Trust.Reach(left: [], otherVersion: nil))
    #expect(within.count <= 2 && within.allSatisfy { $0.count <= 80 })
    #expect(words(within).hasPrefix("TRUST: backtest agrees on 1,234 views (data 0badf00d)"))
    #expect(words(within).contains("ttff_cold_ms.p50 off by -7 %"))
    #expect(words(within).contains("not_started_ratio by -0.5 points"))
    let changed = try lines(Trust.Reach(left: [], otherVersion: nil), change: "disagrees")
    #expect(words(changed).contains("(data 0badf00d, the change: disagrees): at most"))
    #expect(changed.count <= 2)
    let left = ConfigurationChange(key: "policy.pool.size", before: "3", after: "5")
    let text = words(try lines(Trust.Reach(left: [left, left], otherVersion: 4)))
    #expect(text.contains("NOT TESTED: the model has changed since (version 4)"))
    #expect(text.contains("NOT TESTED: policy.pool.size 5, tested 3 and 1 more"))
  }

  @Test func `the line stands under the verdict of a run, and nowhere without a backtest`() throws {
    let result = try Fixture.result()
    let plain = try BacktestReportTests.brief(result, trust: [])
    let told = try BacktestReportTests.brief(result, trust: ["TRUST: x"])
    #expect(told[1] == "TRUST: x" && told.filter { $0 != "TRUST: x" } == plain)
    #expect(told.count <= 40)
  }

  @Test func `a folder has the documents, and later runs find what they need`() throws {
    let parent = FileManager.default.temporaryDirectory.appending(
      path: "backtest-\(UUID().uuidString)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: parent) }
    let report = try Self.report()
    let trust = Trust(
      report.backtest, scenario: try Fixture.scenario(), dataDigest: report.dataDigest,
      replications: 8)
    let folder = try BacktestFolder.write(report, trust: trust, parent: parent)
    #expect(folder == "\(parent)/small-12345678-backtest-0badf00d")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names == ["backtest.html", "backtest.json", "scenario.resolved.yaml", "trust.json"])
    #expect(try Trust.load(BacktestFolder.trustPath(of: "small", in: parent)) == trust)
  }

  private static func brief(_ result: StudyResult, trust: [String]) throws -> [String] {
    try BriefReport.text(result, folder: "results/x", trust: trust)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
