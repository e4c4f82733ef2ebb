import CachePolicy
import MediaUnits
import Testing

private let received: Int64 = 1_700_000_000

private func response(
  _ cacheControl: String = "", status: UInt16 = 200, _ more: [(String, String)] = []
) -> ResponseHead {
  head([("Cache-Control", cacheControl)] + more, status: status)
}

private func storability(
  _ head: ResponseHead, isAuthorized: Bool = false, shared: Bool = true
) -> CacheFreshness.Storability {
  CacheFreshness.storability(
    of: head, request: RequestHead(isAuthorized: isAuthorized), rules: CacheRules(isShared: shared))
}

// RFC 9111 section 3
struct `Storability` {
  @Test func `without directives the status code decides`() {
    for status: UInt16 in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
      #expect(storability(response(status: status)) == .storable, "\(status)")
    }
    for status: UInt16 in [201, 302, 303, 307, 400, 403, 429, 500, 502, 503, 504] {
      #expect(storability(response(status: status)) == .nothingAllows, "\(status)")
      for text in ["max-age=1", "s-maxage=0", "public", "max-age=x"] {
        #expect(storability(response(text, status: status)) == .storable, "\(status) \(text)")
      }
      let expires = response(status: status, [("Expires", "0")])
      #expect(storability(expires) == .storable, "\(status)")
    }
    #expect(storability(response("s-maxage=9", status: 302), shared: false) == .nothingAllows)
    #expect(storability(response("private", status: 302), shared: false) == .storable)
  }

  @Test func `interim, unmodified and partial answers and unknown numbers are not stored`() {
    for status: UInt16 in [0, 100, 103, 199, 206, 304, 600, 999, .max] {
      #expect(storability(response("max-age=60", status: status)) == .status, "\(status)")
    }
    let partial = CacheFreshness.storability(
      of: response(status: 206), rules: CacheRules(storesPartialContent: true))
    #expect(partial == .storable)
  }

  @Test func `no-store, private, other methods and a starred Vary each stand in the way`() {
    #expect(storability(response("max-age=60, no-store")) == .noStore)
    #expect(storability(response("max-age=60, no-store"), shared: false) == .noStore)
    #expect(storability(response("max-age=60, private")) == .isPrivate)
    #expect(storability(response("max-age=60, private"), shared: false) == .storable)
    #expect(storability(response("max-age=60", [("Vary", "a, *")])) == .variesOnEverything)
    #expect(storability(response("max-age=60", [("Vary", "a")])) == .storable)
    let post = CacheFreshness.storability(
      of: response("max-age=60"), request: RequestHead(method: .other))
    #expect(post == .method)
  }

  // RFC 9111 section 3.5
  @Test func `an authorised request's answer is shared only if a directive says so`() {
    for text in ["", "max-age=60", "proxy-revalidate, max-age=60", "immutable"] {
      #expect(storability(response(text), isAuthorized: true) == .authorization, "\(text)")
      #expect(storability(response(text), isAuthorized: true, shared: false) == .storable)
    }
    for text in ["public", "must-revalidate", "s-maxage=0"] {
      #expect(storability(response(text), isAuthorized: true) == .storable, "\(text)")
    }
  }

  // RFC 9111 section 5.2.2.3
  @Test func `must-understand overrides no-store exactly for known status codes`() {
    let text = "must-understand, no-store, max-age=60"
    #expect(storability(response(text)) == .storable)
    #expect(storability(response(text, status: 299)) == .status)
    #expect(storability(response("must-understand, private")) == .isPrivate)
    let timing = ResponseTiming(requestedAt: .at(received), receivedAt: .at(received))
    #expect(CacheFreshness.store(response(text), timing: timing)?.lifetime == .seconds(60))
  }
}

// RFC 9111 sections 4.2.1 to 4.2.3
struct `Lifetime and age of a response` {
  private func lifetime(
    _ head: ResponseHead, _ rules: CacheRules = CacheRules()
  ) -> CacheFreshness.Lifetime {
    CacheFreshness.lifetime(of: head, receivedAt: received, rules: rules)
  }

  @Test func `the sources come in their order`() {
    let dates = [
      ("Date", "Tue, 14 Nov 2023 22:13:20 GMT"), ("Expires", "Tue, 14 Nov 2023 22:13:50 GMT"),
      ("Last-Modified", "Tue, 14 Nov 2023 21:56:35 GMT"),
    ]
    let all = response("s-maxage=10, max-age=20", dates)
    #expect(lifetime(all) == .init(.seconds(10), .sharedMaxAge))
    #expect(lifetime(all, CacheRules(isShared: false)) == .init(.seconds(20), .maxAge))
    #expect(lifetime(response("", dates)) == .init(.seconds(30), .expires))
    var modified = response("", [dates[0], dates[2]])
    #expect(lifetime(modified) == .init(.milliseconds(100_500), .heuristic))
    modified.status = 302
    #expect(lifetime(modified) == .init(.zero, .none))
    modified.directives.options = .isPublic
    #expect(lifetime(modified) == .init(.milliseconds(100_500), .heuristic))
    #expect(lifetime(response()) == .init(.zero, .none))
  }

  @Test func `lifetimes count from Date, and from the receipt only without one`() {
    let early = ("Date", "Tue, 14 Nov 2023 22:11:40 GMT")
    let expires = ("Expires", "Tue, 14 Nov 2023 22:14:10 GMT")
    let modified = ("Last-Modified", "Tue, 14 Nov 2023 21:55:00 GMT")
    #expect(lifetime(response("", [early, expires])).span == .seconds(150))
    #expect(lifetime(response("", [expires])).span == .seconds(50))
    #expect(lifetime(response("", [("Date", "x"), expires])).span == .seconds(50))
    #expect(lifetime(response("", [early, modified])).span == .seconds(100))
    #expect(lifetime(response("", [modified])).span == .seconds(110))
  }

