import Foundation
import Studies

extension ReportSection {
  /// On the page alone; the terminal has the scenario's windows.
  static let series = ReportSection(.series, page: { $0.writeSeries(to: &$1) })
}

extension HTMLPage {
  /// The run over time: curves, and the numbers behind them.
  func writeSeries(to body: inout Markup) {
    guard let series = record.series, !series.rows.isEmpty else {
      return noData(missingSeries, to: &body)
    }
    let curves = SeriesCurves(series, limit: record.lateStarts.limitMilliseconds)
    paragraph(
      "The measured time in parts of \(Figures.duration(series.partSeconds)). A view is of the "
        + "part in which its clock started. Bands are 95 % intervals over the replications; those "
        + "of times are cut at half the least value and at twice the largest."
        + curves.happeningsText, to: &body)
    for (id, chart) in curves.whole {
      figure(chart, id: "series-\(id)", extent: .whole, to: &body)
    }
    body.element("div", ["class": "charts"]) { body in
      for (id, chart) in curves.halves { figure(chart, id: "series-\(id)", to: &body) }
    }
    body.line()
    body.element("details") { body in
      body.element("summary", text: "The numbers behind the curves")
      curves.table.write(to: &body)
    }
    body.line()
    paragraph(
      "Percentiles are within 1 % of those of the times themselves. ≥: so many views were left "
        + "before a frame that the percentile lies above; the curve is then the longest wait.",
      faint: true, to: &body)
  }

  /// Why there is no curve.
  private var missingSeries: String {
    if record.live != nil { return "a live run is not cut into parts of time" }
    if record.surface["sessionNanoseconds"] > 0 {
      return "a mixed feed is not cut into parts of time"
    }
    return "the measured time has fewer than three parts of ten seconds, or this result was made "
      + "by a version that did not cut it"
  }
}

/// The curves of a run over time.
private struct SeriesCurves {
  private let series: RunRecord.Series
  private let limit: Double
  /// Seconds in the axis's unit.
  private let unit: (name: String, seconds: Double)

  init(_ series: RunRecord.Series, limit: Double) {
    self.series = series
    self.limit = limit
    let length = series.partSeconds * Double(series.rows.first?.values.count ?? 0)
    unit = length > 7200 ? ("h", 3600) : length > 180 ? ("min", 60) : ("s", 1)
  }

  /// What the scenario did, as a sentence with a blank before it; empty where it did nothing.
  var happeningsText: String {
    if series.happenings.isEmpty { return "" }
    let texts = series.happenings.map { happening in
      let from = "\(happening.name) at \(Figures.duration(happening.fromSeconds))"
      let length = happening.toSeconds - happening.fromSeconds
      return length > 0 ? from + " for \(Figures.duration(length))" : from
    }
    return " The scenario has: \(texts.joined(separator: "; "))."
  }

  // MARK: Charts

  /// Each as wide as the page.
  var whole: [(id: String, chart: LineChart)] {
    let clocks = [("all views", "ttff_ms"), ("cold", "ttff_cold_ms"), ("swipe", "ttff_swipe_ms")]
    return [("p95", "P95"), ("p50", "median")].compactMap { stat, word in
      let rows = clocks.compactMap { name, metric in
        series.row("\(metric).\(stat)").map { (name, $0) }
      }
      return chart(
        "Time to first frame by clock, \(word)", rows, .number(unit: "ms"), scale: .logarithmic,
        axis: "time to first frame"
      ).map { (stat, $0) }
    }
  }

  /// Two to a row.
  var halves: [(id: String, chart: LineChart)] {
    typealias Half = (id: String, name: String, title: String, axis: String, format: ChartFormat)
    let plain = ChartFormat.number(unit: "")
    let all: [Half] = [
      ("hits", "hit_ratio{tier=edge,by=requests}.ratio", "Hits at the edges", "requests", .percent),
      ("left", "not_started_ratio.ratio", "Views left before a frame", "views", .percent),
      ("stalls", "rebuffer_ratio.ratio", "Rebuffering", "stalled share of playing", .percent),
      ("sessions", RunSeries.Load.sessions.rawValue, "Viewers in a session", "viewers", plain),
      ("edge", RunSeries.Load.edgeRequests.rawValue, "Requests at the edges", "per second", plain),
      (
        "origin", RunSeries.Load.originRequests.rawValue, "Requests at the origin", "per second",
        plain
      ),
    ]
    return all.compactMap { half in
      guard let row = series.row(half.name) else { return nil }
      let isHits = half.id == "hits"
      return chart(half.title, [(half.title, row)], half.format, axis: half.axis, fits: isHits)
        .map { (half.id, $0) }
    }
  }

