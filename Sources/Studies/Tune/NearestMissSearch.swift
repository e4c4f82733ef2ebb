import Scenario
import Statistics

/// Looks for the candidate that comes nearest to the limits of a tuning.
struct NearestMissSearch {
  let candidates: [Variant]
  let constraints: [TuningConstraint]
  let factors: [SweepFactor]
  /// By candidate, the metrics of the limits, and each replication's sample of them.
  let values: [[MetricResult]]
  let samples: [[[MetricSample]]]

  /// Nil where every candidate with data keeps all limits.
  func find() throws(StatisticsError) -> NearestMiss? {
    var best: (candidate: Int, misses: [NearestMiss.Miss], sum: Double)?
    for candidate in candidates.indices {
      let misses = misses(candidate)
      let hasData = values[candidate].allSatisfy { $0.value != nil }
      if misses.isEmpty || !hasData { continue }
      let sum = misses.reduce(0) { $0 + excess($1) }
      if best.map({ sum < $0.sum }) ?? true { best = (candidate, misses, sum) }
    }
    guard let best else { return nil }
    let sorted = best.misses.enumerated().sorted { a, b in
      let (left, right) = (excess(a.element), excess(b.element))
      return left != right ? left > right : a.offset < b.offset
    }.map(\.element)
    return NearestMiss(
      candidate: best.candidate, misses: sorted,
      keys: try keys(of: best.candidate, constraint: sorted[0].constraint))
  }

  /// Of a limit of zero the excess itself, as in a race.
  private func excess(_ miss: NearestMiss.Miss) -> Double { miss.share ?? miss.beyond }

  private func misses(_ candidate: Int) -> [NearestMiss.Miss] {
    constraints.indices.compactMap { index in
      let limit = constraints[index].limit
      let metric = values[candidate][index]
      guard let value = metric.value, !limit.holds(value) else { return nil }
      let sign = limit.isUpper ? 1.0 : -1
      let interval = metric.interval.map { found in
        let ends = [sign * (found.lower - limit.value), sign * (found.upper - limit.value)]
        return Interval(
          lower: min(ends[0], ends[1]), upper: max(ends[0], ends[1]), level: found.level)
      }
      let beyond = sign * (value - limit.value)
      return NearestMiss.Miss(
        constraint: index, beyond: beyond, interval: interval,
        share: limit.value == 0 ? nil : beyond / abs(limit.value))
    }
  }

  // MARK: Keys

  /// What candidates that differ in one key alone say of it.
  private func keys(
    of nearest: Int, constraint: Int
  ) throws(StatisticsError) -> [NearestMiss.Key] {
    var neighbours: [(candidate: Int, change: ConfigurationChange)] = []
    for other in candidates.indices where other != nearest {
      let changes = Variant.differences(
        candidates[nearest].scenario, candidates[other].scenario)
      if changes.count == 1, let change = changes.first { neighbours.append((other, change)) }
    }
    // All are read together: Bonferroni.
    let level = 1 - 0.05 / Double(max(1, neighbours.count))
    var found: [NearestMiss.Key] = []
    for (other, change) in neighbours {
      guard let key = try key(nearest, other, change, constraint, level: level) else { continue }
      if let place = found.firstIndex(where: { $0.key == key.key }) {
        if isTold(key, over: found[place]) { found[place] = key }
      } else {
        found.append(key)
      }
    }
    let order = factors.map(\.key)
    return found.enumerated().sorted { a, b in
      let places = [a, b].map { order.firstIndex(of: $0.element.key) ?? order.count }
      return (places[0], a.offset) < (places[1], b.offset)
    }.map(\.element)
  }

  /// A value that is better says more than one that is worse, and a larger change more than a
  /// smaller one.
  private func isTold(_ key: NearestMiss.Key, over other: NearestMiss.Key) -> Bool {
    if key.isBetter != other.isBetter { return key.isBetter }
    return abs(key.change.value) > abs(other.change.value)
  }

  private func key(
    _ nearest: Int, _ other: Int, _ change: ConfigurationChange, _ constraint: Int, level: Double
  ) throws(StatisticsError) -> NearestMiss.Key? {
    let metric = constraints[constraint].metric
    let (mine, its) = (samples[nearest][constraint], samples[other][constraint])
    let count = min(mine.count, its.count)
    guard count >= 2, let own = MetricSeries.of(metric, Array(mine.prefix(count))),
      let rival = MetricSeries.of(metric, Array(its.prefix(count)))
    else { return nil }
    let difference = try PairedComparison(candidate: rival, baseline: own, level: level).difference
    if difference.interval.contains(0) { return nil }
    let isBetter = constraints[constraint].limit.isUpper == (difference.value < 0)
    return NearestMiss.Key(
      key: change.key, other: change.after, own: change.before, change: difference,
      candidate: other, isBetter: isBetter,
      isAtEnd: !isBetter && isAtEnd(nearest, other, key: change.key))
  }

  /// Whether the nearest one's value is the least or the greatest that was tried, and the other on
  /// the inner side.
  private func isAtEnd(_ nearest: Int, _ other: Int, key: String) -> Bool {
    func magnitude(_ candidate: Int, _ values: [FactorValue]) -> Double? {
      let setting = candidates[candidate].settings.first { $0.key == key }
      return setting.flatMap { text in values.first { $0.text == text.value }?.magnitude }
    }
    guard let values = factors.first(where: { $0.key == key })?.ascending,
      let own = magnitude(nearest, values), let its = magnitude(other, values),
      let least = values.first?.magnitude, let greatest = values.last?.magnitude
    else { return false }
    return own == least && its > own || own == greatest && its < own
  }
}
