import Models
import Scenario
import Studies

extension ReportWriter {
  /// What the surfaces of a mixed feed did; nothing for other feeds.
  func surface() -> [String] {
    if !result.world.hasSurface { return [] }
    let seen = result.measures.surface
    let rows = SurfaceText.lines(seen)
    let rates = FeedMetrics.standard(.surface).compactMap { name in
      result.metric(name).map { "\($0.reference.metric) \($0.shortText)" }
    }
    return (rates + rows).flatMap { wrapped($0, indent: "  ") }
  }
}

/// The counters of a mixed feed's surfaces in sentences, for every report.
enum SurfaceText {
  static func lines(_ seen: SurfaceMeasures) -> [String] {
    func count(_ value: Int64) -> String { Figures.count(value) }
    let settle = seen.settles > 0 ? Double(seen.settleTime) / Double(seen.settles) / 1e9 : 0
    let saved = Figures.share(seen.frameMessages - seen.crossingMessages, of: seen.frameMessages)
    return [
      "gestures: \(count(seen.gestures)); lists moved for "
        + "\(Figures.share(seen.movingTime, of: seen.sessionTime)) of the time, flings took "
        + "\(Figures.duration(settle)) to rest on average",
      "plays: \(count(seen.plays)), of which \(count(seen.handOvers)) took over from a card on "
        + "its way out; \(count(seen.flaps)) flaps, \(count(seen.turns)) turns played to their "
        + "end, \(count(seen.starvedPlays)) found no player, at most \(count(seen.mostPlaying)) "
        + "at once",
      "players: \(count(seen.mounts)) mounts, \(count(seen.flingMounts)) of them above two "
        + "viewports per second; cells: \(count(seen.binds)) bound, \(count(seen.cellCreates)) "
        + "created",
      "bridge: \(count(seen.frameMessages)) messages if every frame's sights were sent, "
        + "\(count(seen.crossingMessages)) if threshold crossings were (\(saved) fewer)",
      "feed: its known end was reached \(count(seen.starvations)) times",
    ]
  }
}
