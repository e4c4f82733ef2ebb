import MediaUnits

/// The `Cache-Control` of a request, as far as caches act on it.
///
/// Source: RFC 9111 section 5.2.1. Leaves out: `no-transform`, `stale-if-error`.
public struct RequestDirectives: Sendable, Equatable {
  /// Not to be answered from the cache without validation.
  public var noCache: Bool
  /// Neither the request nor its answer is stored.
  public var noStore: Bool
  /// Not forwarded: answered from the cache or with 504.
  public var onlyIfCached: Bool
  /// The greatest age that is wanted; nil: any.
  public var maxAge: TimeSpan?
  /// The least lifetime that must be left; nil: any.
  public var minFresh: TimeSpan?
  /// How long past its lifetime an answer may be; `TimeSpan.max` without an argument; nil: not.
  public var maxStale: TimeSpan?

  public init(
    noCache: Bool = false, noStore: Bool = false, onlyIfCached: Bool = false,
    maxAge: TimeSpan? = nil, minFresh: TimeSpan? = nil, maxStale: TimeSpan? = nil
  ) {
    self.noCache = noCache
    self.noStore = noStore
    self.onlyIfCached = onlyIfCached
    self.maxAge = maxAge
    self.minFresh = minFresh
    self.maxStale = maxStale
  }

  /// Whether the request asks for nothing.
  public var isEmpty: Bool { self == RequestDirectives() }
}

/// Collects ``RequestDirectives`` from the fields of a request.
///
/// Total: any bytes give some directives. An invalid `max-age` counts as zero and an invalid
/// `min-fresh` or `max-stale` is overlooked, so that what comes is rather too fresh. `Pragma:
/// no-cache` counts only without `Cache-Control` (RFC 9111 section 5.4).
public struct RequestDirectivesReader: Sendable {
  private var found = RequestDirectives()
  private var hasControl = false
  private var hasPragma = false

  public init() {}

  /// What the fields so far ask for.
  public var directives: RequestDirectives {
    var result = found
    if hasPragma && !hasControl { result.noCache = true }
    return result
  }

  /// Reads one `Cache-Control` line.
  public mutating func addControl(_ value: UnsafeBufferPointer<UInt8>) {
    hasControl = true
    var text = FieldText(value)
    while let member = text.takeMember() {
      func isNamed(_ word: StaticString) -> Bool {
        FieldText.isEqual(value, member.name, word)
      }
      let span = member.argument.flatMap { FieldText.deltaSeconds(value, $0) }
      if isNamed("no-cache") {
        found.noCache = true
      } else if isNamed("no-store") {
        found.noStore = true
      } else if isNamed("only-if-cached") {
        found.onlyIfCached = true
      } else if isNamed("max-age") {
        found.maxAge = found.maxAge ?? span ?? .zero
      } else if isNamed("min-fresh") {
        found.minFresh = found.minFresh ?? span
      } else if isNamed("max-stale"), span != nil || !member.hasArgument {
        found.maxStale = found.maxStale ?? span ?? .max
      }
    }
  }

  /// Reads one `Pragma` line.
  public mutating func addPragma(_ value: UnsafeBufferPointer<UInt8>) {
    var text = FieldText(value)
    while let member = text.takeMember() {
      if FieldText.isEqual(value, member.name, "no-cache") { hasPragma = true }
    }
  }
}

extension FieldText {
  /// A list member `name` or `name=argument`.
  struct Member {
    var name: Range<Int>
    /// The token, or the inside of the quoted string; nil when malformed.
    var argument: Range<Int>?
    /// Whether there is a `=`.
    var hasArgument: Bool
  }

  /// The next member of a list and the comma behind it; nil at the end. Empty members are passed
  /// over (RFC 9110 section 5.6.1.2).
  mutating func takeMember() -> Member? {
    while true {
      skipBlanks()
      if isAtEnd { return nil }
      if !take(UInt8(ascii: ",")) { break }
    }
    var member = Member(name: takeToken(), argument: nil, hasArgument: false)
    if take(UInt8(ascii: "=")) {
      member.hasArgument = true
      member.argument = takeQuoted() ?? takeToken()
    }
    skipBlanks()
    if !isAtEnd && next != UInt8(ascii: ",") {
      member.argument = nil
      member.hasArgument = true
      skipMember()
    }
    return member
  }
}

/// What a request's directives make of a stored response.
extension CacheFreshness {
  /// Whether a stored response may answer a request.
  public enum Reuse: UInt8, Sendable, Equatable {
    /// As far as the request goes: the response's own freshness decides.
    case asStored
    /// Even though it is stale (`max-stale`).
    case allowedStale
    /// Not without validation.
    case refused
  }

  /// What a request's directives make of a stored response (RFC 9111 section 5.2.1). `max-stale`
  /// does not go against a response's `no-cache`, `must-revalidate` or `proxy-revalidate`
  /// (section 4.2.4).
  public static func reuse(
    of response: StoredResponse, for request: RequestDirectives, at now: Instant
  ) -> Reuse {
    if request.noCache { return .refused }
    if let limit = request.maxAge, response.age(at: now) > limit { return .refused }
    let remaining = response.lifetimeRemaining(at: now)
    if let least = request.minFresh, remaining < least { return .refused }
    if remaining > .zero { return .asStored }
    guard let limit = request.maxStale,
      response.options.isDisjoint(with: [.noCache, .mustRevalidate, .proxyRevalidate])
    else { return .asStored }
    let (past, overflow) = Int64.zero.subtractingReportingOverflow(remaining.nanoseconds)
    return !overflow && past <= limit.nanoseconds ? .allowedStale : .asStored
  }
}
