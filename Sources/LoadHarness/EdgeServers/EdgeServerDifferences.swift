import CachePolicy
import MediaUnits

extension EdgeServerKind {
  /// What the product does otherwise than the model with the same policy: sentences for a report.
  ///
  /// Sources: caches.md sections 4.3 and 5 (measured with nginx 1.22.1 and Varnish 7.1.1), the
  /// products' manuals.
  public func differences(_ policy: EdgeServerPolicy) -> [String] {
    switch self {
    case .nginx: nginxDifferences(policy)
    case .varnish: varnishDifferences(policy)
    case .firstframe: []
    }
  }

  private func nginxDifferences(_ policy: EdgeServerPolicy) -> [String] {
    var texts = [
      "eviction is LRU by files and is done by a process that looks every 50 ms, so the capacity "
        + "is overrun for moments",
      "a copy that comes from a lock shows as HIT: collapsed requests are counted as hits",
      "a client's Range is answered from a whole copy; a miss fetches the whole object",
    ]
    if policy.inheritsAge {
      texts.append("Age of the origin's answer is ignored: a copy from another cache lives longer")
    }
    if policy.collapsing.mode == .full {
      texts.append(
        "requests for an expired object outside stale-while-revalidate are not collapsed; those "
          + "for an absent one wait for a lock, look every 500 ms and go by themselves after 5 s")
    }
    if policy.collapsing.hitForMiss > .zero {
      texts.append("there is no hit-for-miss: requests for an uncacheable object wait for the lock")
    }
    switch policy.collapsing.staleOnFailure {
    case .never:
      texts.append("stale-if-error is obeyed when the origin does not answer, whatever the policy")
    case .withinWindow:
      texts.append("after a status 5xx a stale copy is served also beyond stale-if-error")
    case .whenUnreachable, .always, .whenCutOff: break
    }
    if policy.collapsing.revalidation == .background {
      texts.append(
        "the connection of a request that set off a background update takes the next request, or "
          + "is closed, only when the update is done (HTTP/1.1)")
    }
    texts.append("must-revalidate does not keep a stale copy from being served after a failure")
    if policy.eviction != "lru" && policy.eviction != "infinite" {
      texts.append("eviction \(policy.eviction) is not there: LRU is used")
    }
    if policy.admission != .all && policy.admission != .bloom {
      texts.append("every object enters the cache: there is no such admission rule")
    }
    if policy.http2 && policy.certificate == nil && !policy.servesTLS {
      texts.append("HTTP/2 needs a certificate: HTTP/1.1 is served")
    }
    return texts
  }

  private func varnishDifferences(_ policy: EdgeServerPolicy) -> [String] {
    var texts = [
      "eviction is an approximate LRU of whole objects in malloc'd memory with about 1 kB of "
        + "overhead each; objects with a lifetime below 10 s and uncacheable ones are kept in "
        + "Transient storage, which has 256 MB of its own",
      "collapsed requests are woken three at a time and show as HIT",
      "stale-if-error is emulated by VCL: a request past stale-while-revalidate waits for the "
        + "origin first, and the failed attempt is one more request to it",
      "an expired object is validated with a conditional request for 30 days, then fetched anew",
    ]
    if case .none = policy.collapsing.mode {
      texts.append("requests for an absent object always wait for the first one")
    }
    if policy.collapsing.hitForMiss != .seconds(120) {
      texts.append("an uncacheable answer stops collapsing for 120 s, whatever the policy")
    }
    if policy.attempts > 1 {
      texts.append("a failed request to the origin is not repeated, except on a reused connection")
    }
    if policy.eviction != "lru" && policy.eviction != "infinite" {
      texts.append("eviction \(policy.eviction) is not there: LRU is used")
    }
    if policy.admission != .all {
      texts.append("every object enters the cache: there is no admission rule")
    }
    if policy.certificate != nil || policy.servesTLS { texts.append("there is no TLS") }
    return texts
  }
}
