import CachePolicy
import MediaUnits
import Testing

private func at(_ seconds: Int64) -> Instant {
  .zero.advanced(saturatingBy: .seconds(seconds))
}

private func manifest(
  options: CacheDirectives.Options = [], sharedMaxAge: TimeSpan? = nil
) -> CacheDirectives {
  CacheDirectives(
    sharedMaxAge: sharedMaxAge, maxAge: .seconds(15), staleWhileRevalidate: .seconds(30),
    staleIfError: .seconds(60), options: options)
}

private func disposition(
  _ directives: CacheDirectives, age: Int64, shared: Bool = true,
  _ stale: CacheFreshness.StaleWithSharedMaxAge = .allowed
) throws -> CacheFreshness.Disposition {
  let stored = try #require(
    CacheFreshness.store(
      directives, shared: shared, at: at(100), initialAge: .zero, staleWithSharedMaxAge: stale))
  return CacheFreshness.disposition(of: stored, at: at(100 + age))
}

struct `Cache freshness` {
  // SIG-044, SIG-064; RFC 9111 section 4.2, RFC 5861
  @Test func `a manifest goes through its four dispositions at half-open boundaries`() throws {
    #expect(try disposition(manifest(), age: 0) == .fresh(remaining: .seconds(15)))
    #expect(try disposition(manifest(), age: 14) == .fresh(remaining: .seconds(1)))
    #expect(try disposition(manifest(), age: 15) == .staleWhileRevalidate)
    #expect(try disposition(manifest(), age: 44) == .staleWhileRevalidate)
    #expect(try disposition(manifest(), age: 45) == .staleIfErrorOnly)
    #expect(try disposition(manifest(), age: 74) == .staleIfErrorOnly)
    #expect(try disposition(manifest(), age: 75) == .mustRevalidate)
    let stored = try #require(
      CacheFreshness.store(manifest(), shared: true, at: at(0), initialAge: .zero))
    let justFresh = at(15) - .nanoseconds(1)
    #expect(
      CacheFreshness.disposition(of: stored, at: justFresh) == .fresh(remaining: .nanoseconds(1)))
  }

  // RFC 9111 section 5.2.2
  @Test func `stale use is forbidden by each directive that forbids it, and only there`() throws {
    #expect(
      try disposition(manifest(options: .mustRevalidate), age: 14) == .fresh(remaining: .seconds(1))
    )
    #expect(try disposition(manifest(options: .mustRevalidate), age: 20) == .mustRevalidate)
    #expect(try disposition(manifest(options: .noCache), age: 0) == .mustRevalidate)
    #expect(try disposition(manifest(options: .proxyRevalidate), age: 20) == .mustRevalidate)
    #expect(
      try disposition(manifest(options: .proxyRevalidate), age: 20, shared: false)
        == .staleWhileRevalidate)
    #expect(try disposition(manifest(options: .immutable), age: 20) == .staleWhileRevalidate)
  }

  // RFC 9111 section 5.2.2.10
  @Test func `s-maxage forbids stale use only when asked to`() throws {
    let directives = manifest(sharedMaxAge: .seconds(10))
    #expect(try disposition(directives, age: 12) == .staleWhileRevalidate)
    #expect(try disposition(directives, age: 12, .forbidden) == .mustRevalidate)
    #expect(try disposition(directives, age: 9, .forbidden) == .fresh(remaining: .seconds(1)))
    #expect(
      try disposition(directives, age: 12, shared: false, .forbidden)
        == .fresh(remaining: .seconds(3)))
    #expect(try disposition(manifest(), age: 20, .forbidden) == .staleWhileRevalidate)
  }

  @Test func `the lifetime is s-maxage, then max-age, then heuristic, then zero`() {
    let both = CacheDirectives(sharedMaxAge: .seconds(100), maxAge: .seconds(10))
    #expect(CacheFreshness.lifetime(of: both, shared: true) == .seconds(100))
    #expect(CacheFreshness.lifetime(of: both, shared: false) == .seconds(10))
    let none = CacheDirectives()
    #expect(CacheFreshness.lifetime(of: none, shared: true, heuristic: .seconds(7)) == .seconds(7))
    #expect(CacheFreshness.lifetime(of: both, shared: true, heuristic: .days(7)) == .seconds(100))
    #expect(CacheFreshness.lifetime(of: none, shared: true) == .zero)
    let negative = CacheDirectives(maxAge: .seconds(-1))
    #expect(CacheFreshness.lifetime(of: negative, shared: true) == .zero)
  }

  // RFC 9111 section 4.2.3
  @Test func `the initial age is the greater of the apparent and the corrected one`() {
    func age(_ field: Int64?, _ apparent: Int64, _ delay: Int64) -> TimeSpan {
      CacheFreshness.correctedInitialAge(
        ageField: field.map(TimeSpan.seconds), apparentAge: .seconds(apparent),
        responseDelay: .seconds(delay))
    }
    #expect(age(nil, 0, 0) == .zero)
    #expect(age(40, 0, 4) == .seconds(44))
    #expect(age(10, 30, 4) == .seconds(30))
    #expect(age(nil, -50, 4) == .seconds(4))
    #expect(
      CacheFreshness.correctedInitialAge(
        ageField: .max, apparentAge: .zero, responseDelay: .seconds(1)) == .max)
  }

  @Test func `an inherited age shortens what is left`() throws {
    let stored = try #require(
      CacheFreshness.store(manifest(), shared: true, at: at(0), initialAge: .seconds(12)))
    #expect(stored.age(at: at(2)) == .seconds(14))
    #expect(stored.lifetimeRemaining(at: at(2)) == .seconds(1))
    #expect(CacheFreshness.disposition(of: stored, at: at(3)) == .staleWhileRevalidate)
    #expect(stored.age(at: at(-5)) == .seconds(12))
  }

  @Test func `no-store is never stored and private not by a shared cache`() {
    #expect(!CacheFreshness.isStorable(.init(options: .noStore), shared: false))
    #expect(!CacheFreshness.isStorable(.init(options: .isPrivate), shared: true))
    #expect(CacheFreshness.isStorable(.init(options: .isPrivate), shared: false))
    #expect(CacheFreshness.isStorable(.init(options: .noCache), shared: true))
    let refused = CacheFreshness.store(
      .init(maxAge: .seconds(9), options: .noStore), shared: true, at: at(0), initialAge: .zero)
    #expect(refused == nil)
  }

  @Test func `ages at the ends of the range saturate`() {
    let old = StoredResponse(
      storedAt: Instant(nanoseconds: .min), initialAge: .seconds(1), lifetime: .max,
      staleWhileRevalidate: .max, staleIfError: .max)
    #expect(old.age(at: .distantFuture) == .max)
    #expect(CacheFreshness.disposition(of: old, at: .distantFuture) == .staleWhileRevalidate)
    #expect(
      CacheFreshness.disposition(of: old, at: Instant(nanoseconds: .min))
        == .fresh(remaining: .max - .seconds(1)))
  }
}

