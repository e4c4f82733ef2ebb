extension Int64 {
  /// A model's count of nanoseconds or packets as a whole number, at most 10^15 (of nanoseconds
  /// eleven and a half days); what is no number counts as that. So a link may be as slow as a
  /// scenario says, and sums of a few such counts do not overflow.
  ///
  /// - Precondition: not below -10^15.
  @inline(__always)
  init(atMost value: Double) {
    self = value < 1e15 ? Int64(value) : 1_000_000_000_000_000
  }
}
