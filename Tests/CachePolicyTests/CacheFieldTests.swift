import CachePolicy
import MediaUnits
import Testing

struct `Cache-Control fields` {
  private func maxAge(_ text: String) -> TimeSpan? { directives(text).maxAge }

  @Test func `numbers are digits only, held at 2^31, quoted or not`() {
    #expect(maxAge("max-age=60") == .seconds(60))
    #expect(maxAge("max-age=0060") == .seconds(60))
    #expect(maxAge("MAX-AGE=\"60\"") == .seconds(60))
    #expect(maxAge("max-age=2147483647") == .seconds(2_147_483_647))
    #expect(maxAge("max-age=2147483648") == .seconds(2_147_483_648))
    #expect(maxAge("max-age=2147483649") == .seconds(2_147_483_648))
    #expect(maxAge("max-age=99999999999999999999999999") == .seconds(2_147_483_648))
    #expect(maxAge("s-maxage=60") == nil)
  }

  @Test func `an invalid lifetime counts as zero, an invalid window as none`() {
    for text in [
      "60.5", "60.0", "-1", "+60", "60a", "a60", "'60'", "\"6\\0\"", "\"\"", "", " 60",
      "60 s", "60;x", "\"60\"0", "1 2",
    ] {
      let found = directives("max-age=\(text), s-maxage=\(text), stale-while-revalidate=\(text)")
      #expect(found.maxAge == .zero, "\(text)")
      #expect(found.sharedMaxAge == .zero, "\(text)")
      #expect(found.staleWhileRevalidate == .zero, "\(text)")
    }
    #expect(maxAge("max-age") == .zero)
    #expect(maxAge("max-age=\"60") == .zero)
    #expect(maxAge("max-age =60") == .zero)
    #expect(maxAge("max-age= 60") == .zero)
    #expect(!directives("stale-if-error=x").options.contains(.noStaleIfError))
    #expect(directives("stale-if-error=0").options == .noStaleIfError)
  }

  @Test func `of duplicates the first counts, on one line or on several`() {
    let one = directives("max-age=1, max-age=9, stale-if-error=5, stale-if-error=0")
    #expect(one.maxAge == .seconds(1) && one.staleIfError == .seconds(5))
    #expect(one.options.isEmpty)
    #expect(maxAge("max-age=x, max-age=9") == .zero)
    let lines = head([("Cache-Control", "max-age=9"), ("cache-control", "max-age=1, public")])
    #expect(lines.directives.maxAge == .seconds(9) && lines.directives.options == .isPublic)
  }

  @Test func `quoted arguments hide what is in them, unless they never end`() {
    #expect(maxAge("a=\"max-age=9\", max-age=1") == .seconds(1))
    #expect(maxAge("max-age=1, a=\"max-age=9\"") == .seconds(1))
    #expect(maxAge("a=\"x\\\", max-age=9\", max-age=1") == .seconds(1))
    #expect(directives("a=\"no-store, private\"").options.isEmpty)
    #expect(directives("a=\"x, no-store").options == .noStore)
    #expect(directives("no-cache=\"set-cookie, x\", max-age=5").options == .noCache)
    #expect(maxAge("no-cache=\"set-cookie, x\", max-age=5") == .seconds(5))
  }

  @Test func `a directive that restricts counts with any argument, one that permits does not`() {
    #expect(
      directives("no-store;, private=\"x\" y, no-cache z").options
        == [.noStore, .isPrivate, .noCache])
    #expect(directives("public;, immutable x, must-understand/").options.isEmpty)
    #expect(directives("public=1").options == .isPublic)
    #expect(directives("xno-store, no-storex, @no-store").options.isEmpty)
  }

  @Test func `empty members and blanks change nothing`() {
    let found = directives(" ,\t, max-age=60 ,,Public\t,")
    #expect(found == CacheDirectives(maxAge: .seconds(60), options: .isPublic))
    #expect(directives("") == CacheDirectives())
    #expect(directives(",") == CacheDirectives())
  }

  @Test func `what directives write is read back as them`() {
    let all = CacheDirectives(
      sharedMaxAge: .seconds(3), maxAge: .seconds(4), staleWhileRevalidate: .seconds(5),
      options: [
        .noStore, .noCache, .mustRevalidate, .proxyRevalidate, .isPrivate, .isPublic, .immutable,
        .mustUnderstand, .noStaleIfError,
      ])
    #expect(directives(all.headerValue()) == all)
    for asset in AssetClass.allCases {
      let sent = AssetTTL().directives(for: asset)
      #expect(directives(sent.headerValue()) == sent, "\(asset)")
    }
  }

  @Test func `malformed members are counted`() {
    var parser = CacheControlParser()
    Array("max-age=x, =, @, public=, immutable!, ok=\"1\"".utf8).withUnsafeBufferPointer {
      parser.add($0)
    }
    #expect(parser.malformed == 3)
  }
}

