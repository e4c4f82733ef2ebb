import Models
import Statistics

/// What one replication leaves for curves over time.
public struct SeriesDigest: Sendable {
  /// A part of the measured time.
  struct Part: Sendable {
    /// What was carried in it, and the sessions at its end.
    var traffic: TrafficTotals
    var sums: CohortSums
    /// By ``RunSeries/clocks``.
    var clocks: [UsedBuckets]
  }

  let plan: SeriesPlan
  let parts: [Part]

  /// nil where the replication ended before the last part.
  init?(_ plan: SeriesPlan, traffic: [TrafficTotals], views: SeriesViews) {
    if traffic.count < plan.count { return nil }
    self.plan = plan
    parts = (0..<plan.count).map { part in
      Part(
        traffic: traffic[part], sums: views.sums[part],
        clocks: RunSeries.clocks.map { UsedBuckets(views.clocks[part][$0.rawValue]) })
    }
  }
}

/// The buckets of a clock's histograms that hold something: most are empty.
struct UsedBuckets: Sendable {
  private struct Row: Sendable {
    var bucket: Int32
    var started, censored: Int64
  }

  private let rows: [Row]

  init(_ clock: ClockHistogram) {
    let (started, censored) = (clock.started.counts, clock.censored.counts)
    rows = (0..<max(started.count, censored.count)).compactMap { bucket in
      let row = Row(
        bucket: Int32(bucket), started: bucket < started.count ? started[bucket] : 0,
        censored: bucket < censored.count ? censored[bucket] : 0)
      return row.started + row.censored > 0 ? row : nil
    }
  }

  private init(_ rows: [Row]) { self.rows = rows }

  /// Several together.
  static func sum(_ all: [UsedBuckets]) -> UsedBuckets {
    var rows: [Row] = []
    for row in all.flatMap(\.rows).sorted(by: { $0.bucket < $1.bucket }) {
      if let last = rows.indices.last, rows[last].bucket == row.bucket {
        rows[last].started += row.started
        rows[last].censored += row.censored
      } else {
        rows.append(row)
      }
    }
    return UsedBuckets(rows)
  }

  var samples: Int64 { rows.reduce(0) { $0 + $1.started + $1.censored } }

  /// The product-limit quantile in milliseconds, read back as the middle of its bucket.
  ///
  /// - Returns: nil where nothing started; a lower bound, the largest time, where too few did.
  func quantile(_ p: Double) -> (milliseconds: Double, isLowerBound: Bool)? {
    guard rows.contains(where: { $0.started > 0 }), let last = rows.last else { return nil }
    var curve = ProductLimit(atRisk: Double(samples))
    for row in rows {
      if row.started > 0 {
        curve.fall(by: Double(row.started))
        if curve.hasReached(p) { return (UsedBuckets.middle(row.bucket), false) }
      }
      curve.censor(Double(row.censored))
    }
    return (UsedBuckets.middle(last.bucket), true)
  }

  private static func middle(_ bucket: Int32) -> Double {
    (TimeHistogram.lower(Int(bucket)) + TimeHistogram.upper(Int(bucket))) / 2
  }
}

extension SeriesDigest: HeldInWords {
  public func write(to writer: inout WordWriter) {
    plan.write(to: &writer)
    writer.add(each: parts) { part, writer in
      writer.add(part.traffic)
      part.sums.write(to: &writer)
      writer.add(each: part.clocks) { $0.write(to: &$1) }
    }
  }

  public init?(_ reader: inout WordReader) {
    guard let plan = SeriesPlan(&reader),
      let parts = reader.each({ reader -> Part? in
        guard let traffic = reader.counters(TrafficTotals.self),
          let sums = CohortSums(&reader), let clocks = reader.each({ UsedBuckets(&$0) }),
          clocks.count == RunSeries.clocks.count
        else { return nil }
        return Part(traffic: traffic, sums: sums, clocks: clocks)
      }), parts.count == plan.count
    else { return nil }
    self.plan = plan
    self.parts = parts
  }
}

extension UsedBuckets: HeldInWords {
  func write(to writer: inout WordWriter) {
    writer.add(each: rows) { row, writer in
      for number in [Int64(row.bucket), row.started, row.censored] { writer.add(number) }
    }
  }

  init?(_ reader: inout WordReader) {
    guard
      let rows = reader.each({ reader -> Row? in
        guard let bucket = reader.integer().flatMap({ Int32(exactly: $0) }), bucket >= 0,
          let started = reader.integer(), let censored = reader.integer()
        else { return nil }
        return Row(bucket: bucket, started: started, censored: censored)
      })
    else { return nil }
    self.rows = rows
  }
}
