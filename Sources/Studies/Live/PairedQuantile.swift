import MediaUnits
import Models
import Statistics

/// A quantile of one clock on two sides that have the same sessions, and the interval of its
/// difference.
///
/// Views of one session share a link and a device, and the same session runs on both sides, so
/// whole sessions are drawn anew, both sides of each together (cluster bootstrap: A. Davison, D.
/// Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8). Quantiles are the
/// product-limit estimate's: views that were left before their first frame are censored.
struct PairedQuantile {
  /// One view on one side.
  private struct Time {
    var milliseconds: Double
    var hasStarted: Bool
    /// Place in the list of sessions.
    var session: Int32
  }

  private var simulated: [Time] = []
  private var live: [Time] = []
  private let sessions: Int

  init(
    _ simulated: [FeedMeasures], _ live: [FeedMeasures], _ clock: (ViewRecord) -> TimeSpan?
  ) {
    let numbers = (simulated + live).flatMap { $0.views.map(\.session) }
    let known = Set(numbers).sorted()
    sessions = known.count
    let places = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($1, Int32($0)) })
    func times(_ parts: [FeedMeasures]) -> [Time] {
      parts.flatMap(\.views).compactMap { view in
        guard let time = clock(view), let place = places[view.session] else { return nil }
        return Time(
          milliseconds: time.seconds * 1000, hasStarted: view.hasStarted, session: place)
      }.sorted { a, b in
        // At equal times events come before censorings.
        (a.milliseconds, a.hasStarted ? 0 : 1, a.session)
          < (b.milliseconds, b.hasStarted ? 0 : 1, b.session)
      }
    }
    self.simulated = times(simulated)
    self.live = times(live)
  }

  /// The difference live minus simulated of the `p` quantile, 95 %; nil where a side has none or
  /// where there are not two sessions.
  func interval(_ p: Double, seed: UInt64) throws(StatisticsError) -> Interval? {
    let once = [Int32](repeating: 1, count: sessions)
    if sessions < 2 || PairedQuantile.quantile(simulated, p, once) == nil
      || PairedQuantile.quantile(live, p, once) == nil
    {
      return nil
    }
    let places = (0..<sessions).map(Double.init)
    return try Bootstrap(seed: seed).percentile(of: places) { drawn in
      var weights = [Int32](repeating: 0, count: sessions)
      for place in drawn { weights[Int(place)] += 1 }
      return (PairedQuantile.quantile(live, p, weights) ?? last(live))
        - (PairedQuantile.quantile(simulated, p, weights) ?? last(simulated))
    }.interval
  }

  /// In a draw without enough first frames the quantile is beyond what was seen: at least this.
  private func last(_ times: [Time]) -> Double { times.last?.milliseconds ?? 0 }

  /// The product-limit quantile where each session counts as often as its weight says.
  private static func quantile(_ times: [Time], _ p: Double, _ weights: [Int32]) -> Double? {
    var atRisk = 0.0
    for time in times { atRisk += Double(weights[Int(time.session)]) }
    var curve = ProductLimit(atRisk: atRisk)
    for time in times {
      let weight = Double(weights[Int(time.session)])
      if weight == 0 { continue }
      if time.hasStarted {
        curve.fall(by: weight)
        if curve.hasReached(p) { return time.milliseconds }
      } else {
        curve.censor(weight)
      }
    }
    return nil
  }
}
