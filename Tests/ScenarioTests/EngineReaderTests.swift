import Foundation
import Testing

@testable import Scenario

@Suite struct EngineReaderTests {
  func messages(_ text: String) -> [String] {
    var problems = Problems()
    _ = YAMLReader.read(text, file: "x.yaml", into: &problems)
    return problems.sorted.map(\.description)
  }

  @Test func `values keep their text, style and place`() throws {
    var problems = Problems()
    let node = try #require(
      YAMLReader.read("a: 1.10\nb:\n  - \"40 ms\"\n  - {é: no}\n", file: "x.yaml", into: &problems))
    #expect(problems.isEmpty)
    #expect(node["a"]?.content == .scalar("1.10", .plain))
    #expect(node["a"]?.origin == .file("x.yaml", line: 1, column: 4))
    guard case .sequence(let elements) = node["b"]?.content else {
      Issue.record("b is not a list")
      return
    }
    #expect(
      elements[0] == Node(.scalar("40 ms", .quoted), origin: .file("x.yaml", line: 3, column: 5)))
    #expect(elements[1]["é"]?.origin == .file("x.yaml", line: 4, column: 9))
  }

  @Test func `JSON is read with all its escapes and true columns`() throws {
    var problems = Problems()
    let text = #"{"a":"\"\\\/\n\r\t\u00e9\ud83d\ude00","b":[1e3,true],"c":{}}"#
    let node = try #require(YAMLReader.read(text, file: "x.json", into: &problems))
    #expect(problems.isEmpty)
    #expect(node["a"]?.text == "\"\\/\n\r\té😀")
    let column = text.count { _ in true } - #"[1e3,true],"c":{}}"#.count + 1
    #expect(node["b"]?.origin == .file("x.json", line: 1, column: column))
  }

  @Test func `an anchor is copied to its aliases`() throws {
    var problems = Problems()
    let node = try #require(
      YAMLReader.read("a: &x [1, 2]\nb: *x\n", file: "x.yaml", into: &problems))
    #expect(problems.isEmpty)
    #expect(node["a"] == node["b"])
  }

  @Test func `every duplicate is reported in one pass`() {
    #expect(
      messages("a: 1\nb: {c: 1, c: 2, c: 3}\na: 2\n") == [
        "x.yaml:2:11: b.c: expected this key once, got it again (first at x.yaml:2)",
        "x.yaml:2:17: b.c: expected this key once, got it again (first at x.yaml:2)",
        "x.yaml:3:1: a: expected this key once, got it again (first at x.yaml:1)",
      ])
  }

  @Test func `a syntax error has its place`() {
    #expect(
      messages("a: 1\nb: [1, 2\nc: 3\n") == [
        "x.yaml:3:2: b: expected well-formed YAML, got \"did not find expected ',' or ']'\" "
          + "while parsing a flow sequence that starts on line 2"
      ])
  }

  @Test func `an alias bomb gives one message`() {
    var text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    for level in 1...20 {
      let copies = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(copies)]\n"
    }
    #expect(
      messages(text) == [
        "x.yaml:4:45: a3[7]: expected aliases that copy at most 10000 values, got more"
      ])
  }

  @Test(
    arguments: [
      ("a: *b\n", "x.yaml:1:4: a: expected an anchor defined before, got *b"),
      ("a: &b [*b]\n", "x.yaml:1:8: a[0]: expected an anchor defined before, got *b"),
      (
        "a: &b {c: 1}\nd:\n  <<: *b\n",
        "x.yaml:3:3: d.<<: expected a key (a base file is shared with \"extends\"), "
          + "got the merge key <<"
      ),
      ("a: 1\n---\nb: 2\n", "x.yaml:2:1: (file): expected one document, got a second one"),
      ("a:\n\tb: 1\n", "x.yaml:2:1: a: expected spaces for indentation, got a tab"),
      ("", "x.yaml:1:1: (file): expected a mapping of keys, got an empty file"),
      ("# only a remark\n", "x.yaml:1:1: (file): expected a mapping of keys, got an empty file"),
      (
        "a: !!str 1\n",
        "x.yaml:1:4: a: expected a value without a tag, got the tag "
          + "tag:yaml.org,2002:str"
      ),
      ("[a]: 1\n", "x.yaml:1:1: (file): expected a text as key, got a list of 1"),
      ("a: \"\u{1}\"\n", "x.yaml:1:5: (file): expected text, got a control character"),
    ])
  func `what YAML allows and a scenario does not`(text: String, message: String) {
    let found = messages(text).map { $0.replacingOccurrences(of: "d.\"<<\"", with: "d.<<") }
    #expect(found == [message])
  }

  @Test func `deep nesting gives one message`() {
    for count in [65, 500, 100_000] {
      let found = messages("a: " + String(repeating: "[", count: count))
      #expect(found.count == 1)
      #expect(found.first?.hasSuffix("expected at most 64 levels of nesting, got more") == true)
    }
    #expect(
      messages(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) == [])
  }

  @Test func `bytes that are no text are refused with their place`() {
    #expect(
      Fixture.messages(bytes: Array("name: a\nx: b".utf8) + [0, 1]) == [
        "x.yaml:2:5: (file): expected UTF-8 text, got a binary file (a NUL byte)"
      ])
    #expect(
      Fixture.messages(bytes: Array("name: é".utf8) + [0xE9, 0x0A]) == [
        "x.yaml:1:8: (file): expected UTF-8 text, got a byte that is not UTF-8 (0xE9)"
      ])
    #expect(
      Fixture.messages(bytes: [0xFF, 0xFE, 0x61, 0x00]) == [
        "x.yaml:1:1: (file): expected UTF-8 text, got UTF-16 text"
      ])
    #expect(Fixture.messages(bytes: [0xEF, 0xBB, 0xBF] + Array("name: a".utf8)) == [])
  }

  // Surrogates and overlong forms are not UTF-8 (RFC 3629 section 3).
  @Test(arguments: [
    [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
    [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xFF],
  ])
  func `malformed UTF-8 is refused`(bytes: [UInt8]) {
    let found = Fixture.messages(bytes: Array("name: ".utf8) + bytes)
    #expect(found.count == 1)
    #expect(found.first?.contains("x.yaml:1:7: (file): expected UTF-8 text") == true)
  }

  @Test func `a file of 100 MB is refused by its size`() throws {
    try Fixture.withFiles(["big.yaml": ""]) { directory in
      #expect(truncate("\(directory)/big.yaml", 100_000_000) == 0)
      let (kind, messages) = Fixture.rejection("big.yaml", in: directory)
      #expect(kind == .badData)
      #expect(
        messages == ["big.yaml:1:1: (file): expected a file of at most 4 MiB, got 100 MB"])
    }
    let text = Array(repeating: UInt8(0x20), count: YAMLReader.Limits.bytes + 1)
    #expect(
      Fixture.messages(bytes: text) == [
        "x.yaml:1:1: (file): expected a file of at most 4 MiB, got 4.2 MB"
      ])
  }

  @Test func `files that cannot be read say why`() throws {
    try Fixture.withFiles(["folder/x.yaml": "", "plain": "name: a"]) { directory in
      let (missing, first) = Fixture.rejection("none.yaml", in: directory)
      #expect(missing == .missingFile)
      #expect(
        first == ["none.yaml:1:1: (file): expected an existing file, got no file of this name"])
      let (below, _) = Fixture.rejection("plain/x.yaml", in: directory)
      #expect(below == .missingFile)
      let (folder, second) = Fixture.rejection("folder", in: directory)
      #expect(folder == .badData)
      #expect(second == ["folder:1:1: (file): expected a file, got a directory"])
    }
    // A test that runs as root cannot be refused a file, so the number is mapped directly.
    #expect(
      InputFile.failure(EACCES)
        == InputFile.Failure(
          code: .unreadable, expected: "a readable file", got: "permission denied"))
  }

  @Test func `an endless device is read no further than the limit`() {
    #expect(throws: InputFile.Failure.self) {
      try InputFile.bytes(at: "/dev/zero", limit: 1 << 20)
    }
  }

  @Test(arguments: [
    "a", "policy.prefetch.itemsAhead", "budgets[2].limit", "a[0][1]",
    #"sweep."policy.prefetch.itemsAhead"[3]"#, #"a."b\"c\\""#, #""""#,
  ])
  func `key paths read back`(text: String) {
    #expect(TreePath(parsing: text)?.description == text)
  }

  // Found by fuzzing: a mark on a quote made another letter of it.
  @Test(arguments: ["\u{301}a b", "a\"\u{301}", "\\\u{301} ", "\u{749}\u{0}", "\u{200D}.\u{301}"])
  func `a mark on a quote, an escape or a dot hides none of them`(key: String) {
    let path = TreePath([.key("a"), .key(key), .index(1), .key(key)])
    #expect(TreePath(parsing: path.description) == path)
  }

  @Test(arguments: [".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[1]b", "a]", #"a."b"#])
  func `malformed key paths are refused`(text: String) {
    #expect(TreePath(parsing: text) == nil)
  }
}
