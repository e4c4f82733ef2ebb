import MediaUnits

/// Times as the models count them.
extension ResolvedTree {
  /// A time.
  func span(_ path: String = "") -> TimeSpan { TimeSpan(nanoseconds: time(path)) }

  /// A time, or nil for `none`.
  func optionalSpan(_ path: String = "") -> TimeSpan? {
    optionalTime(path).map { TimeSpan(nanoseconds: $0) }
  }
}
