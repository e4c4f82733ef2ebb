import MediaUnits

/// How long an Amazon CloudFront edge keeps an answer: the behaviour's TTL settings on top of what
/// the origin says.
///
/// Models: the clamp of the origin's lifetime, a minimum TTL above `no-store`, `no-cache` and
/// `private`, the caching of errors, stale copies when the origin fails. Leaves out: custom error
/// pages, cookies, whether the windows of RFC 5861 are capped by the maximum TTL (not documented;
/// they are not).
///
/// Source: Amazon CloudFront developer guide of 2023-03-31, "Managing how long content stays in the
/// cache (expiration)" and "How CloudFront processes and caches HTTP 4xx and 5xx status codes";
/// RFC 5861 windows since 2023-05-17.
public struct CloudFrontProfile: Sendable, Equatable {
  /// Default 0 s.
  public var minimumTTL: TimeSpan
  /// For answers without a lifetime of their own. Default 86,400 s.
  public var defaultTTL: TimeSpan
  /// Default 31,536,000 s.
  public var maximumTTL: TimeSpan
  /// For how long at least an error is repeated. Default 10 s.
  public var errorCachingMinimumTTL: TimeSpan

  public init(
    minimumTTL: TimeSpan = .zero, defaultTTL: TimeSpan = .seconds(86_400),
    maximumTTL: TimeSpan = .seconds(31_536_000), errorCachingMinimumTTL: TimeSpan = .seconds(10)
  ) {
    self.minimumTTL = minimumTTL
    self.defaultTTL = defaultTTL
    self.maximumTTL = maximumTTL
    self.errorCachingMinimumTTL = errorCachingMinimumTTL
  }

  /// What a status code has to do with the cache.
  enum StatusClass: UInt8 {
    /// Below 400: kept by the TTL settings.
    case answer
    /// An error that is always kept: 404, 414, 500 to 504.
    case error
    /// An error that is kept if the origin gives it a lifetime: 400, 403, 405, 412, 415.
    case errorWithLifetime
    /// Not kept.
    case other
  }

  static func statusClass(_ status: UInt16) -> StatusClass {
    switch status {
    case 200...299, 300...303, 305...399: return .answer
    case 404, 414, 500...504: return .error
    case 400, 403, 405, 412, 415: return .errorWithLifetime
    default: return .other
    }
  }

  /// How long the edge serves the answer without asking again; zero if it asks every time, nil if
  /// it does not keep it.
  ///
  /// - Parameters:
  ///   - head: the answer's status and fields.
  ///   - receivedAt: when the answer came, seconds since 1970.
  public func edgeLifetime(of head: ResponseHead, receivedAt: Int64) -> TimeSpan? {
    let directives = head.directives
    let stated = directives.sharedMaxAge ?? directives.maxAge
    switch CloudFrontProfile.statusClass(head.status) {
    case .answer: break
    case .error: return max(errorCachingMinimumTTL, stated ?? .zero)
    case .errorWithLifetime:
      guard let stated else { return nil }
      return max(errorCachingMinimumTTL, stated)
    case .other: return nil
    }
    if forbidsReuse(directives) { return max(.zero, minimumTTL) }
    let lifetime = CacheFreshness.lifetime(of: head, receivedAt: receivedAt)
    switch lifetime.source {
    case .sharedMaxAge, .maxAge, .expires:
      return max(minimumTTL, min(lifetime.span, maximumTTL))
    case .heuristic, .negative, .none: return max(minimumTTL, defaultTTL)
    }
  }

  /// What the edge remembers of an answer; nil if it does not keep it or may not use it again.
  public func store(_ head: ResponseHead, timing: ResponseTiming) -> StoredResponse? {
    guard let lifetime = edgeLifetime(of: head, receivedAt: timing.receivedSeconds) else {
      return nil
    }
    let directives = head.directives
    var options = directives.options
    if minimumTTL > .zero {
      options.remove(.noCache)
    } else if options.contains(.noStore) || options.contains(.isPrivate) {
      return nil
    }
    options.remove(.noStore)
    options.remove(.isPrivate)
    return StoredResponse(
      storedAt: timing.receivedAt,
      initialAge: CacheFreshness.initialAge(of: head, timing: timing), lifetime: lifetime,
      staleWhileRevalidate: directives.staleWhileRevalidate,
      staleIfError: directives.staleIfError, options: options)
  }

  /// What an edge does with an expired copy when the origin has answered its request.
  public enum FailureDecision: Sendable, Equatable {
    /// Serve the copy, and do not ask the origin again for this long.
    case serveStale(retryAfter: TimeSpan)
    /// Pass the answer on, and repeat it for this long; zero: do not repeat it.
    case passOn(repeatFor: TimeSpan)
  }

  /// The decision about an error that comes instead of `copy`'s successor.
  ///
  /// - Parameters:
  ///   - head: the error: status 400 or above; for a failure without answer one of status 504.
  ///   - failure: how the fetch failed; nil for a 4xx, which is passed on.
  ///   - copy: the expired copy; nil when the edge has none.
  ///   - now: when the error came, on the edge's clock.
  ///   - receivedAt: the same, seconds since 1970.
  public func decision(
    about head: ResponseHead, failure: OriginFailure?, copy: StoredResponse?, at now: Instant,
    receivedAt: Int64
  ) -> FailureDecision {
    if let failure, let copy,
      CacheFreshness.mayServe(copy, after: failure, at: now, rule: .always)
    {
      return .serveStale(retryAfter: max(.zero, errorCachingMinimumTTL))
    }
    return .passOn(repeatFor: max(.zero, edgeLifetime(of: head, receivedAt: receivedAt) ?? .zero))
  }

  /// Whether simultaneous requests are collapsed on such an answer: not on one that each of them
  /// has to fetch for itself.
  public func isCollapsible(_ head: ResponseHead, receivedAt: Int64) -> Bool {
    (edgeLifetime(of: head, receivedAt: receivedAt) ?? .zero) > .zero
  }

  private func forbidsReuse(_ directives: CacheDirectives) -> Bool {
    let options = directives.options
    return options.contains(.noStore) || options.contains(.noCache)
      || options.contains(.isPrivate)
  }
}
