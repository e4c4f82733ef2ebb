internal import CGSL

/// When a decision may be taken early without spending more than its level.
///
/// Each look k at information fraction t_k has a boundary z_k: the decision falls when |Z| ≥ z_k.
/// The boundaries are symmetric and spend, on each side, α₁*(t) = 2(1 - Φ(z_{α₁/2}/√t)) with α₁ =
/// α/2: the Lan-DeMets function of O'Brien-Fleming type, one-sided at half the level. (The same
/// function at the full level, halved, would be looser at the first looks: 3.92 instead of 4.33 at
/// t = 1/4; the published tables use the form taken here.) The boundaries follow by numerical
/// integration over the paths that have not yet crossed.
///
/// The replications are few, so a look compares Student's t with the quantile of the same nominal
/// level (``criticalValue(look:degreesOfFreedom:)``); the level then holds approximately: for looks
/// after 8, 16, 32 and 64 replications and level 0.05, simulation gave 0.0502 ± 0.0001 (3,000,000
/// trials). At very small nominal levels and few degrees of freedom the t boundary is far out (|t|
/// ≥ 47.8 after 8 replications): an early stop is rare by design.
///
/// Sources: K. Lan, D. DeMets 1983, DOI 10.1093/biomet/70.3.659; P. Armitage, C. McPherson, B. Rowe
/// 1969, DOI 10.2307/2343787; C. Jennison, B. Turnbull, "Group Sequential Methods with Applications
/// to Clinical Trials", 2000 (error spending, numerical integration, t tests at nominal levels).
public struct GroupSequentialBoundaries: Sendable, Equatable {
  /// One look at the data.
  public struct Look: Sendable, Equatable {
    /// The share of the information at hand, in (0, 1].
    public let fraction: Double
    /// The boundary for |Z|.
    public let z: Double
    /// The two-sided level at which a single test would have this boundary: 2(1 - Φ(z)).
    public let nominalLevel: Double
    /// The two-sided level spent up to and including this look.
    public let spent: Double
  }

  public let looks: [Look]
  /// The overall two-sided level.
  public let level: Double

  /// - Parameters:
  ///   - fractions: strictly ascending in (0, 1]; the last is 1 when the level is to be spent in
  ///     full.
  ///   - level: the overall two-sided error probability, such as 0.05.
  /// - Throws: `statistics.parameter`.
  /// - Complexity: about 2 million evaluations of the normal density per look.
  public init(fractions: [Double], level: Double) throws(StatisticsError) {
    if !(level > 0 && level < 1) {
      throw .parameter("a level strictly between 0 and 1", got: level)
    }
    if fractions.isEmpty { throw .noData("at least 1 look", got: 0) }
    var previous = 0.0
    for fraction in fractions {
      if !(fraction > previous && fraction <= 1) {
        throw .parameter("a fraction above \(format(previous)) and at most 1", got: fraction)
      }
      previous = fraction
    }
    var looks: [Look] = []
    var density: ContinuationDensity?
    var spentBefore = 0.0
    for fraction in fractions {
      let spent = try GroupSequentialBoundaries.spending(side: level / 2, fraction)
      let increment = spent - spentBefore
      let z: Double
      if let known = density {
        z = try known.boundary(at: fraction, crossing: increment)
      } else {
        z = try StandardNormal.quantile(upperTail: increment)
      }
      density = ContinuationDensity(fraction: fraction, z: z, previous: density)
      looks.append(
        Look(
          fraction: fraction, z: z, nominalLevel: 2 * StandardNormal.upperTail(z),
          spent: 2 * spent))
      spentBefore = spent
    }
    self.looks = looks
    self.level = level
  }

  /// The value that |t| must reach at look `look` (from 0): Student's quantile at the nominal
  /// level.
  ///
  /// - Precondition: `look` is an index of ``looks``.
  public func criticalValue(
    look: Int, degreesOfFreedom: Double
  ) throws(StatisticsError) -> Double {
    precondition(looks.indices.contains(look), "expected a look in 0..<\(looks.count), got \(look)")
    return try StudentT.quantile(
      upperTail: looks[look].nominalLevel / 2, degreesOfFreedom: degreesOfFreedom)
  }

  /// What one side has spent at `fraction` when it spends `side` in all.
  private static func spending(
    side: Double, _ fraction: Double
  ) throws(StatisticsError) -> Double {
    let z = try StandardNormal.quantile(upperTail: side / 2)
    return 2 * StandardNormal.upperTail(z / fraction.squareRoot())
  }
}

/// The density of the score S = Z·√t on the paths that have crossed no boundary so far.
private struct ContinuationDensity {
  let fraction: Double
  private let nodes: [Double]
  /// Density times the weight of Simpson's rule at the node.
  private let weighted: [Double]

  /// 1200 intervals across at most ±8.5 standard deviations: the rule's error is under 1e-9.
  private static let intervals = 1200

  init(fraction: Double, z: Double, previous: ContinuationDensity?) {
    self.fraction = fraction
    let edge = min(z, 8.5) * fraction.squareRoot()
    let step = 2 * edge / Double(ContinuationDensity.intervals)
    var nodes: [Double] = []
    var weighted: [Double] = []
    for index in 0...ContinuationDensity.intervals {
      let score = -edge + step * Double(index)
      let isEnd = index == 0 || index == ContinuationDensity.intervals
      let weight = step / 3 * (isEnd ? 1 : (index % 2 == 1 ? 4 : 2))
      let density = previous?.density(of: score, at: fraction)
      nodes.append(score)
      weighted.append(weight * (density ?? ContinuationDensity.normal(score, fraction)))
    }
    self.nodes = nodes
    self.weighted = weighted
  }

  /// The z boundary at a later fraction that a share `increment` of all paths reaches first there.
  func boundary(at later: Double, crossing increment: Double) throws(StatisticsError) -> Double {
    let scale = later.squareRoot()
    let z = try leastRoot(low: 0, high: 38) { z throws(StatisticsError) in
      log(increment / crossing(z * scale, at: later))
    }
    return z
  }

  /// P(no crossing so far, score at least `edge` at fraction `later`).
  private func crossing(_ edge: Double, at later: Double) -> Double {
    let deviation = (later - fraction).squareRoot()
    var sum = CompensatedSum()
    for index in nodes.indices {
      sum.add(weighted[index] * StandardNormal.upperTail((edge - nodes[index]) / deviation))
    }
    return sum.value
  }

  private func density(of score: Double, at later: Double) -> Double {
    var sum = 0.0
    for index in nodes.indices {
      sum += weighted[index] * ContinuationDensity.normal(score - nodes[index], later - fraction)
    }
    return sum
  }

  /// The normal density with variance `variance` at distance `x`.
  private static func normal(_ x: Double, _ variance: Double) -> Double {
    exp(-x * x / (2 * variance)) / (2 * Double.pi * variance).squareRoot()
  }
}
