import Testing

@testable import Statistics

/// Candidates whose objectives share their noise, as common random numbers make them.
private struct Field {
  let means: [Double]
  let wasted: [Double]
  let own: Double
  /// Standard deviations of the shares' noise: the candidates' common one, and each one's own.
  let shareNoise: (common: Double, own: Double)
  private var random: SplitMix64
  private var objectives: [[Double]]
  private var shares: [[Double]]

  init(
    means: [Double], wasted: [Double] = [], own: Double, shareNoise: (Double, Double) = (0, 0.02),
    seed: UInt64
  ) {
    self.shareNoise = shareNoise
    self.means = means
    self.wasted = wasted
    self.own = own
    random = SplitMix64(seed: seed)
    objectives = means.map { _ in [] }
    shares = wasted.map { _ in [] }
  }

  mutating func run(until count: Int) throws {
    while objectives[0].count < count {
      let shared = 20 * (try StandardNormal.quantile(random.nextUniform()))
      for index in means.indices {
        let noise = own * (try StandardNormal.quantile(random.nextUniform()))
        objectives[index].append(means[index] + shared + noise)
      }
      let common =
        shareNoise.common == 0
        ? 0 : shareNoise.common * (try StandardNormal.quantile(random.nextUniform()))
      for index in wasted.indices {
        let noise = shareNoise.own * (try StandardNormal.quantile(random.nextUniform()))
        shares[index].append(wasted[index] + common + noise)
      }
    }
  }

  func entries(_ alive: [Int]) throws -> [Race.Entry?] {
    try means.indices.map { index in
      if !alive.contains(index) { return nil }
      return Race.Entry(
        objective: try .means(objectives[index]),
        constrained: wasted.isEmpty ? [] : [try .means(shares[index])])
    }
  }

  func today(_ index: Int) throws -> MetricSeries { try .means(objectives[index]) }
}

/// Runs a race to its end; the rungs' drops beside the result.
private func run(
  _ race: Race, _ field: inout Field, replications: [Int], today: Int? = nil
) throws -> (drops: [[Race.Drop]], result: Race.Result) {
  var alive = Array(0..<race.candidates)
  var drops: [[Race.Drop]] = []
  for (rung, count) in replications.enumerated() {
    try field.run(until: count)
    let found = try race.rung(rung, try field.entries(alive))
    drops.append(found.dropped)
    alive = found.alive
  }
  let base = try today.map { try field.today($0) }
  return (drops, try race.finish(try field.entries(alive), today: base))
}

@Test func `a race drops what is surely worse and names winner, runner-up and gain`() throws {
  var field = Field(means: [120, 100, 100.2, 150, 140], own: 1, seed: 4)
  let race = try Race(candidates: 5, rungs: 3, goal: .minimise)
  let (drops, result) = try run(race, &field, replications: [8, 16, 32], today: 0)
  #expect(drops.flatMap { $0 }.map(\.candidate) == [0, 3, 4])
  #expect(drops[1].isEmpty && drops[2].isEmpty)
  #expect(drops[0].allSatisfy { if case .worse = $0.reason { true } else { false } })
  #expect(result.isWinnerSurelyFeasible)
  // Two of nearly the same law are left; which of them leads is luck, and the interval says so.
  #expect(Set([result.winner, result.runnerUp]) == [1, 2])
  let lead = try #require(result.overRunnerUp)
  #expect(lead.difference.value < 0 && lead.difference.interval.contains(0))
  let gain = try #require(result.overToday)
  #expect(gain.difference.interval.contains(-20), "\(gain.difference)")
  #expect(gain.difference.interval.halfWidth < 2)
  // The field is of five: the level of each gain is a fourth of the error.
  #expect(abs(gain.level - 0.9875) < 1e-12)
}

@Test func `a limit takes candidates out, and a doubtful one drops nobody`() throws {
  // 0 is best but surely breaks the limit; 1 is next, at the limit itself; 2 is surely inside.
  var field = Field(
    means: [80, 90, 100, 130], wasted: [0.6, 0.35, 0.2, 0.2], own: 1, seed: 9)
  let limit = try Constraint(limit: 0.35, isUpper: true)
  let race = try Race(candidates: 4, rungs: 1, goal: .minimise, constraints: [limit])
  try field.run(until: 16)
  let rung = try race.rung(0, try field.entries([0, 1, 2, 3]))
  #expect(
    rung.dropped == [
      Race.Drop(candidate: 0, reason: .infeasible(constraint: 0)),
      Race.Drop(candidate: 3, reason: .worse(than: 2)),
    ])
  #expect(rung.leader == 2)
  #expect(rung.alive.contains(1))
  let none = try Race(
    candidates: 4, rungs: 1, goal: .minimise, constraints: [Constraint(limit: 0.01, isUpper: true)])
  let lost = try none.rung(0, try field.entries([0, 1, 2, 3]))
  #expect(lost.dropped.count == 4 && lost.leader == nil)
  let result = try none.finish(try field.entries([0, 1, 2, 3]))
  #expect(result.winner == nil && result.overRunnerUp == nil)
}

