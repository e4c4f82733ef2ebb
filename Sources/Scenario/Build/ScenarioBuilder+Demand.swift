import MediaUnits
import Models

/// The time of day, flash crowds, new titles, new versions, windows.
extension ScenarioBuilder {
  /// For how long an audience comes before anything is measured.
  var warmUp: TimeSpan {
    let start = tree.at("cdn.start")
    return max(tree.span("audience.warmUp"), ScenarioTable.starts.value(start).warmUp(start))
  }

  /// Rate of the arrivals over its mean, from the start of the warm-up to the end of the window.
  func day(_ audience: AudienceConfiguration) -> RateProfile? {
    dailyShape().map {
      RateProfile($0.points(from: -warmUp.seconds, until: audience.window.seconds))
    }
  }

  private func dailyShape() -> DailyShape? {
    tree.optional("audience.diurnal").map {
      DailyShape(
        peakToTrough: $0.real("peakToTrough"), period: $0.span("period").seconds,
        peakAt: $0.span("peakAt").seconds)
    }
  }

  func crowds() -> [Crowd] {
    let day = dailyShape()
    return tree.elements("audience.crowds").map { part in
      let (from, length) = (part.span("from"), part.span("length"))
      return Crowd(
        from: from, length: length,
        extra: Crowd.extra(
          factor: part.real("factor"), from: from, length: length, ramp: part.span("ramp"),
          day: day),
        newTitleShare: part.optional("title")?.ratio("share") ?? 0)
    }
  }

  mutating func newTitles() -> NewTitles? {
    guard let part = tree.optional("catalogue.newTitles") else { return nil }
    return NewTitles(
      every: part.span("every"), share: part.ratio("share"), age: tables.table(part, "age"))
  }

  func republishes() -> [Republish] {
    let titles = tree.integer("catalogue.titles")
    let parts = tree.elements("catalogue.republish").map { part in
      let share = Int64((part.ratio("share") * Double(titles)).rounded(.up))
      return Republish(
        at: part.span("at"), titles: UInt32(part.optionalInteger("titles") ?? share))
    }
    // Those of the same time stay in the order of the file.
    return parts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// The windows with their names: those of the file, then one for each crowd.
  static func windows(_ tree: ResolvedTree) -> [(name: String, window: MeasureWindow)] {
    tree.elements("windows").map { part in
      (part.text("name"), MeasureWindow(from: part.span("from"), to: part.span("to")))
    }
      + tree.elements("audience.crowds").map { part in
        let from = part.span("from")
        return (part.text("name"), MeasureWindow(from: from, to: from + part.span("length")))
      }
  }

  /// Adds a problem when titles and versions are more than there are numbers for.
  mutating func checkNumbers(_ configuration: FeedConfiguration) {
    let count = TitleNumbers.count(configuration)
    if count > TitleNumbers.limit {
      own.add(
        tree.problem(
          at: "catalogue",
          expected: "at most \(TitleNumbers.limit) titles, new titles and versions together",
          got: "\(count)"))
    }
  }
}
