import Foundation
import Testing

@testable import Statistics

/// Parameters of a simulation fitted to numbers that were observed.
@Suite struct MomentMatchingTests {
  /// Six numbers of two parameters, such as a rate and a round trip.
  private static func numbers(_ rate: Double, _ trip: Double) -> [Double] {
    [
      800 / rate + trip, 200 / rate + 3 * trip, 1_500 / rate + 2 * trip, trip * 1.5,
      log(rate) * 100 + 400, 50 / rate + trip * trip / 40,
    ]
  }

  private static func sample(
    _ values: [Double], deviation: Double, clusters: Int = 60
  ) -> SampledVector {
    SampledVector(
      values,
      covariance: values.indices.map { row in
        values.indices.map { $0 == row ? deviation * deviation : 0 }
      }, clusters: clusters)
  }

  private static func noise(_ seed: UInt64, _ deviation: Double) throws -> [Double] {
    var generator = SplitMix64(seed: seed)
    return try (0..<6).map { _ in
      deviation * (try StandardNormal.quantile(upperTail: 1 - generator.nextUniform()))
    }
  }

  /// Numbers of a simulation, with other noise at each place of its parameters.
  private static func noisy(_ numbers: [Double], at values: [Double]) -> [Double] {
    let place = values[0].bitPattern &* 31 &+ values[1].bitPattern
    let own = (try? noise(place, 1.5)) ?? []
    return zip(numbers, own).map { $0 + $1 }
  }

  private func answer(
    _ observed: [Double], deviation: Double, simulated: Double = 1e-3,
    _ simulate: @escaping ([Double]) -> [Double] = { MomentMatchingTests.numbers($0[0], $0[1]) },
    parameters: [MomentMatching.Parameter] = [
      .init(0.5...50, start: 5), .init(5...500, start: 50),
    ]
  ) throws -> MomentMatching.Answer {
    var matching = try MomentMatching(
      Self.sample(observed, deviation: deviation),
      leastVariances: [Double](repeating: 1e-6, count: observed.count), parameters: parameters)
    #expect(throws: StatisticsError.self) { try matching.answer() }
    while let asked = matching.asked {
      try matching.tell(Self.sample(simulate(asked), deviation: simulated))
    }
    return try matching.answer()
  }

