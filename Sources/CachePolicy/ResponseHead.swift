import MediaUnits

/// The parts of a response's head that decide about caching.
///
/// Dates are seconds since 1970-01-01T00:00:00Z. Filled by ``ResponseHeadReader`` or by hand.
public struct ResponseHead: Sendable, Equatable {
  /// The `Expires` field.
  public enum Expires: Sendable, Equatable {
    /// There is none.
    case absent
    /// It is no date: the response has expired (RFC 9111 section 5.3).
    case invalid
    /// Seconds since 1970.
    case at(Int64)
  }

  /// The status code.
  public var status: UInt16
  /// `Cache-Control`.
  public var directives: CacheDirectives
  /// `Date`; nil when absent or invalid: the time of receipt stands for it.
  public var date: Int64?
  /// `Expires`.
  public var expires: Expires
  /// `Last-Modified`; nil when absent or invalid.
  public var lastModified: Int64?
  /// `Age`; nil when absent or invalid.
  public var age: TimeSpan?
  /// Whether `Vary` has the member `*`.
  public var variesOnEverything: Bool

  public init(
    status: UInt16 = 200, directives: CacheDirectives = CacheDirectives(), date: Int64? = nil,
    expires: Expires = .absent, lastModified: Int64? = nil, age: TimeSpan? = nil,
    variesOnEverything: Bool = false
  ) {
    self.status = status
    self.directives = directives
    self.date = date
    self.expires = expires
    self.lastModified = lastModified
    self.age = age
    self.variesOnEverything = variesOnEverything
  }
}
