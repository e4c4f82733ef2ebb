import CachePolicy
import Foundation
import MediaUnits
import Testing

/// The published vectors of RFC 9111 and RFC 5861 behaviour, as far as they need no date parsing
/// beyond the one below, no status other than 200 and no field that this module leaves to its
/// caller.
private struct Vector {
  var id: String
  var directives: CacheDirectives
  var heuristic: TimeSpan?
  var ageField: TimeSpan?
  var date: Int64
  var requested: Int64
  var received: Int64
  var now: Int64
  var expected: [String: Any]
  var ambiguous: [String: [String]]
}

private func seconds(_ value: Any?) -> Int64? { (value as? NSNumber)?.int64Value }

/// Delta-seconds: digits only, nil otherwise.
private func delta(_ text: Substring) -> TimeSpan? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
  return .seconds(min(Int64(text) ?? .max, 1 << 31))
}

private func httpDate(_ text: String?) -> Int64? {
  guard let text else { return nil }
  let format = DateFormatter()
  format.locale = Locale(identifier: "en_US_POSIX")
  format.timeZone = TimeZone(identifier: "UTC")
  format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
  return format.date(from: text).map { Int64($0.timeIntervalSince1970) }
}

/// Simple members only; nil when the text has quoted strings or an argument this module does not
/// know.
private func parse(_ text: String) -> CacheDirectives? {
  if text.contains("\"") { return nil }
  var found = CacheDirectives()
  for member in text.split(separator: ",") {
    let parts = member.split(separator: "=", maxSplits: 1).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard let name = parts.first?.lowercased(), !name.isEmpty else { continue }
    // An invalid argument counts as zero: RFC 9111 section 4.2.1 wants the response stale then.
    let span = parts.count > 1 ? delta(Substring(parts[1])) ?? .zero : .zero
    switch name {
    case "max-age": found.maxAge = found.maxAge ?? span
    case "s-maxage": found.sharedMaxAge = found.sharedMaxAge ?? span
    case "stale-while-revalidate": found.staleWhileRevalidate = span
    case "stale-if-error": found.staleIfError = span
    case "no-store": found.options.insert(.noStore)
    case "no-cache": found.options.insert(.noCache)
    case "must-revalidate": found.options.insert(.mustRevalidate)
    case "proxy-revalidate": found.options.insert(.proxyRevalidate)
    case "private": found.options.insert(.isPrivate)
    case "public": found.options.insert(.isPublic)
    case "immutable": found.options.insert(.immutable)
    default: break
    }
  }
  return found
}

private func vector(_ entry: [String: Any]) -> Vector? {
  let headers = entry["headers"] as? [String: String] ?? [:]
  guard let id = entry["id"] as? String, seconds(entry["status"]) == 200,
    let requested = seconds(entry["request_time"]), let received = seconds(entry["response_time"]),
    let now = seconds(entry["now"]), let expected = entry["expect"] as? [String: Any],
    var directives = parse(headers["Cache-Control"] ?? "")
  else { return nil }
  let date = httpDate(headers["Date"]) ?? received
  var heuristic: TimeSpan?
  if let expires = headers["Expires"] {
    if directives.maxAge == nil {
      directives.maxAge = .seconds(max(0, (httpDate(expires) ?? date) - date))
    }
  } else if let modified = httpDate(headers["Last-Modified"]) {
    heuristic = .seconds((date - modified) / 10)
  }
  let field = headers["Age"]?.split(separator: ",").first.flatMap(delta)
  return Vector(
    id: id, directives: directives, heuristic: heuristic, ageField: field, date: date,
    requested: requested, received: received, now: now, expected: expected,
    ambiguous: entry["ambiguous"] as? [String: [String]] ?? [:])
}

private let vectorFile = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
  .deletingLastPathComponent()
  .appending(path: "../../../shared/reference/cache/http/freshness-vectors.json").standardized

struct `Freshness vectors` {
  /// What the vectors call the disposition, and what they expect when the fetch then fails.
  private func words(_ disposition: CacheFreshness.Disposition) -> (serve: String, failed: String?)
  {
    switch disposition {
    case .fresh: return ("fresh", nil)
    case .staleWhileRevalidate: return ("stale_async", nil)
    case .staleIfErrorOnly: return ("sync", "stale")
    case .mustRevalidate: return ("sync", "error")
    }
  }

  private func check(_ vector: Vector) {
    let initial = CacheFreshness.correctedInitialAge(
      ageField: vector.ageField, apparentAge: .seconds(vector.received - vector.date),
      responseDelay: .seconds(vector.received - vector.requested))
    let stored = CacheFreshness.store(
      vector.directives, shared: true, at: Instant(nanoseconds: vector.received * 1_000_000_000),
      initialAge: initial, heuristic: vector.heuristic, staleWithSharedMaxAge: .forbidden)
    #expect((stored != nil) == (vector.expected["storable"] as? Bool), "\(vector.id)")
    guard let stored else { return }
    let now = Instant(nanoseconds: vector.now * 1_000_000_000)
    if let lifetime = seconds(vector.expected["lifetime"]) {
      #expect(stored.lifetime == .seconds(lifetime), "\(vector.id)")
    }
    if let age = seconds(vector.expected["age"]) {
      #expect(stored.age(at: now) == .seconds(age), "\(vector.id)")
    }
    let (serve, failed) = words(CacheFreshness.disposition(of: stored, at: now))
    let serves = vector.ambiguous["serve"] ?? [vector.expected["serve"] as? String ?? ""]
    #expect(serves.contains(serve), "\(vector.id): \(serve)")
    if let failed, let expected = vector.expected["on_error"] as? String {
      #expect((vector.ambiguous["on_error"] ?? [expected]).contains(failed), "\(vector.id)")
    }
  }

  // SIG-044, SIG-064
  @Test(.enabled(if: FileManager.default.fileExists(atPath: vectorFile.path)))
  func `the rules agree with every vector in scope`() throws {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: vectorFile))
    let entries = (object as? [String: Any])?["vectors"] as? [[String: Any]] ?? []
    let vectors = entries.compactMap(vector)
    #expect(vectors.count >= 30, "\(vectors.count) of \(entries.count) vectors are in scope")
    for vector in vectors { check(vector) }
  }
}