  @Test func `an invalid or past date gives no lifetime and does not fall through`() {
    let modified = ("Last-Modified", "Tue, 14 Nov 2023 21:56:40 GMT")
    #expect(lifetime(response("", [("Expires", "0"), modified])) == .init(.zero, .expires))
    let past = ("Expires", "Tue, 14 Nov 2023 22:13:19 GMT")
    #expect(lifetime(response("", [past, modified])) == .init(.zero, .expires))
    let late = ("Last-Modified", "Tue, 14 Nov 2023 22:13:21 GMT")
    #expect(lifetime(response("", [late])) == .init(.zero, .heuristic))
    let far = ("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(lifetime(response("", [far])).span == .max)
  }

  @Test func `errors get the negative lifetime only without an explicit one`() {
    let rules = CacheRules(negativeLifetime: .seconds(7))
    #expect(lifetime(response(status: 404), rules) == .init(.seconds(7), .negative))
    #expect(lifetime(response(status: 503), rules) == .init(.seconds(7), .negative))
    #expect(lifetime(response("max-age=3", status: 404), rules) == .init(.seconds(3), .maxAge))
    #expect(lifetime(response(status: 302), rules) == .init(.zero, .none))
    let stored = CacheFreshness.storability(of: response(status: 503), rules: rules)
    #expect(stored == .storable)
    #expect(CacheFreshness.storability(of: response(status: 503)) == .nothingAllows)
  }

  @Test func `the age counts from the epoch that the host's clock has`() {
    let dated = response("max-age=60", [("Date", "Tue, 14 Nov 2023 22:13:20 GMT"), ("Age", "2")])
    let timing = ResponseTiming(
      requestedAt: .at(milliseconds: 1_500), receivedAt: .at(milliseconds: 5_900),
      epoch: received)
    #expect(timing.receivedSeconds == received + 5)
    #expect(CacheFreshness.initialAge(of: dated, timing: timing) == .milliseconds(6_400))
    let late = ResponseTiming(requestedAt: .at(9), receivedAt: .at(9), epoch: received)
    #expect(CacheFreshness.initialAge(of: dated, timing: late) == .seconds(9))
    let backwards = ResponseTiming(requestedAt: .at(9), receivedAt: .at(0), epoch: received)
    #expect(CacheFreshness.initialAge(of: dated, timing: backwards) == .seconds(2))
  }

  // RFC 8246 section 2
  @Test func `immutable spares a reload only while fresh`() {
    func needs(_ text: String, _ age: Int64) -> Bool? {
      CacheFreshness.store(
        response(text), timing: ResponseTiming(requestedAt: .at(0), receivedAt: .at(0))
      ).map { CacheFreshness.reloadNeedsValidation(of: $0, at: .at(age)) }
    }
    #expect(needs("max-age=60, immutable", 59) == false)
    #expect(needs("max-age=60, immutable", 60) == true)
    #expect(needs("max-age=60", 0) == true)
    #expect(needs("max-age=60, immutable, no-cache", 0) == true)
  }
}

// RFC 5861 section 4; RFC 9111 section 4.2.4
struct `Stale use after a failure` {
  private let failures: [OriginFailure] = [.serverError, .unreachable, .timeout]

  private func serves(
    _ text: String, age: Int64, _ failure: OriginFailure = .serverError,
    _ rule: CacheFreshness.StaleOnFailure = .withinWindow
  ) throws -> Bool {
    let stored = try #require(
      CacheFreshness.store(
        directives(text), shared: true, at: .at(0), initialAge: .zero,
        staleWithSharedMaxAge: .forbidden))
    return CacheFreshness.mayServe(stored, after: failure, at: .at(age), rule: rule)
  }

  @Test func `the window is half open and counts from the end of the lifetime`() throws {
    for failure in failures {
      #expect(try serves("max-age=60, stale-if-error=60", age: 119, failure))
      #expect(try !serves("max-age=60, stale-if-error=60", age: 120, failure))
      #expect(try !serves("max-age=60", age: 60, failure))
      #expect(try serves("max-age=60", age: 59, failure))
    }
  }

  @Test func `what forbids stale use forbids it after failures as well`() throws {
    for text in ["must-revalidate", "proxy-revalidate", "no-cache", "s-maxage=1"] {
      let all = "\(text), max-age=1, stale-if-error=60"
      #expect(try !serves(all, age: 30), "\(text)")
      #expect(try !serves(all, age: 30, .timeout, .always), "\(text)")
    }
    #expect(try !serves("no-cache, max-age=60", age: 0))
  }

  @Test func `the rules differ in which failures count and in what needs a window`() throws {
    let window = "max-age=1, stale-if-error=60"
    #expect(try !serves(window, age: 30, .unreachable, .never))
    #expect(try serves(window, age: 30, .unreachable, .whenUnreachable))
    #expect(try serves(window, age: 30, .timeout, .whenUnreachable))
    #expect(try !serves(window, age: 30, .serverError, .whenUnreachable))
    #expect(try serves("max-age=1", age: 9_999, .serverError, .always))
    #expect(try !serves(window, age: 61, .serverError, .always))
    #expect(try !serves("max-age=1, stale-if-error=0", age: 9, .serverError, .always))
    #expect(try !serves("max-age=1", age: 9))
  }

  @Test func `failures are the four status codes of the standard`() {
    let found = (UInt16(0)...999).filter { OriginFailure(status: $0) != nil }
    #expect(found == [500, 502, 503, 504])
  }
}
