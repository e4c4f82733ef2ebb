import Studies

/// The times to the first frame of two sides on one plot, by the product-limit estimate.
struct FirstFrameCurves {
  /// A side: what it is called, and its views by when they started.
  struct Side {
    var name: String
    var times: TimeBuckets
  }

  let sides: [Side]

  /// Of what replications have counted.
  init(_ sides: [(name: String, times: ClockHistogram)]) {
    self.init(
      sides.map { Side(name: $0.name, times: TimeBuckets([RunRecord.Histogram(of: $0.times)])) })
  }

  init(_ sides: [Side]) { self.sides = sides }

  /// Nil where a side has no views, or no view waits long enough to be drawn.
  var chart: LineChart? {
    let curves = sides.map { ($0, $0.times.survival) }
    let waits = curves.compactMap { $0.1.first?.y }
    guard waits.count == sides.count, waits.contains(where: { $0 > 0 }) else { return nil }
    let least = Figures.decimal(TimeBuckets.least, 0)
    let soon = zip(sides, waits).map { side, share in
      "of \(side.name) (n \(Figures.count(side.times.total))) \(Figures.percent(1 - share))"
    }
    return LineChart(
      ChartHeading(
        "Views that still wait for their first frame",
        summary: "Within \(least) ms start \(soon.joined(separator: ", ")); the curves fall as the "
          + "others do. Views that were left before count until then."),
      x: ChartAxis(
        "time since the viewer settled", format: .number(unit: "ms"), scale: .logarithmic),
      y: ChartAxis("views without a first frame", format: .percent),
      series: curves.map { side, points in
        LineChart.Series(
          side.name, points: points.map { LineChart.Point($0.x, $0.y) })
      }, join: .step)
  }
}

extension RunRecord.Histogram {
  /// Of one clock, all networks together.
  init(of times: ClockHistogram) {
    self.init()
    metric = "ttff_ms"
    started = times.started.total
    censored = times.censored.total
    buckets = RunRecord.Histogram.usedBuckets(times).map {
      [$0.lower, $0.upper, Double($0.started), Double($0.censored)]
    }
  }
}
