import CachePolicy
import MediaUnits
import Testing

/// Calls `body` with the bytes of a text.
func withBytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
  Array(text.utf8).withUnsafeBufferPointer(body)
}

struct `Directives of requests` {
  private func read(_ control: [String], pragma: [String] = []) -> RequestDirectives {
    var reader = RequestDirectivesReader()
    for line in control { withBytes(line) { reader.addControl($0) } }
    for line in pragma { withBytes(line) { reader.addPragma($0) } }
    return reader.directives
  }

  @Test func `each directive is read, in any case, on one line or several`() {
    let found = read(["No-Cache, max-age=5", "min-fresh=\"7\", max-stale=9, only-if-cached"])
    #expect(
      found
        == RequestDirectives(
          noCache: true, onlyIfCached: true, maxAge: .seconds(5), minFresh: .seconds(7),
          maxStale: .seconds(9)))
    #expect(read(["no-store"]).noStore)
    #expect(read([]).isEmpty && read(["nothing-to-see-here"]).isEmpty)
  }

  @Test func `what is malformed makes the answer rather too fresh than too stale`() {
    #expect(read(["max-age=x"]).maxAge == .zero)
    #expect(read(["max-stale=x"]).maxStale == nil)
    #expect(read(["max-stale"]).maxStale == .max)
    #expect(read(["min-fresh=-1"]).minFresh == nil)
    #expect(read(["\"no-cache\""]).noCache == false)
  }

  @Test func `pragma counts only without Cache-Control`() {
    #expect(read([], pragma: ["no-cache"]).noCache)
    #expect(!read(["foo"], pragma: ["no-cache"]).noCache)
    #expect(!read([], pragma: ["x=no-cache"]).noCache)
  }

  private let copy = StoredResponse(
    storedAt: .zero, initialAge: .seconds(10), lifetime: .seconds(100))

  private func reuse(_ text: String, at seconds: Int64) -> CacheFreshness.Reuse {
    CacheFreshness.reuse(of: copy, for: read([text]), at: .zero + .seconds(seconds))
  }

  @Test func `age and freshness that are asked for are compared with those that are there`() {
    #expect(reuse("max-age=10", at: 0) == .asStored)
    #expect(reuse("max-age=9", at: 0) == .refused)
    #expect(reuse("min-fresh=90", at: 0) == .asStored)
    #expect(reuse("min-fresh=91", at: 0) == .refused)
    #expect(reuse("no-cache", at: 0) == .refused)
    #expect(reuse("max-stale", at: 0) == .asStored)
  }

  @Test func `max-stale allows what is stale by no more than that, unless the response forbids it`()
  {
    #expect(reuse("max-stale=5", at: 95) == .allowedStale)
    #expect(reuse("max-stale=5", at: 96) == .asStored)
    #expect(reuse("max-stale", at: 9_000) == .allowedStale)
    var bound = copy
    for option: CacheDirectives.Options in [.mustRevalidate, .proxyRevalidate, .noCache] {
      bound.options = option
      let found = CacheFreshness.reuse(
        of: bound, for: read(["max-stale"]), at: .zero + .seconds(95))
      #expect(found == .asStored)
    }
  }
}

struct `Conditions of requests` {
  private func isMet(_ field: String, _ tag: String?) -> Bool {
    ClientConditions(noneMatch: Array(field.utf8)).isMet(
      tag: tag.map { Array($0.utf8) }, lastModified: nil)
  }

  @Test func `a tag is found at any place of a list, weak or not`() {
    #expect(isMet("\"a\"", "\"a\"") && isMet("W/\"a\"", "\"a\"") && isMet("\"a\"", "W/\"a\""))
    #expect(isMet("\"x\", \"a\" , \"y\"", "\"a\"") && isMet("\"x\",\"a\"", "\"a\""))
    #expect(isMet("*", "\"a\"") && isMet("*", nil) && isMet("\"x\", *", nil))
    #expect(!isMet("\"x\"", "\"a\"") && !isMet("", "\"a\"") && !isMet("\"a\"", nil))
    #expect(isMet("\"a,b\"", "\"a,b\"") && !isMet("\"a,b\"", "\"a\""))
    #expect(!isMet("\"ab", "\"a\"") && isMet("\"ab, \"a\"", "\"a\"") == false)
    #expect(!isMet("a", "\"a\""), "a tag without quotes is another one")
  }

