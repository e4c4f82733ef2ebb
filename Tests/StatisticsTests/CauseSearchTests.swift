import Foundation
import Testing

@testable import Statistics

/// Which one of several causes explains a vector of errors.
@Suite struct CauseSearchTests {
  private static let quarter = (down: log(0.75), up: log(1.25))

  /// Numbers that are independent, each with the same noise.
  private func sample(
    _ values: [Double], deviation: Double = 1, correlation: Double = 0, clusters: Int = 100
  ) -> SampledVector {
    SampledVector(
      values,
      covariance: values.indices.map { row in
        values.indices.map { deviation * deviation * (row == $0 ? 1 : correlation) }
      }, clusters: clusters)
  }

  /// A cause that moves the numbers by `slopes` at e times the law.
  private func moves(_ slopes: [Double], deviation: Double = 0) -> [CauseSearch.Move] {
    [Self.quarter.down, Self.quarter.up].map { power in
      CauseSearch.Move(
        power: power,
        sample(slopes.map { $0 * power }, deviation: deviation))
    }
  }

  private func normals(_ count: Int, _ generator: inout SplitMix64) throws -> [Double] {
    try (0..<count).map { _ in try StandardNormal.quantile(generator.nextUniform()) }
  }

  private static let wait = [20.0, 18, 12, 0, 0, 1]
  private static let watch = [0.0, 0, 1, 15, 9, 3]

  private func search(_ errors: [Double]) throws -> CauseSearch {
    try CauseSearch(errors, samples: [sample(errors)], most: log(2))
  }

  @Test func `the cause is found, its power within its noise, and its interval covers it`() throws {
    var generator = SplitMix64(seed: 11)
    var (covered, first, deviations) = (0, 0, 0.0)
    let cases = 200
    let length = Self.wait.reduce(0) { $0 + $1 * $1 }.squareRoot()
    for _ in 0..<cases {
      let errors = zip(Self.wait, try normals(6, &generator)).map { 0.22 * $0 + $1 }
      let search = try search(errors)
      let (right, wrong) = (
        try search.explanation(moves(Self.wait)), try search.explanation(moves(Self.watch))
      )
      if right.gain > wrong.gain { first += 1 }
      if right.interval.contains(0.22) { covered += 1 }
      deviations += (right.power - 0.22) * (right.power - 0.22) * length * length
    }
    // A cause that is seven standard errors off is seldom taken for another.
    #expect(first >= 198)
    // Of 200 intervals at 95 % ten miss, and 10 ± 3 standard errors of 3.1.
    #expect(abs(Double(covered) - 190) < 3 * 3.1, "\(covered)")
    // The power's standard error is one over the slopes' length; of 200 squares a tenth.
    #expect(abs(deviations / Double(cases) - 1) < 0.3, "\(deviations)")
  }

  @Test func `noise is no cause`() throws {
    var generator = SplitMix64(seed: 12)
    var alarms = 0
    for _ in 0..<200 {
      let search = try search(try normals(6, &generator))
      let gains = [
        try search.explanation(moves(Self.wait)).gain,
        try search.explanation(moves(Self.watch)).gain,
      ]
      let least = try search.leastGain(of: 2)
      if gains.contains(where: { $0 >= least }) { alarms += 1 }
    }
    // One in twenty, and three standard errors.
    #expect(alarms <= 10 + 9, "\(alarms)")
  }

  /// Without the noise of what it does, any vector explains a share of any errors.
  @Test func `the noise of what a cause does is held against it`() throws {
    var generator = SplitMix64(seed: 13)
    var (known, unknown) = (0, 0)
    for _ in 0..<100 {
      let search = try search(zip(Self.wait, try normals(6, &generator)).map { 0.22 * $0 + $1 })
      let chance = try normals(6, &generator).map { 8 * $0 }
      let least = try search.leastGain(of: 2)
      if try search.explanation(moves(chance, deviation: 8 * 0.25)).gain >= least { known += 1 }
      if try search.explanation(moves(chance)).gain >= least { unknown += 1 }
    }
    #expect(Double(known) < 0.9 * Double(unknown), "\(known) and \(unknown) of 100")
    #expect(unknown >= 20)
  }

