import Studies

/// Miss-ratio curves as a picture.
public enum ReplayCurveChart {
  /// An SVG file: by requests, over a logarithmic capacity, above the misses that no cache avoids.
  public static func svg(_ result: ReplayResult) -> String {
    let series = result.curves.map { curve in
      LineChart.Series(
        name(curve),
        points: curve.points.map { LineChart.Point(Double($0.capacity), $0.missRatio) })
    }
    let floor = result.summary.compulsoryMissRatio
    let best = result.curves.compactMap { curve in
      curve.points.last.map { "\(curve.policy) \(ReplayReport.percent($0.missRatio))" }
    }
    let chart = LineChart(
      ChartHeading(
        "Requests that miss, by capacity",
        summary: "At the largest capacity: \(best.joined(separator: ", ")). Misses that no cache "
          + "avoids: \(ReplayReport.percent(floor))."),
      x: ChartAxis(
        "capacity", format: result.plan.unitSizes ? .number(unit: "objects") : .bytes,
        scale: .logarithmic),
      y: ChartAxis("miss ratio by requests", format: .percent), series: series,
      limits: [ChartLimit(floor, name: "compulsory \(ReplayReport.percent(floor))")])
    return chart.file()
  }

  private static func name(_ curve: ReplayCurve) -> String {
    switch curve.method {
    case .sampled: curve.policy + " (sample)"
    case .shards: curve.policy + " (SHARDS)"
    case .exact, .firstSizes, .replayed: curve.policy
    }
  }
}
