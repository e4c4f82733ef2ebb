import Testing

@testable import Statistics

@Test func `a grid holds every combination once, the last factor fastest`() throws {
  let grid = try GridDesign(sizes: [2, 3, 4])
  #expect(grid.count == 24)
  #expect(grid.levels(of: 0) == [0, 0, 0])
  #expect(grid.levels(of: 1) == [0, 0, 1])
  #expect(grid.levels(of: 23) == [1, 2, 3])
  let all = (0..<grid.count).map { grid.levels(of: $0) }
  #expect(Set(all).count == 24)
  #expect(all.indices.allSatisfy { grid.point(all[$0]) == $0 })
}

@Test func `designs that cannot be are refused`() throws {
  #expect(throws: StatisticsError.self) { try GridDesign(sizes: []) }
  #expect(throws: StatisticsError.self) { try GridDesign(sizes: [3, 0]) }
  #expect(throws: StatisticsError.self) { try GridDesign(sizes: [1 << 40, 1 << 40]) }
  #expect(throws: StatisticsError.self) { try FactorRange.linear(from: 2, to: 2) }
  #expect(throws: StatisticsError.self) { try FactorRange.linear(from: 0, to: .infinity) }
  #expect(throws: StatisticsError.self) { try FactorRange.logarithmic(from: 0, to: 1) }
  #expect(throws: StatisticsError.self) { try FactorRange.choices(0) }
  #expect(throws: StatisticsError.self) { try LatinHypercube.points(0, factors: 1, seed: 1) }
  #expect(throws: StatisticsError.self) {
    try LatinHypercube.points(3, factors: 1) { _, _ in 1 }
  }
  #expect(throws: StatisticsError.self) { try SobolSequence.points(1, factors: 41) }
  #expect(throws: StatisticsError.self) { try SobolSequence.points(2, factors: 1, first: 1 << 30) }
  #expect(throws: StatisticsError.self) { try SaltelliDesign(factors: 21, rows: 4) }
  #expect(throws: StatisticsError.self) {
    try MorrisDesign(factors: 2, trajectories: 2, levels: 3, seed: 1)
  }
}

@Test func `a range meets its ends and keeps its scale`() throws {
  let linear = try FactorRange.linear(from: -2, to: 6)
  #expect([0, 0.25, 1].map { linear.value(at: $0) } == [-2, 0, 6])
  #expect((0..<5).map { linear.value(level: $0, of: 5) } == [-2, 0, 2, 4, 6])
  #expect(linear.value(level: 0, of: 1) == 2)
  let octaves = try FactorRange.logarithmic(from: 3, to: 48)
  #expect(octaves.value(at: 0) == 3)
  #expect(octaves.value(at: 1) == 48)
  for (level, value) in [3.0, 6, 12, 24, 48].enumerated() {
    #expect(abs(octaves.value(level: level, of: 5) / value - 1) < 1e-14)
  }
  let buffers = try FactorRange.levels([5, 1, 9])
  #expect([0, 0.33, 0.34, 0.67, 1].map { buffers.value(at: $0) } == [5, 5, 1, 9, 9])
  #expect(try FactorRange.choices(4).value(at: 0.99) == 3)
}

@Test(arguments: [1, 2, 7, 64, 1000])
func `a Latin hypercube has one point in each part of every factor`(_ count: Int) throws {
  for isCentred in [false, true] {
    let points = try LatinHypercube.points(count, factors: 5, isCentred: isCentred, seed: 12)
    for factor in 0..<5 {
      let parts = points.map { Int($0[factor] * Double(count)) }.sorted()
      #expect(parts == Array(0..<count))
    }
  }
}

@Test func `a Latin hypercube is keyed: a further factor moves no other`() throws {
  let few = try LatinHypercube.points(50, factors: 3, seed: 9)
  let more = try LatinHypercube.points(50, factors: 4, seed: 9)
  #expect(more.map { Array($0[..<3]) } == few)
  #expect(try LatinHypercube.points(50, factors: 3, seed: 10) != few)
  // Orders of different factors are independent: the correlation is 0 within 4/√n.
  let large = try LatinHypercube.points(2000, factors: 2, seed: 3)
  let product = large.reduce(0) { $0 + ($1[0] - 0.5) * ($1[1] - 0.5) } / 2000 * 12
  #expect(abs(product) < 4 / 2000.0.squareRoot(), "correlation \(product)")
}

@Test func `Sobol points are the published ones, with and without the zero point`() throws {
  // S. Joe and F. Kuo's first points in two dimensions, in Gray-code order.
  let known = [
    [0, 0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.375, 0.375], [0.875, 0.875],
    [0.625, 0.125], [0.125, 0.625],
  ]
  #expect(try SobolSequence.points(8, factors: 2, first: 0) == known)
  #expect(try SobolSequence.points(7, factors: 2) == Array(known[1...]))
  #expect(try SobolSequence.points(3, factors: 2, first: 4) == Array(known[4..<7]))
}

@Test(arguments: [0, 64, 192])
func `an aligned block of Sobol points has one in each part of every factor`(
  _ first: Int
) throws {
  let points = try SobolSequence.points(64, factors: 40, first: first)
  for factor in 0..<40 {
    #expect(points.map { Int($0[factor] * 64) }.sorted() == Array(0..<64), "factor \(factor)")
  }
  // Without the zero point the first block of 64 repeats a part and leaves one empty.
  let without = try SobolSequence.points(64, factors: 1)
  #expect(Set(without.map { Int($0[0] * 64) }).count == 63)
}

@Test func `a Saltelli design exchanges one column at a time, and grows by rows`() throws {
  let design = try SaltelliDesign(factors: 3, rows: 8)
  #expect(design.points.count == 8 * 5)
  for row in 0..<8 {
    let block = Array(design.points[(row * 5)..<(row * 5 + 5)])
    for factor in 0..<3 {
      for column in 0..<3 {
        #expect(block[2 + factor][column] == block[column == factor ? 1 : 0][column])
      }
    }
  }
  #expect(
    try Array(SaltelliDesign(factors: 3, rows: 16).points[..<40]) == design.points)
}

@Test func `Morris trajectories move each factor once by the same step`() throws {
  let design = try MorrisDesign(factors: 6, trajectories: 40, levels: 4, seed: 5)
  #expect(design.points.count == 40 * 7)
  var visits = [Int](repeating: 0, count: 4)
  for trajectory in 0..<40 {
    #expect(design.moves[trajectory].sorted() == Array(0..<6))
    for step in 0..<6 {
      let before = design.points[trajectory * 7 + step]
      let after = design.points[trajectory * 7 + step + 1]
      for factor in 0..<6 {
        let isMoved = factor == design.moves[trajectory][step]
        let size = abs(after[factor] - before[factor])
        #expect(isMoved ? abs(size - 2.0 / 3) < 1e-15 : size == 0)
        #expect(after[factor] >= 0 && after[factor] <= 1)
      }
    }
    for value in design.points[trajectory * 7] { visits[Int(value * 3 + 0.5)] += 1 }
  }
  // 240 starts over four levels: 60 each, standard deviation √45; three of them.
  #expect(visits.allSatisfy { abs($0 - 60) <= 20 }, "\(visits)")
}
