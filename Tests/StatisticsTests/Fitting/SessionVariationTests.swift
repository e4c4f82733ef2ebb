import Foundation
import Statistics
import Testing

@Suite struct SessionVariationTests {
  /// Rates of a link whose sessions are lognormal and whose seconds are an autoregression.
  static func series(
    sessions: Int, seconds: Int, step: Int64 = 1, between: Double, within: Double,
    correlation: Double, mean: Double = 15, seed: UInt64
  ) throws -> SessionSeries {
    var draws = Draws(seed)
    var series = SessionSeries()
    for _ in 0..<sessions {
      let level = mean + between * (try draws.normal())
      var state = within * (try draws.normal())
      var values: [(second: Int64, value: Double)] = []
      for place in 0..<seconds {
        values.append((Int64(place) * step, exp(level + state)))
        for _ in 0..<step {
          let rest = (1 - correlation * correlation).squareRoot()
          state = correlation * state + within * rest * (try draws.normal())
        }
      }
      series.add(values.reversed())
    }
    return series
  }

  /// Within this many standard errors; the interval's half is about two.
  static func isNear(
    _ number: SessionVariationFit.Number, _ truth: Double, errors: Double = 4
  ) -> Bool {
    let half = (number.interval.upper - number.interval.lower) / 2
    return half > 0 && abs(number.value - truth) <= half / 2.09 * errors
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a link's laws come back from seconds with gaps`(_ seed: UInt64) throws {
    let series = try Self.series(
      sessions: 300, seconds: 15, step: 2, between: 0.7, within: 0.4, correlation: 0.6, seed: seed)
    let fit = try SessionVariationFit(series)
    #expect(fit.form == .correlated && fit.sessions == 300 && fit.count == 4_500)
    #expect(Self.isNear(fit.between, 0.7), "\(fit.between)")
    #expect(Self.isNear(fit.within, 0.4), "\(fit.within)")
    #expect(Self.isNear(fit.correlation, 0.6), "\(fit.correlation)")
    #expect(Self.isNear(fit.median, exp(15)), "\(fit.median)")
    #expect(Self.isNear(fit.medianOfMeans, exp(15.08)), "\(fit.medianOfMeans)")
    #expect(fit.sessionDistance < 0.08 && fit.stepDistance < 0.03)
    // Sessions that are told from each other well have narrow intervals.
    #expect(fit.within.interval.upper / fit.within.interval.lower < 1.1)
  }

