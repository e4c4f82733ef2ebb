/// One thing measured beside a baseline of the same run.
struct BenchmarkRow: Encodable {
  /// Names the row in the thresholds too.
  let name: String
  let unit: String
  /// The best round, by CPU time.
  let value: Double
  /// What it is compared with.
  let baseline: String
  let baselineValue: Double
  /// Value over baseline value: more is better.
  let ratio: Double
  /// The ratio of each round lies between these.
  let leastRatio, mostRatio: Double
  /// Allocations for each unit of work; nil where they are not counted.
  var allocationsPerUnit: Double?
  /// Instructions for each unit of work; nil where the machine does not count them.
  var instructionsPerUnit: Double?

  /// Times `subject` and `baseline` by turns, so that a change of the machine's speed meets both.
  ///
  /// - Parameters:
  ///   - units: of work in one call of `subject`.
  ///   - baselineUnits: of work in one call of `baseline`; `units` when nil.
  init(
    _ name: String, unit: String, units: Double, rounds: Int = Stopwatch.runs,
    against baselineName: String, baselineUnits: Double? = nil, _ baseline: () -> Void,
    subject: () -> Void
  ) {
    subject()
    baseline()
    var rates: [Double] = []
    var baselineRates: [Double] = []
    var fewest = Work(allocations: .max, instructions: .max)
    for _ in 0..<rounds {
      let before = Work.now()
      rates.append(units / Stopwatch.seconds(subject))
      let after = Work.now()
      fewest.allocations = min(fewest.allocations, after.allocations - before.allocations)
      fewest.instructions = min(fewest.instructions, after.instructions - before.instructions)
      baselineRates.append((baselineUnits ?? units) / Stopwatch.seconds(baseline))
    }
    self.name = name
    self.unit = unit
    self.baseline = baselineName
    value = rates.max() ?? 0
    baselineValue = baselineRates.max() ?? 0
    ratio = value / baselineValue
    let ratios = zip(rates, baselineRates).map { $0 / $1 }
    leastRatio = ratios.min() ?? 0
    mostRatio = ratios.max() ?? 0
    if Work.countsAllocations { allocationsPerUnit = Double(fewest.allocations) / units }
    if Work.countsInstructions { instructionsPerUnit = Double(fewest.instructions) / units }
  }
}

/// A number by itself: a size, a count.
struct BenchmarkFact: Encodable {
  let name: String
  let unit: String
  let value: Double
}

/// Everything of one run.
struct BenchmarkSheet: Encodable {
  var schema = 1
  var rows: [BenchmarkRow] = []
  var facts: [BenchmarkFact] = []
  /// What the machine does not give.
  var notes: [String] = []

  func text() -> String {
    var lines = ["name                            value unit            ratio  (least, most)"]
    for row in rows {
      var line =
        row.name.padded(30) + row.value.short().padded(-8) + " " + row.unit.padded(14)
        + row.ratio.short().padded(-7) + "  (\(row.leastRatio.short()), \(row.mostRatio.short()))"
      if let count = row.allocationsPerUnit { line += "  \(count.short()) allocations" }
      if let count = row.instructionsPerUnit { line += "  \(count.short()) instructions" }
      lines.append(line)
      lines.append("  against " + row.baseline.padded(52) + " " + row.baselineValue.short())
    }
    for fact in facts {
      lines.append(fact.name.padded(48) + " " + fact.value.short().padded(-10) + " " + fact.unit)
    }
    return (lines + notes).joined(separator: "\n")
  }
}
