import SimulationKernel
import Statistics
import Testing

// Issue 2 item 3: quantile tables and alias tables with stated error bounds:
// one variate costs one uniform, tails are exact.

struct `Quantile tables` {
  struct Case: Sendable, CustomStringConvertible {
    let law: Law
    var description: String { law.describe() }
  }

  static func cases() throws -> [Case] {
    [
      Case(law: try .lognormal(median: 60, sigma: 0.5)),
      Case(law: try .lognormal(median: 1000, sigma: 2.56)),
      Case(law: try .exponential(mean: 250)),
      Case(law: try .weibull(shape: 0.7, scale: 30)),
      Case(law: try .weibull(shape: 3, scale: 30)),
      Case(law: try .uniform(min: -3, max: 12)),
      Case(law: try .constant(7)),
    ]
  }

  /// Uniforms of all sizes: even ones, and ones at every depth of both tails.
  static func uniforms(_ count: Int, seed: UInt64) -> [Double] {
    var random = SplitMix64(seed: seed)
    return (0..<count).flatMap { index -> [Double] in
      let u = random.nextUniform()
      let depth = -random.next(below: 53)
      let deep = Double(sign: .plus, exponent: depth, significand: u)
      // On the grid of 2^-53 that the streams give, so that 1 - u is exact.
      let tail = max(0x1p-53, (deep * 0x1p53).rounded(.down) * 0x1p-53)
      return index % 2 == 0 ? [u, tail] : [u, 1 - tail]
    }
  }

  @Test(arguments: try cases())
  func `a table is off by no more than its stated error`(_ item: Case) throws {
    let law = item.law
    let made = try table(law)
    let spread = try law.quantile(0.75) - law.quantile(0.25)
    // The builder measures at the quarter points of a cell; between them a smooth law may differ by
    // a few percent more, and the two formulas round apart by some units of the last place.
    let bound = made.maximumError * 1.05 + 1e-14
    #expect(bound < 2e-4)
    for u in Self.uniforms(5000, seed: 11) {
      let exact = try u <= 0.5 ? law.quantile(u) : law.quantile(upperTail: 1 - u)
      let scale = max(abs(exact), spread)
      #expect(
        abs(made.quantile(u) - exact) <= bound * scale, "u \(u): \(made.quantile(u)), \(exact)")
    }
  }

  @Test(arguments: try cases())
  func `the kernel reads the knots as their builder does`(_ item: Case) throws {
    // Two independent readers of one layout: equal to the last bit.
    let knots = try QuantileKnots.tabulate(item.law)
    let made = try table(item.law)
    for u in Self.uniforms(20_000, seed: 12) {
      #expect(made.quantile(u) == knots.value(uniform: u), "u \(u)")
    }
  }

  @Test(arguments: try cases())
  func `the ends, the median and the borders of octaves are exact`(_ item: Case) throws {
    let law = item.law
    let made = try table(law)
    #expect(made.quantile(0.5) == (try law.quantile(0.5)))
    for octave in 1...53 {
      let v = Double(sign: .plus, exponent: -octave, significand: 1)
      #expect(made.quantile(v) == (try law.quantile(v)), "2^-\(octave)")
      if octave == 1 { continue }
      let upper = try law.quantile(upperTail: v)
      #expect(made.quantile(1 - v) == upper, "1 - 2^-\(octave)")
    }
    for index in stride(from: 1, to: 51 * QuantileTable.cells, by: 7) {
      let v = QuantileKnots.coordinate(index)
      #expect(made.quantile(v) == (try law.quantile(v)), "knot \(index)")
    }
    let least = made.quantile(RandomStreams.uniform(0))
    let greatest = made.quantile(RandomStreams.uniform(.max))
    #expect(least == (try law.quantile(0x1p-53)) && least.isFinite)
    #expect(greatest == (try law.quantile(upperTail: 0x1p-53)) && greatest.isFinite)
  }

  @Test(arguments: try cases())
  func `a larger uniform never gives a smaller variate`(_ item: Case) throws {
    let made = try table(item.law)
    let quartiles = try item.law.quantile(0.75) - item.law.quantile(0.25)
    var us = Self.uniforms(20_000, seed: 13)
    // Neighbours on the grid around knots and octave borders, where two cells meet.
    for index in stride(from: 0, to: 40 * QuantileTable.cells, by: 5) {
      let v = QuantileKnots.coordinate(index)
      for step in -2...2 {
        let u = v + Double(step) * 0x1p-53
        if u <= 0 || u >= 1 { continue }
        us.append(u)
        us.append(1 - u)
      }
    }
    us.sort()
    for index in us.indices.dropFirst() {
      let (before, after) = (made.quantile(us[index - 1]), made.quantile(us[index]))
      // Rounding of the interpolation may step back by one unit of the last place, not more.
      let slack = max(abs(after), quartiles) * 0x1p-52
      #expect(after >= before - slack, "u \(us[index - 1]), \(us[index]): \(before), \(after)")
    }
  }

  @Test func `draws through a table follow the law`() throws {
    // Kolmogorov-Smirnov, 50,000 draws; the last law is discrete, so it is left out.
    for (number, item) in try Self.cases().dropLast().enumerated() {
      let made = try table(item.law)
      let streams = RandomStreams(seed: 31, replication: 0)
      let values = (0..<50_000).map {
        made.quantile(streams.uniform(stream(UInt16(number)), entity: UInt64($0)))
      }
      let fit = try GoodnessOfFit.kolmogorovSmirnov(values, item.law)
      #expect(fit.pValue > 0.001, "\(item): \(fit.statistic)")
    }
  }

  @Test func `a constant is the same for every uniform`() {
    let made = QuantileTable(constant: 7.25)
    for u in [0x1p-53, 0.3, 0.5, 0.75, 1 - 0x1p-53] { #expect(made.quantile(u) == 7.25) }
    #expect(made.maximumError == 0 && made.mean == 7.25)
  }

  @Test func `knots that descend are our own mistake`() async {
    await #expect(processExitsWith: .failure) {
      var upper = [Double](repeating: 0, count: QuantileTable.knots)
      upper[5] = 1
      _ = QuantileTable(
        lower: [Double](repeating: 0, count: QuantileTable.knots), upper: upper, maximumError: 0,
        mean: 0)
    }
  }
}

