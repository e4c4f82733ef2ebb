internal import CGSL

/// Zipf's law fitted to how often each title was asked for.
///
/// Ranks are not observed: ordering titles by their counts makes the popular ones look more popular
/// than they are. Every count is taken as Poisson about its title's rate instead. Where the head's
/// counts lie so far apart that their order is certain, each has its own rank; for the rest, what
/// is compared is how many titles have a count of 0, 1, 2, …, each such number taken as Poisson
/// about its expectation, which says a little less than all there is, so that intervals are rather
/// wide than narrow.
public struct PopularityFit: Sendable, Equatable {
  public let exponent: Estimate
  /// Titles, those nobody asked for among them; an interval of no width where they are given.
  public let titles: Estimate
  /// Titles that were asked for, and how often all were.
  public let seen: Int
  public let requests: Int

  /// - Parameters:
  ///   - counts: how often each title was asked for, above 0, in any order.
  ///   - titles: how many there are in all; nil: estimated too.
  /// - Throws: `statistics.no-data` under 20 titles or 200 requests; `statistics.numeric` when all
  ///   titles are alike or nothing was asked for twice.
  public init(
    counts: [Int], titles: Int? = nil, level: Double = 0.95
  ) throws(StatisticsError) {
    try requireLevel(level)
    let sorted = counts.filter { $0 > 0 }.sorted(by: >)
    requests = sorted.reduce(0, +)
    seen = sorted.count
    if sorted.count < 20 { throw .noData("at least 20 titles", got: sorted.count) }
    if requests < 200 { throw .noData("at least 200 requests", got: requests) }
    if requests < sorted.count + 20 {
      throw .noData("at least 20 requests for a title seen before", got: requests - sorted.count)
    }
    if let titles, titles < sorted.count {
      throw .parameter("at least the \(sorted.count) titles that were seen", got: "\(titles)")
    }
    let likelihood = PopularityLikelihood(sorted, titles: titles)
    let start = likelihood.start()
    let best: [Double]
    if titles == nil {
      best = try Simplex.minimum(from: start, step: 0.05) { -likelihood.value($0) }
    } else {
      best = try Simplex.minimum(from: [start[0]], step: 0.05) { -likelihood.value($0) }
    }
    let spread = try likelihood.deviations(best)
    let z = try StandardNormal.quantile(1 - (1 - level) / 2)
    exponent = Estimate(
      value: best[0],
      interval: Interval(
        lower: best[0] - z * spread[0], upper: best[0] + z * spread[0], level: level),
      standardError: spread[0], n: requests)
    let count = titles.map { Double($0) } ?? Double(sorted.count) + exp(best[1])
    let unseen = count - Double(sorted.count)
    let wide = titles == nil ? exp(z * spread[1]) : 1
    self.titles = Estimate(
      value: count,
      interval: Interval(
        lower: count - unseen + unseen / wide, upper: count - unseen + unseen * wide, level: level),
      standardError: titles == nil ? unseen * spread[1] : 0, n: sorted.count)
  }
}

/// The likelihood of an exponent and, unless it is given, the logarithm of how many titles were not
/// seen.
private struct PopularityLikelihood {
  /// The counts whose rank is certain, descending.
  let head: [Int]
  /// For each smaller count, ascending from 1, how many titles have it.
  let tail: [(count: Int, titles: Double)]
  let seen: Int
  let requests: Double
  let titles: Int?

  init(_ sorted: [Int], titles: Int?) {
    var certain = 0
    // The next rank's rate is lower by 1/rank of it: four standard errors of the difference.
    while certain < min(sorted.count - 1, 200) {
      let rank = Double(certain + 1)
      if Double(sorted[certain]) < 32 * rank * rank { break }
      certain += 1
    }
    head = Array(sorted[..<certain])
    var counts: [(count: Int, titles: Double)] = []
    for count in sorted[certain...].reversed() {
      if let last = counts.last, last.count == count {
        counts[counts.count - 1].titles += 1
      } else {
        counts.append((count, 1))
      }
    }
    tail = counts
    seen = sorted.count
    requests = Double(sorted.reduce(0, +))
    self.titles = titles
  }