struct `Other header fields` {
  // RFC 9111 section 5.1
  @Test func `of Age the first member counts, and nothing if that is invalid`() {
    func age(_ lines: String...) -> TimeSpan? { head(lines.map { ("age", $0) }).age }
    #expect(age("30") == .seconds(30))
    #expect(age(" 30 , 90") == .seconds(30))
    #expect(age("30", "90") == .seconds(30))
    #expect(age("x", "90") == nil)
    #expect(age("99999999999") == .seconds(2_147_483_648))
    for text in ["-5", "1.5", "", ", 30", "30 90", "\"30\"", "30;", "x, 30"] {
      #expect(age(text) == nil, "\(text)")
    }
  }

  @Test func `a star in Vary is found among other members only as a member`() {
    func star(_ text: String) -> Bool { head([("Vary", text)]).variesOnEverything }
    for text in ["*", "accept, *", " * ,x", "@@,*", "a(b), *"] { #expect(star(text), "\(text)") }
    for text in ["accept", "a*", "**", "* x", "", "\"*\""] { #expect(!star(text), "\(text)") }
  }

  @Test func `the first Expires, Date and Last-Modified count, valid or not`() {
    let good = "Tue, 14 Nov 2023 22:13:20 GMT"
    let seconds: Int64 = 1_700_000_000
    let first = head([
      ("EXPIRES", good), ("Expires", "0"), ("date", good), ("Date", "x"), ("last-modified", good),
      ("Pragma", "no-cache"),
    ])
    #expect(
      first == ResponseHead(date: seconds, expires: .at(seconds), lastModified: seconds))
    let bad = head([("Expires", "0"), ("Expires", good), ("Date", ""), ("Date", good)])
    #expect(bad == ResponseHead(expires: .invalid))
  }
}

struct `HTTP dates` {
  private func date(_ text: String, at received: Int64 = 1_700_000_000) -> Int64? {
    HTTPDate.parse(Array(text.utf8), receivedAt: received)
  }

  // RFC 9110 section 5.6.7
  @Test func `the three forms of the standard's example are one date`() {
    #expect(date("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(date("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
    #expect(date("Sun Nov  6 08:49:37 1994") == 784_111_777)
    #expect(date(" sUN, 06 nOV 1994 08:49:37 gmt\t") == 784_111_777)
    #expect(date("Wed Nov 16 08:49:37 1994") == 784_975_777)
  }

  @Test func `years count from 1970 through leap years and centuries`() {
    #expect(date("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(date("Wed, 31 Dec 1969 23:59:59 GMT") == -1)
    #expect(date("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400)
    #expect(date("Mon, 01 Mar 2100 00:00:00 GMT") == 4_107_542_400)
    #expect(date("Fri, 31 Dec 9999 23:59:59 GMT") == 253_402_300_799)
    #expect(date("Sat, 01 Jan 0000 00:00:00 GMT") == -62_167_219_200)
    #expect(date("Mon, 29 Feb 2100 00:00:00 GMT") == nil)
    #expect(date("Mon, 29 Feb 2023 00:00:00 GMT") == nil)
    #expect(date("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_799)
  }

  @Test func `a year of two digits is not more than fifty years ahead`() {
    // Received on 2023-11-14 at 22:13:20.
    #expect(date("Tuesday, 14-Nov-73 22:13:20 GMT") == 3_277_923_200)
    #expect(date("Tuesday, 14-Nov-73 22:13:21 GMT") == 122_163_201)
    #expect(date("Friday, 01-Jan-74 00:00:00 GMT") == 126_230_400)
    #expect(date("Sunday, 01-Jan-23 00:00:00 GMT") == 1_672_531_200)
    // Received in 1999 and 2001.
    #expect(date("Saturday, 01-Jan-05 00:00:00 GMT", at: 930_000_000) == 1_104_537_600)
    #expect(date("Friday, 01-Jan-99 00:00:00 GMT", at: 1_000_000_000) == 915_148_800)
    #expect(date("Friday, 01-Jan-99 00:00:00 GMT", at: .max) != nil)
    #expect(date("Friday, 01-Jan-99 00:00:00 GMT", at: .min) != nil)
  }

