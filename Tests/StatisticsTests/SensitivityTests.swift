import Foundation
import Testing

@testable import Statistics

private func normal(_ random: inout SplitMix64) throws -> Double {
  try StandardNormal.quantile(random.nextUniform())
}

/// I. Ishigami and T. Homma's function over (-π, π)³ with a = 7, b = 0.1.
private func ishigami(_ point: [Double]) -> Double {
  let x = point.map { 2 * Double.pi * $0 - Double.pi }
  return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * x[2] * x[2] * x[2] * x[2] * sin(x[0])
}

/// Sobol's g-function: the product of (|4x - 2| + a)/(1 + a).
private func gFunction(_ point: [Double], _ a: [Double]) -> Double {
  zip(point, a).reduce(1) { $0 * (abs(4 * $1.0 - 2) + $1.1) / (1 + $1.1) }
}

private func indices(
  factors: Int, rows: Int, _ function: ([Double]) -> Double
) throws -> SobolIndices {
  let design = try SaltelliDesign(factors: factors, rows: rows)
  return try SobolIndices(
    design, responses: design.points.map(function), bootstrap: Bootstrap(resamples: 200, seed: 7))
}

@Test func `Sobol indices of the Ishigami function are the known ones`() throws {
  let found = try indices(factors: 3, rows: 4096, ishigami)
  // Closed forms: V = a²/8 + bπ⁴/5 + b²π⁸/18 + 1/2.
  let pi4 = Double.pi * .pi * .pi * .pi
  let variance = 49.0 / 8 + 0.1 * pi4 / 5 + 0.01 * pi4 * pi4 / 18 + 0.5
  let alone = 0.5 * (1 + 0.1 * pi4 / 5) * (1 + 0.1 * pi4 / 5)
  let together = 0.01 * pi4 * pi4 * (1.0 / 18 - 1.0 / 50)
  let first = [alone, 49.0 / 8, 0].map { $0 / variance }
  let total = [alone + together, 49.0 / 8, together].map { $0 / variance }
  #expect(abs(found.variance / variance - 1) < 0.01)
  for factor in 0..<3 {
    #expect(abs(found.first[factor].value - first[factor]) < 0.01, "\(found.first[factor])")
    #expect(abs(found.total[factor].value - total[factor]) < 0.01, "\(found.total[factor])")
    #expect(found.first[factor].interval.contains(first[factor]))
    #expect(found.total[factor].interval.contains(total[factor]))
  }
}

@Test func `Sobol indices of the g-function are the known ones`() throws {
  let a = [0.0, 0.5, 3, 9, 99, 99]
  let found = try indices(factors: 6, rows: 4096) { gFunction($0, a) }
  let parts = a.map { 1.0 / 3 / ((1 + $0) * (1 + $0)) }
  let variance = parts.reduce(1) { $0 * (1 + $1) } - 1
  #expect(abs(found.variance / variance - 1) < 0.02)
  for factor in a.indices {
    let total = parts[factor] * (variance + 1) / (1 + parts[factor]) / variance
    #expect(abs(found.first[factor].value - parts[factor] / variance) < 0.01)
    #expect(abs(found.total[factor].value - total) < 0.01)
  }
}

@Test func `the indices of a sum are its shares of variance, and an offset changes nothing`() throws
{
  let weights = [1.0, 2, 3]
  func sum(_ point: [Double]) -> Double { zip(point, weights).reduce(0) { $0 + $1.0 * $1.1 } }
  let found = try indices(factors: 3, rows: 2048, sum)
  let moved = try indices(factors: 3, rows: 2048) { sum($0) + 1e6 }
  for factor in 0..<3 {
    let share = weights[factor] * weights[factor] / 14
    #expect(abs(found.first[factor].value - share) < 0.002, "\(found.first[factor].value)")
    #expect(abs(found.total[factor].value - share) < 0.002, "\(found.total[factor].value)")
    #expect(abs(found.first[factor].value - moved.first[factor].value) < 1e-6)
  }
  #expect(throws: StatisticsError.self) { try indices(factors: 2, rows: 8) { _ in 4 } }
}

@Test func `bootstrap intervals of Sobol indices cover on independent points`() throws {
  // On a Sobol sequence the intervals are too wide; on independent points they are right. Rows of
  // (A, B, AB) by hand, the g-function of two factors.
  let a = [0.0, 1]
  let parts = a.map { 1.0 / 3 / ((1 + $0) * (1 + $0)) }
  let truth = parts[0] / ((1 + parts[0]) * (1 + parts[1]) - 1)
  let design = try SaltelliDesign(factors: 2, rows: 256)
  var random = SplitMix64(seed: 2)
  var covered = 0
  let trials = 200
  for trial in 0..<trials {
    var responses: [Double] = []
    for _ in 0..<256 {
      let x = (0..<4).map { _ in random.nextUniform() }
      for point in [[x[0], x[1]], [x[2], x[3]], [x[2], x[1]], [x[0], x[3]]] {
        responses.append(gFunction(point, a))
      }
    }
    let found = try SobolIndices(
      design, responses: responses, bootstrap: Bootstrap(resamples: 200, seed: UInt64(trial)))
    if found.first[0].interval.contains(truth) { covered += 1 }
  }
  // Standard error √(0.95·0.05/200) = 0.0154; three of them, and 200 resamples blur the ends.
  #expect(abs(Double(covered) / Double(trials) - 0.95) <= 3 * 0.0154 + 0.01, "\(covered)")
}

