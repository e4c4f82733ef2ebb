internal import CGSL

extension FittedFamily {
  /// The parameters of the largest likelihood.
  ///
  /// Closed forms and roots of one equation where there are such; censored lognormal and gamma laws
  /// by the simplex of J. Nelder and R. Mead 1965 (DOI 10.1093/comjnl/7.4.308), through GSL.
  /// - Parameter start: where the simplex begins; nil: at the fit of what was seen to end.
  /// - Throws: `statistics.numeric` where the sample has no spread or the likelihood no maximum.
  func estimate(
    _ sample: CensoredSample, start: [Double]? = nil
  ) throws(StatisticsError) -> [Double] {
    let sums = FitSums(sample)
    if sample.isConstant || sums.count < 2 {
      throw .numeric("values that differ", got: "one value")
    }
    switch self {
    case .exponential:
      return [(sums.value + censoredSum(sample) { $0 }) / sums.count]
    case .pareto:
      let least = sample.least
      let spread =
        sums.log - sums.count * log(least) + censoredSum(sample) { max(0, log($0 / least)) }
      if !(spread > 0) { throw .numeric("values that differ", got: "one value") }
      return [sums.count / spread, least]
    case .weibull: return try weibull(sample, sums)
    case .lognormal:
      let mean = sums.log / sums.count
      let variance = sums.logSquare / sums.count - mean * mean
      let plain = [exp(mean), max(variance, 1e-24).squareRoot()]
      return sample.censoredCount == 0 ? plain : try simplex(sample, start ?? plain)
    case .gamma:
      let plain = try gamma(sums)
      return sample.censoredCount == 0 ? plain : try simplex(sample, start ?? plain)
    }
  }

  private func censoredSum(_ sample: CensoredSample, _ f: (Double) -> Double) -> Double {
    var sum = CompensatedSum()
    for row in sample.censored where row.count > 0 { sum.add(row.count * f(row.value)) }
    return sum.value
  }

  /// The root of log k - psi(k) = log(mean) - mean(log).
  private func gamma(_ sums: FitSums) throws(StatisticsError) -> [Double] {
    let mean = sums.value / sums.count
    let gap = log(mean) - sums.log / sums.count
    if !(gap > 1e-12) { throw .numeric("values that differ", got: "one value") }
    // Falls with k: turned round for the root finder.
    let shape = try leastRoot(low: 1e-8, high: 1 / gap + 2) { k throws(StatisticsError) in
      gap - (log(k) - gsl_sf_psi(k))
    }
    return [shape, mean / shape]
  }

  /// The root of the profile likelihood's slope in the shape (censored values enter the sums of
  /// powers, not the mean of logs).
  private func weibull(
    _ sample: CensoredSample, _ sums: FitSums
  ) throws(StatisticsError) -> [Double] {
    let rows = (sample.events + sample.censored).filter { $0.count > 0 }
    let logs = rows.map { log($0.value) }
    let top = logs.max() ?? 0
    let meanLog = sums.log / sums.count
    func powers(_ k: Double) -> (sum: Double, weighted: Double) {
      var (sum, weighted) = (0.0, 0.0)
      for index in rows.indices {
        let term = rows[index].count * exp(k * (logs[index] - top))
        sum += term
        weighted += term * logs[index]
      }
      return (sum, weighted)
    }
    let shape = try leastRoot(low: 1e-3, high: 1e3) { k throws(StatisticsError) in
      let powers = powers(k)
      return powers.weighted / powers.sum - 1 / k - meanLog
    }
    return [shape, exp(top + log(powers(shape).sum / sums.count) / shape)]
  }

  /// The largest likelihood over the logarithms of two parameters.
  private func simplex(
    _ sample: CensoredSample, _ start: [Double]
  ) throws(StatisticsError) -> [Double] {
    let found = try Simplex.minimum(from: start.map { log($0) }, step: 0.1) { point in
      -logLikelihood(sample, point.map { exp($0) })
    }
    return found.map { exp($0) }
  }
}

/// The least value of a function of a few variables, without its slope.
enum Simplex {
  /// - Parameter step: the first size of the simplex; it ends at a millionth of it.
  /// - Throws: `statistics.numeric` when 2000 steps do not suffice.
  static func minimum(
    from start: [Double], step: Double, _ function: ([Double]) -> Double
  ) throws(StatisticsError) -> [Double] {
    let count = start.count
    let minimizer = try GSLBoundary.allocated("simplex") { firstframe_gsl_simplex(count) }
    defer { gsl_multimin_fminimizer_free(minimizer) }
    let point = try GSLBoundary.allocated("vector") { gsl_vector_alloc(count) }
    defer { gsl_vector_free(point) }
    let steps = try GSLBoundary.allocated("vector") { gsl_vector_alloc(count) }
    defer { gsl_vector_free(steps) }
    for index in 0..<count { gsl_vector_set(point, index, start[index]) }
    gsl_vector_set_all(steps, step)
    var result: [Double]?
    withoutActuallyEscaping(function) { escapable in
      let box = SimplexFunction(escapable, count)
      var wrapped = gsl_multimin_function()
      wrapped.n = count
      wrapped.f = { vector, pointer in
        guard let pointer, let vector else { return .nan }
        return Unmanaged<SimplexFunction>.fromOpaque(pointer).takeUnretainedValue().value(vector)
      }
      wrapped.params = Unmanaged.passUnretained(box).toOpaque()
      withExtendedLifetime(box) {
        if gsl_multimin_fminimizer_set(minimizer, &wrapped, point, steps) != 0 { return }
        for _ in 0..<2000 {
          if gsl_multimin_fminimizer_iterate(minimizer) != 0 { break }
          if gsl_multimin_fminimizer_size(minimizer) < 1e-6 * step { break }
        }
        result = (0..<count).map { gsl_vector_get(minimizer.pointee.x, $0) }
      }
      box.release()
    }
    guard let result, result.allSatisfy(\.isFinite) else {
      throw .numeric("a largest likelihood", got: "none")
    }
    return result
  }
}

/// Carries a Swift function through GSL's C callback.
private final class SimplexFunction {
  private var function: (([Double]) -> Double)?
  private let count: Int

  init(_ function: @escaping ([Double]) -> Double, _ count: Int) {
    self.function = function
    self.count = count
  }

  func value(_ vector: UnsafePointer<gsl_vector>) -> Double {
    guard let function else { return .nan }
    let value = function((0..<count).map { gsl_vector_get(vector, $0) })
    // The simplex wants to know that it is bad, not how bad.
    return value.isFinite ? value : 1e300
  }

  func release() { function = nil }
}
