import MediaUnits

/// What a cache remembers of a response in order to judge its freshness.
///
/// Made by ``CacheFreshness/store(_:shared:at:initialAge:heuristic:staleWithSharedMaxAge:)``, which
/// leaves in `options` only what binds the cache in question.
public struct StoredResponse: Sendable, Equatable {
  /// When the response (or its last validation) came in.
  public var storedAt: Instant
  /// Its age at that time (RFC 9111 section 4.2.3, corrected initial age).
  public var initialAge: TimeSpan
  /// The age from which it is stale.
  public var lifetime: TimeSpan
  /// How long after that it may be served while being revalidated.
  public var staleWhileRevalidate: TimeSpan
  /// How long after that it may be served when revalidation fails.
  public var staleIfError: TimeSpan
  /// The directives that bind this cache.
  public var options: CacheDirectives.Options

  @inlinable
  public init(
    storedAt: Instant, initialAge: TimeSpan = .zero, lifetime: TimeSpan,
    staleWhileRevalidate: TimeSpan = .zero, staleIfError: TimeSpan = .zero,
    options: CacheDirectives.Options = []
  ) {
    self.storedAt = storedAt
    self.initialAge = initialAge
    self.lifetime = lifetime
    self.staleWhileRevalidate = staleWhileRevalidate
    self.staleIfError = staleIfError
    self.options = options
  }

  /// The age of the response (RFC 9111 section 4.2.3): what it came with and the time it was here.
  /// A time before `storedAt` counts as `storedAt`; saturates.
  @inlinable
  public func age(at now: Instant) -> TimeSpan {
    if now <= storedAt { return initialAge }
    let (resident, over) = now.nanoseconds.subtractingReportingOverflow(storedAt.nanoseconds)
    if over { return .max }
    let (age, overflow) = initialAge.nanoseconds.addingReportingOverflow(resident)
    return TimeSpan(nanoseconds: overflow ? .max : age)
  }

  /// Lifetime less age: positive while fresh, zero or negative when stale. Saturates.
  @inlinable
  public func lifetimeRemaining(at now: Instant) -> TimeSpan {
    let current = age(at: now).nanoseconds
    let (left, overflow) = lifetime.nanoseconds.subtractingReportingOverflow(current)
    return TimeSpan(nanoseconds: overflow ? (current > 0 ? .min : .max) : left)
  }
}
