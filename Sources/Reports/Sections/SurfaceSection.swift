import Scenario
import Studies

extension ReportSection {
  static let surface = ReportSection(
    .players, title: "SURFACE", lines: { $0.surface() }, page: { $0.writeSurface(to: &$1) })
}

extension ReportWriter {
  /// What the surfaces of a mixed feed did; nothing for other feeds.
  func surface() -> [String] {
    if !record.has(.surface) { return [] }
    let rates = FeedMetrics.standard(.surface).compactMap { name in
      record.metric(name).map { "\($0.name.metric) \($0.estimate.text.shortText)" }
    }
    return (rates + SurfaceText.lines(record.surface)).flatMap { wrapped($0, indent: "  ") }
  }
}

/// The counters of a mixed feed's surfaces in sentences.
private enum SurfaceText {
  static func lines(_ seen: NamedCounts) -> [String] {
    func count(_ name: String) -> String { Figures.count(seen[name]) }
    let settles = seen["settles"]
    let settle = settles > 0 ? Double(seen["settleNanoseconds"]) / Double(settles) / 1e9 : 0
    let frames = seen["frameMessages"]
    let saved = Figures.share(frames - seen["crossingMessages"], of: frames)
    let moving = Figures.share(seen["movingNanoseconds"], of: seen["sessionNanoseconds"])
    return [
      "gestures: \(count("gestures")); lists moved for \(moving) of the time, flings took "
        + "\(Figures.duration(settle)) to rest on average",
      "plays: \(count("plays")), of which \(count("handOvers")) took over from a card on "
        + "its way out; \(count("flaps")) flaps, \(count("turns")) turns played to their "
        + "end, \(count("starvedPlays")) found no player, at most \(count("mostPlaying")) "
        + "at once",
      "players: \(count("mounts")) mounts, \(count("flingMounts")) of them above two "
        + "viewports per second; cells: \(count("binds")) bound, \(count("cellCreates")) "
        + "created",
      "bridge: \(count("frameMessages")) messages if every frame's sights were sent, "
        + "\(count("crossingMessages")) if threshold crossings were (\(saved) fewer)",
      "feed: its known end was reached \(count("starvations")) times",
    ]
  }
}

extension HTMLPage {
  /// What the surfaces of a mixed feed did; nothing for other feeds.
  func writeSurface(to body: inout Markup) {
    let time = record.surface["sessionNanoseconds"]
    if time == 0 { return }
    let minutes = Double(time) / 60e9
    var table = HTMLTable(
      "What the surfaces of the mixed feed did",
      [.text("What"), .number("Sum"), .number("per viewer's minute")])
    for member in RunRecord.surfaceCounts.rows {
      guard let value = record.surface.byName[member.name] else { continue }
      let isTime = member.name.hasSuffix("Nanoseconds")
      let isPeak = member.name == "mostPlaying"
      let rate = Double(value) / minutes
      let text = Figures.decimal(rate, Figures.decimals(rate, spread: nil, atMost: 2))
      table.add([
        .text(member.summary),
        .text(isTime ? Figures.duration(Double(value) / 1e9) : HTMLPage.count(value)),
        .text(isTime || isPeak ? "–" : text),
      ])
    }
    table.write(to: &body)
  }
}
