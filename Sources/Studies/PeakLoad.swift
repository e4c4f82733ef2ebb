import MediaUnits
import Models

/// The most that a CDN carried in ten seconds of the measured time, each place by itself.
public struct PeakLoad: Sendable, Equatable {
  /// What is counted together.
  public static let span = TrafficTotals.span

  /// The largest sums of a span. Of several replications the largest.
  public private(set) var totals = TrafficTotals()
  /// When the span with the most bytes to viewers began, from the start of the measured time.
  public private(set) var busiest = TimeSpan.zero

  public init() {}

  mutating func note(_ sums: TrafficTotals, from begin: TimeSpan) {
    if sums.delivered > totals.delivered { busiest = begin }
    totals.delivered = max(totals.delivered, sums.delivered)
    PeakLoad.raise(&totals.edge, to: sums.edge)
    PeakLoad.raise(&totals.regional, to: sums.regional)
    PeakLoad.raise(&totals.shield, to: sums.shield)
    PeakLoad.raise(&totals.origin, to: sums.origin)
  }

  mutating func add(_ other: PeakLoad) { note(other.totals, from: other.busiest) }

  private static func raise(_ peak: inout TrafficTotals.Sum, to sum: TrafficTotals.Sum) {
    peak.requests = max(peak.requests, sum.requests)
    peak.bytes = max(peak.bytes, sum.bytes)
  }
}

extension PeakLoad: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(totals)
    writer.add(busiest.nanoseconds)
  }

  public init?(_ reader: inout WordReader) {
    guard let totals = reader.counters(TrafficTotals.self), let busiest = reader.integer() else {
      return nil
    }
    self.totals = totals
    self.busiest = TimeSpan(nanoseconds: busiest)
  }
}

/// Reads what was carried at the end of every span.
struct LoadMeter: Sendable {
  private(set) var peak = PeakLoad()
  /// When the present span ends: what happens then is of the next one.
  private(set) var mark: Instant
  /// What was carried in the parts of the measured time that are over; empty where nobody asks.
  private(set) var parts: [TrafficTotals] = []
  private let begin: Instant
  private let plan: SeriesPlan?
  private var before = TrafficTotals()
  /// At the end of the last part.
  private var beforePart = TrafficTotals()

  init(measuredFrom begin: Instant, plan: SeriesPlan?) {
    self.begin = begin
    self.plan = plan
    mark = begin + PeakLoad.span
  }

  /// Ends the spans that are over when nothing happens any more before `time`.
  ///
  /// - Parameter totals: what was carried before the end of a span.
  mutating func pass(to time: Instant, _ totals: (Instant) -> TrafficTotals) {
    while mark <= time {
      let now = totals(mark)
      peak.note(LoadMeter.difference(now, before), from: mark - begin - PeakLoad.span)
      before = now
      if plan?.partEnding(at: mark) != nil {
        parts.append(LoadMeter.difference(now, beforePart))
        beforePart = now
      }
      mark = mark + PeakLoad.span
    }
  }

  private static func difference(_ a: TrafficTotals, _ b: TrafficTotals) -> TrafficTotals {
    func sum(_ a: TrafficTotals.Sum, _ b: TrafficTotals.Sum) -> TrafficTotals.Sum {
      var sum = TrafficTotals.Sum()
      sum.requests = a.requests - b.requests
      sum.bytes = a.bytes - b.bytes
      return sum
    }
    var difference = TrafficTotals()
    difference.delivered = a.delivered - b.delivered
    difference.edge = sum(a.edge, b.edge)
    difference.regional = sum(a.regional, b.regional)
    difference.shield = sum(a.shield, b.shield)
    difference.origin = sum(a.origin, b.origin)
    difference.judged = a.judged - b.judged
    difference.hits = a.hits - b.hits
    // Not a sum: how it stands at the end.
    difference.sessions = a.sessions
    return difference
  }
}