@Test func `elementary effects of a straight line are its slopes`() throws {
  let slopes = [3.0, -2, 0]
  let design = try MorrisDesign(factors: 3, trajectories: 10, seed: 1)
  let found = try MorrisEffects(
    design,
    responses: design.points.map { point in zip(point, slopes).reduce(5) { $0 + $1.0 * $1.1 } })
  for factor in 0..<3 {
    #expect(abs(found.mean[factor].value - slopes[factor]) < 1e-12)
    #expect(abs(found.meanSize[factor].value - abs(slopes[factor])) < 1e-12)
    #expect(found.deviation[factor] < 1e-12)
  }
}

@Test func `elementary effects tell what matters from what does not, and what acts together`()
  throws
{
  // x0 and x1 multiply, x2 is a weak line, x3 does nothing.
  let design = try MorrisDesign(factors: 4, trajectories: 400, seed: 8)
  let found = try MorrisEffects(
    design, responses: design.points.map { 10 * ($0[0] - 0.5) * $0[1] + $0[2] })
  // With p = 4, x0 is moved at x1 from {0, 1/3, 2/3, 1}: the effect is 10·x1, mean 5, deviation
  // 10·√(5/36) = 3.73; four standard errors of 400 draws.
  #expect(abs(found.meanSize[0].value - 5) < 4 * 3.73 / 20)
  #expect(abs(found.deviation[0] - 3.73) < 0.4)
  // x1 is moved at x0 - 1/2 from {-1/2, -1/6, 1/6, 1/2}: signs cancel in μ, not in μ*.
  #expect(found.mean[1].interval.contains(0))
  #expect(abs(found.meanSize[1].value - 10.0 / 3) < 4 * 1.67 / 20)
  #expect(abs(found.mean[2].value - 1) < 1e-12)
  #expect(found.meanSize[3].value == 0)
}

@Test func `main effects of a balanced factorial are differences of means`() throws {
  let grid = try GridDesign(sizes: [2, 3])
  let levels = (0..<6).map { grid.levels(of: $0) }
  // 10 + (±1) + (-2, 0.5, 1.5), the same in both replications but for an offset.
  let truth = levels.map { 10 + ($0[0] == 0 ? -1.0 : 1) + [-2, 0.5, 1.5][$0[1]] }
  let found = try MainEffects.ofLevels(
    levels, sizes: grid.sizes, responses: truth.map { [$0 - 0.25, $0 + 0.25] })
  #expect(abs(found.overall.value - 10) < 1e-12)
  #expect(found.overall.interval.halfWidth > 0.25)
  for (factor, effects) in [[-1, 1], [-2, 0.5, 1.5]].enumerated() {
    for (level, effect) in effects.enumerated() {
      let estimate = found.effects[factor][level]
      #expect(abs(estimate.value - effect) < 1e-12)
      // What all points share does not blur an effect.
      #expect(estimate.interval.halfWidth < 1e-10)
    }
  }
  #expect(found.explained > 1 - 1e-12)
}

@Test func `main effects hold on an unbalanced design, and interactions show`() throws {
  // Five of six cells: means by level would mix the factors.
  let levels = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]
  let truth = levels.map { 7 + ($0[0] == 0 ? -1.0 : 1) + [-2, 0.5, 1.5][$0[1]] }
  let found = try MainEffects.ofLevels(
    levels, sizes: [2, 3], responses: truth.map { [$0, $0] })
  #expect(abs(found.effects[0][1].value - 1) < 1e-12)
  #expect(abs(found.effects[1][0].value + 2) < 1e-12)
  let grid = (0..<4).map { [$0 / 2, $0 % 2] }
  let product = try MainEffects.ofLevels(
    grid, sizes: [2, 2], responses: grid.map { $0[0] == $0[1] ? [1, 1] : [0, 0] })
  #expect(product.explained < 1e-12)
  #expect(throws: StatisticsError.self) {
    try MainEffects.ofLevels(
      [[0, 0], [1, 1], [0, 0]], sizes: [2, 2], responses: [[1, 2], [2, 3], [1, 1]])
  }
  #expect(throws: StatisticsError.self) {
    try MainEffects.ofLevels(levels, sizes: [2, 3], responses: truth.map { [$0] })
  }
}

@Test func `slopes over a Latin hypercube have intervals that cover`() throws {
  let points = try LatinHypercube.points(20, factors: 3, seed: 4)
  var random = SplitMix64(seed: 6)
  var covered = 0
  let trials = 300
  for _ in 0..<trials {
    var responses: [[Double]] = points.map { _ in [] }
    for _ in 0..<8 {
      let shared = 50 * (try normal(&random))
      for (index, point) in points.enumerated() {
        responses[index].append(shared + 4 * point[0] - point[1] + (try normal(&random)))
      }
    }
    let found = try MainEffects.ofCoordinates(points, responses: responses)
    if found.effects[0][0].interval.contains(4) { covered += 1 }
    #expect(found.effects[0][0].interval.halfWidth < 5)
  }
  // Standard error √(0.95·0.05/300) = 0.0126; three of them.
  #expect(abs(Double(covered) / Double(trials) - 0.95) <= 3 * 0.0126, "covered \(covered)")
}
