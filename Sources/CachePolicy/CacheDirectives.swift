import MediaUnits

/// The `Cache-Control` of a response, as far as caches act on it.
///
/// Read from header text by ``CacheControlParser``. Leaves out: `no-transform`, and field lists of
/// `no-cache` and `private` (taken as without a list, the careful reading).
///
/// Source: RFC 9111 section 5.2.2, RFC 5861 sections 3 and 4, RFC 8246.
public struct CacheDirectives: Sendable, Equatable {
  /// The directives without an argument.
  public struct Options: OptionSet, Sendable, Equatable {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Never stored (RFC 9111 section 5.2.2.5).
    @inlinable
    public static var noStore: Options { Options(rawValue: 1) }
    /// Never used without validation (section 5.2.2.4).
    @inlinable
    public static var noCache: Options { Options(rawValue: 2) }
    /// Never used stale (section 5.2.2.2).
    @inlinable
    public static var mustRevalidate: Options { Options(rawValue: 4) }
    /// Never used stale by a shared cache (section 5.2.2.8).
    @inlinable
    public static var proxyRevalidate: Options { Options(rawValue: 8) }
    /// Never stored by a shared cache (section 5.2.2.7).
    @inlinable
    public static var isPrivate: Options { Options(rawValue: 16) }
    /// May be stored by any cache (section 5.2.2.9).
    @inlinable
    public static var isPublic: Options { Options(rawValue: 32) }
    /// Not validated by a client's reload while fresh (RFC 8246 section 2); says nothing once
    /// stale.
    @inlinable
    public static var immutable: Options { Options(rawValue: 64) }
    /// Stored only by a cache that knows the status code, which then overlooks `no-store`
    /// (section 5.2.2.3).
    @inlinable
    public static var mustUnderstand: Options { Options(rawValue: 128) }
    /// `stale-if-error=0` was said, which is more than its absence where a cache serves stale on
    /// errors by itself (Amazon CloudFront developer guide, "Managing how long content stays in
    /// the cache").
    @inlinable
    public static var noStaleIfError: Options { Options(rawValue: 256) }
  }

  /// `s-maxage`: freshness lifetime in shared caches; nil when absent.
  public var sharedMaxAge: TimeSpan?
  /// `max-age`: freshness lifetime; nil when absent.
  public var maxAge: TimeSpan?
  /// `stale-while-revalidate`: how long after its lifetime a response may be served while it is
  /// being revalidated; zero when absent.
  public var staleWhileRevalidate: TimeSpan
  /// `stale-if-error`: how long after its lifetime a response may be served when revalidation
  /// fails; zero when absent.
  public var staleIfError: TimeSpan
  /// The directives without an argument.
  public var options: Options

  @inlinable
  public init(
    sharedMaxAge: TimeSpan? = nil, maxAge: TimeSpan? = nil,
    staleWhileRevalidate: TimeSpan = .zero, staleIfError: TimeSpan = .zero, options: Options = []
  ) {
    self.sharedMaxAge = sharedMaxAge
    self.maxAge = maxAge
    self.staleWhileRevalidate = staleWhileRevalidate
    self.staleIfError = staleIfError
    self.options = options
  }

  /// The field value of `Cache-Control`, spans in whole seconds rounded down; empty without
  /// directives.
  public func headerValue() -> String {
    var text = ""
    func append(_ directive: String) {
      if !text.isEmpty { text += ", " }
      text += directive
    }
    func append(_ directive: String, _ span: TimeSpan) {
      append(directive + "=" + String(max(0, span.wholeSteps(of: .seconds(1)))))
    }
    if options.contains(.isPublic) { append("public") }
    if options.contains(.isPrivate) { append("private") }
    if options.contains(.noStore) { append("no-store") }
    if options.contains(.noCache) { append("no-cache") }
    if let maxAge { append("max-age", maxAge) }
    if let sharedMaxAge { append("s-maxage", sharedMaxAge) }
    if staleWhileRevalidate > .zero { append("stale-while-revalidate", staleWhileRevalidate) }
    if staleIfError > .zero {
      append("stale-if-error", staleIfError)
    } else if options.contains(.noStaleIfError) {
      append("stale-if-error=0")
    }
    if options.contains(.mustRevalidate) { append("must-revalidate") }
    if options.contains(.proxyRevalidate) { append("proxy-revalidate") }
    if options.contains(.immutable) { append("immutable") }
    if options.contains(.mustUnderstand) { append("must-understand") }
    return text
  }
}
