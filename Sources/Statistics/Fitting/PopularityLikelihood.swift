internal import CGSL

/// The likelihood of Zipf's exponent and, unless it is given, the logarithm of how many titles were
/// not seen.
struct PopularityLikelihood {
  /// Sessions that had about as many titles by the time they were last seen or, with a negative
  /// count, before they were first seen: what was counted is the difference.
  struct Sessions {
    var titles: Double
    var count: Double
  }

  /// The counts whose rank is certain, descending.
  let head: [Int]
  /// For each smaller count, ascending from 1, how many titles have it.
  let tail: [(count: Int, titles: Double)]
  let seen: Int
  let requests: Double
  let titles: Int?
  /// Of draws that differ; empty for independent ones.
  let sessions: [Sessions]
  let sessionCount: Double

  init(_ sorted: [Int], titles: Int?, _ draws: PopularityFit.Draws) {
    if case .distinct(let spans) = draws {
      let seen = spans.filter { !$0.isEmpty }
      let before = PopularityLikelihood.groups(seen.map(\.lowerBound)).map {
        Sessions(titles: $0.titles, count: -$0.count)
      }
      sessions = before + PopularityLikelihood.groups(seen.map(\.upperBound))
      sessionCount = Double(seen.count)
    } else {
      sessions = []
      sessionCount = 0
    }
    var certain = 0
    // The next rank's rate is lower by 1/rank of it: four standard errors of the difference.
    while certain < min(sorted.count - 1, 200) {
      let rank = Double(certain + 1)
      let size = PopularityLikelihood.weight(Double(sorted[certain]), of: sessionCount)
      if size < 32 * rank * rank { break }
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

  /// What a count says of its rate's logarithm, in counts of independent draws: d log of a share
  /// 1 - exp(-x) is x exp(-x) / (1 - exp(-x)) d log x.
  private static func weight(_ count: Double, of sessions: Double) -> Double {
    if sessions == 0 { return count }
    let share = count / sessions
    if share >= 1 { return 0 }
    let x = -log1p(-share)
    return sessions * x * x * (1 - share) / share
  }

  /// 1 to 8 titles each for themselves, then four groups to an octave.
  private static func groups(_ lengths: [Int]) -> [Sessions] {
    let sorted = lengths.filter { $0 > 0 }.sorted()
    var groups: [Sessions] = []
    var last = -1
    for length in sorted {
      let octave = Int.bitWidth - 1 - length.leadingZeroBitCount
      let key = length <= 8 ? length : octave * 4 + (length >> (octave - 2)) & 3
      if key != last {
        groups.append(Sessions(titles: 0, count: 0))
        last = key
      }
      groups[groups.count - 1].titles += Double(length)
      groups[groups.count - 1].count += 1
    }
    return groups.map { Sessions(titles: $0.titles / $0.count, count: $0.count) }
  }

  /// The best of a coarse grid.
  func start() -> [Double] {
    var best = (value: -Double.infinity, point: [1.0, log(Double(seen))])
    // Sessions cost more and start well enough from every third.
    for step in stride(from: 0, through: 24, by: sessions.isEmpty ? 1 : 3) {
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
    guard let cells = PopularityCells(count, exponent, self) else { return -.infinity }
    var result = 0.0
    for (index, hits) in head.enumerated() {
      let hits = Double(hits)
      result += constant(hits) + logMass(hits, cells.head[index])
    }
    for entry in tail {
      let hits = Double(entry.count)
      let constant = constant(hits)
      let reach = 9 * (hits + 1).squareRoot() + 20
      var expected = 0.0
      for index in cells.rates.indices where abs(cells.rates[index] - hits) < reach {
        expected += cells.sizes[index] * exp(constant + logMass(hits, cells, index))
      }
      result += entry.titles * log(max(expected, 1e-300))
    }
    var unseen = 0.0
    var all = 0.0
    for index in cells.rates.indices {
      unseen += cells.sizes[index] * exp(logMass(0, cells, index))
      all += cells.sizes[index]
    }
    if let titles {
      let missing = Double(titles - seen)
      result += missing > 0 ? missing * log(max(unseen, 1e-300)) : 0
      return result - all
    }
    return result - (all - unseen)
  }

  /// The part of the mass of a count that does not depend on its expectation: Poisson for
  /// independent draws, binomial over the sessions for others.
  private func constant(_ hits: Double) -> Double {
    sessions.isEmpty
      ? -gsl_sf_lngamma(hits + 1)
      : gsl_sf_lngamma(sessionCount + 1) - gsl_sf_lngamma(hits + 1)
        - gsl_sf_lngamma(sessionCount - hits + 1)
  }

  private func logMass(_ hits: Double, _ rate: Double) -> Double {
    if sessions.isEmpty { return hits * log(rate) - rate }
    let share = min(rate / sessionCount, 1 - 1e-12)
    return hits * log(share) + (sessionCount - hits) * log1p(-share)
  }

  @inline(__always)
  private func logMass(_ hits: Double, _ cells: PopularityCells, _ index: Int) -> Double {
    sessions.isEmpty
      ? hits * cells.logs[index] - cells.rates[index]
      : hits * cells.logs[index] + (sessionCount - hits) * cells.misses[index]
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

/// How often each title is expected: those of the head one by one, the others in cells of like
/// popularity.
struct PopularityCells {
  var head: [Double]
  var sizes: [Double] = []
  var rates: [Double] = []
  /// Of the rates or, with sessions, of the shares of the sessions.
  var logs: [Double] = []
  /// With sessions, the logarithm of the share that did not have the title.
  var misses: [Double] = []

  /// - Returns: nil when a session had more titles than there are.
  init?(_ count: Double, _ exponent: Double, _ data: PopularityLikelihood) {
    head = data.head.indices.map { exp(-exponent * log(Double($0 + 1))) }
    var sum = head.reduce(0, +)
    var first = Double(head.count + 1)
    while first <= count {
      // One rank a cell up to 100, then 1 % wider ones.
      let width = first < 100 ? 1 : (first * 0.01).rounded(.down)
      let size = min(max(1, width), count - first + 1)
      let middle = first + (size - 1) / 2
      let weight = exp(-exponent * log(middle))
      sizes.append(size)
      rates.append(weight)
      sum += size * weight
      first += size
    }
    if data.sessions.isEmpty {
      let scale = data.requests / sum
      for index in head.indices { head[index] *= scale }
      for index in rates.indices { rates[index] *= scale }
      logs = rates.map { log($0) }
      return
    }
    let (whole, cells) = (head.count, sizes)
    let shares = (head + rates).map { $0 / sum }
    for index in head.indices { head[index] = 0 }
    for index in rates.indices { rates[index] = 0 }
    var race = TitleRace(shares: shares, sizes: head.map { _ in 1 } + cells)
    for group in data.sessions {
      guard group.titles < count - 0.5, race.end(at: group.titles) else { return nil }
      for index in shares.indices {
        let sessions = group.count * race.chances[index]
        if index < whole { head[index] += sessions } else { rates[index - whole] += sessions }
      }
    }
    // Where a title comes first in nearly every session, later ones have it as good as never.
    for index in head.indices { head[index] = max(head[index], 1e-9) }
    for index in rates.indices { rates[index] = max(rates[index], 1e-9) }
    for rate in rates {
      let share = min(rate / data.sessionCount, 1 - 1e-12)
      logs.append(log(share))
      misses.append(log1p(-share))
    }
  }
}