  /// - Parameter fits: whether the axis holds the data alone, not 0.
  private func chart(
    _ title: String, _ rows: [(name: String, row: RunRecord.Series.Row)], _ format: ChartFormat,
    scale: ChartAxis.Scale = .linear, axis: String, fits: Bool = false
  ) -> LineChart? {
    var lines = rows.map { LineChart.Series($0.name, points: points($0.row)) }
    let known = lines.flatMap(\.points).map(\.y)
    guard let least = known.min(), let most = known.max() else { return nil }
    // On a scale of factors an interval down to 0 would press the curves flat.
    if scale == .logarithmic { lines = lines.map { SeriesCurves.cut($0, least / 2...most * 2) } }
    let count = rows.map(\.row.values.count).max() ?? 0
    var extent: ClosedRange<Double>?
    if fits { extent = least...max(most, least + 1e-3) }
    var chart = LineChart(
      ChartHeading(
        title,
        summary: rows.map { summary($0.name, $0.row, format) }.joined(separator: " ")),
      x: ChartAxis(
        "measured time", format: .number(unit: unit.name),
        extent: 0...(Double(count) * series.partSeconds / unit.seconds)),
      y: ChartAxis(axis, format: format, scale: scale, extent: extent), series: lines)
    if scale == .logarithmic {
      chart.limits = [
        ChartLimit(limit, name: "late after \(Figures.duration(limit / 1000))")
      ]
    }
    chart.endsAtData = true
    chart.spans = series.happenings.map {
      ChartSpan($0.fromSeconds / unit.seconds, $0.toSeconds / unit.seconds, name: $0.name)
    }
    return chart
  }

  /// With the ends of the intervals inside a range.
  private static func cut(
    _ line: LineChart.Series, _ range: ClosedRange<Double>
  ) -> LineChart.Series {
    func inside(_ end: Double) -> Double { min(max(end, range.lowerBound), range.upperBound) }
    var line = line
    for place in line.points.indices {
      line.points[place].lower = line.points[place].lower.map { inside($0) }
      line.points[place].upper = line.points[place].upper.map { inside($0) }
    }
    return line
  }

  /// In the middle of each part.
  private func points(_ row: RunRecord.Series.Row) -> [LineChart.Point] {
    row.values.enumerated().compactMap { part, value in
      value.map {
        LineChart.Point(
          (Double(part) + 0.5) * series.partSeconds / unit.seconds, $0,
          lower: part < row.lower.count ? row.lower[part] : nil,
          upper: part < row.upper.count ? row.upper[part] : nil,
          isMarked: row.bounds.contains(part))
      }
    }
  }

  private func summary(
    _ name: String, _ row: RunRecord.Series.Row, _ format: ChartFormat
  ) -> String {
    let known = row.values.enumerated().compactMap { part, value in value.map { (part, $0) } }
    guard let least = known.min(by: { $0.1 < $1.1 }), let most = known.max(by: { $0.1 < $1.1 })
    else { return "\(name): no data." }
    func told(_ place: (Int, Double)) -> String {
      "\(format.text(place.1)) from \(Figures.duration(Double(place.0) * series.partSeconds)) on"
    }
    return "\(name): least \(told(least)), most \(told(most))."
  }

  // MARK: Table

  /// One row for each part.
  var table: HTMLTable {
    let columns: [(title: String, name: String)] = [
      ("Median, ms", "ttff_ms.p50"), ("P95, ms", "ttff_ms.p95"),
      ("Cold P95, ms", "ttff_cold_ms.p95"), ("Swipe P95, ms", "ttff_swipe_ms.p95"),
      ("Left before a frame", "not_started_ratio.ratio"), ("Rebuffering", "rebuffer_ratio.ratio"),
      ("Edge hits", "hit_ratio{tier=edge,by=requests}.ratio"),
      ("Viewers", RunSeries.Load.sessions.rawValue),
      ("Views/s", RunSeries.Load.views.rawValue),
      ("Edge requests/s", RunSeries.Load.edgeRequests.rawValue),
      ("Origin requests/s", RunSeries.Load.originRequests.rawValue),
    ]
    let shown = columns.compactMap { column in
      series.row(column.name).map { (title: column.title, row: $0) }
    }
    var table = HTMLTable(
      "By part of the measured time, ± half of the 95 % interval",
      [.text("From")] + shown.map { .number($0.title) })
    for part in 0..<(shown.map(\.row.values.count).max() ?? 0) {
      table.add(
        [.text(Figures.duration(Double(part) * series.partSeconds))]
          + shown.map { .text(SeriesCurves.text($0.row, part)) })
    }
    return table
  }

  private static func text(_ row: RunRecord.Series.Row, _ part: Int) -> String {
    guard part < row.values.count, let value = row.values[part] else { return "no data" }
    var estimate = EstimateText(
      value: value, unit: .init(word: row.unit), isLowerBound: row.bounds.contains(part))
    if part < row.lower.count, let lower = row.lower[part], let upper = row.upper[part] {
      estimate.interval = min(lower, upper)...max(lower, upper)
    }
    return row.unit == "ms" ? estimate.shortText : estimate.shortTextWithUnit
  }
}
