extension RegressionRule {
  /// Judges once, with the comparison's own interval.
  public func decide(_ comparison: PairedComparison) throws(StatisticsError) -> Decision {
    decide(comparison, critical: try comparison.critical(GSLQuantiles()))
  }

  /// Judges at look `look` (from 0) of a plan.
  ///
  /// - Precondition: `look` is an index of the plan's looks.
  public func decide(
    _ comparison: PairedComparison, look: Int, of plan: GroupSequentialBoundaries
  ) throws(StatisticsError) -> Decision {
    decide(
      comparison,
      critical: try plan.criticalValue(
        look: look, degreesOfFreedom: Double(comparison.pairs - 1)))
  }
}
