import MediaUnits

/// Storability, lifetime and age from a whole response head.
extension CacheFreshness {
  /// Whether a response may be stored, and if not, what is in the way.
  public enum Storability: UInt8, Sendable, Equatable {
    case storable
    /// The method's answers are not stored.
    case method
    /// Not a final status, 304, 206 without support of ranges, or one unknown to a cache that must
    /// understand it.
    case status
    /// `no-store`.
    case noStore
    /// `private`, in a shared cache.
    case isPrivate
    /// `Authorization` in the request, and no directive that allows a shared cache to store.
    case authorization
    /// `Vary: *`: it might be stored, but no request could ever be answered with it (RFC 9111
    /// section 4.1).
    case variesOnEverything
    /// Neither a directive, nor `Expires`, nor the status code allows it.
    case nothingAllows
  }

  /// Where a lifetime comes from.
  public enum LifetimeSource: UInt8, Sendable, Equatable {
    case sharedMaxAge
    case maxAge
    case expires
    /// A tenth of the time since the last modification.
    case heuristic
    /// ``CacheRules/negativeLifetime``.
    case negative
    /// Nothing says: zero.
    case none
  }

  /// A freshness lifetime and its source.
  public struct Lifetime: Sendable, Equatable {
    public var span: TimeSpan
    public var source: LifetimeSource

    public init(_ span: TimeSpan, _ source: LifetimeSource) {
      self.span = max(.zero, span)
      self.source = source
    }
  }

  /// Whether a status code may be given a heuristic lifetime (RFC 9110 section 15.1).
  public static func isHeuristicallyCacheable(_ status: UInt16) -> Bool {
    switch status {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: return true
    default: return false
    }
  }

  /// Whether the caching rules of a status code are known here: those of RFC 9110 section 15.
  static func isUnderstood(_ status: UInt16) -> Bool {
    switch status {
    case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 500...505: return true
    default: return false
    }
  }

  /// Whether the response may be stored (RFC 9111 section 3).
  public static func storability(
    of head: ResponseHead, request: RequestHead = RequestHead(), rules: CacheRules = CacheRules()
  ) -> Storability {
    let options = head.directives.options
    if request.method != .read { return .method }
    if head.status < 200 || head.status > 599 || head.status == 304 { return .status }
    if head.status == 206 && !rules.storesPartialContent { return .status }
    if options.contains(.mustUnderstand) {
      if !isUnderstood(head.status) { return .status }
    } else if options.contains(.noStore) {
      return .noStore
    }
    if rules.isShared && options.contains(.isPrivate) { return .isPrivate }
    let hasShared = rules.isShared && head.directives.sharedMaxAge != nil
    if rules.isShared && request.isAuthorized && !hasShared && !options.contains(.isPublic)
      && !options.contains(.mustRevalidate)
    {
      return .authorization
    }
    if head.variesOnEverything { return .variesOnEverything }
    let isAllowed =
      hasShared || head.directives.maxAge != nil || head.expires != .absent
      || options.contains(.isPublic) || options.contains(.isPrivate)
      || isHeuristicallyCacheable(head.status)
      || (rules.negativeLifetime > .zero && head.status >= 400)
    return isAllowed ? .storable : .nothingAllows
  }

  /// The freshness lifetime (RFC 9111 section 4.2.1 and 4.2.2).
  ///
  /// The first that is there of `s-maxage` (shared caches), `max-age`, `Expires` less `Date`, the
  /// lifetime of errors, and a tenth of `Date` less `Last-Modified` where the status code or
  /// `public` allows a heuristic.
  ///
  /// - Parameters:
  ///   - head: the response's status and fields.
  ///   - receivedAt: when the response came, seconds since 1970; stands for a missing `Date`.
  ///   - rules: whose cache it is, and how long it repeats errors.
  public static func lifetime(
    of head: ResponseHead, receivedAt: Int64, rules: CacheRules = CacheRules()
  ) -> Lifetime {
    if rules.isShared, let span = head.directives.sharedMaxAge {
      return Lifetime(span, .sharedMaxAge)
    }
    if let span = head.directives.maxAge { return Lifetime(span, .maxAge) }
    let date = head.date ?? receivedAt
    switch head.expires {
    case .invalid: return Lifetime(.zero, .expires)
    case .at(let end): return Lifetime(.between(date, end, unit: 1_000_000_000), .expires)
    case .absent: break
    }
    if head.status >= 400 && rules.negativeLifetime > .zero {
      return Lifetime(rules.negativeLifetime, .negative)
    }
    if let modified = head.lastModified,
      isHeuristicallyCacheable(head.status) || head.directives.options.contains(.isPublic)
    {
      return Lifetime(.between(modified, date, unit: 100_000_000), .heuristic)
    }
    return Lifetime(.zero, .none)
  }

  /// The age of a response on arrival (RFC 9111 section 4.2.3).
  public static func initialAge(of head: ResponseHead, timing: ResponseTiming) -> TimeSpan {
    let received = timing.receivedSeconds
    return correctedInitialAge(
      ageField: head.age,
      apparentAge: .between(head.date ?? received, received, unit: 1_000_000_000),
      responseDelay: timing.delay)
  }

  /// What the cache remembers of a response; nil when it may not be stored.
  ///
  /// - Complexity: O(1), allocates nothing.
  public static func store(
    _ head: ResponseHead, request: RequestHead = RequestHead(), timing: ResponseTiming,
    rules: CacheRules = CacheRules()
  ) -> StoredResponse? {
    if storability(of: head, request: request, rules: rules) != .storable { return nil }
    // What stands in the way of storing has been looked at, so it is no longer asked for.
    var directives = head.directives
    directives.options.remove(.noStore)
    let span = lifetime(of: head, receivedAt: timing.receivedSeconds, rules: rules).span
    var response = store(
      directives, shared: rules.isShared, at: timing.receivedAt,
      initialAge: initialAge(of: head, timing: timing),
      staleWithSharedMaxAge: rules.staleWithSharedMaxAge)
    response?.lifetime = span
    return response
  }

  /// Whether a client's reload needs a conditional request: not while an `immutable` response is
  /// fresh (RFC 8246 section 2).
  public static func reloadNeedsValidation(
    of response: StoredResponse, at now: Instant
  ) -> Bool {
    if case .fresh = disposition(of: response, at: now) {
      return !response.options.contains(.immutable)
    }
    return true
  }
}
