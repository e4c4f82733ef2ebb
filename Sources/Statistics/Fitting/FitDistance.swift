internal import CGSL

/// How far a fitted law is from the sample it was fitted to.
public struct FitDistance: Sendable, Equatable {
  /// The largest difference between the product-limit curve of the sample and the law's survival,
  /// where at least 1 % of the sample, and 10 values, are at risk.
  public let distance: Double
  /// The share of samples drawn from the fitted law, and fitted anew, that are at least as far.
  public let pValue: Double
  /// Samples drawn.
  public let resamples: Int

  /// The parametric bootstrap (W. Stute, W. González Manteiga, M. Presedo Quindimil 1993, DOI
  /// 10.1007/BF02613687): tables of the Kolmogorov-Smirnov law do not hold for a law whose
  /// parameters come from the same data. Censoring times are drawn from their own product-limit
  /// curve. Samples are drawn and compared on the sample's own groups.
  public init(
    _ fit: LawFit, _ sample: CensoredSample, resamples: Int = 199, seed: UInt64
  ) throws(StatisticsError) {
    let grid = FitGrid(sample, fit)
    distance = grid.distance(sample, fit.family, fit.values)
    let generator = try FitRandom(seed: seed)
    var (farther, made) = (0, 0)
    for _ in 0..<max(19, resamples) {
      let drawn = grid.draw(sample, fit, generator)
      guard let found = try? fit.family.estimate(drawn, start: fit.values) else { continue }
      made += 1
      if grid.distance(drawn, fit.family, found) >= distance { farther += 1 }
    }
    pValue = Double(farther + 1) / Double(made + 1)
    self.resamples = made
  }
}

/// The cells that a sample and those drawn in its likeness are counted in.
struct FitGrid {
  /// The ends of the cells of events, ascending from 0; the last is infinite.
  private let edges: [Double]
  /// What a cell of events stands for.
  private let middles: [Double]
  private let censored: [CensoredSample.Row]
  private let eventWeights: [Double]
  private let censoredWeights: [Double]

  init(_ sample: CensoredSample, _ fit: LawFit) {
    var edges = [0.0]
    for row in sample.events {
      if row.lower > edges[edges.count - 1] { edges.append(row.lower) }
      edges.append(row.upper)
    }
    // What the sample left out in the tail, the law may not.
    var tail = edges[edges.count - 1]
    for _ in 0..<512 {
      tail *= 1.02
      edges.append(tail)
    }
    edges.append(.infinity)
    self.edges = edges
    let least = fit.family == .pareto ? fit.values[1] : 0
    // Rows and edges both ascend.
    var row = 0
    middles = (1..<edges.count).map { index in
      let (lower, upper) = (edges[index - 1], edges[index])
      if upper.isInfinite { return lower * 1.01 }
      while row < sample.events.count && sample.events[row].lower < lower { row += 1 }
      if row < sample.events.count && sample.events[row].lower == lower {
        return max(sample.events[row].value, least)
      }
      return max((lower + upper) / 2, least)
    }
    censored = sample.censored
    // Survival of censoring: the product-limit curve with the roles exchanged.
    var weights: [Double] = []
    var curve = ProductLimit(atRisk: Double(sample.count))
    var event = 0
    var steps: [(at: Double, survival: Double)] = []
    for row in sample.censored {
      while event < sample.events.count && sample.events[event].value <= row.value {
        curve.censor(sample.events[event].count)
        event += 1
      }
      let before = curve.survival
      curve.fall(by: row.count)
      let fall = before - curve.survival
      weights.append(fall * exp(fit.family.logSurvival(row.value, fit.values)))
      steps.append((row.value, curve.survival))
    }
    censoredWeights = weights
    let tails = edges.map {
      $0.isInfinite ? 0 : $0 <= 0 ? 1 : exp(fit.family.logSurvival($0, fit.values))
    }
    var step = 0
    var uncensored = 1.0
    var found: [Double] = []
    for index in middles.indices {
      while step < steps.count && steps[step].at < middles[index] {
        uncensored = steps[step].survival
        step += 1
      }
      found.append(max(0, tails[index] - tails[index + 1]) * uncensored)
    }
    eventWeights = found
  }

  /// A sample from the law, censored as the data are.
  func draw(_ sample: CensoredSample, _ fit: LawFit, _ generator: FitRandom) -> CensoredSample {
    let counts = generator.multinomial(sample.count, weights: eventWeights + censoredWeights)
    var events: [CensoredSample.Row] = []
    for index in middles.indices {
      events.append(
        CensoredSample.Row(
          value: middles[index], count: 0, lower: edges[index], upper: edges[index + 1]))
    }
    let blank = CensoredSample(rows: events, censored: censored)
    return CensoredSample(
      blank, events: Array(counts[..<events.count]), censored: Array(counts[events.count...]))
  }

  /// The largest distance at the ends of the cells.
  func distance(
    _ sample: CensoredSample, _ family: FittedFamily, _ parameters: [Double]
  ) -> Double {
    var curve = ProductLimit(atRisk: Double(sample.count))
    let enough = max(10, 0.01 * curve.atRisk)
    var cut = 0
    var result = 0.0
    for row in sample.events {
      if row.count == 0 || row.upper.isInfinite { continue }
      while cut < sample.censored.count && sample.censored[cut].value < row.value {
        curve.censor(sample.censored[cut].count)
        cut += 1
      }
      if curve.atRisk < enough { break }
      let before = row.lower > 0 ? exp(family.logSurvival(row.lower, parameters)) : 1
      result = max(result, abs(curve.survival - before))
      curve.fall(by: row.count)
      result = max(result, abs(curve.survival - exp(family.logSurvival(row.upper, parameters))))
    }
    return result
  }
}

extension CensoredSample {
  /// Groups without values.
  init(rows: [Row], censored: [Row]) {
    events = rows
    self.censored = censored
    count = 0
    censoredCount = 0
    least = 0
    isConstant = true
  }
}