  @Test func `anything else is no date`() {
    for text in [
      "", "0", "-1", "Tue", "Tue,", "Tue, 14 Nov 2023 22:13:20 UTC",
      "Tue, 14 Nov 2023 22:13:20 +0000", "Tue, 14 Nov 2023 22:13:20", "14 Nov 2023 22:13:20 GMT",
      "Tue, 14-Nov-2023 22:13:20 GMT", "Tue, 14 Nov 23 22:13:20 GMT",
      "Tue 14 Nov 2023 22:13:20 GMT", "Tue,14 Nov 2023 22:13:20 GMT",
      "Tue, 14  Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 2:13:20 GMT",
      "Tue, 14 Nov 2023 22.13.20 GMT", "Tue, 32 Nov 2023 22:13:20 GMT",
      "Tue, 00 Nov 2023 22:13:20 GMT", "Tue, 14 Now 2023 22:13:20 GMT",
      "Tue, 14 Nov 2023 24:13:20 GMT", "Tue, 14 Nov 2023 22:60:20 GMT",
      "Tue, 14 Nov 2023 22:13:61 GMT", "Tue, 14 Nov 2023 22:13:20 GMT x",
      "Tuesday, 14 Nov 2023 22:13:20 GMT", "Tuesday Nov 14 22:13:20 2023",
      "Tue, -4 Nov 2023 22:13:20 GMT", "Xyz, 14 Nov 2023 22:13:20 GMT",
    ] { #expect(date(text) == nil, "\(text)") }
  }
}

struct `Cache-Status field` {
  private func text(_ statuses: [(String, CacheStatus)]) -> String {
    var field: [UInt8] = []
    for (name, status) in statuses { status.write(name: Array(name.utf8), into: &field) }
    return String(decoding: field, as: UTF8.self)
  }

  // RFC 9211 sections 2 and 3
  @Test func `members have the words and the order of the standard`() {
    #expect(text([("ExampleCache", CacheStatus(.hit))]) == "ExampleCache; hit")
    #expect(
      text([("edge", CacheStatus(.hit, remaining: .milliseconds(-500), isStored: true))])
        == "edge; hit; ttl=-1")
    let forwarded = CacheStatus(
      .forwarded(.stale), forwardStatus: 304, remaining: .seconds(376), isStored: true,
      isCollapsed: true)
    #expect(
      text([("a/b:c", forwarded)]) == "a/b:c; fwd=stale; fwd-status=304; ttl=376; stored; collapsed"
    )
    #expect(
      text([
        ("origin", CacheStatus(.forwarded(.bypass))), ("shield", CacheStatus(.forwarded(.uriMiss))),
        ("edge", CacheStatus(.forwarded(.varyMiss), remaining: .zero)),
      ]) == "origin; fwd=bypass, shield; fwd=uri-miss, edge; fwd=vary-miss; ttl=0")
    let words: [CacheStatus.Forward] = [.method, .miss, .request, .partial]
    #expect(
      words.map { text([("c", CacheStatus(.forwarded($0)))]) }
        == ["c; fwd=method", "c; fwd=miss", "c; fwd=request", "c; fwd=partial"])
  }

  // RFC 8941 section 3.3
  @Test func `a name that is no token is written as a string`() {
    let hit = CacheStatus(.hit)
    #expect(text([("1st", hit)]) == "\"1st\"; hit")
    #expect(text([("a b", hit)]) == "\"a b\"; hit")
    #expect(text([("", hit)]) == "\"\"; hit")
    #expect(text([("a\"\\\n", hit)]) == "\"a\\\"\\\\?\"; hit")
    #expect(text([("*x", hit)]) == "*x; hit")
  }

  @Test func `the longest spans are written`() {
    #expect(text([("c", CacheStatus(.hit, remaining: .max))]) == "c; hit; ttl=9223372036")
    let least = TimeSpan(nanoseconds: .min)
    #expect(text([("c", CacheStatus(.hit, remaining: least))]) == "c; hit; ttl=-9223372037")
  }
}
