import Scenario
import Statistics

extension Calibration {
  /// Zipf's law of the titles, by sessions where the feed shows a session no title twice.
  ///
  /// A feed is such a one when a session sees a title again soon less than a quarter as often as
  /// independent draws of the same titles would have it. One that forgets what was long ago is such
  /// a one, too: what is new to a session is drawn from what it has not seen.
  static func popularity(
    _ data: TelemetryData, titles: Int?
  ) throws(StatisticsError) -> PopularityFit {
    // Logs beside the events know no sessions.
    let isOfEvents = data.titleCounts.count == data.titleSessions.count
    let expected = expectedRepeats(data)
    if isOfEvents && expected >= 20 && 4 * Double(data.titleRepeats) < expected {
      return try PopularityFit(
        counts: data.titleSessions, titles: titles, draws: .distinct(sessions: data.sessionTitles))
    }
    return try PopularityFit(counts: data.titleCounts, titles: titles)
  }

  /// Pairs of near items of a session, times the share of all pairs of views that are of one title.
  private static func expectedRepeats(_ data: TelemetryData) -> Double {
    let views = Double(data.titleCounts.reduce(0, +))
    if views < 2 { return 0 }
    let same = data.titleCounts.reduce(0.0) { $0 + Double($1) * Double($1 - 1) }
    let pairs = data.sessionTitles.reduce(0.0) { sum, places in
      let near = Double(min(places.count - 1, TelemetryData.near))
      return sum + near * (Double(places.count) - (near + 1) / 2)
    }
    return pairs * same / (views * (views - 1))
  }
}
