import Foundation

@testable import Statistics

/// What one replication of a model gives: values to average or to order, or the two sums of a
/// ratio.
struct Replication: Sendable {
  var values: [Double] = []
  var numerator = 0.0
  var denominator = 1.0

  var mean: Double { values.reduce(0, +) / Double(values.count) }
}

/// A model with a known answer, and the estimator that is to find it.
struct CoverageCase: Sendable, CustomStringConvertible {
  let description: String
  let truth: Double
  let make: @Sendable (inout SplitMix64) throws -> Replication
  let estimate: @Sendable ([Replication]) throws -> Estimate

  func replications(_ count: Int, _ random: inout SplitMix64) throws -> [Replication] {
    try (0..<count).map { _ in try make(&random) }
  }

  /// The share of trials whose 95 % interval holds the truth.
  func coverage(replications count: Int, trials: Int, seed: UInt64) throws -> Double {
    var random = SplitMix64(seed: seed)
    var covered = 0
    for _ in 0..<trials {
      let found = try estimate(try replications(count, &random))
      if found.interval.contains(truth) { covered += 1 }
    }
    return Double(covered) / Double(trials)
  }

  /// How many of the trials decide a budget whose limit is `limit`, looking up to four times.
  func decided(
    limit: Double, trials: Int, seed: UInt64
  ) throws -> (below: Int, above: Int) {
    let plan = try GroupSequentialBoundaries(fractions: [0.125, 0.25, 0.5, 1], level: 0.05)
    var random = SplitMix64(seed: seed)
    var (below, above) = (0, 0)
    for _ in 0..<trials {
      var data: [Replication] = []
      for (look, count) in [8, 16, 32, 64].enumerated() {
        data += try replications(count - data.count, &random)
        let found = try estimate(data)
        let critical = try plan.criticalValue(look: look, degreesOfFreedom: Double(count - 1))
        let statistic = (found.value - limit) / (found.standardError ?? .infinity)
        if abs(statistic) > critical {
          if statistic < 0 { below += 1 } else { above += 1 }
          break
        }
      }
    }
    return (below, above)
  }
}

func exponential(_ random: inout SplitMix64) -> Double { -log(random.nextUniform()) }

/// A standard normal number by Box and Muller: the tests need millions.
func fastNormal(_ random: inout SplitMix64) -> Double {
  (-2 * log(random.nextUniform())).squareRoot() * cos(2 * Double.pi * random.nextUniform())
}

private func lognormal(_ random: inout SplitMix64) -> Double { exp(fastNormal(&random)) }

/// Sojourn times of an M/M/1 queue with service rate 1, by Lindley's recursion from the stationary
/// wait.
private func sojourns(_ load: Double, _ count: Int, _ random: inout SplitMix64) -> [Double] {
  var wait = random.nextUniform() < load ? exponential(&random) / (1 - load) : 0
  return (0..<count).map { _ in
    let service = exponential(&random)
    let sojourn = wait + service
    wait = max(0, sojourn - exponential(&random) / load)
    return sojourn
  }
}

private func mean(_ data: [Replication]) throws -> Estimate {
  try Estimates.mean(of: data.map(\.mean))
}

private func p95(_ data: [Replication]) throws -> Estimate {
  try Estimates.pooledQuantile(sorted: data.map(\.values), 0.95)
}

private func deltaRatio(_ data: [Replication]) throws -> Estimate {
  try Estimates.ratio(numerators: data.map(\.numerator), denominators: data.map(\.denominator))
}

extension CoverageCase {
  private static let p95OfLognormal = exp(1.6448536269514722)
  private static let p95OfExponential = -log(0.05)