  @Test func `numbers that say the same count once`() throws {
    let errors = [3.0, 3, 3]
    func gain(_ correlation: Double) throws -> Double {
      try CauseSearch(
        errors, samples: [sample(errors, correlation: correlation, clusters: 10_000)],
        most: log(2)
      ).explanation(moves([10, 10, 10])).gain
    }
    // Three independent ones have three times nine, three that are alike hardly more than nine.
    #expect(abs(try gain(0) - 27) < 0.1)
    #expect(try gain(0.95) < 12)
  }

  /// As Student's law has it for the tail that is asked for, over where widths are taken from it.
  @Test func `few clusters need more of a gain`() throws {
    func least(_ clusters: Int, _ causes: Int) throws -> Double {
      try CauseSearch([1], samples: [sample([1], clusters: clusters)], most: 1)
        .leastGain(of: causes)
    }
    #expect(abs(try least(12, 1) - 3.841_459) < 1e-5)
    #expect(abs(try least(100_000, 2) - 5.024) < 1e-3)
    // t of 11 degrees of freedom is 2.2010 at 0.025 and 2.5931 at 0.0125.
    #expect(abs(try least(12, 2) - 5.3322) < 1e-3)
  }

  @Test func `correlations of few clusters are shrunk`() throws {
    let alike = sample([0, 0, 0], correlation: 0.5).covariance
    let (few, many) = (
      ErrorNoise.shrinkage(alike, clusters: 5), ErrorNoise.shrinkage(alike, clusters: 100)
    )
    // (1 - r²)² over n - 1 and r².
    #expect(abs(few - 0.5625 / 4 / 0.25) < 1e-12 && many == 0.05)
    #expect(ErrorNoise.shrinkage(sample([0, 0]).covariance, clusters: 5) == 1)
  }

  @Test func `what is left beyond noise widens the interval`() throws {
    let search = try search(zip(Self.wait, [0, 0, 0, 40, -40, 0]).map { 0.22 * $0 + $1 })
    let found = try search.explanation(moves(Self.wait))
    let misfit = search.misfit(found)
    #expect(abs(misfit - 3_200 / 5) < 1, "\(misfit)")
    let wide = try search.explanation(moves(Self.wait), scale: misfit)
    #expect(wide.interval.halfWidth > 5 * found.interval.halfWidth)
    #expect(found.share < 0.02)
    #expect(try found.gain / misfit < search.leastGain(of: 2))
  }

  @Test func `a power beyond the search ends there, and bad input is refused`() throws {
    let found = try search(Self.wait.map { 2 * $0 }).explanation(moves(Self.wait))
    #expect(abs(found.power - log(2)) < 0.011 && found.interval.upper == found.power)
    #expect(throws: StatisticsError.self) { try search([]) }
    #expect(throws: StatisticsError.self) { try search([.nan]) }
    #expect(throws: StatisticsError.self) {
      try CauseSearch([1, 1], samples: [sample([1, 1], deviation: 0)], most: 1)
    }
  }

  @Test func `a jackknife of means has their variance, widened to Student's`() throws {
    let values = [[1.0, 5], [2, 3], [4, 4], [9, 0], [4, 8]]
    func mean(_ rows: [[Double]]) -> [Double] {
      [0, 1].map { column in rows.reduce(0) { $0 + $1[column] } / Double(rows.count) }
    }
    let without = values.indices.map { left in
      mean(values.enumerated().filter { $0.offset != left }.map(\.element))
    }
    let found = try SampledVector(mean(values), without: without)
    let widening = try pow(StudentT.quantile(upperTail: 0.025, degreesOfFreedom: 4) / 1.959964, 2)
    // Variances 9.5 and 8.5 and covariance -5.25 of single values, over five of them.
    let expected = [[9.5, -5.25], [-5.25, 8.5]].map { $0.map { $0 / 5 * widening } }
    for row in 0..<2 {
      for column in 0..<2 {
        #expect(abs(found.covariance[row][column] - expected[row][column]) < 1e-5)
      }
    }
    #expect(found.clusters == 5 && found.picked([1]).values == [4])
  }
}
