import CachePolicy

/// What an edge has done, in requests and bytes of its clients and of the origin.
public struct EdgeCounters: Sendable, Equatable {
  public var requests: Int64 = 0
  /// Answered from a fresh copy.
  public var hits: Int64 = 0
  /// Answered from a stale copy: while revalidating, after a failure, or because the request said
  /// that it may be.
  public var staleHits: Int64 = 0
  /// Answered with a copy that the origin had confirmed for this request.
  public var revalidated: Int64 = 0
  /// Answered with what the fetch of another request brought.
  public var collapsed: Int64 = 0
  /// Answered with what their own fetch brought.
  public var misses: Int64 = 0
  /// Methods and requests that the cache does not handle.
  public var bypassed: Int64 = 0
  /// 502, 503, 504 and other errors of the way to the origin.
  public var errors: Int64 = 0
  /// Requests to the origin, and those of them with a condition.
  public var originRequests: Int64 = 0
  public var originConditional: Int64 = 0
  /// Requests to the origin without an answer.
  public var originFailures: Int64 = 0
  /// Bytes of bodies that came from the origin.
  public var originBytes: Int64 = 0
  /// Copies that were stored and that left for others.
  public var stored: Int64 = 0
  public var evicted: Int64 = 0
  /// Copies that an unsafe request made invalid.
  public var invalidated: Int64 = 0

  public init() {}

  /// Lines for a person.
  public var text: String {
    """
    \(requests) requests: \(hits) hits, \(staleHits) stale hits, \(revalidated) revalidated, \
    \(collapsed) collapsed, \(misses) misses, \(bypassed) bypassed, \(errors) errors
    \(originRequests) requests to the origin (\(originConditional) conditional, \
    \(originFailures) without an answer), \(originBytes) bytes; \(stored) stored, \
    \(evicted) evicted, \(invalidated) invalidated
    """
  }
}
