/// A race of candidates under common random numbers, judged rung by rung.
///
/// The caller runs all candidates that are left for some more replications with shared seeds, and
/// asks for the next rung. A candidate is dropped when it is surely infeasible, or when the paired
/// differences say that it is surely worse than a rival that is feasible if the candidate is: for
/// each limit, the rival surely keeps it, or its paired differences say that it is surely nearer
/// to keeping it than the candidate (or the same in every replication). The second is what drops
/// anybody while intervals are wide: a difference under common random numbers is far narrower than
/// the metric itself. A rival that may break a limit that the candidate keeps drops nobody. The
/// race is a pure function of the tables; it draws nothing and keeps nothing.
///
/// **Errors.** The best feasible candidate is dropped wrongly with probability at most 1 - `level`
/// over the whole race. Half of that goes to its own limits, divided by limits and rungs: it is one
/// candidate, however many there are. Half goes to its rivals, divided by their number and the
/// rungs. A rival that is not feasible breaks some limit that the best keeps, so what was claimed
/// about that limit is wrong, and the claim is one of two, each with half of the rival's share. Of
/// a feasible rival the claim that the best is worse is wrong, with all of its share. Only one of
/// the two can happen, so neither the limits nor the objective take from each other. Without limits
/// all goes to the comparisons. Halving also drops candidates that are not surely worse, and gives
/// no such promise.
///
/// Sources: O. Maron, A. Moore 1997, DOI 10.1023/A:1006556606079 (races); M. Birattari et al.,
/// "A racing algorithm for configuring metaheuristics", 2002 (blocks of common instances); K.
/// Jamieson, A. Talwalkar, "Non-stochastic best arm identification and hyperparameter
/// optimization", 2016 (halving).
public struct Race: Sendable, Equatable {
  public enum Rule: Sendable, Equatable {
    /// Drops only what is surely worse or surely infeasible.
    case racing
    /// Besides, keeps at most this share of the candidates at each rung but the last, rounded up.
    case halving(keep: Double)
  }

  /// What one candidate has shown so far.
  public struct Entry: Sendable, Equatable {
    public let objective: MetricSeries
    /// One for each limit of the race.
    public let constrained: [MetricSeries]

    public init(objective: MetricSeries, constrained: [MetricSeries] = []) {
      self.objective = objective
      self.constrained = constrained
    }
  }

  public enum DropReason: Sendable, Equatable {
    /// Limit number `constraint` is surely not kept.
    case infeasible(constraint: Int)
    /// Surely worse than this candidate, which is feasible if the dropped one is.
    case worse(than: Int)
    /// Not among those that halving keeps.
    case notKept
  }

  public struct Drop: Sendable, Equatable {
    public let candidate: Int
    public let reason: DropReason
  }

  /// The state after a rung.
  public struct Rung: Sendable, Equatable {
    /// In the order of the candidates' numbers.
    public let dropped: [Drop]
    /// Those still in the race, the best first: those that meet the limits by their estimates, by
    /// objective; then the others, by how far they break them.
    public let alive: [Int]
    /// The best that is surely feasible; nil when there is none.
    public let leader: Int?
  }

  /// How a race ended.
  public struct Result: Sendable, Equatable {
    /// Nil when no candidate in the race meets the limits by its estimates.
    public let winner: Int?
    public let isWinnerSurelyFeasible: Bool
    /// The next best that meets the limits by its estimates.
    public let runnerUp: Int?
    /// Winner against runner-up, and against the configuration in use today.
    public let overRunnerUp: PairedComparison?
    public let overToday: PairedComparison?

    /// Nobody won; also what a race ends with in which no candidate is left.
    public static let none = Result(
      winner: nil, isWinnerSurelyFeasible: false, runnerUp: nil, overRunnerUp: nil, overToday: nil)
  }

  public let candidates: Int
  public let rungs: Int
  public let goal: Goal
  public let constraints: [Constraint]
  public let rule: Rule
  public let level: Double

