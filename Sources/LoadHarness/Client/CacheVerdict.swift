import Models

/// What the cache nearest to the client did with a request, read from the answer's head.
///
/// Servers say it in different words; the outcomes are those of the simulator (contract.md section
/// 1), so that live and simulated counts compare. The fields are asked in this order: the status
/// code (a 5xx that no cache made up for is an error), `Cache-Status`, `X-Cache-Status`,
/// `X-Cache`, `X-Varnish`, `Age`.
public struct CacheVerdict: Sendable, Hashable {
  /// What the outcome was read from.
  public enum Evidence: UInt8, Sendable, CaseIterable {
    /// Nothing says anything.
    case none
    case statusCode, cacheStatus, xCacheStatus, xCache, xVarnish
    /// Only an `Age` above zero: some cache, perhaps not the nearest one.
    case age
  }

  /// Nil when nothing says.
  public var outcome: CacheOutcome?
  public var evidence: Evidence

  public init(outcome: CacheOutcome?, evidence: Evidence) {
    self.outcome = outcome
    self.evidence = evidence
  }

  init(_ headers: LiveHeaders) {
    if headers.status >= 500 {
      self.init(outcome: .error, evidence: .statusCode)
    } else if let outcome = headers.cacheStatus.flatMap(CacheVerdict.cacheStatus) {
      self.init(outcome: outcome, evidence: .cacheStatus)
    } else if let outcome = headers.xCacheStatus.flatMap(CacheVerdict.word) {
      self.init(outcome: outcome, evidence: .xCacheStatus)
    } else if let outcome = headers.xCache.flatMap(CacheVerdict.word) {
      self.init(outcome: outcome, evidence: .xCache)
    } else if let outcome = headers.xVarnish.flatMap(CacheVerdict.varnish) {
      self.init(outcome: outcome, evidence: .xVarnish)
    } else if let age = headers.age, age > 0 {
      self.init(outcome: .hit, evidence: .age)
    } else {
      self.init(outcome: nil, evidence: .none)
    }
  }

  /// `Cache-Status` (RFC 9211): the last member is the cache nearest to the client.
  ///
  /// `hit` with a negative `ttl` was served stale. A stale answer that was forwarded and came back
  /// as 304 was revalidated; one whose forwarding failed (5xx) while the client got less than a 5xx
  /// was served stale because of the error.
  static func cacheStatus(_ text: String) -> CacheOutcome? {
    guard let member = split(text, at: ",").last else { return nil }
    var (isHit, isCollapsed, isStale) = (false, false, false)
    var forward: Substring?
    var forwardStatus: Int?
    for part in split(String(member), at: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = pair[0].trimmed
      let value = pair.count > 1 ? pair[1].trimmed : "?1"
      switch name {
      case "hit": isHit = value != "?0"
      case "collapsed": isCollapsed = value != "?0"
      case "ttl": isStale = value.hasPrefix("-")
      case "fwd": forward = value
      case "fwd-status": forwardStatus = Int(value)
      default: break
      }
    }
    if isHit { return isStale ? .staleHit : .hit }
    if isCollapsed { return .collapsed }
    guard let forward else { return nil }
    if let forwardStatus, forwardStatus >= 500 { return .staleHit }
    switch forward {
    case "bypass", "method": return .bypass
    case "stale", "request": return forwardStatus == 304 ? .revalidated : .miss
    case "uri-miss", "vary-miss", "miss", "partial": return .miss
    default: return nil
    }
  }

  /// The words of `X-Cache` and `X-Cache-Status`, the last of a list: nginx's cache states,
  /// CloudFront's `Hit from cloudfront`, Squid's `HIT from host`, Akamai's `TCP_HIT from …`,
  /// Fastly's `MISS, HIT`.
  static func word(_ text: String) -> CacheOutcome? {
    guard let last = split(text, at: ",").last else { return nil }
    let first = last.trimmed.prefix { $0 != " " && $0 != ";" }
    var word = first.uppercased()
    if word.hasPrefix("TCP_") { word.removeFirst(4) }
    switch word {
    case "HIT", "MEM_HIT", "IMS_HIT", "OFFLINE_HIT": return .hit
    // Served stale: beside a refresh that goes on, or because of an error.
    case "STALE", "UPDATING", "EXPIRED_HIT", "STALE_HIT", "HIT_STALE", "HIT-STALE", "GRACE",
      "HIT-GRACE", "HIT_GRACE", "REFRESH_FAIL_HIT":
      return .staleHit
    case "REVALIDATED", "REFRESHHIT", "REFRESH_HIT", "REFRESH_UNMODIFIED": return .revalidated
    case "COLLAPSED", "CF_HIT": return .collapsed
    // nginx's EXPIRED was stale and came back whole; a shield's hit is a miss of the nearest cache.
    case "MISS", "EXPIRED", "ORIGINSHIELDHIT", "REFRESH_MISS", "EXPIRED_MISS", "HIT-FOR-MISS",
      "CLIENT_REFRESH_MISS", "REFRESH_MODIFIED":
      return .miss
    case "BYPASS", "PASS", "HITPASS", "HIT-FOR-PASS", "UNCACHEABLE", "DYNAMIC", "TUNNEL":
      return .bypass
    case "ERROR", "LIMITEXCEEDED", "CAPACITYEXCEEDED", "SYNTH": return .error
    default: return nil
    }
  }

  /// `X-Varnish` has the number of this request and, for a hit, the one that fetched the object.
  static func varnish(_ text: String) -> CacheOutcome? {
    let numbers = text.split(separator: " ")
    guard !numbers.isEmpty, numbers.allSatisfy({ UInt64($0) != nil }) else { return nil }
    return numbers.count == 2 ? .hit : .miss
  }

  /// Cuts at a mark outside quoted strings; empty parts are left out.
  private static func split(_ text: String, at mark: Character) -> [Substring] {
    var (isQuoted, isEscaped) = (false, false)
    return text.split { character in
      if isEscaped {
        isEscaped = false
        return false
      }
      if isQuoted && character == "\\" { isEscaped = true }
      if character == "\"" { isQuoted.toggle() }
      return character == mark && !isQuoted
    }
  }
}

extension Substring {
  /// Without blanks at its ends.
  fileprivate var trimmed: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
