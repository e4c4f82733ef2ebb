import Models
import Testing

@testable import LoadHarness

/// What servers say about their caches, as outcomes of contract.md section 1.
struct CacheVerdictTests {
  private func outcome(_ name: String, _ value: String, status: Int = 200) -> CacheOutcome? {
    LiveHeaders(status: status, fields: [(name: name, value: value)]).verdict.outcome
  }

  /// RFC 9211 sections 2 and 3 (its examples among them).
  @Test(arguments: [
    ("ExampleCache; hit", CacheOutcome.hit), ("ExampleCache; hit; ttl=30", .hit),
    ("ExampleCache; hit; ttl=-412", .staleHit),
    ("ExampleCache; fwd=uri-miss; stored; collapsed", .collapsed),
    ("ExampleCache; fwd=uri-miss; collapsed=?0", .miss), ("ExampleCache; fwd=vary-miss", .miss),
    ("ExampleCache; fwd=miss; stored", .miss), ("ExampleCache; fwd=partial", .miss),
    ("ExampleCache; fwd=stale; fwd-status=304", .revalidated),
    ("ExampleCache; fwd=request; fwd-status=304", .revalidated),
    ("ExampleCache; fwd=request; fwd-status=200", .miss),
    ("ExampleCache; fwd=stale; fwd-status=200; stored", .miss),
    ("ExampleCache; fwd=stale; fwd-status=503", .staleHit),
    ("ExampleCache; fwd=bypass", .bypass), ("ExampleCache; fwd=method", .bypass),
    ("OriginCache; hit; ttl=1100, \"CDN, Here\"; fwd=uri-miss; detail=\"a;hit\"", .miss),
    ("Origin; fwd=miss, Edge; hit; ttl=545", .hit),
  ])
  func `the last member of Cache-Status decides`(value: String, expected: CacheOutcome) {
    #expect(outcome("Cache-Status", value) == expected)
  }

  @Test(arguments: [
    ("HIT", CacheOutcome.hit), ("MISS", .miss), ("STALE", .staleHit), ("UPDATING", .staleHit),
    ("EXPIRED", .miss), ("REVALIDATED", .revalidated), ("BYPASS", .bypass),
  ])
  func `nginx's states`(value: String, expected: CacheOutcome) {
    #expect(outcome("X-Cache-Status", value) == expected)
    #expect(outcome("x-cache-status", value.lowercased()) == expected)
  }

  @Test(arguments: [
    ("Hit from cloudfront", CacheOutcome.hit), ("Miss from cloudfront", .miss),
    ("RefreshHit from cloudfront", .revalidated), ("Error from cloudfront", .error),
    ("OriginShieldHit from cloudfront", .miss), ("HIT from proxy.example:3128", .hit),
    ("TCP_HIT from a1.example (AkamaiGHost)", .hit), ("TCP_MEM_HIT from a1", .hit),
    ("TCP_REFRESH_HIT from a1", .revalidated), ("TCP_EXPIRED_HIT from a1", .staleHit),
    ("TCP_MISS from a1", .miss), ("MISS, HIT", .hit), ("HIT, MISS", .miss), ("pass", .bypass),
  ])
  func `the words of X-Cache`(value: String, expected: CacheOutcome) {
    #expect(outcome("X-Cache", value) == expected)
  }

  @Test func `Varnish's numbers, an age alone, and nothing`() {
    #expect(outcome("X-Varnish", "32770 3") == .hit)
    #expect(outcome("X-Varnish", "32770") == .miss)
    #expect(outcome("X-Varnish", "abc") == nil)
    #expect(outcome("Age", "17") == .hit)
    #expect(outcome("Age", "0") == nil)
    #expect(outcome("Server", "nginx") == nil)
    #expect(outcome("X-Cache", "whatever") == nil)
  }

  @Test func `a status of 500 and above is an error whatever else is said`() {
    #expect(outcome("Cache-Status", "E; hit", status: 503) == .error)
    #expect(outcome("Server", "nginx", status: 500) == .error)
    #expect(outcome("X-Cache", "HIT", status: 404) == .hit)
  }

  @Test func `several fields of a name are one list, and the first kind of evidence wins`() {
    let headers = LiveHeaders(
      status: 200,
      fields: [
        (name: "X-Cache", value: "MISS"), (name: "cache-status", value: "O; fwd=miss"),
        (name: "Cache-Status", value: "E; hit"), (name: "Age", value: "x"),
        (name: "Content-Length", value: "-5"), (name: "ETag", value: "\"a\""),
      ])
    #expect(headers.verdict == CacheVerdict(outcome: .hit, evidence: .cacheStatus))
    #expect(headers.contentLength == nil)
    #expect(headers.age == nil)
    #expect(headers.entityTag == "\"a\"")
  }
}