  @Test(arguments: [true, false])
  func `what is hardly told has its truth in the interval`(_ adds: Bool) throws {
    // A part of 30 of waits, or what divides them, of which each is known to 40, so that together
    // they tell it by half.
    let numbers = { (part: Double) in
      (0..<6).map { (adds ? part : 900 / part) + Double(200 + 100 * $0) }
    }
    var inside = 0
    for seed in 1...200 as ClosedRange<UInt64> {
      let observed = zip(numbers(30), try Self.noise(seed, 40)).map { $0 + $1 }
      let found = try answer(
        observed, deviation: 40, { numbers($0[0]) },
        parameters: [.init(0.5...2_000, start: adds ? 60 : 15)])
      let estimate = found.estimates[0]
      if estimate.interval.contains(30) { inside += 1 }
      if adds ? estimate.value < 0.6 : estimate.value > 1_600 { #expect(!estimate.isTold) }
    }
    // Slopes alone hold 183; two standard errors of that are 6.
    #expect(inside >= 190, "[\(inside)] of 200")
  }

  @Test func `parameters are found from far away`() throws {
    for truth in [(rate: 1.2, trip: 180.0), (rate: 30.0, trip: 12.0), (rate: 4.0, trip: 60.0)] {
      let found = try answer(Self.numbers(truth.rate, truth.trip), deviation: 0.5)
      #expect(found.hasConverged && found.runs < 60)
      #expect(abs(found.estimates[0].value / truth.rate - 1) < 0.02, "\(truth) \(found)")
      #expect(abs(found.estimates[1].value / truth.trip - 1) < 0.02, "\(truth) \(found)")
      #expect(found.squares < 1, "\(truth) \(found)")
      #expect(found.startSquares > 100 * found.squares && found.misfit == 1, "\(found)")
    }
  }

  @Test func `intervals hold the truth nineteen times in twenty`() throws {
    var held = [0, 0]
    let seeds = 200
    for seed in 0..<seeds {
      let noise = try Self.noise(UInt64(seed), 4)
      let observed = zip(Self.numbers(6, 70), noise).map { $0 + $1 }
      let found = try answer(observed, deviation: 4)
      for (place, truth) in [6.0, 70].enumerated() {
        let interval = found.estimates[place].interval
        if interval.lower <= truth && truth <= interval.upper { held[place] += 1 }
      }
    }
    // 190 of 200, less three standard errors of 3.1; the misfit widens some: more may be held.
    #expect(held.allSatisfy { $0 >= 180 }, "\(held)")
  }

  @Test func `a jump beside the truth makes no interval narrower`() throws {
    var held = [0, 0]
    for seed in 0..<200 {
      let noise = try Self.noise(UInt64(seed), 4)
      let observed = zip(Self.numbers(6, 70), noise).map { $0 + $1 }
      // As where a percentile goes from ready starts to others, a tenth below the truth.
      let found = try answer(
        observed, deviation: 4,
        { values in
          var numbers = Self.numbers(values[0], values[1])
          if values[0] < 5.4 { numbers[4] += 300 }
          return numbers
        }, parameters: [.init(0.5...50, start: 6.2), .init(5...500, start: 50)])
      for (place, truth) in [6.0, 70].enumerated()
      where found.estimates[place].interval.contains(truth) {
        held[place] += 1
      }
    }
    // 190 of 200, less three standard errors of 3.1.
    #expect(held.allSatisfy { $0 >= 180 }, "\(held)")
  }

  @Test func `what changes nothing on one side is told on the other alone`() throws {
    // Waits that need at least a rate of 6: less of it is seen at once, more of it hardly.
    let numbers = { (rate: Double, trip: Double) in
      (0..<6).map { 300 + Double($0) * trip + 900 * max(0, log(6 / rate)) - log(rate) }
    }
    var (held, open) = (0, 0)
    for seed in 0..<200 {
      let noise = try Self.noise(UInt64(seed), 4)
      let observed = zip(numbers(9, 70), noise).map { $0 + $1 }
      let found = try answer(observed, deviation: 4, { numbers($0[0], $0[1]) })
      let estimate = found.estimates[0]
      if estimate.interval.contains(9) { held += 1 }
      if estimate.interval.upper == 50 { open += 1 }
      #expect(estimate.interval.lower > 4, "\(estimate)")
    }
    // 190 of 200, less three standard errors of 3.1.
    #expect(held >= 180, "[\(held), \(open)]")
    #expect(open >= 180, "[\(held), \(open)]")
  }

  @Test func `a search goes on from a better place beside where it came to rest`() throws {
    // A wall of one number between the start and the truth, as of a percentile between two kinds
    // of start.
    func numbers(_ values: [Double]) -> [Double] {
      var numbers = Self.numbers(values[0], values[1])
      numbers[4] += values[0] > 6.6 && values[0] < 7.7 ? 40 : 0
      return numbers
    }
    let found = try answer(
      numbers([8, 70]), deviation: 4, numbers,
      parameters: [.init(0.5...50, start: 5), .init(5...500, start: 50)])
    #expect(found.hasConverged && found.squares < 1, "\(found)")
    #expect(found.estimates[0].interval.contains(8), "\(found)")
  }

  @Test func `a simulation with noise of its own comes to rest, and intervals still hold`() throws {
    var held = [0, 0]
    var rests = 0
    let seeds = 200
    for seed in 0..<seeds {
      let noise = try Self.noise(UInt64(seed), 4)
      let observed = zip(Self.numbers(6, 70), noise).map { $0 + $1 }
      // Other noise at each place, as where a percentile falls on another view.
      let found = try answer(
        observed, deviation: 4, simulated: 1.5,
        { Self.noisy(Self.numbers($0[0], $0[1]), at: $0) })
      #expect(found.promisedSquares >= 0 && found.promisedSteps.count == 2)
      if !found.hasConverged { continue }
      rests += 1
      for (place, truth) in [6.0, 70].enumerated() {
        let interval = found.estimates[place].interval
        if interval.lower <= truth && truth <= interval.upper { held[place] += 1 }
      }
    }
    #expect(rests >= 180, "\(rests)")
    // 95 of 100 less three standard errors of 1.6.
    #expect(held.allSatisfy { Double($0) >= 0.9 * Double(rests) }, "\(held) of \(rests)")
  }

  @Test(arguments: [1, 5, 30] as [Double])
  func `the noise of simulations tells nothing of what hardly moves anything`(
    _ start: Double
  ) throws {
    var (held, told) = (0, 0)
    for seed in 0..<200 {
      let noise = try Self.noise(UInt64(seed), 4)
      let observed = zip(Self.numbers(6, 70), noise).map { $0 + $1 }
      // The rate moves the numbers by a hundredth of their noise, and the noise goes on its own.
      let found = try answer(
        observed, deviation: 4, simulated: 1.5,
        { values in
          Self.noisy(Self.numbers(6, values[1]).map { $0 + 0.04 * log(values[0]) }, at: values)
        }, parameters: [.init(0.5...50, start: start), .init(5...500, start: 50)])
      if found.estimates[0].interval.contains(6) { held += 1 }
      if found.estimates[0].isTold { told += 1 }
    }
    // 190 of 200, less three standard errors of 3.1.
    #expect(held >= 180, "[\(held), \(told)]")
    #expect(told <= 6, "[\(held), \(told)]")
  }

  @Test(arguments: [[8, 70], [20, 40]] as [[Double]])
  func `a trade-off that is curved is followed`(_ truth: [Double]) throws {
    let numbers = { (values: [Double]) in
      (0..<6).map { 800 / values[0] + values[1] * (1 + 0.12 * Double($0)) }
    }
    var held = [0, 0]
    for seed in 0..<200 {
      let noise = try Self.noise(UInt64(seed), 25)
      let observed = zip(numbers(truth), noise).map { $0 + $1 }
      let found = try answer(observed, deviation: 25, numbers)
      for place in held.indices where found.estimates[place].interval.contains(truth[place]) {
        held[place] += 1
      }
    }
    // Slopes alone hold 181 and 184 rates.
    #expect(held.allSatisfy { $0 >= 190 }, "[\(held)]")
  }

  @Test func `what moves nothing is not told, and what moves alike trades off`() throws {
    let none = try answer(Self.numbers(6, 70), deviation: 1) { Self.numbers($0[0], 70) }
    #expect(none.estimates[0].isTold && !none.estimates[1].isTold)
    let alike = try answer(
      Self.numbers(6, 70), deviation: 1, { Self.numbers($0[0] * $0[1] / 50, 70) })
    #expect(abs(alike.correlations[0][1]) > 0.9)
    #expect(!alike.estimates[0].isTold || !alike.estimates[1].isTold)
  }

  @Test func `a model that cannot meet the numbers says by how much`() throws {
    var observed = Self.numbers(6, 70)
    observed[0] += 40
    observed[3] -= 40
    let bad = try answer(observed, deviation: 1)
    let good = try answer(Self.numbers(6, 70), deviation: 1)
    #expect(bad.misfit > 50)
    let (wide, narrow) = (bad.estimates[1].interval, good.estimates[1].interval)
    #expect(wide.halfWidth > 3 * narrow.halfWidth)
  }

  @Test func `a truth beyond the range ends at its end`() throws {
    let found = try answer(
      Self.numbers(80, 70), deviation: 0.5,
      parameters: [.init(0.5...20, start: 5), .init(5...500, start: 50)])
    #expect(found.estimates[0].value > 19.9 && !found.estimates[0].isTold)
  }

  @Test func `a key at its end does not hold the others back`() throws {
    // Both move the same numbers, not quite alike; the first is to end at its end.
    let slopes: [(Double, Double)] = [(10, 9), (8, 8.5), (6, 4), (5, 7), (9, 9)]
    func numbers(_ values: [Double]) -> [Double] {
      slopes.map { 100 + $0.0 * log(values[0]) + $0.1 * log(values[1]) }
    }
    let found = try answer(
      numbers([60, 12]), deviation: 0.5, numbers,
      parameters: [.init(0.5...20, start: 3), .init(1...300, start: 20)])
    // The best that the first's range leaves.
    var best = (squares: Double.infinity, value: 0.0)
    for step in 0...3_000 {
      let value = exp(log(300.0) * Double(step) / 3_000)
      let errors = zip(numbers([60, 12]), numbers([20, value])).map { $0 - $1 }
      let squares = errors.reduce(0) { $0 + $1 * $1 }
      if squares < best.squares { best = (squares, value) }
    }
    #expect(found.hasConverged && found.estimates[0].value > 19.9, "\(found)")
    #expect(abs(log(found.estimates[1].value / best.value)) < 0.05, "\(found) \(best)")
  }

  @Test func `a search that is stuck says so`() throws {
    // Steps that no slope tells of.
    let found = try answer(
      [25, 30, 35, 40], deviation: 0.5,
      { values in [1, 2, 3, 4].map { 20 + $0 * (log(values[0]) * 8).rounded() + $0 } },
      parameters: [.init(1...60, start: 7.75)])
    #expect(!found.hasConverged || found.squares < 20, "\(found)")
  }

  @Test func `a number that is not finite is refused, and may be told anew`() throws {
    var matching = try MomentMatching(
      Self.sample([1, 2, 3], deviation: 1), leastVariances: [0, 0, 0],
      parameters: [.init(1...2, start: 1)])
    #expect(throws: StatisticsError.self) {
      try matching.tell(Self.sample([1, .nan, 3], deviation: 1))
    }
    try matching.tell(Self.sample([1, 2, 3], deviation: 1))
    #expect(matching.asked != nil)
  }

  @Test func `too few numbers for so many parameters are refused`() throws {
    #expect(throws: StatisticsError.self) {
      try MomentMatching(
        Self.sample([1, 2], deviation: 1), leastVariances: [0, 0],
        parameters: [.init(1...2, start: 1), .init(1...2, start: 1)])
    }
    #expect(throws: StatisticsError.self) {
      try MomentMatching(
        Self.sample([1, 2], deviation: 1), leastVariances: [0, 0], parameters: [])
    }
  }
}
