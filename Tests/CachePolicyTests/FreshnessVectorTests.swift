import CachePolicy
import Foundation
import MediaUnits
import Testing

private let file = VectorFile("freshness-vectors.json")

/// The published vectors of RFC 9111 and RFC 5861 behaviour, from header text to decision.
struct `Freshness vectors` {
  private struct Vector {
    var id: String
    var head: ResponseHead
    var timing: ResponseTiming
    var now: Instant
    var expected: [String: Any]
    var ambiguous: [String: [String]]

    init(_ entry: [String: Any]) throws {
      id = try #require(entry["id"] as? String)
      let received = try #require(whole(entry["response_time"]))
      let headers = entry["headers"] as? [String: String] ?? [:]
      head = CachePolicyTests.head(
        headers.map { ($0.key, $0.value) },
        status: UInt16(try #require(whole(entry["status"]))), received: received)
      timing = ResponseTiming(
        requestedAt: .at(try #require(whole(entry["request_time"]))), receivedAt: .at(received))
      now = .at(try #require(whole(entry["now"])))
      expected = try #require(entry["expect"] as? [String: Any])
      ambiguous = entry["ambiguous"] as? [String: [String]] ?? [:]
    }
  }

  /// What the vectors call the disposition, and what they expect when the fetch then fails.
  private func words(
    _ stored: StoredResponse, at now: Instant
  ) -> (serve: String, failed: String?) {
    switch CacheFreshness.disposition(of: stored, at: now) {
    case .fresh: return ("fresh", nil)
    case .staleWhileRevalidate: return ("stale_async", nil)
    case .staleIfErrorOnly, .mustRevalidate:
      let isServed = CacheFreshness.mayServe(
        stored, after: .serverError, at: now, rule: .withinWindow)
      return ("sync", isServed ? "stale" : "error")
    }
  }

  private func check(_ vector: Vector, _ rule: CacheFreshness.StaleWithSharedMaxAge) {
    let rules = CacheRules(staleWithSharedMaxAge: rule)
    let stored = CacheFreshness.store(vector.head, timing: vector.timing, rules: rules)
    #expect((stored != nil) == (vector.expected["storable"] as? Bool), "\(vector.id)")
    guard let stored else { return }
    let lifetime = CacheFreshness.lifetime(
      of: vector.head, receivedAt: vector.timing.receivedSeconds, rules: rules)
    #expect(lifetime.span == stored.lifetime)
    if let span = whole(vector.expected["lifetime"]) {
      #expect(stored.lifetime == .seconds(span), "\(vector.id)")
    }
    if let isHeuristic = vector.expected["heuristic"] as? Bool {
      #expect((lifetime.source == .heuristic) == isHeuristic, "\(vector.id)")
    }
    if let age = whole(vector.expected["age"]) {
      #expect(stored.age(at: vector.now) == .seconds(age), "\(vector.id)")
    }
    if let isFresh = vector.expected["fresh"] as? Bool {
      #expect((stored.lifetimeRemaining(at: vector.now) > .zero) == isFresh, "\(vector.id)")
    }
    let (serve, failed) = words(stored, at: vector.now)
    let serves = vector.ambiguous["serve"] ?? [vector.expected["serve"] as? String ?? ""]
    #expect(serves.contains(serve), "\(vector.id): \(serve)")
    if let failed, let expected = vector.expected["on_error"] as? String {
      let all = vector.ambiguous["on_error"] ?? [expected]
      #expect(all.contains(failed), "\(vector.id): \(failed)")
    }
  }

  // SIG-044, SIG-064
  @Test func `the rules agree with every vector, whatever s-maxage means for stale use`() throws {
    let entries = try file.object()["vectors"] as? [[String: Any]] ?? []
    #expect(entries.count >= 30)
    for entry in entries {
      let vector = try Vector(entry)
      check(vector, .forbidden)
      check(vector, .allowed)
    }
  }
}