@Test func `what is worse and no nearer to the limit is dropped while nobody is surely inside`()
  throws
{
  // A common noise as wide as the way to the limit: no interval excludes it, every difference of
  // two candidates is sharp. 1 is worse than 0 and wastes more, 2 is worse and wastes the same, 3
  // is worse but wastes less, 4 is better and wastes more.
  var field = Field(
    means: [100, 110, 120, 130, 90], wasted: [0.3, 0.32, 0.3, 0.28, 0.34], own: 1,
    shareNoise: (0.1, 0.001), seed: 5)
  try field.run(until: 8)
  let limit = try Constraint(limit: 0.35, isUpper: true)
  let race = try Race(candidates: 5, rungs: 1, goal: .minimise, constraints: [limit])
  let rung = try race.rung(0, try field.entries([0, 1, 2, 3, 4]))
  #expect(rung.leader == nil)
  #expect(rung.dropped == [Race.Drop(candidate: 1, reason: .worse(than: 0))])
  // Without any difference in the limit's metric, however wide its interval, being worse is enough.
  let same = try MetricSeries.means([0.1, 0.5, 0.3, 0.2])
  let twins = try Race(candidates: 2, rungs: 1, goal: .minimise, constraints: [limit])
  let found = try twins.rung(
    0,
    [
      Race.Entry(objective: try .means([9, 8, 9, 8]), constrained: [same]),
      Race.Entry(objective: try .means([1, 2, 2, 1]), constrained: [same]),
    ])
  #expect(found.dropped == [Race.Drop(candidate: 0, reason: .worse(than: 1))])
}

@Test func `a limit that must be exceeded is judged the other way round`() throws {
  // The objective grows, the share must stay above the limit: 1 has less of both than 0.
  var field = Field(
    means: [100, 90, 110], wasted: [0.4, 0.38, 0.36], own: 1, shareNoise: (0.1, 0.001), seed: 6)
  try field.run(until: 8)
  let limit = try Constraint(limit: 0.35, isUpper: false)
  let race = try Race(candidates: 3, rungs: 1, goal: .maximise, constraints: [limit])
  let rung = try race.rung(0, try field.entries([0, 1, 2]))
  #expect(rung.dropped == [Race.Drop(candidate: 1, reason: .worse(than: 0))])
}

@Test func `a race with a limit seldom drops the best that keeps it`() throws {
  var lost = 0
  let trials = 400
  for trial in 0..<trials {
    // Number 0 is just inside. The others are better and just outside, or as good and inside.
    var field = Field(
      means: [5, 4, 4, 4, 5, 5], wasted: [0.3499, 0.3501, 0.3501, 0.3501, 0.34, 0.34], own: 1,
      shareNoise: (0.02, 0.0005), seed: UInt64(5000 + trial))
    let limit = try Constraint(limit: 0.35, isUpper: true)
    let race = try Race(candidates: 6, rungs: 3, goal: .minimise, constraints: [limit])
    let (drops, _) = try run(race, &field, replications: [8, 16, 32])
    if drops.contains(where: { $0.contains { $0.candidate == 0 } }) { lost += 1 }
  }
  // At most 5 %, and two standard errors of 0.0109.
  #expect(Double(lost) / Double(trials) <= 0.05 + 2 * 0.0109, "lost \(lost)")
}

@Test func `a constraint is judged by its interval, on either side`() throws {
  let series = try MetricSeries.means([0.30, 0.32, 0.31, 0.29])
  #expect(try Constraint(limit: 0.35, isUpper: true).state(of: series) == .surelyFeasible)
  #expect(try Constraint(limit: 0.35, isUpper: false).state(of: series) == .surelyInfeasible)
  #expect(try Constraint(limit: 0.31, isUpper: true).state(of: series) == .open(isMet: true))
  #expect(try Constraint(limit: 0.30, isUpper: true).state(of: series) == .open(isMet: false))
  #expect(try Constraint(limit: 0.25, isUpper: false).state(of: series) == .surelyFeasible)
  #expect(throws: StatisticsError.self) { try Constraint(limit: .nan, isUpper: true) }
}

@Test func `halving keeps the stated share and the best`() throws {
  var field = Field(means: (0..<16).map { 100 + Double($0) / 2 }, own: 1, seed: 2)
  let race = try Race(candidates: 16, rungs: 4, goal: .minimise, rule: .halving(keep: 0.5))
  var alive = Array(0..<16)
  for (rung, count) in [8, 16, 32, 64].enumerated() {
    try field.run(until: count)
    let before = alive.count
    let found = try race.rung(rung, try field.entries(alive))
    alive = found.alive
    if rung < 3 { #expect(alive.count <= (before + 1) / 2) }
    #expect(found.dropped.count + alive.count == before)
  }
  #expect(alive.contains(0))
}

@Test func `a race seldom drops the best`() throws {
  var lost = 0
  let trials = 400
  for trial in 0..<trials {
    // All equal: any of them is the best, and number 0 is asked about.
    var field = Field(means: [5, 5, 5, 5, 5, 5], own: 1, seed: UInt64(1000 + trial))
    let race = try Race(candidates: 6, rungs: 3, goal: .maximise)
    let (drops, _) = try run(race, &field, replications: [8, 16, 32])
    if drops.contains(where: { $0.contains { $0.candidate == 0 } }) { lost += 1 }
  }
  // At most 5 %, and two standard errors of 0.0109.
  #expect(Double(lost) / Double(trials) <= 0.05 + 2 * 0.0109, "lost \(lost)")
}

@Test func `tables that do not fit a race are refused`() throws {
  let race = try Race(candidates: 2, rungs: 1, goal: .minimise)
  let one = Race.Entry(objective: try .means([1, 2, 3]))
  let short = Race.Entry(objective: try .means([1, 2]))
  #expect(throws: StatisticsError.self) { try race.rung(0, [one]) }
  #expect(throws: StatisticsError.self) { try race.rung(0, [one, short]) }
  #expect(throws: StatisticsError.self) { try race.rung(0, [nil, nil]) }
  #expect(throws: StatisticsError.self) { try Race(candidates: 0, rungs: 1, goal: .minimise) }
  #expect(throws: StatisticsError.self) {
    try Race(candidates: 2, rungs: 1, goal: .minimise, rule: .halving(keep: 1))
  }
  let alone = try race.rung(0, [one, nil])
  #expect(alone.alive == [0] && alone.leader == 0 && alone.dropped.isEmpty)
}