  /// - Throws: `statistics.parameter` under one candidate or rung, and for a share to keep that is
  ///   not strictly between 0 and 1.
  public init(
    candidates: Int, rungs: Int, goal: Goal, constraints: [Constraint] = [],
    rule: Rule = .racing, level: Double = 0.95
  ) throws(StatisticsError) {
    try Require.level(level)
    if candidates < 1 { throw .parameter("at least 1 candidate", got: "\(candidates)") }
    if rungs < 1 { throw .parameter("at least 1 rung", got: "\(rungs)") }
    if case .halving(let keep) = rule, !(keep > 0 && keep < 1) {
      throw .parameter("a share to keep strictly between 0 and 1", got: keep)
    }
    self.candidates = candidates
    self.rungs = rungs
    self.goal = goal
    self.constraints = constraints
    self.rule = rule
    self.level = level
  }

  /// Judges one rung.
  ///
  /// - Parameters:
  ///   - index: the rung, from 0.
  ///   - entries: by candidate, its series so far; nil for those that are out.
  /// - Throws: `statistics.data` when the table does not fit the race or the series of candidates
  ///   differ in length; `statistics.no-data` when no candidate is in, and under two replications.
  /// - Precondition: `index` is in 0..<``rungs``.
  public func rung(_ index: Int, _ entries: [Entry?]) throws(StatisticsError) -> Rung {
    precondition(index >= 0 && index < rungs, "expected a rung in 0..<\(rungs), got \(index)")
    var standing = try Standing(self, entries)
    var reasons = [DropReason?](repeating: nil, count: candidates)
    for candidate in standing.order {
      reasons[candidate] = standing.broken[candidate].map { .infeasible(constraint: $0) }
    }
    standing.order.removeAll { reasons[$0] != nil }
    for candidate in standing.order {
      // A rival that is dropped by a better one speaks as well as before: being worse is handed on.
      for rival in standing.order where rival != candidate && reasons[candidate] == nil {
        if try isSurelyWorse(entries, candidate, than: rival, standing) {
          reasons[candidate] = .worse(than: rival)
        }
      }
    }
    standing.order.removeAll { reasons[$0] != nil }
    let leader = standing.order.first { standing.isSure[$0] }
    if case .halving(let keep) = rule, index < rungs - 1 {
      let present = entries.count { $0 != nil }
      let kept = max(1, Int((keep * Double(present)).rounded(.up)))
      for candidate in standing.order.dropFirst(kept) { reasons[candidate] = .notKept }
      standing.order.removeAll { reasons[$0] != nil }
    }
    let dropped = reasons.enumerated().compactMap { candidate, reason in
      reason.map { Drop(candidate: candidate, reason: $0) }
    }
    return Rung(dropped: dropped, alive: standing.order, leader: leader)
  }

  /// The winner among those still in the race after the last rung.
  ///
  /// The gains are winner minus the other, in the objective's unit. Their intervals are at the
  /// level divided among the other candidates, because the winner was chosen by these very data.
  /// - Parameters:
  ///   - entries: by candidate, its series; nil for those that are out.
  ///   - today: the objective under the configuration in use, on the same replications.
  /// - Throws: as ``rung(_:_:)``.
  public func finish(
    _ entries: [Entry?], today: MetricSeries? = nil
  ) throws(StatisticsError) -> Result {
    let standing = try Standing(self, entries)
    let feasible = standing.order.filter { standing.meets[$0] }
    guard let winner = feasible.first, let best = entries[winner]?.objective else {
      return .none
    }
    let corrected = 1 - (1 - level) / Double(max(1, candidates - 1))
    func gain(over other: MetricSeries?) throws(StatisticsError) -> PairedComparison? {
      guard let other else { return nil }
      return try PairedComparison(candidate: best, baseline: other, level: corrected)
    }
    let runnerUp = feasible.dropFirst().first
    return Result(
      winner: winner, isWinnerSurelyFeasible: standing.isSure[winner], runnerUp: runnerUp,
      overRunnerUp: try gain(over: runnerUp.flatMap { entries[$0]?.objective }),
      overToday: try gain(over: today))
  }

  /// The one-sided error of everything that one rival is claimed to be at one rung.
  fileprivate var rivalError: Double {
    let share = constraints.isEmpty ? 1.0 : 0.5
    return share * (1 - level) / Double(max(1, candidates - 1) * rungs)
  }