struct `Asset lifetimes` {
  private let seconds: [AssetClass: Int64] = [
    .mediaManifest: 60, .masterPlaylist: 60, .mediaPlaylist: 60, .initSegment: 604_800,
    .segment: 604_800, .poster: 31_536_000, .vtt: 31_536_000, .sprite: 31_536_000,
  ]

  // SIG-062, SIG-063, SIG-064, SIG-065, SIG-066
  @Test func `every class sends the header of its row`() {
    let table = AssetTTL()
    for asset in AssetClass.allCases {
      let text = table.directives(for: asset).headerValue()
      switch asset {
      case .feed: #expect(text == "no-store")
      case .mediaManifest, .masterPlaylist, .mediaPlaylist:
        #expect(
          text == "public, max-age=60, stale-while-revalidate=60, stale-if-error=60", "\(asset)")
      case .initSegment, .segment, .poster, .vtt, .sprite:
        #expect(text == "public, max-age=\(seconds[asset] ?? -1), immutable", "\(asset)")
      }
    }
  }

  // SIG-066
  @Test func `each class can be set without the others`() {
    for asset in AssetClass.allCases {
      var configuration = AssetTTL.Configuration()
      let mark = CacheDirectives(maxAge: .seconds(1_234))
      switch asset {
      case .feed: configuration.feed = mark
      case .mediaManifest: configuration.mediaManifest = mark
      case .masterPlaylist: configuration.masterPlaylist = mark
      case .mediaPlaylist: configuration.mediaPlaylist = mark
      case .initSegment: configuration.initSegment = mark
      case .segment: configuration.segment = mark
      case .poster: configuration.poster = mark
      case .vtt: configuration.vtt = mark
      case .sprite: configuration.sprite = mark
      }
      let changed = AssetClass.allCases.filter {
        AssetTTL(configuration).directives(for: $0) == mark
      }
      #expect(changed == [asset])
    }
  }

  @Test func `a header lists every directive once and rounds seconds down`() {
    let directives = CacheDirectives(
      sharedMaxAge: .milliseconds(1_999), maxAge: .seconds(-3), staleWhileRevalidate: .seconds(2),
      staleIfError: .seconds(3),
      options: [
        .noStore, .noCache, .mustRevalidate, .proxyRevalidate, .isPrivate, .isPublic, .immutable,
      ])
    #expect(
      directives.headerValue()
        == "public, private, no-store, no-cache, max-age=0, s-maxage=1, stale-while-revalidate=2, "
        + "stale-if-error=3, must-revalidate, proxy-revalidate, immutable")
    #expect(CacheDirectives().headerValue() == "")
  }
}
