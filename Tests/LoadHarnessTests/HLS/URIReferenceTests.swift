import LoadHarness
import SimulationKernel
import Testing

struct URIReferenceTests {
  private static let base = URIReference("http://a/b/c/d;p?q")

  /// RFC 3986 section 5.4.1 and 5.4.2, all of them, by the strict rule.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
  ])
  func `a reference resolves as in the RFC's examples`(reference: String, expected: String) {
    #expect(URIReference(reference).resolved(against: Self.base).description == expected)
  }

  /// Section 5.2.4's two examples, and a base without a path.
  @Test func `dots leave a path, and a path begins with a slash after a host`() {
    let base = URIReference("http://h")
    #expect(URIReference("/a/b/c/./../../g").resolved(against: base).path == "/a/g")
    #expect(URIReference("x:mid/content=5/../6").resolved(against: base).path == "mid/6")
    #expect(URIReference("seg.m4s").resolved(against: base).description == "http://h/seg.m4s")
    #expect(URIReference("http://h?q").requestTarget == "/?q")
  }

  @Test func `a colon is a scheme's only after letters`() {
    #expect(URIReference("1:2/x").scheme == nil)
    #expect(URIReference("a/b:c").scheme == nil)
    #expect(URIReference("h2+x-1.0:y").scheme == "h2+x-1.0")
    #expect(URIReference(":x").scheme == nil)
  }

  @Test func `any text splits and goes together again, and resolving keeps no dot segment`() {
    let random = RandomStreams(seed: 3986, replication: 0)
    let alphabet = Array("ab.:/?#%;=@1é".unicodeScalars)
    for entity in 0..<20_000 {
      var text = ""
      let length = Int(random.bits(StreamName(rawValue: 1), entity: UInt64(entity)) % 24)
      for index in 0..<length {
        let bits = random.bits(
          StreamName(rawValue: 2), entity: UInt64(entity), draw: UInt32(index))
        text.unicodeScalars.append(alphabet[Int(bits % UInt64(alphabet.count))])
      }
      let reference = URIReference(text)
      #expect(reference.description == text)
      let target = reference.resolved(against: Self.base)
      let segments = target.path.split(separator: "/", omittingEmptySubsequences: false)
      #expect(!segments.contains(".") && !segments.contains(".."))
    }
  }
}
