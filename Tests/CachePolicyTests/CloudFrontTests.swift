import CachePolicy
import Foundation
import MediaUnits
import Testing

private let file = VectorFile("cloudfront-ttl-vectors.json")
private let received: Int64 = 1_700_000_000
private let timing = ResponseTiming(requestedAt: .at(received), receivedAt: .at(received))

struct `CloudFront profile` {
  private func profile(_ entry: [String: Any]) -> CloudFrontProfile {
    var profile = CloudFrontProfile()
    if let span = whole(entry["min_ttl"]) { profile.minimumTTL = .seconds(span) }
    if let span = whole(entry["default_ttl"]) { profile.defaultTTL = .seconds(span) }
    if let span = whole(entry["max_ttl"]) { profile.maximumTTL = .seconds(span) }
    if let span = whole(entry["error_caching_min_ttl"]) {
      profile.errorCachingMinimumTTL = .seconds(span)
    }
    return profile
  }

  /// The head of a vector, whose `Expires` is written as `+seconds` after the response.
  private func head(_ entry: [String: Any]) throws -> ResponseHead {
    let fields = entry["origin_headers"] as? [String: String] ?? [:]
    var result = CachePolicyTests.head(
      fields.map { ($0.key, $0.value) }, status: UInt16(try #require(whole(entry["status"]))))
    if let text = fields["Expires"], text.hasPrefix("+"), text.hasSuffix("s") {
      result.expires = .at(received + (try #require(Int64(text.dropFirst().dropLast()))))
    }
    return result
  }

  @Test func `the edge's lifetime agrees with every vector of the guide`() throws {
    let entries = try file.object()["vectors"] as? [[String: Any]] ?? []
    #expect(entries.count >= 15)
    for entry in entries {
      let id = try #require(entry["id"] as? String)
      let lifetime = profile(entry).edgeLifetime(of: try head(entry), receivedAt: received)
      #expect(lifetime == whole(entry["edge_ttl"]).map(TimeSpan.seconds), "\(id)")
      let stored = profile(entry).store(try head(entry), timing: timing)
      let isServed = stored.map { $0.lifetimeRemaining(at: .at(received)) > .zero } ?? false
      #expect(isServed == (lifetime ?? .zero > .zero), "\(id)")
    }
  }

  private func edge(
    _ text: String, _ profile: CloudFrontProfile = CloudFrontProfile(), status: UInt16 = 200
  ) -> TimeSpan? {
    profile.edgeLifetime(
      of: CachePolicyTests.head([("Cache-Control", text)], status: status), receivedAt: received)
  }

  @Test func `a minimum above zero overrides what forbids storing, whatever lifetime stands by`() {
    let profile = CloudFrontProfile(minimumTTL: .seconds(60))
    for text in ["no-store", "no-cache", "private, max-age=5", "private, max-age=900"] {
      #expect(edge(text, profile) == .seconds(60), "\(text)")
      #expect(edge(text) == .zero, "\(text)")
    }
    let stored = profile.store(
      CachePolicyTests.head([("Cache-Control", "no-cache")]), timing: timing)
    #expect(stored.map { $0.options.contains(.noCache) } == false)
  }

  @Test func `an error without a lifetime is kept or not by its status`() {
    for status: UInt16 in [404, 414, 500, 501, 502, 503, 504] {
      #expect(edge("", status: status) == .seconds(10), "\(status)")
      #expect(edge("s-maxage=300, max-age=1", status: status) == .seconds(300), "\(status)")
      #expect(edge("max-age=3", status: status) == .seconds(10), "\(status)")
    }
    for status: UInt16 in [400, 403, 405, 412, 415] {
      #expect(edge("", status: status) == nil, "\(status)")
      #expect(edge("max-age=3", status: status) == .seconds(10), "\(status)")
    }
    for status: UInt16 in [304, 401, 410, 429, 505, 599] {
      #expect(edge("max-age=60", status: status) == nil, "\(status)")
    }
  }

  private func decision(
    copy text: String, status: UInt16, age: Int64 = 100
  ) -> CloudFrontProfile.FailureDecision {
    let profile = CloudFrontProfile()
    let copy = profile.store(
      CachePolicyTests.head([("Cache-Control", text)]), timing: timing)
    return profile.decision(
      about: CachePolicyTests.head([], status: status), failure: OriginFailure(status: status),
      copy: copy, at: .at(received + age), receivedAt: received + age)
  }

  // Behaviours "expired-copy-origin-5xx", "-sie0", "-4xx", "no-copy-origin-5xx"
  @Test func `an expired copy answers a 5xx for ten seconds unless stale-if-error is zero`() {
    #expect(decision(copy: "max-age=60", status: 503) == .serveStale(retryAfter: .seconds(10)))
    #expect(
      decision(copy: "max-age=60, stale-if-error=0", status: 503)
        == .passOn(repeatFor: .seconds(10)))
    #expect(
      decision(copy: "max-age=60, stale-if-error=41", status: 502)
        == .serveStale(retryAfter: .seconds(10)))
    #expect(
      decision(copy: "max-age=60, stale-if-error=40", status: 502)
        == .passOn(repeatFor: .seconds(10)))
    #expect(decision(copy: "max-age=60", status: 404) == .passOn(repeatFor: .seconds(10)))
    #expect(decision(copy: "max-age=60", status: 403) == .passOn(repeatFor: .zero))
    #expect(decision(copy: "no-store", status: 503) == .passOn(repeatFor: .seconds(10)))
  }

  // Behaviour "collapse-off"
  @Test func `answers that everybody must fetch are not collapsed`() {
    for text in ["no-store", "no-cache", "private", "max-age=0", "s-maxage=0, max-age=9"] {
      let head = CachePolicyTests.head([("Cache-Control", text)])
      #expect(!CloudFrontProfile().isCollapsible(head, receivedAt: received), "\(text)")
      let kept = CloudFrontProfile(minimumTTL: .seconds(1))
      #expect(kept.isCollapsible(head, receivedAt: received), "\(text)")
    }
    #expect(CloudFrontProfile().isCollapsible(CachePolicyTests.head([]), receivedAt: received))
  }
}