  @Test func `strong comparison takes no weak tag`() {
    func strong(_ a: String, _ b: String) -> Bool {
      withBytes(a) { a in withBytes(b) { EntityTag.isStronglyEqual(a, $0) } }
    }
    #expect(
      strong("\"a\"", "\"a\"") && !strong("W/\"a\"", "\"a\"") && !strong("W/\"a\"", "W/\"a\""))
  }

  /// RFC 9110 section 13.2.2: the date counts only without tags.
  @Test func `If-None-Match takes precedence over If-Modified-Since`() {
    let both = ClientConditions(noneMatch: Array("\"x\"".utf8), modifiedSince: 100)
    #expect(!both.isMet(tag: Array("\"a\"".utf8), lastModified: 50))
    let date = ClientConditions(modifiedSince: 100)
    #expect(date.isMet(tag: nil, lastModified: 100) && date.isMet(tag: nil, lastModified: 50))
    #expect(!date.isMet(tag: nil, lastModified: 101) && !date.isMet(tag: nil, lastModified: nil))
    #expect(!ClientConditions().isMet(tag: nil, lastModified: 1))
  }
}

struct `Ranges of requests` {
  private func parse(_ text: String, _ length: Int64 = 10_000) -> ByteRange {
    withBytes(text) { ByteRange.parse($0, length: length) }
  }

  /// The examples of RFC 9110 section 14.1.2.
  @Test func `the examples of the standard`() {
    #expect(parse("bytes=0-499") == .part(0..<500))
    #expect(parse("bytes=500-999") == .part(500..<1000))
    #expect(parse("bytes=-500") == .part(9_500..<10_000))
    #expect(parse("bytes=9500-") == .part(9_500..<10_000))
    #expect(parse("Bytes=0-0") == .part(0..<1))
  }

  @Test func `ends beyond the representation are cut, beginnings beyond it fail`() {
    #expect(parse("bytes=9999-20000") == .part(9_999..<10_000))
    #expect(parse("bytes=-20000") == .part(0..<10_000))
    #expect(parse("bytes=10000-") == .unsatisfiable && parse("bytes=-0") == .unsatisfiable)
    #expect(parse("bytes=0-", 0) == .unsatisfiable)
    #expect(parse("bytes=0-99999999999999999999999") == .part(0..<10_000))
  }

  @Test func `several ranges, other units and what is malformed are overlooked`() {
    for text in [
      "bytes=0-1,3-4", "items=0-1", "bytes=5-4", "bytes=", "bytes=-", "bytes=a-b", "bytes", "",
      "bytes=1", "bytes=0-1 x",
    ] {
      #expect(parse(text) == .whole, "\(text)")
    }
  }
}

struct `Fields of requests and responses` {
  private func variant(_ lines: [String]) -> VariantFields {
    var variant = VariantFields()
    for line in lines { withBytes(line) { variant.add($0) } }
    return variant
  }

  private func comparable(_ name: String, _ lines: [String]) -> String? {
    VariantFields.comparable(name: Array(name.utf8), lines: lines.map { Array($0.utf8) })
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `names of Vary are folded and each kept once, a star anywhere matches nothing`() {
    #expect(variant(["Foo, BAR", "foo"]).names == [Array("foo".utf8), Array("bar".utf8)])
    for lines in [["*"], ["*, *"], [", *"], ["", "*"], ["*, Foo"], ["Foo, *"]] {
      #expect(variant(lines).isEverything, "\(lines)")
    }
    #expect(!variant(["a*"]).isEverything)
  }

  @Test func `values are compared without what says nothing`() {
    #expect(comparable("foo", ["1, 2"]) == comparable("foo", ["1", "2"]))
    #expect(comparable("foo", ["1,2"]) == comparable("foo", [" 1, 2 "]))
    #expect(comparable("foo", ["1,2"]) != comparable("foo", ["2,1"]))
    #expect(comparable("foo", ["a"]) != comparable("foo", ["A"]))
    #expect(comparable("foo", []) == nil && comparable("foo", [""]) != nil)
    #expect(comparable("foo", ["\"a, b\""]) != comparable("foo", ["\"a,b\""]))
    #expect(comparable("accept-language", ["en, de"]) == comparable("accept-language", ["De,eN"]))
    #expect(
      comparable("accept-encoding", ["gzip;q=0.5, br"])
        == comparable("accept-encoding", ["br, gzip; q=0.5"]))
  }

  @Test func `connection fields do not travel, framing is not updated`() {
    for name in ["Connection", "keep-alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade"] {
      #expect(withBytes(name, FieldRules.isForOneConnection), "\(name)")
    }
    #expect(!withBytes("content-length", FieldRules.isForOneConnection))
    #expect(withBytes("Content-Length", FieldRules.isKeptOnValidation))
    #expect(!withBytes("ETag", FieldRules.isKeptOnValidation))
    #expect(withBytes("a, B") { list in withBytes("b") { FieldRules.lists(list, $0) } })
    #expect(!withBytes("a, B") { list in withBytes("c") { FieldRules.lists(list, $0) } })
  }