  static let exponentialMean = CoverageCase(
    description: "mean of 20 exponential values", truth: 1,
    make: { random in Replication(values: (0..<20).map { _ in exponential(&random) }) },
    estimate: mean)
  static let lognormalMean = CoverageCase(
    description: "mean of 200 lognormal values", truth: exp(0.5),
    make: { random in Replication(values: (0..<200).map { _ in lognormal(&random) }) },
    estimate: mean)
  static let queueMean = CoverageCase(
    description: "mean sojourn of 1000 in an M/M/1 queue of load 0.6", truth: 2.5,
    make: { random in Replication(values: sojourns(0.6, 1000, &random)) }, estimate: mean)
  static let exponentialP95 = CoverageCase(
    description: "P95 of 200 exponential values", truth: p95OfExponential,
    make: { random in Replication(values: (0..<200).map { _ in exponential(&random) }.sorted()) },
    estimate: p95)
  static let lognormalP95 = CoverageCase(
    description: "P95 of 200 lognormal values", truth: p95OfLognormal,
    make: { random in Replication(values: (0..<200).map { _ in lognormal(&random) }.sorted()) },
    estimate: p95)
  static let queueP95 = CoverageCase(
    description: "P95 sojourn of 1000 in an M/M/1 queue of load 0.6",
    truth: p95OfExponential / 0.4,
    make: { random in Replication(values: sojourns(0.6, 1000, &random).sorted()) },
    estimate: p95)

  /// 100 viewers with a geometric number of requests (mean 8), more likely a hit the more of them.
  private static func viewers(_ random: inout SplitMix64) -> Replication {
    var sums = Replication(numerator: 0, denominator: 0)
    for _ in 0..<100 {
      let requests = 1 + Int(exponential(&random) / -log(1 - 1.0 / 8))
      let share = 0.5 + 0.4 * Double(requests) / Double(requests + 8)
      for _ in 0..<requests where random.nextUniform() < share { sums.numerator += 1 }
      sums.denominator += Double(requests)
    }
    return sums
  }
  /// Σ k·p(k)·P(k) / 8.
  private static let viewersRatio = (1...2000).reduce(0.0) { sum, count in
    let k = Double(count)
    let probability = pow(7.0 / 8, k - 1) / 8
    return sum + k * (0.5 + 0.4 * k / (k + 8)) * probability / 8
  }
  static let hitRatio = CoverageCase(
    description: "hits over requests of 100 viewers, delta method", truth: viewersRatio,
    make: viewers, estimate: deltaRatio)

  static let all = [
    exponentialMean, lognormalMean, queueMean, exponentialP95, lognormalP95, queueP95, hitRatio,
  ]
}

/// How often a paired comparison of `own` noise decides what, looking up to four times.
///
/// Candidate and baseline share nothing unless `shared` is above 0.
func ruleOutcomes(
  change: Double, shared: Double, own: Double, threshold: Double, trials: Int,
  seed: UInt64
) throws -> (regressions: Int, improvements: Int, same: Int, open: Int) {
  let plan = try GroupSequentialBoundaries(fractions: [0.125, 0.25, 0.5, 1], level: 0.05)
  let rule = RegressionRule(goal: .minimise, threshold: try share(threshold))
  var random = SplitMix64(seed: seed)
  var counts = (regressions: 0, improvements: 0, same: 0, open: 0)
  for _ in 0..<trials {
    var (candidate, baseline): ([Double], [Double]) = ([], [])
    var last = RegressionRule.Outcome.notSure
    for (look, count) in [8, 16, 32, 64].enumerated() where last == .notSure {
      while baseline.count < count {
        let common = 100 + shared * fastNormal(&random)
        baseline.append(common + own * (exponential(&random) - 1))
        candidate.append(common + change + own * (exponential(&random) - 1))
      }
      let found = try PairedComparison(candidate: .means(candidate), baseline: .means(baseline))
      last = try rule.decide(found, look: look, of: plan).outcome
    }
    switch last {
    case .worse: counts.regressions += 1
    case .better: counts.improvements += 1
    case .equivalent: counts.same += 1
    case .notSure: counts.open += 1
    }
  }
  return counts
}