  @Test func `intervals hold the truth as often as they say`() throws {
    var hits = [0, 0, 0]
    for seed in 1...30 as ClosedRange<UInt64> {
      let series = try Self.series(
        sessions: 120, seconds: 12, between: 0.8, within: 0.5, correlation: 0.5, seed: 100 + seed)
      let fit = try SessionVariationFit(series, forms: [.correlated])
      if fit.between.interval.contains(0.8) { hits[0] += 1 }
      if fit.within.interval.contains(0.5) { hits[1] += 1 }
      if fit.correlation.interval.contains(0.5) { hits[2] += 1 }
    }
    // 28.5 are expected; fewer than 25 come by chance once in sixty times.
    for hits in hits { #expect(hits >= 25, "\(hits)") }
  }

  @Test func `seconds that are independent are found to be so`() throws {
    let series = try Self.series(
      sessions: 200, seconds: 10, between: 0.5, within: 0.5, correlation: 0, seed: 9)
    let fit = try SessionVariationFit(series)
    #expect(fit.form == .independent || fit.correlation.value < 0.1)
    #expect(Self.isNear(fit.within, 0.5) && Self.isNear(fit.between, 0.5))
  }

  @Test func `sessions of two kinds are no lognormal law`() throws {
    let near = try Self.series(
      sessions: 100, seconds: 10, between: 0.1, within: 0.2, correlation: 0.5, mean: 13, seed: 4)
    var draws = Draws(5)
    var both = SessionSeries()
    for session in 0..<200 {
      let mean = session % 2 == 0 ? 13.0 : 17.0
      let level = mean + 0.1 * (try draws.normal())
      var values: [(second: Int64, value: Double)] = []
      for place in 0..<10 {
        values.append((Int64(place), exp(level + 0.2 * (try draws.normal()))))
      }
      both.add(values)
    }
    #expect(try SessionVariationFit(near).sessionDistance < 0.1)
    #expect(try SessionVariationFit(both).sessionDistance > 0.15)
  }

  @Test func `of more values than a fit takes long sessions are cut before some are left out`()
    throws
  {
    let long = try Self.series(
      sessions: 50, seconds: 2_000, between: 0.5, within: 0.3, correlation: 0.5, seed: 11)
    let fit = try SessionVariationFit(long, forms: [.independent])
    #expect(fit.sessions == 50 && fit.count == 50 * ((1 << 16) / 50))
    #expect(Self.isNear(fit.between, 0.5, errors: 5), "\(fit.between)")
  }

  @Test func `fits are equal where all of them is`() throws {
    let series = try Self.series(
      sessions: 60, seconds: 6, between: 0.5, within: 0.4, correlation: 0.3, seed: 21)
    let fit = try SessionVariationFit(series)
    #expect(try SessionVariationFit(series) == fit)
    // The same numbers with narrower intervals, and of fewer forms.
    #expect(try SessionVariationFit(series, level: 0.9) != fit)
    let alone = try SessionVariationFit(series, forms: [fit.form])
    #expect(alone.median == fit.median && alone.aic == fit.aic && alone != fit)
  }

  @Test func `too few sessions and values that do not differ are refused`() throws {
    let few = try Self.series(
      sessions: 39, seconds: 10, between: 0.5, within: 0.5, correlation: 0.5, seed: 1)
    #expect(throws: StatisticsError.self) { try SessionVariationFit(few) }
    var same = SessionSeries()
    for _ in 0..<50 { same.add([(0, 5e6), (1, 5e6)]) }
    #expect(throws: StatisticsError.self) { try SessionVariationFit(same) }
    var odd = SessionSeries()
    odd.add([(0, -1), (1, .nan), (2, .infinity)])
    #expect(odd.sessions == 0 && odd.count == 0)
  }

  // MARK: The day

  /// Arrivals of a cosine over a day, by thinning.
  private func arrivals(_ count: Int, swing: Double, peak: Double, seed: UInt64) -> [Double] {
    var draws = Draws(seed)
    var counts = [Double](repeating: 0, count: DailyShapeFit.cells)
    var made = 0
    while made < count {
      let place = draws.uniform() * 24
      let rate = 1 + swing * cos((place - peak) / 24 * 2 * Double.pi)
      if draws.uniform() * (1 + swing) > rate { continue }
      counts[Int(place * 4)] += 1
      made += 1
    }
    return counts
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the shape of a day comes back`(_ seed: UInt64) throws {
    let counts = arrivals(5_000, swing: 0.6, peak: 20, seed: seed)
    let even = [Double](repeating: 1, count: DailyShapeFit.cells)
    let fit = try DailyShapeFit(counts: counts, exposures: even, seed: 1)
    let error = try #require(fit.peakToTrough.standardError)
    #expect(abs(fit.peakToTrough.value - 4) <= 4 * error && error < 0.5, "\(fit.peakToTrough)")
    let hours = try #require(fit.peakHour.standardError)
    #expect(abs(fit.peakHour.value - 20) <= 4 * hours && hours < 0.3, "\(fit.peakHour)")
    #expect(fit.distance < 0.03 && fit.aicOverConstant < -100)
    // Cells that were looked at half as long have half of the arrivals.
    var half = counts
    var exposures = even
    for cell in 0..<48 { (half[cell], exposures[cell]) = ((counts[cell] / 2).rounded(), 0.5) }
    let other = try DailyShapeFit(counts: half, exposures: exposures, seed: 1)
    #expect(abs(other.peakToTrough.value - fit.peakToTrough.value) < 3 * error)
  }

  @Test func `a day without a shape has none, and half a day tells of none`() throws {
    let flat = arrivals(2_000, swing: 0, peak: 0, seed: 3)
    let even = [Double](repeating: 1, count: DailyShapeFit.cells)
    #expect(try DailyShapeFit(counts: flat, exposures: even, seed: 1).aicOverConstant > -8)
    var part = even
    for cell in 0..<40 { part[cell] = 0 }
    #expect(throws: StatisticsError.self) {
      try DailyShapeFit(counts: flat, exposures: part, seed: 1)
    }
    #expect(throws: StatisticsError.self) {
      try DailyShapeFit(counts: even.map { _ in 1 }, exposures: even, seed: 1)
    }
  }
}

/// Numbers of these tests.
struct Draws {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  /// In (0, 1).
  mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return (Double((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53
  }

  mutating func normal() throws -> Double { try StandardNormal.quantile(uniform()) }
}