  /// The best of a coarse grid.
  func start() -> [Double] {
    var best = (value: -Double.infinity, point: [1.0, log(Double(seen))])
    for step in 0...24 {
      let exponent = 0.2 + 0.08 * Double(step)
      for more in titles == nil ? [0.05, 0.3, 1, 3, 10] : [0] {
        let point = [exponent, log(max(1, more * Double(seen)))]
        let value = value(point)
        if value > best.value { best = (value, point) }
      }
    }
    return best.point
  }

  /// The logarithm of the likelihood.
  func value(_ point: [Double]) -> Double {
    let exponent = point[0]
    let count = titles.map { Double($0) } ?? Double(seen) + exp(min(point[1], 25))
    if !(exponent >= 0 && exponent < 5) || count > 1e10 { return -.infinity }
    let groups = PopularityLikelihood.groups(count, exponent, head: head.count)
    let scale = requests / groups.sum
    var result = 0.0
    for (index, hits) in head.enumerated() {
      let rate = scale * exp(-exponent * log(Double(index + 1)))
      result += Double(hits) * log(rate) - rate - gsl_sf_lngamma(Double(hits) + 1)
    }
    let rates = groups.rates.map { scale * $0 }
    let logs = rates.map { log($0) }
    for entry in tail {
      let hits = Double(entry.count)
      let constant = gsl_sf_lngamma(hits + 1)
      let reach = 9 * (hits + 1).squareRoot() + 20
      var expected = 0.0
      for index in rates.indices where abs(rates[index] - hits) < reach {
        expected += groups.sizes[index] * exp(hits * logs[index] - rates[index] - constant)
      }
      result += entry.titles * log(max(expected, 1e-300))
    }
    var unseen = 0.0
    var all = 0.0
    for index in rates.indices {
      unseen += groups.sizes[index] * exp(-rates[index])
      all += groups.sizes[index]
    }
    if let titles {
      let missing = Double(titles - seen)
      result += missing > 0 ? missing * log(max(unseen, 1e-300)) : 0
      return result - all
    }
    return result - (all - unseen)
  }

  /// Titles beyond the head in groups of like popularity; `sum` is of the head and of them.
  static func groups(
    _ count: Double, _ exponent: Double, head: Int
  ) -> (sizes: [Double], rates: [Double], sum: Double) {
    var sizes: [Double] = []
    var rates: [Double] = []
    var sum = 0.0
    for rank in 0..<head { sum += exp(-exponent * log(Double(rank + 1))) }
    var first = Double(head + 1)
    while first <= count {
      // One rank a group up to 100, then 1 % wider ones.
      let width = first < 100 ? 1 : (first * 0.01).rounded(.down)
      let size = min(max(1, width), count - first + 1)
      let middle = first + (size - 1) / 2
      let rate = exp(-exponent * log(middle))
      sizes.append(size)
      rates.append(rate)
      sum += size * rate
      first += size
    }
    return (sizes, rates, sum)
  }

  /// Standard deviations from the curvature at the maximum.
  func deviations(_ best: [Double]) throws(StatisticsError) -> [Double] {
    let steps = best.count == 1 ? [1e-3] : [1e-3, 1e-2]
    func moved(_ a: Double, _ b: Double) -> Double {
      var point = best
      point[0] += a * steps[0]
      if point.count > 1 { point[1] += b * steps[1] }
      return value(point)
    }
    let middle = moved(0, 0)
    let first = -(moved(1, 0) - 2 * middle + moved(-1, 0)) / (steps[0] * steps[0])
    if best.count == 1 {
      if !(first > 0) { throw .numeric("a likelihood with a peak", got: "a flat one") }
      return [(1 / first).squareRoot()]
    }
    let second = -(moved(0, 1) - 2 * middle + moved(0, -1)) / (steps[1] * steps[1])
    let mixed =
      -(moved(1, 1) - moved(1, -1) - moved(-1, 1) + moved(-1, -1)) / (4 * steps[0] * steps[1])
    let determinant = first * second - mixed * mixed
    if !(first > 0 && second > 0 && determinant > 0) {
      throw .numeric("a likelihood with a peak: state how many titles there are", got: "a flat one")
    }
    return [(second / determinant).squareRoot(), (first / determinant).squareRoot()]
  }
}