  @Test func `unsafe methods that succeed make what is stored invalid`() {
    func invalidates(_ method: String, _ status: UInt16) -> Bool {
      withBytes(method) { CacheInvalidation.invalidates(method: $0, status: status) }
    }
    for method in ["POST", "PUT", "DELETE", "M-SEARCH", "PATCH", "get"] {
      #expect(invalidates(method, 200) && invalidates(method, 302) && !invalidates(method, 500))
    }
    for method in ["GET", "HEAD", "OPTIONS", "TRACE"] { #expect(!invalidates(method, 200)) }
  }
}

struct `CDN-Cache-Control` {
  private func read(_ lines: String...) -> CacheDirectives? {
    var control = TargetedControl()
    for line in lines { withBytes(line) { control.add($0) } }
    return control.directives
  }

  @Test func `directives of the right type are read`() {
    #expect(read("max-age=60, no-cache")?.maxAge == .seconds(60))
    #expect(read("max-age=60", "private")?.options == .isPrivate)
    #expect(read("foobar, max-age=3600;x=1")?.maxAge == .seconds(3600))
    #expect(read("max-age=99999999999")?.maxAge == .seconds(1 << 31))
    #expect(read("max-age=1, max-age=2")?.maxAge == .seconds(2), "of duplicates the last")
    #expect(read("no-store=?0")?.options == [])
    #expect(read("max-age=\"60\"")?.maxAge == nil, "a wrong type says nothing")
  }

  @Test func `one error anywhere and the field says nothing`() {
    for text in [
      "max-age=10000, &&&&&", "MaX-aGe=3600", "max-age =100", "max-age= 100", "max-age=60,",
      ",max-age=60", "max-age=60 x", "max-age=1234567890123456", "a=\"x", "",
    ] {
      #expect(read(text) == nil, "\(text)")
    }
  }

  @Test func `a valid field stands in the place of Cache-Control and Expires`() {
    func head(isTargeted: Bool, _ control: String) -> ResponseHead {
      var reader = ResponseHeadReader(status: 200, receivedAt: 0, isTargeted: isTargeted)
      for (name, value) in [
        ("Cache-Control", "no-store"), ("CDN-Cache-Control", control), ("Expires", "0"),
      ] {
        reader.add(name: Array(name.utf8), value: Array(value.utf8))
      }
      return reader.head
    }
    #expect(head(isTargeted: true, "max-age=5").directives == CacheDirectives(maxAge: .seconds(5)))
    #expect(head(isTargeted: true, "max-age=5").expires == .absent)
    #expect(head(isTargeted: true, "max-age=5 x").directives.options == .noStore)
    #expect(head(isTargeted: false, "max-age=5").directives.options == .noStore)
  }
}

struct `Texts of dates` {
  @Test func `what is written is read back`() {
    #expect(
      String(decoding: HTTPDate.text(784_111_777), as: UTF8.self)
        == "Sun, 06 Nov 1994 08:49:37 GMT")
    var seconds: Int64 = -62_167_219_200
    while seconds < 253_402_300_800 {
      #expect(HTTPDate.parse(HTTPDate.text(seconds), receivedAt: 0) == seconds)
      seconds += 86_400 * 97 + 3_607
    }
  }

  @Test func `a cache that is cut off serves stale, but not after an error status`() {
    let copy = StoredResponse(storedAt: .zero, lifetime: .seconds(1))
    func serves(_ failure: OriginFailure, _ options: CacheDirectives.Options = []) -> Bool {
      var copy = copy
      copy.options = options
      return CacheFreshness.mayServe(
        copy, after: failure, at: .zero + .seconds(60), rule: .whenCutOff)
    }
    #expect(serves(.unreachable) && serves(.timeout) && !serves(.serverError))
    #expect(!serves(.unreachable, .mustRevalidate) && !serves(.timeout, .proxyRevalidate))
  }

  /// Property: any bytes, no trap, and bounded results.
  @Test func `readers take any bytes`() {
    var state: UInt64 = 7
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let words = [
      "max-age", "=", "\"", ",", " ", "bytes", "-", "9", "*", "W/", ";", "?1", "\\", "no-cache",
    ]
    for _ in 0..<50_000 {
      var text = ""
      for _ in 0..<(next() % 9) { text += words[Int(next() % UInt64(words.count))] }
      if next() % 4 == 0 { text += String(UnicodeScalar(UInt8(next() % 256))) }
      withBytes(text) { bytes in
        var reader = RequestDirectivesReader()
        reader.addControl(bytes)
        reader.addPragma(bytes)
        var variant = VariantFields()
        variant.add(bytes)
        var control = TargetedControl()
        control.add(bytes)
        _ = EntityTag.isListed(bytes, in: bytes)
        if case .part(let part) = ByteRange.parse(bytes, length: 100) {
          #expect(part.lowerBound >= 0 && part.upperBound <= 100 && !part.isEmpty)
        }
        _ = VariantFields.comparable(name: Array("accept".utf8), lines: [Array(bytes)])
      }
    }
  }
}
