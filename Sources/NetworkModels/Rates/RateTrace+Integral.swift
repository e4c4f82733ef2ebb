extension RateTrace {
  /// The trace with its prefix sums: what serves bytes over time. Built once per run.
  public var integral: RateIntegral { RateIntegral(self) }
}
