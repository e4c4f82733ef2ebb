import Testing

@testable import Statistics

@Test func `a front keeps ties and orders by the first metric`() throws {
  let points: [[Double]] = [[3, 1], [1, 3], [2, 2], [2, 2], [3, 3], [1, 4], [4, 4]]
  let goals = [Goal.minimise, .minimise]
  #expect(try ParetoFront.front(of: points, goals: goals) == [1, 2, 3, 0])
  #expect(try ParetoFront.ranks(of: points, goals: goals) == [0, 0, 0, 0, 1, 1, 2])
  let turned = points.map { [-$0[0], $0[1]] }
  #expect(try ParetoFront.front(of: turned, goals: [.maximise, .minimise]) == [1, 2, 3, 0])
  #expect(try ParetoFront.front(of: [], goals: goals) == [])
  #expect(throws: StatisticsError.self) { try ParetoFront.front(of: [[1]], goals: goals) }
  #expect(throws: StatisticsError.self) { try ParetoFront.front(of: [[1, .nan]], goals: goals) }
}

@Test(arguments: 1...30)
func `fronts are those of the definition`(_ seed: Int) throws {
  var random = SplitMix64(seed: UInt64(seed))
  let metrics = 1 + seed % 4
  let goals = (0..<metrics).map { _ in random.next(below: 2) == 0 ? Goal.minimise : .maximise }
  let points = (0..<40).map { _ in (0..<metrics).map { _ in Double(random.next(below: 6)) } }
  func dominates(_ a: [Double], _ b: [Double]) -> Bool {
    let pairs = goals.indices.map {
      goals[$0] == .minimise ? (a[$0], b[$0]) : (b[$0], a[$0])
    }
    return pairs.allSatisfy { $0.0 <= $0.1 } && pairs.contains { $0.0 < $0.1 }
  }
  // Peeled off front by front.
  var expected = [Int](repeating: -1, count: 40)
  var rank = 0
  while expected.contains(-1) {
    let left = points.indices.filter { expected[$0] == -1 }
    let front = left.filter { one in !left.contains { dominates(points[$0], points[one]) } }
    for point in front { expected[point] = rank }
    rank += 1
  }
  #expect(try ParetoFront.ranks(of: points, goals: goals) == expected)
}

/// Series around the values with common and own noise.
private func series(
  _ values: [[Double]], own: Double, replications: Int, _ random: inout SplitMix64
) throws -> [[MetricSeries]] {
  let shared = try (0..<replications).map { _ in
    10 * (try StandardNormal.quantile(random.nextUniform()))
  }
  return try values.map { point in
    try point.map { value in
      try MetricSeries.means(
        shared.map { value + $0 + own * (try StandardNormal.quantile(random.nextUniform())) })
    }
  }
}

@Test func `paired intervals say which points are surely dominated`() throws {
  var random = SplitMix64(seed: 11)
  // Common noise of 10 would hide every difference; pairing takes it out.
  let found = try ParetoFront.standings(
    of: try series(
      [[1, 3], [3, 1], [4, 4], [1.01, 3.01], [1, 3]], own: 0.1, replications: 16, &random),
    goals: [.minimise, .minimise])
  #expect(found[1] == .surelyOnFront)
  #expect(found[2] == .surelyDominated(by: 0))
  for point in [0, 3, 4] {
    #expect(found[point] == .onFront || found[point] == .dominated, "\(found[point])")
  }
}

@Test func `equal points are both surely on the front`() throws {
  let same = [try MetricSeries.means([1, 2, 3]), try MetricSeries.means([4, 5, 7])]
  let found = try ParetoFront.standings(of: [same, same], goals: [.minimise, .maximise])
  #expect(found == [.surelyOnFront, .surelyOnFront])
}

@Test func `a front seldom calls a point dominated that is not`() throws {
  var random = SplitMix64(seed: 3)
  var wrong = 0
  let trials = 300
  // Six points of the same law: none dominates another.
  for _ in 0..<trials {
    let found = try ParetoFront.standings(
      of: try series([[Double]](repeating: [1, 1], count: 6), own: 1, replications: 8, &random),
      goals: [.minimise, .minimise])
    if found.contains(where: { if case .surelyDominated = $0 { true } else { false } }) {
      wrong += 1
    }
  }
  // At most 5 %, and two standard errors of 0.0126.
  #expect(Double(wrong) / Double(trials) <= 0.05 + 2 * 0.0126, "wrong \(wrong)")
}
