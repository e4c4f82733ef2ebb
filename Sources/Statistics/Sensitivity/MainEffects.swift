/// What each factor does by itself, with intervals over replications.
///
/// An additive model is fitted to the responses of each replication by least squares; the interval
/// of an effect is Student's over the replications, so that common random numbers between the
/// points of a design make it narrow. On a balanced design an effect is the mean of the points at a
/// level minus the mean of all. Source: D. Montgomery, "Design and Analysis of Experiments", 8th
/// edition, 2012, chapters 5 and 10.
public struct MainEffects: Sendable, Equatable {
  /// The mean response, every level of a factor counted equally.
  public let overall: Estimate
  /// By factor.
  ///
  /// Of levels: for each level, its response minus ``overall``. Of coordinates: one estimate, the
  /// change of the response from coordinate 0 to coordinate 1.
  public let effects: [[Estimate]]
  /// The share of the variance between points (of their mean responses) that the effects account
  /// for, 0...1: where it is low, factors act together and single effects mislead. 1 when the mean
  /// responses do not vary.
  public let explained: Double

  /// Effects of the levels of a design such as ``GridDesign``.
  ///
  /// - Parameters:
  ///   - levels: by point, the level of each factor.
  ///   - sizes: how many levels each factor has; a factor with one level has effect 0.
  ///   - responses: by point, one value for each replication, as many for every point.
  /// - Throws: `statistics.no-data` without points or under two replications; `statistics.data`
  ///   when lists do not fit together or the design cannot tell the effects apart;
  ///   `statistics.parameter` for a level outside its size.
  public static func ofLevels(
    _ levels: [[Int]], sizes: [Int], responses: [[Double]], level: Double = 0.95
  ) throws(StatisticsError) -> MainEffects {
    try LevelDesign(levels, sizes: sizes).effects(responses, level: level)
  }

  /// Straight-line effects over a design on the unit cube, such as a Latin hypercube.
  ///
  /// ``overall`` is the fitted response in the middle of the cube.
  /// - Parameter responses: by point, one value for each replication, as many for every point.
  /// - Throws: as ``ofLevels(_:sizes:responses:level:)``.
  public static func ofCoordinates(
    _ points: [[Double]], responses: [[Double]], level: Double = 0.95
  ) throws(StatisticsError) -> MainEffects {
    let factors = points.first?.count ?? 0
    for point in points {
      try requireWidth(point.count, factors)
      try Require.finite(data: point)
    }
    let rows = points.map { [1] + $0.map { $0 - 0.5 } }
    let fit = try Fit(Factored(rows), responses, level: level)
    var effects: [[Estimate]] = []
    for factor in 0..<factors {
      let slopes = fit.coefficients.map { $0[factor + 1] }
      effects.append([try Estimates.mean(of: slopes, level: level)])
    }
    return MainEffects(overall: fit.overall, effects: effects, explained: fit.explained)
  }

  fileprivate static func requireWidth(_ count: Int, _ expected: Int) throws(StatisticsError) {
    if count != expected { throw .data("\(expected) factors at each point", got: "\(count)") }
  }

  /// The points of a design as rows of a linear model, factored.
  fileprivate struct Factored: Sendable {
    let rows: [[Double]]
    let squares: LeastSquares

    init(_ rows: [[Double]]) throws(StatisticsError) {
      if rows.isEmpty { throw .noData("at least 1 point", got: 0) }
      self.rows = rows
      squares = try LeastSquares(rows)
    }
  }

  /// The coefficients of every replication.
  fileprivate struct Fit {
    let coefficients: [[Double]]
    let overall: Estimate
    let explained: Double

    init(
      _ design: Factored, _ responses: [[Double]], level: Double
    ) throws(StatisticsError) {
      let (rows, squares) = (design.rows, design.squares)
      if responses.count != rows.count {
        throw .data("responses of \(rows.count) points", got: "\(responses.count)")
      }
      let replications = responses[0].count
      for values in responses {
        if values.count != replications {
          throw .data("\(replications) replications of each point", got: "\(values.count)")
        }
        try Require.finite(data: values)
      }
      try Estimates.requireReplications(replications)
      coefficients = (0..<replications).map { replication in
        squares.coefficients(responses.map { $0[replication] })
      }
      overall = try Estimates.mean(of: coefficients.map { $0[0] }, level: level)
      let means = responses.map { CompensatedSum.of($0) / Double(replications) }
      explained = try Fit.explained(rows, means, squares.coefficients(means))
    }

    private static func explained(
      _ rows: [[Double]], _ means: [Double], _ coefficients: [Double]
    ) throws(StatisticsError) -> Double {
      let summary = try Summary(means)
      var total = CompensatedSum()
      var left = CompensatedSum()
      for (row, mean) in zip(rows, means) {
        var fitted = 0.0
        for (value, coefficient) in zip(row, coefficients) { fitted += value * coefficient }
        total.add((mean - summary.mean) * (mean - summary.mean))
        left.add((mean - fitted) * (mean - fitted))
      }
      if total.value == 0 { return 1 }
      return min(1, max(0, 1 - left.value / total.value))
    }
  }
}

/// A design whose factors have levels, made ready once for the responses of many metrics.
public struct LevelDesign: Sendable {
  private let sizes: [Int]
  private let factored: MainEffects.Factored

  /// - Parameters:
  ///   - levels: by point, the level of each factor.
  ///   - sizes: how many levels each factor has.
  /// - Throws: as ``MainEffects/ofLevels(_:sizes:responses:level:)``.
  /// - Complexity: points · (sum of sizes)².
  public init(_ levels: [[Int]], sizes: [Int]) throws(StatisticsError) {
    var rows: [[Double]] = []
    for point in levels {
      try MainEffects.requireWidth(point.count, sizes.count)
      var row = [1.0]
      for (value, size) in zip(point, sizes) {
        if !(value >= 0 && value < size) {
          throw .parameter("a level in 0..<\(size)", got: "\(value)")
        }
        // Effects sum to 0 over the levels of a factor, so the last one follows from the others.
        for column in 0..<(size - 1) {
          row.append(value == column ? 1 : (value == size - 1 ? -1 : 0))
        }
      }
      rows.append(row)
    }
    self.sizes = sizes
    factored = try MainEffects.Factored(rows)
  }

  /// Effects of the levels on one metric.
  ///
  /// - Parameter responses: by point, one value for each replication, as many for every point.
  /// - Throws: as ``MainEffects/ofLevels(_:sizes:responses:level:)``.
  public func effects(
    _ responses: [[Double]], level: Double = 0.95
  ) throws(StatisticsError) -> MainEffects {
    let fit = try MainEffects.Fit(factored, responses, level: level)
    var effects: [[Estimate]] = []
    var column = 1
    for size in sizes {
      var ofFactor: [Estimate] = []
      for index in 0..<size {
        let values = fit.coefficients.map { coefficients in
          if index < size - 1 { return coefficients[column + index] }
          return coefficients[column..<(column + size - 1)].reduce(0) { $0 - $1 }
        }
        ofFactor.append(try Estimates.mean(of: values, level: level))
      }
      effects.append(ofFactor)
      column += size - 1
    }
    return MainEffects(overall: fit.overall, effects: effects, explained: fit.explained)
  }
}
