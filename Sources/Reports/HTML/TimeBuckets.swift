import Foundation
import Statistics

/// Histograms of one clock, added up over networks, in the forms that charts show.
struct TimeBuckets {
  private typealias Row = (lower: Double, upper: Double, started: Int64, censored: Int64)

  /// The left end of a logarithmic axis, ms.
  static let least = 10.0

  private var fine: [Row] = []
  private var fixed: [(lower: Double, upper: Double?, started: Int64)] = []
  private var started: Int64 = 0
  private var censored: Int64 = 0

  init(_ histograms: [RunRecord.Histogram]) {
    for histogram in histograms {
      for (index, bucket) in histogram.fixedBuckets.enumerated() where bucket.count == 4 {
        let count = TimeBuckets.count(bucket[2])
        if index < fixed.count {
          fixed[index].started += count
        } else {
          fixed.append((bucket[0] ?? 0, bucket[1], count))
        }
      }
      for bucket in histogram.buckets where bucket.count == 4 {
        let lower = bucket[0] ?? 0
        let row: Row = (
          lower, bucket[1] ?? lower, TimeBuckets.count(bucket[2]), TimeBuckets.count(bucket[3])
        )
        started += row.started
        censored += row.censored
        fine.append(row)
      }
    }
    // Equal buckets of two networks stay apart; what is made of them sums over them.
    fine.sort { ($0.upper, $0.lower) < ($1.upper, $1.lower) }
  }

  private static func count(_ value: Double?) -> Int64 { Int64(value ?? 0) }

  /// All views, with those that were left before a first frame.
  var total: Int64 { started + censored }

  /// Views by when they started, in the fixed classes of CTA-2066's advice, and those that never
  /// did.
  var rows: [(label: String, count: Int64)] {
    let classes = fixed.enumerated().map { index, bucket -> (label: String, count: Int64) in
      let lower = Int64(bucket.lower)
      guard let upper = bucket.upper.map({ Int64($0) }) else {
        return ("\(lower)+ ms", bucket.started)
      }
      let label = index == 0 ? "0 ms" : index == 1 ? "under \(upper) ms" : "\(lower)–\(upper) ms"
      return (label, bucket.started)
    }
    return classes + [("not started", censored)]
  }

  /// Views that took any time.
  var waited: Int64 { total - fine.reduce(0) { $0 + ($1.upper <= 0 ? $1.started : 0) } }

  /// Shares of the views by when they started, in the fixed classes of CTA-2066's advice.
  var classes: BarChart {
    var rows = fixed.enumerated().map { index, bucket -> BarChart.Row in
      let name: String
      if index == 0 {
        name = "0 ms"
      } else if let upper = bucket.upper {
        name =
          bucket.lower <= 0
          ? "under \(Figures.decimal(upper, 0)) ms"
          : "\(Figures.decimal(bucket.lower, 0))–\(Figures.decimal(upper, 0)) ms"
      } else {
        name = "\(Figures.decimal(bucket.lower, 0)) ms and later"
      }
      return row(name, bucket.started)
    }
    rows.append(row("never: left before", censored))
    // The second bucket ends where a start no longer feels immediate.
    let soon = fixed.prefix(2)
    let share = Figures.share(soon.reduce(0) { $0 + $1.started }, of: total)
    let limit = Figures.decimal(soon.last?.upper ?? 0, 0)
    return BarChart(
      ChartHeading(
        "How soon views start",
        summary: "\(share) of \(Figures.count(total)) views start within \(limit) ms; "
          + "\(Figures.share(censored, of: total)) are left before a first frame."),
      axis: ChartAxis("views", format: .percent), series: ["views"], rows: rows)
  }

  private func row(_ name: String, _ count: Int64) -> BarChart.Row {
    BarChart.Row(
      name, parts: [total > 0 ? Double(count) / Double(total) : 0],
      label: count == 0 ? "0" : "\(Figures.count(count)) · \(Figures.share(count, of: total))")
  }

  /// Views that took any time, the display's included, on a logarithmic axis; nil when none did.
  func waits(limit: Double) -> HistogramChart? {
    if waited == 0 { return nil }
    // Bin k holds the times from 2^(k/3) to 2^((k+1)/3) ms; shorter waits go into the first.
    func bin(_ time: Double) -> Int { Int((3 * log2(max(time, 2)) + 1e-9).rounded(.down)) }
    var counts: [Int: (started: Int64, censored: Int64)] = [:]
    for row in fine where row.upper > 0 {
      let index = bin((row.lower + row.upper) / 2)
      counts[index, default: (0, 0)].started += row.started
      counts[index, default: (0, 0)].censored += row.censored
    }
    guard let first = counts.keys.min(), let last = counts.keys.max() else { return nil }
    let bins = (first...last).map { index -> HistogramChart.Bin in
      let count = counts[index] ?? (0, 0)
      return HistogramChart.Bin(
        exp2(Double(index) / 3), exp2(Double(index + 1) / 3),
        values: [Double(count.started), Double(count.censored)])
    }
    return HistogramChart(
      ChartHeading(
        "How long until the first frame",
        summary: "\(Figures.count(waited)) of \(Figures.count(total)) views took more than 0 ms; "
          + "\(Figures.count(censored)) were left before a first frame."),
      x: ChartAxis("wait", format: .number(unit: "ms"), scale: .logarithmic),
      y: ChartAxis("views", format: .number(unit: "")), series: ["started", "left before a frame"],
      bins: bins,
      bounds: [ChartLimit(limit, name: "late after \(Figures.duration(limit / 1000))")])
  }

  /// The product-limit estimate at the buckets' upper ends. Within a bucket starts come before
  /// views that were left.
  var survival: [LineChart.Point] {
    var points: [LineChart.Point] = []
    var curve = ProductLimit(atRisk: Double(total))
    var next = 0
    while next < fine.count {
      let time = fine[next].upper
      var (events, gone) = (Int64(0), Int64(0))
      while next < fine.count && fine[next].upper == time {
        events += fine[next].started
        gone += fine[next].censored
        next += 1
      }
      curve.fall(by: Double(events))
      curve.censor(Double(gone))
      if time < TimeBuckets.least {
        points = [LineChart.Point(TimeBuckets.least, curve.survival)]
      } else {
        if points.isEmpty { points = [LineChart.Point(TimeBuckets.least, 1)] }
        points.append(LineChart.Point(time, curve.survival, isMarked: gone > 0))
      }
    }
    return points
  }
}
