/// How much of the audience is simulated viewer by viewer.
extension ScenarioTable {
  static let background = ObjectShape([
    Field(
      "viewers", .real(RealRange(1, 1e11)), default: .required,
      "Viewers a day, over all edges behind the shared tiers, beyond those of viewsPerDayPerEdge",
      source: "the file"),
    Field(
      "viewsPerDay", .real(RealRange(0.001, 1e5)), default: "73",
      "Views a day of each of them",
      source: "assumed: one session of audience.viewsPerSession"),
  ])

  static let sampling = ObjectShape([
    Field(
      "share", .ratio, default: "10 %",
      "Share of the viewers, and of the titles beyond the popular ones: one over a whole number",
      source: "caches.md section 8: sampling of keys with caches scaled by the rate")
  ])
}
