import MediaUnits
import Models

/// What happens at given times: the time of day, flash crowds, new titles, new versions, windows.
extension ScenarioTable {
  static let diurnal = ObjectShape([
    Field(
      "peakToTrough", .real(RealRange(1, 100)), default: "4",
      "Largest rate of arrivals over the smallest", source: "caches.md section 7: 3 to 5"),
    Field(
      "period", .time(60_000_000_000...longest), default: "24 h",
      "A cosine with this period and a mean of viewsPerDayPerEdge"),
    Field(
      "peakAt", .time(0...longest), default: "0 s",
      "A time of the peak, from the start of the measured window"),
  ])

  static let crowd = ObjectShape([
    Field(
      "name", .text(.name), default: .required,
      "Name of the crowd, and of the window that reports it", source: "the file"),
    Field(
      "from", .time(0...longest), default: .required,
      "When it begins, from the start of the measured window (after the warm-up)",
      source: "the file"),
    Field("length", .time(1...longest), default: .required, "How long it is", source: "the file"),
    Field(
      "factor", .real(RealRange(1, 10_000)), default: .required,
      "Sessions arrive at this many times the rate; crowds that overlap add their extra sessions",
      source: "the file"),
    Field(
      "ramp", .time(0...longest), default: "0 s",
      "The factor rises in a straight line over this at the start and falls so at the end"),
    Field(
      "title",
      .optional(
        .kinds([
          Kind(
            "new", "One title that is uploaded when the crowd begins, cold in every cache",
            [
              Field(
                "share", .ratio, default: "0.3",
                "Probability that an item is that title while the crowd lasts; once in a session")
            ])
        ])), default: "none", "What the crowd comes for; none for the catalogue"),
  ])

  /// What drives viewers out of the app, once a file asks for it.
  static let exits = Section<ExitHazards>([
    .key(
      "slowStart", .time(times), default: "2 s", "A first frame that comes later is late",
      source: "parameters.md section 6.4: from there on viewers leave", to: \.slowStart),
    .key(
      "perLateSecond", .real(risks), default: "0.058",
      "Risk that a viewer closes the app, for each second that the first frame is late",
      source: "parameters.md section 6.4: 5.8 % more viewers for each second more",
      to: \.perLateSecond),
    .key(
      "perStalledSecond", .real(risks), default: "0.1",
      "The same for each second of the view's stalls",
      source: "parameters.md section 6.4: stalls act on exits by the order of a tenth; the number"
        + " is assumed", to: \.perStalledSecond),
  ])

  private static let risks = RealRange(0, 100)
  static let blankExits = ExitHazards(slowStart: .zero, perLateSecond: 0, perStalledSecond: 0)

  static let newTitles = ObjectShape([
    Field(
      "every", .time(1_000_000...longest), default: "4 s", "One title is uploaded every so often",
      source: "caches.md section 7, churn"),
    Field(
      "share", .ratio, default: "0.5", "Share of the items of a feed that are such titles",
      source: "caches.md section 7, churn: half of the views by recency"),
    Field(
      "age", .law(.time), default: "{kind: exponential, mean: 1 h, clip: {min: 0 s, max: 12 h}}",
      "Time since the upload of such a title when it is shown"),
  ])

  static let republish = ObjectShape([
    Field(
      "at", .time(0...longest), default: .required, "When, from the start of the measured window",
      source: "the file"),
    Field(
      "titles", .optional(.integer(1...4_000_000)), default: "none",
      "How many of the most popular titles; none to go by share"),
    Field("share", .ratio, default: "1", "Share of the titles, the most popular first"),
  ])

  static let window = ObjectShape([
    Field(
      "name", .text(.name), default: .required, "Value of the label window", source: "the file"),
    Field(
      "from", .time(0...longest), default: .required,
      "Its beginning, from the start of the measured window", source: "the file"),
    Field("to", .time(1...longest), default: .required, "Its end, likewise", source: "the file"),
  ])
}
