import MediaUnits

/// How a request to the next tier failed.
public enum OriginFailure: UInt8, Sendable, Equatable {
  /// Status 500, 502, 503 or 504.
  case serverError
  /// No connection.
  case unreachable
  /// No answer within the time that the cache waits for one.
  case timeout

  /// The failure that a status code stands for (RFC 5861 section 4); nil for one that is an answer.
  public init?(status: UInt16) {
    switch status {
    case 500, 502, 503, 504: self = .serverError
    default: return nil
    }
  }
}

/// Stale use after failures.
extension CacheFreshness {
  /// Which failures a cache answers with a stale copy.
  public enum StaleOnFailure: UInt8, Sendable, Equatable {
    /// None, as Varnish, which does not know `stale-if-error`.
    case never
    /// Those without an answer, within `stale-if-error`, as nginx without `proxy_cache_use_stale`
    /// for status codes.
    case whenUnreachable
    /// All, within `stale-if-error` (RFC 5861 section 4).
    case withinWindow
    /// All, without a limit when there is no `stale-if-error`, as Amazon CloudFront.
    case always
    /// Those without an answer without a limit, since a cache that is cut off may serve stale (RFC
    /// 9111 section 4.2.4), and error statuses within `stale-if-error`.
    case whenCutOff
  }

  /// Whether the copy may answer a request whose fetch has failed just now.
  ///
  /// A fresh copy may in any case, unless `no-cache` forbids it; a stale one not where a directive
  /// forbids stale use.
  public static func mayServe(
    _ response: StoredResponse, after failure: OriginFailure, at now: Instant,
    rule: StaleOnFailure
  ) -> Bool {
    let options = response.options
    if options.contains(.noCache) { return false }
    let remaining = response.lifetimeRemaining(at: now)
    if remaining > .zero { return true }
    if options.contains(.mustRevalidate) || options.contains(.proxyRevalidate) { return false }
    switch rule {
    case .never: return false
    case .whenUnreachable:
      return failure != .serverError && isWithin(response.staleIfError, remaining)
    case .withinWindow: return isWithin(response.staleIfError, remaining)
    case .whenCutOff:
      return failure != .serverError || isWithin(response.staleIfError, remaining)
    case .always:
      if response.staleIfError > .zero { return isWithin(response.staleIfError, remaining) }
      return !options.contains(.noStaleIfError)
    }
  }
}
