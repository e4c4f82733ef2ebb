internal import CGSL

/// The noise of a vector of errors: what independent samples have in common, with correlations
/// shrunk to none by as much as their own variance has of their squares.
///
/// Correlations of few clusters are noise themselves. Source of the shrinkage: J. Schäfer,
/// K. Strimmer 2005, DOI 10.2202/1544-6115.1175, section 2.4.
struct ErrorNoise: Sendable {
  /// Of the errors, by row.
  let covariance: [[Double]]
  /// What is left of correlations.
  let kept: Double
  /// The fewest of a sample.
  let clusters: Int

  /// - Parameters:
  ///   - samples: whose covariances add up, of `count` values each.
  ///   - leastVariances: of the errors, where more is known than samples show.
  init(_ samples: [SampledVector], count: Int, leastVariances: [Double] = []) {
    var sum = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
    for sample in samples {
      for row in 0..<count {
        for column in 0..<count { sum[row][column] += sample.covariance[row][column] }
      }
    }
    clusters = samples.map(\.clusters).min() ?? 0
    kept = 1 - ErrorNoise.shrinkage(sum, clusters: clusters)
    for (place, least) in leastVariances.enumerated() {
      sum[place][place] = max(sum[place][place], least)
    }
    covariance = ErrorNoise.shrunk(sum, kept: kept)
  }

  /// The share of correlations that is taken away.
  static func shrinkage(_ covariance: [[Double]], clusters: Int) -> Double {
    var (variance, squares) = (0.0, 0.0)
    for row in covariance.indices {
      for column in 0..<row {
        let product = covariance[row][row] * covariance[column][column]
        if !(product > 0) { continue }
        let square = min(1, covariance[row][column] * covariance[row][column] / product)
        squares += square
        variance += (1 - square) * (1 - square) / Double(max(1, clusters - 1))
      }
    }
    // A twentieth at least, so that values that say the same twice have an inverse.
    return squares > 0 ? min(1, max(0.05, variance / squares)) : 1
  }

  static func shrunk(_ covariance: [[Double]], kept: Double) -> [[Double]] {
    covariance.indices.map { row in
      covariance.indices.map { column in
        (row == column ? 1 : kept) * covariance[row][column]
      }
    }
  }
}

/// Cholesky's factor of a covariance, through GSL.
struct CovarianceFactor {
  private let count: Int
  /// By row; what is above the diagonal is not used.
  private var lower: [Double]

  /// - Throws: `statistics.numeric` where a value has no noise of its own.
  init(_ covariance: [[Double]]) throws(StatisticsError) {
    count = covariance.count
    lower = covariance.flatMap { $0 }
    let count = count
    try GSLBoundary.status("the factors of a covariance") {
      lower.withUnsafeMutableBufferPointer { values in
        guard let first = values.baseAddress else { return 0 }
        var view = gsl_matrix_view_array(first, count, count)
        return gsl_linalg_cholesky_decomp1(&view.matrix)
      }
    }
    for place in 0..<count {
      let own = lower[place * count + place]
      // Rounding of values that say the same twice.
      if !(own * own > 1e-12 * covariance[place][place]) {
        throw .numeric("errors each with noise of its own", got: "none of number \(place + 1)")
      }
    }
  }

  /// Values in units of their noise, without what they have in common.
  func whitened(_ values: [Double]) throws(StatisticsError) -> [Double] {
    var (factor, solved) = (lower, values)
    let count = count
    try GSLBoundary.status("the solution of a triangle") {
      factor.withUnsafeMutableBufferPointer { factor in
        solved.withUnsafeMutableBufferPointer { solved in
          guard let first = factor.baseAddress, let start = solved.baseAddress else { return 0 }
          var matrix = gsl_matrix_view_array(first, count, count)
          var vector = gsl_vector_view_array(start, count)
          return gsl_blas_dtrsv(
            CblasLower, CblasNoTrans, CblasNonUnit, &matrix.matrix, &vector.vector)
        }
      }
    }
    return solved
  }
}
