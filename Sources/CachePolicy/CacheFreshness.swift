import MediaUnits

/// The freshness rules of HTTP caching as pure functions.
///
/// The functions in this file take directives alone: a response is taken to have a cacheable status
/// code, and the caller turns `Expires` and `Last-Modified` into `maxAge` or `heuristic`. Those
/// that take a ``ResponseHead`` do all of that. Leaves out: validation itself, the fields that
/// `Vary` names, the combination of partial responses, and directives of requests, which content
/// delivery networks do not act on.
///
/// Source: RFC 9111 sections 3, 4.2 and 5.2.2; RFC 5861 sections 3 and 4.
public enum CacheFreshness {
  /// What a cache may do with a stored response.
  public enum Disposition: Sendable, Equatable {
    /// Serve it; it stays fresh for `remaining`, which is positive.
    case fresh(remaining: TimeSpan)
    /// Serve it and revalidate in the background.
    case staleWhileRevalidate
    /// Revalidate first; serve it if that fails.
    case staleIfErrorOnly
    /// Revalidate first; pass the error on if that fails.
    case mustRevalidate
  }

  /// Whether the windows for stale use hold together with `s-maxage`.
  public enum StaleWithSharedMaxAge: Sendable, Equatable {
    /// They do, as content delivery networks have it.
    case allowed
    /// They do not: `s-maxage` implies `proxy-revalidate` (RFC 9111 section 5.2.2.10).
    case forbidden
  }

  /// What may be done with the response now. Fresh if and only if its lifetime is greater than its
  /// age (RFC 9111 section 4.2); the windows of RFC 5861 are half open likewise.
  @inlinable
  public static func disposition(of response: StoredResponse, at now: Instant) -> Disposition {
    let remaining = response.lifetimeRemaining(at: now)
    let options = response.options.rawValue
    // no-cache
    if options & 2 != 0 { return .mustRevalidate }
    if remaining > .zero { return .fresh(remaining: remaining) }
    // must-revalidate or proxy-revalidate
    if options & (4 | 8) != 0 { return .mustRevalidate }
    if isWithin(response.staleWhileRevalidate, remaining) { return .staleWhileRevalidate }
    return isWithin(response.staleIfError, remaining) ? .staleIfErrorOnly : .mustRevalidate
  }

  /// Whether a response that has `remaining` (zero or negative) left is within its window.
  @inlinable
  static func isWithin(_ window: TimeSpan, _ remaining: TimeSpan) -> Bool {
    window > .zero && window.nanoseconds + remaining.nanoseconds > 0
  }

  /// The freshness lifetime: `s-maxage` in a shared cache, else `max-age`, else `heuristic`, else
  /// zero (RFC 9111 section 4.2.1). A negative value counts as zero.
  @inlinable
  public static func lifetime(
    of directives: CacheDirectives, shared: Bool, heuristic: TimeSpan? = nil
  ) -> TimeSpan {
    if shared, let sharedMaxAge = directives.sharedMaxAge { return max(.zero, sharedMaxAge) }
    return max(.zero, directives.maxAge ?? heuristic ?? .zero)
  }

  /// The age of a response on arrival (RFC 9111 section 4.2.3): the greater of the apparent age and
  /// of the `Age` field plus the response delay, with an absent field as zero. Saturates.
  @inlinable
  public static func correctedInitialAge(
    ageField: TimeSpan?, apparentAge: TimeSpan, responseDelay: TimeSpan
  ) -> TimeSpan {
    let field = max(0, ageField?.nanoseconds ?? 0)
    let delay = max(0, responseDelay.nanoseconds)
    let (sum, overflow) = field.addingReportingOverflow(delay)
    return max(max(.zero, apparentAge), TimeSpan(nanoseconds: overflow ? .max : sum))
  }

  /// Whether the cache may store the response (RFC 9111 section 3): not with `no-store`, and in a
  /// shared cache not with `private`.
  @inlinable
  public static func isStorable(_ directives: CacheDirectives, shared: Bool) -> Bool {
    if directives.options.contains(.noStore) { return false }
    return !(shared && directives.options.contains(.isPrivate))
  }

  /// What the cache remembers of a response that comes in at `now`; nil when it may not be stored.
  ///
  /// - Parameters:
  ///   - directives: those of the response.
  ///   - shared: whether the cache serves several users: an edge or a shield, not a client.
  ///   - now: when the response comes in.
  ///   - initialAge: from ``correctedInitialAge(ageField:apparentAge:responseDelay:)``.
  ///   - heuristic: the lifetime without explicit directives; nil for none.
  ///   - staleWithSharedMaxAge: see ``StaleWithSharedMaxAge``; default as content delivery
  ///     networks.
  @inlinable
  public static func store(
    _ directives: CacheDirectives, shared: Bool, at now: Instant, initialAge: TimeSpan,
    heuristic: TimeSpan? = nil, staleWithSharedMaxAge: StaleWithSharedMaxAge = .allowed
  ) -> StoredResponse? {
    if !isStorable(directives, shared: shared) { return nil }
    var options = directives.options
    if !shared {
      options.remove(.proxyRevalidate)
    } else if directives.sharedMaxAge != nil && staleWithSharedMaxAge == .forbidden {
      options.insert(.proxyRevalidate)
    }
    return StoredResponse(
      storedAt: now, initialAge: max(.zero, initialAge),
      lifetime: lifetime(of: directives, shared: shared, heuristic: heuristic),
      staleWhileRevalidate: max(.zero, directives.staleWhileRevalidate),
      staleIfError: max(.zero, directives.staleIfError), options: options)
  }
}
