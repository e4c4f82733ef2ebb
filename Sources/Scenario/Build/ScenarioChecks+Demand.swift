import Models

/// Times and names of crowds, windows and new versions.
extension ScenarioChecks {
  /// Expected sessions of a replication, the crowds' included.
  private static let mostSessions = 4e8
  /// Corners of the rate's polygon.
  private static let mostCorners = 100_000.0

  mutating func checkDemand() {
    checkArrivals()
    checkCrowds()
    checkWindows()
    checkTitles()
  }

  private mutating func checkArrivals() {
    let audience = tree.at("audience")
    let span = Double(audience.time("window") + audience.time("warmUp")) / 1e9
    let rate =
      audience.real("viewsPerDayPerEdge") / 86_400 / audience.real("viewsPerSession")
      * Double(tree.integer("cdn.edges"))
    var seconds = span
    for crowd in audience.elements("crowds") {
      seconds += (crowd.real("factor") - 1) * Double(crowd.time("length")) / 1e9
    }
    // The rate at the peak of a day is less than twice the mean.
    if !(rate * seconds * 2 <= ScenarioChecks.mostSessions) {
      problems.add(
        tree.problem(
          at: "audience.viewsPerDayPerEdge",
          expected: "at most \(Int(ScenarioChecks.mostSessions / 2)) sessions in a replication"))
    }
    if let day = audience.optional("diurnal"),
      span * 1e9 / Double(day.time("period")) * Double(DailyShape.corners)
        > ScenarioChecks.mostCorners
    {
      problems.add(
        day.problem(
          at: "period",
          expected: "at most \(Int(ScenarioChecks.mostCorners) / DailyShape.corners) periods in "
            + "the warm-up and the window"))
    }
  }

  private mutating func checkCrowds() {
    for crowd in tree.elements("audience.crowds") {
      if crowd.time("from") >= tree.time("audience.window") {
        problems.add(
          crowd.problem(at: "from", expected: "a time before the end of audience.window"))
      }
      if crowd.time("ramp") > crowd.time("length") / 2 {
        problems.add(crowd.problem(at: "ramp", expected: "at most half of length"))
      }
    }
  }

  private mutating func checkWindows() {
    var seen: Set<String> = []
    for part in tree.elements("windows") + tree.elements("audience.crowds")
    where !seen.insert(part.text("name")).inserted {
      problems.add(
        part.problem(at: "name", expected: "each name once: crowds have windows of their names"))
    }
    let end = tree.time("audience.window") + tree.time("audience.drain")
    for part in tree.elements("windows") {
      if part.time("to") <= part.time("from") {
        problems.add(part.problem(at: "to", expected: "a time after from"))
      }
      if part.time("from") >= end {
        problems.add(
          part.problem(at: "from", expected: "a time before the end of the window and the drain"))
      }
    }
  }

  private mutating func checkTitles() {
    let titles = tree.integer("catalogue.titles")
    for part in tree.elements("catalogue.republish") {
      if let count = part.optionalInteger("titles"), count > titles {
        problems.add(part.problem(at: "titles", expected: "at most catalogue.titles"))
      }
      if part.time("at") >= tree.time("audience.window") {
        problems.add(part.problem(at: "at", expected: "a time before the end of audience.window"))
      }
    }
    if !tree.isNone("catalogue.newTitles"), tree.kind("cdn.start") == "stationary" {
      problems.add(
        tree.problem(
          at: "cdn.start",
          expected: "cold, warmed or everything with catalogue.newTitles: no cache is stationary "
            + "while titles come and go"))
    }
  }
}
