internal import CGSL

/// The result of a test of fit.
public struct FitTest: Sendable, Equatable {
  public let statistic: Double
  /// The probability of a statistic at least this large if the law is right.
  public let pValue: Double
  /// The number of observations.
  public let n: Int
  /// For chi-square; nil for Kolmogorov-Smirnov.
  public let degreesOfFreedom: Int?
}

/// Tests of fit, used by the tests of every sampler in the project.
public enum GoodnessOfFit {
  /// Pearson's chi-square test of counts against probabilities.
  ///
  /// Neighbouring cells are joined, in order, until each expects at least `minimumExpected`; the
  /// last ones join their left neighbour. Source: W. Cochran 1954, DOI 10.2307/3001616 (at least
  /// 5).
  /// - Throws: `statistics.no-data` when fewer than two cells remain or nothing was counted;
  ///   `statistics.data` for a cell that was hit although its probability is 0, for negative
  ///   counts, and for probabilities that do not sum to 1 within 1e-9.
  public static func chiSquare(
    counts: [Int], probabilities: [Double], fittedParameters: Int = 0,
    minimumExpected: Double = 5
  ) throws(StatisticsError) -> FitTest {
    let total = try checkedTotal(counts, probabilities)
    var cells: [(observed: Double, expected: Double)] = []
    var open = (observed: 0.0, expected: 0.0)
    for index in counts.indices {
      open.observed += Double(counts[index])
      open.expected += probabilities[index] * Double(total)
      if open.expected >= minimumExpected {
        cells.append(open)
        open = (0, 0)
      }
    }
    if let last = cells.last {
      cells[cells.count - 1] = (last.observed + open.observed, last.expected + open.expected)
    }
    let freedom = cells.count - 1 - fittedParameters
    if freedom < 1 {
      throw .noData("at least \(2 + fittedParameters) cells of sufficient size", got: cells.count)
    }
    var statistic = 0.0
    for cell in cells {
      let difference = cell.observed - cell.expected
      statistic += difference * difference / cell.expected
    }
    let pValue = try GSLBoundary.value("chi-square probability") {
      gsl_cdf_chisq_Q(statistic, Double(freedom))
    }
    return FitTest(statistic: statistic, pValue: pValue, n: total, degreesOfFreedom: freedom)
  }

  private static func checkedTotal(
    _ counts: [Int], _ probabilities: [Double]
  ) throws(StatisticsError) -> Int {
    if counts.count != probabilities.count {
      throw .data("lists of equal length", got: "\(counts.count) and \(probabilities.count)")
    }
    var total = 0
    for index in counts.indices {
      let p = probabilities[index]
      if counts[index] < 0 {
        throw .data("counts of at least 0", got: "\(counts[index]) at index \(index)")
      }
      if !(p >= 0 && p <= 1) {
        throw .data("probabilities in 0...1", got: "\(p) at index \(index)")
      }
      if p == 0 && counts[index] > 0 {
        throw .data("no hit on an impossible cell", got: "\(counts[index]) at index \(index)")
      }
      total += counts[index]
    }
    if total == 0 { throw .noData("at least 1 count", got: 0) }
    let sum = CompensatedSum.of(probabilities)
    if abs(sum - 1) > 1e-9 { throw .data("probabilities that sum to 1", got: format(sum)) }
    return total
  }

  /// The Kolmogorov-Smirnov test of a sample against a law that was fixed beforehand.
  ///
  /// The values are sorted here. At atoms and jumps of the law the test is conservative.
  public static func kolmogorovSmirnov(
    _ values: [Double], _ law: Law
  ) throws(StatisticsError) -> FitTest {
    try Require.finite(data: values)
    let sorted = values.sorted()
    if sorted.isEmpty { throw .noData("at least 1 value", got: 0) }
    let n = Double(sorted.count)
    var distance = 0.0
    var index = 0
    while index < sorted.count {
      let value = sorted[index]
      let before = Double(index) / n
      while index < sorted.count && sorted[index] == value { index += 1 }
      let after = Double(index) / n
      distance = max(distance, abs(after - (try law.probability(.atMost, value))))
      distance = max(distance, abs((try law.probability(.under, value)) - before))
    }
    return FitTest(
      statistic: distance, pValue: tail(distance, effective: n), n: sorted.count,
      degreesOfFreedom: nil)
  }

  /// The Kolmogorov-Smirnov test of whether two samples come from one law.
  public static func kolmogorovSmirnov(
    _ first: [Double], _ second: [Double]
  ) throws(StatisticsError) -> FitTest {
    try Require.finite(data: first)
    try Require.finite(data: second)
    if first.isEmpty || second.isEmpty { throw .noData("at least 1 value in each sample", got: 0) }
    let a = first.sorted()
    let b = second.sorted()
    var distance = 0.0
    var (i, j) = (0, 0)
    while i < a.count && j < b.count {
      let value = min(a[i], b[j])
      while i < a.count && a[i] == value { i += 1 }
      while j < b.count && b[j] == value { j += 1 }
      distance = max(distance, abs(Double(i) / Double(a.count) - Double(j) / Double(b.count)))
    }
    let (n, m) = (Double(a.count), Double(b.count))
    return FitTest(
      statistic: distance, pValue: tail(distance, effective: n * m / (n + m)),
      n: a.count + b.count, degreesOfFreedom: nil)
  }

  /// Kolmogorov's limiting law with the correction for finite samples of M. Stephens 1970,
  /// DOI 10.1111/j.2517-6161.1970.tb00821.x; good to two digits from 5 values on.
  private static func tail(_ distance: Double, effective n: Double) -> Double {
    let root = n.squareRoot()
    let x = (root + 0.12 + 0.11 / root) * distance
    if x < 0.2 { return 1 }
    if x < 1.18 {
      // The form that converges fast for small arguments.
      let y = exp(-Double.pi * Double.pi / (8 * x * x))
      let series = y + pow(y, 9) + pow(y, 25) + pow(y, 49)
      return max(0, 1 - (2 * Double.pi).squareRoot() / x * series)
    }
    let y = exp(-2 * x * x)
    return min(1, max(0, 2 * (y - pow(y, 4) + pow(y, 9))))
  }
}
