import Testing

@testable import Reports
@testable import Scenario
@testable import Statistics
@testable import Studies

@Suite struct SweepChartTests {
  @Test func `the front shows every point with data, by its values, with intervals cut at 0`()
    throws
  {
    let sweep = try SweepFixture.sweep(front: "ttff_ms.p95, wasted_ratio")
    let chart = try #require(SweepCharts.front(sweep))
    #expect(chart.points.map(\.name) == ["2 s · 1", "2 s · 3", "6 s · 3"])
    #expect(chart.points.map(\.y) == [900, 700, 710])
    #expect(chart.points[1].yInterval == 0...1650)
    #expect(chart.front == [0, 1])
    #expect(chart.isLowerBetter == (true, true))
    #expect(chart.heading.title.contains("headLength · itemsAhead"))
    let file = chart.file()
    #expect(try MarkupCheck(file).text.contains("2 s · 3"))
    #expect(SweepCharts.files(sweep).map(\.name) == ["front.svg", "effects.svg", "lines-2.svg"])
    #expect(SweepCharts.files(sweep).map(\.text) == SweepCharts.files(sweep).map(\.text))
  }

  @Test func `effects have a row for each value, and what cannot be told has none`() throws {
    let sweep = try SweepFixture.sweep(front: "ttff_ms.p95, wasted_ratio")
    let column = try #require(SweepCharts.effects(sweep))
    #expect(column.charts.count == 1)
    let text = try MarkupCheck(column.file()).text
    for name in ["headLength 2 s", "headLength 6 s", "itemsAhead 1", "itemsAhead 3"] {
      #expect(text.contains(name), "\(name)")
    }
  }

  @Test(arguments: [
    ("\"6 s\"", "6 s"), ("3", "3"), ("{kind: first-frame}", "first-frame"),
    ("{kind: played, length: \"2 s\"}", "played, length: 2 s"),
    ("[\"300 kbps\", \"600 kbps\", \"1100 kbps\"]", "300 kbps … 1100 kbps"),
    ("[1, 2]", "1, 2"), ("none", "none"),
  ])
  func `values are written without the marks of YAML`(_ value: String, _ label: String) {
    #expect(SweepCharts.plain(value) == label)
  }

  @Test func `the report says of every point what is worse, better or neither`() throws {
    var found = try SweepFixture.sweep(front: "")
    found.frontPoints = []
    let text = SweepReport.text(found, color: false)
    #expect(text.contains("AGAINST POINT 0 (policy.prefetch.headLength=\"2 s\""))
    #expect(text.contains("point 1: worse wasted_ratio +5"))
    #expect(
      text.contains("; better ttff_ms.p95 −200") || text.contains("; better ttff_ms.p95 -200"))
    #expect(text.contains("; no data ttff_ms.p95"))
    let table = SweepReport.csv(found)
    #expect(table.split(separator: "\n")[1].contains("equivalent"))
    #expect(table.split(separator: "\n")[0].contains("wasted_ratio.ratio.outcome"))
    #expect(SweepReport.json(found).text().contains("\"outcome\": \"better\""))
  }

  @Test func `a sweep without a front has no picture of one`() throws {
    let sweep = try SweepFixture.sweep(front: "")
    #expect(SweepCharts.front(sweep) == nil)
    #expect(SweepCharts.files(sweep).map(\.name) == ["effects.svg", "lines-2.svg"])
  }
}
