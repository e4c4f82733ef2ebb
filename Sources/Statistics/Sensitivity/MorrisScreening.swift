/// Elementary effects: which of many factors matter, from a few runs each.
///
/// A trajectory starts at a random point of a grid with p levels on each axis and moves one factor
/// after the other, in random order, by Δ = p / (2(p - 1)). A start's level has exactly one
/// direction in which Δ stays inside, so every level is equally likely. r trajectories of k factors
/// need r(k + 1) runs. Sources: M. Morris 1991, DOI 10.2307/1269043; F. Campolongo, J. Cariboni, A.
/// Saltelli 2007, DOI 10.1016/j.envsoft.2006.10.004 (μ*).
public struct MorrisDesign: Sendable, Equatable {
  public let factors: Int
  public let trajectories: Int
  /// By trajectory: its start, then the point after each move; coordinates in 0...1.
  public let points: [[Double]]
  /// By trajectory, the factor of each move.
  public let moves: [[Int]]

  /// - Parameters:
  ///   - levels: p, even; 4 is usual.
  ///   - uniform: a number in 0..<1 for (trajectory, draw): draws 0..<k make the start, the next k
  ///     the order of the moves.
  /// - Throws: `statistics.parameter` under one factor, two trajectories or for an odd p;
  ///   `statistics.data` when a number is outside 0..<1.
  public init(
    factors: Int, trajectories: Int, levels: Int = 4,
    uniform: (_ trajectory: Int, _ draw: Int) -> Double
  ) throws(StatisticsError) {
    if factors < 1 { throw .parameter("at least 1 factor", got: "\(factors)") }
    if trajectories < 2 { throw .parameter("at least 2 trajectories", got: "\(trajectories)") }
    if levels < 2 || levels % 2 != 0 {
      throw .parameter("an even number of levels of at least 2", got: "\(levels)")
    }
    var points: [[Double]] = []
    var moves: [[Int]] = []
    for trajectory in 0..<trajectories {
      let draws = (0..<(2 * factors)).map { uniform(trajectory, $0) }
      for draw in draws where !(draw >= 0 && draw < 1) {
        throw .data("uniform numbers in 0..<1", got: "\(draw)")
      }
      var place = draws[..<factors].map { min(levels - 1, Int($0 * Double(levels))) }
      let order = (0..<factors).sorted {
        (draws[factors + $0], $0) < (draws[factors + $1], $1)
      }
      points.append(place.map { Double($0) / Double(levels - 1) })
      for factor in order {
        place[factor] += place[factor] < levels / 2 ? levels / 2 : -(levels / 2)
        points.append(place.map { Double($0) / Double(levels - 1) })
      }
      moves.append(order)
    }
    self.factors = factors
    self.trajectories = trajectories
    self.points = points
    self.moves = moves
  }

  /// The design of a seed, for callers without keyed streams of their own.
  public init(
    factors: Int, trajectories: Int, levels: Int = 4, seed: UInt64
  ) throws(StatisticsError) {
    try self.init(
      factors: factors, trajectories: trajectories, levels: levels,
      uniform: KeyedUniform(seed).draw)
  }
}

/// What the elementary effects say of each factor, in responses per whole range of the factor.
public struct MorrisEffects: Sendable, Equatable {
  /// μ: the mean effect, with its sign.
  public let mean: [Estimate]
  /// μ*: the mean size of the effect; near 0 for a factor that does nothing.
  public let meanSize: [Estimate]
  /// σ: the standard deviation of the effects. High against μ*: the factor acts with others, or on
  /// a bent line.
  public let deviation: [Double]

  /// - Parameter responses: one for each of the design's points, in their order.
  /// - Throws: `statistics.data` when the lists do not fit or a response is not finite.
  public init(
    _ design: MorrisDesign, responses: [Double], level: Double = 0.95
  ) throws(StatisticsError) {
    if responses.count != design.points.count {
      throw .data("\(design.points.count) responses", got: "\(responses.count)")
    }
    try Require.finite(data: responses)
    var effects = [[Double]](repeating: [], count: design.factors)
    for (trajectory, moves) in design.moves.enumerated() {
      for (step, factor) in moves.enumerated() {
        let before = trajectory * (design.factors + 1) + step
        let move = design.points[before + 1][factor] - design.points[before][factor]
        effects[factor].append((responses[before + 1] - responses[before]) / move)
      }
    }
    var mean: [Estimate] = []
    var meanSize: [Estimate] = []
    var deviation: [Double] = []
    for values in effects {
      mean.append(try Estimates.mean(of: values, level: level))
      meanSize.append(try Estimates.mean(of: values.map { abs($0) }, level: level))
      deviation.append(try Summary(values).standardDeviation ?? 0)
    }
    self.mean = mean
    self.meanSize = meanSize
    self.deviation = deviation
  }
}