  /// The one-sided error of calling a candidate infeasible by one limit at one rung.
  fileprivate var infeasibleError: Double {
    0.5 * (1 - level) / Double(max(1, constraints.count) * rungs)
  }

  /// Whether the candidate is worse than the rival in the objective, and the rival feasible if the
  /// candidate is.
  private func isSurelyWorse(
    _ entries: [Entry?], _ candidate: Int, than rival: Int, _ standing: Standing
  ) throws(StatisticsError) -> Bool {
    guard let one = entries[candidate], let other = entries[rival] else { return false }
    // The cheapest way to say no.
    if goal.sign * (one.objective.value - other.objective.value) <= 0 { return false }
    let interval = try PairedComparison(
      candidate: one.objective, baseline: other.objective, level: 1 - 2 * rivalError
    ).difference.interval
    let isWorse = goal == .minimise ? interval.lower > 0 : interval.upper < 0
    if !isWorse { return false }
    for (index, constraint) in constraints.enumerated() where !standing.isKept[rival][index] {
      let difference = try PairedComparison(
        candidate: one.constrained[index], baseline: other.constrained[index],
        level: 1 - rivalError
      ).difference.interval
      let isNearer = constraint.isUpper ? difference.lower >= 0 : difference.upper <= 0
      if !isNearer { return false }
    }
    return true
  }
}

/// What a table says about each candidate at one rung.
private struct Standing {
  /// The candidates in the race, best first.
  var order: [Int]
  /// By limit, whether it is surely kept.
  private(set) var isKept: [[Bool]]
  /// Whether every limit is surely kept; kept by the estimates; the first limit surely not kept.
  private(set) var isSure: [Bool]
  private(set) var meets: [Bool]
  private(set) var broken: [Int?]

  init(_ race: Race, _ entries: [Race.Entry?]) throws(StatisticsError) {
    if entries.count != race.candidates {
      throw .data("entries of \(race.candidates) candidates", got: "\(entries.count)")
    }
    isKept = [[Bool]](
      repeating: [Bool](repeating: false, count: race.constraints.count), count: entries.count)
    isSure = [Bool](repeating: false, count: entries.count)
    meets = isSure
    broken = [Int?](repeating: nil, count: entries.count)
    var excess = [Double](repeating: 0, count: entries.count)
    var scores = excess
    order = []
    var length: Int?
    for (candidate, entry) in entries.enumerated() {
      guard let entry else { continue }
      order.append(candidate)
      if entry.constrained.count != race.constraints.count {
        throw .data(
          "\(race.constraints.count) constrained metrics", got: "\(entry.constrained.count)")
      }
      for series in [entry.objective] + entry.constrained {
        if let length, series.replications != length {
          throw .data("series of \(length) replications", got: "\(series.replications)")
        }
        length = series.replications
      }
      scores[candidate] = race.goal.sign * entry.objective.value
      isSure[candidate] = true
      meets[candidate] = true
      for (index, constraint) in race.constraints.enumerated() {
        let series = entry.constrained[index]
        let beyond = constraint.excess(of: series.value)
        if beyond >= 0 { meets[candidate] = false }
        // Limits have different units, so what is beyond them counts in shares of the limit.
        let scale = constraint.limit == 0 ? 1 : abs(constraint.limit)
        excess[candidate] += max(0, beyond) / scale
        // One-sided errors: twice that is outside a two-sided interval.
        let kept = try constraint.state(of: series, level: 1 - race.rivalError)
        isKept[candidate][index] = kept == .surelyFeasible
        if kept != .surelyFeasible { isSure[candidate] = false }
        let broken = try constraint.state(of: series, level: 1 - 2 * race.infeasibleError)
        if broken == .surelyInfeasible && self.broken[candidate] == nil {
          self.broken[candidate] = index
        }
      }
    }
    if order.isEmpty { throw .noData("at least 1 candidate in the race", got: 0) }
    let (met, over, score) = (meets, excess, scores)
    order.sort { one, other in
      if met[one] != met[other] { return met[one] }
      if !met[one] && over[one] != over[other] { return over[one] < over[other] }
      return (score[one], one) < (score[other], other)
    }
  }
}
