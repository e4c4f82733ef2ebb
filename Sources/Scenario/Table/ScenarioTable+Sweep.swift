extension ScenarioTable {
  /// What `firstframe sweep` and `firstframe tune` vary.
  static let sweep = ObjectShape([
    Field(
      "vary", .variations, default: "{}",
      "Key paths and the values to try; designs over a range use the least and the greatest"),
    Field(
      "design", .kinds(sweepDesigns.kinds), default: "{kind: grid}", "Which combinations are run"),
    Field(
      "scale", .word(sweepScales.words),
      default: "linear", "How numbers are spread over a range"),
    Field(
      "metrics", .list(.text(MetricReference.rule), count: 0...60), default: "[]",
      "Metrics of the result; none for the headline ones"),
    Field(
      "front", .list(.text(MetricReference.rule), count: 0...4), default: "[]",
      "Metrics whose Pareto front is drawn, the better end by the metric's nature"),
    Field(
      "within", .list(.text(), count: 0...4), default: "[]",
      "Varied keys whose values each have a front of their own, because they are no choice"),
    Field(
      "replications", .integer(2...64), default: "8", "Replications of each point",
      source: "contract.md section 2: the first look"),
  ])

  static let sweepDesigns = PluginFamily<@Sendable (ResolvedTree) -> SweepPlan.Design>([
    .init("grid", "Every combination of the values") { _ in .grid },
    .init("one-at-a-time", "The scenario itself, then each value by itself") { _ in .oneAtATime },
    .init(
      "latin-hypercube", "Points spread over the ranges, one in each slice of each factor",
      [
        Field(
          "points", .integer(2...10_000), default: "32", "Points"),
        Field("seed", .integer(), default: "1", "Seed of the design"),
      ]
    ) {
      .latinHypercube(points: Int($0.integer("points")), seed: UInt64($0.integer("seed")))
    },
    .init(
      "sobol", "Points of a Sobol sequence over the ranges",
      [Field("points", .integer(2...10_000), default: "32", "Points")]
    ) { .sobol(points: Int($0.integer("points"))) },
    .init(
      "morris", "Trajectories that move one factor at a time: which factors matter",
      [
        Field("trajectories", .integer(2...1000), default: "8", "Trajectories"),
        Field("seed", .integer(), default: "1", "Seed of the design"),
      ]
    ) {
      .morris(
        trajectories: Int($0.integer("trajectories")), seed: UInt64($0.integer("seed")))
    },
    .init(
      "sobol-indices", "Saltelli's points: how much of the variance each factor makes",
      [Field("rows", .integer(8...4096), default: "32", "Rows; a power of two is best")]
    ) { .sobolIndices(rows: Int($0.integer("rows"))) },
  ])

  /// Whether steps are quotients.
  static let sweepScales = Choice<Bool>([
    .init("linear", "equal steps", value: false), .init("log", "equal quotients", value: true),
  ])
}