struct `Alias tables` {
  @Test(arguments: [(1, 0.0), (2, 0.5), (7, 0.8), (64, 1.0), (1000, 0.8), (1000, 1.2)])
  func `an index is the column or its alias as the threshold says`(
    _ count: Int, _ exponent: Double
  ) throws {
    let built = try Statistics.AliasTable(
      weights: ZipfLaw(count: count, exponent: exponent).probabilities)
    let made = SimulationKernel.AliasTable(thresholds: built.thresholds, aliases: built.aliases)
    #expect(made.count == count)
    for column in 0..<count {
      let threshold = built.thresholds[column]
      let places: [UInt32] = [0, 1, threshold &- 1, threshold, threshold &+ 1, .max - 1]
      for place in places {
        // The least bits whose product with the count is (column, place).
        let (quotient, remainder) = UInt64(count).dividingFullWidth(
          (UInt64(column), UInt64(place) << 32))
        let bits = remainder == 0 ? quotient : quotient + 1
        let expected = built.outcome(column: column, bits: place)
        #expect(Int(made.index(bits)) == expected, "column \(column), place \(place)")
      }
    }
  }

  @Test(arguments: [0.0, 0.6, 0.8, 1.0, 1.4])
  func `probabilities are reproduced to 2^-31`(_ exponent: Double) throws {
    for count in [1, 2, 3, 10, 999, 4096] {
      let law = try ZipfLaw(count: count, exponent: exponent)
      let shares = try Statistics.AliasTable(weights: law.probabilities)
        .reproducedProbabilities()
      for rank in 0..<count {
        #expect(abs(shares[rank] - law.probabilities[rank]) <= 0x1p-31, "rank \(rank) of \(count)")
      }
    }
  }

  @Test(arguments: [0.6, 0.8, 1.0, 1.4])
  func `draws follow Zipf's law`(_ exponent: Double) throws {
    // Chi-square, 400,000 draws from 2,000 ranks.
    let law = try ZipfLaw(count: 2000, exponent: exponent)
    let made = try aliasTable(law.probabilities)
    let streams = RandomStreams(seed: 17, replication: 0)
    var counts = [Int](repeating: 0, count: 2000)
    for entity in 0..<400_000 {
      counts[Int(made.index(streams.bits(stream(1), entity: UInt64(entity))))] += 1
    }
    let fit = try GoodnessOfFit.chiSquare(counts: counts, probabilities: law.probabilities)
    #expect(fit.pValue > 0.001, "\(fit.statistic)")
  }

  @Test func `an outcome without weight is never drawn`() throws {
    let made = try aliasTable([0, 1, 0, 2, 0])
    var random = SplitMix64(seed: 5)
    for _ in 0..<100_000 {
      let index = made.index(random.next())
      #expect(index == 1 || index == 3)
    }
    for bits: UInt64 in [0, .max, 1 << 63] {
      #expect([1, 3].contains(made.index(bits)), "bits \(bits)")
    }
  }

  @Test func `an alias outside the table is our own mistake`() async {
    await #expect(processExitsWith: .failure) {
      _ = SimulationKernel.AliasTable(thresholds: [1, 2], aliases: [0, 2])
    }
  }
}
