import Scenario
import Testing

@testable import Telemetry

/// How files are cut into records and fields.
@Suite struct RecordTests {
  private func records(
    _ text: String, delimiter: UInt8 = 0x2C, hasQuotes: Bool = true
  ) throws -> [[String]] {
    try Fixture.with(Array(text.utf8)) { path in
      var stream = try ByteStream(path, digest: WordDigest(0))
      try stream.begin()
      var records = DelimitedRecords(stream, delimiter: delimiter, hasQuotes: hasQuotes)
      var all: [[String]] = []
      while true {
        switch try records.next() {
        case .record: all.append(records.texts)
        case .fault(let fault):
          all.append(["\(records.fault("f").place) \(fault)"])
        case .end: return all
        }
      }
    }
  }

  @Test func `the place of a fault is looked for only where somebody will be told`() throws {
    try Fixture.with(Array("a,\"b\"c\nd,\"e\"f\ng,\"h\"i\n".utf8)) { path in
      var stream = try ByteStream(path, digest: WordDigest(0))
      try stream.begin()
      var records = DelimitedRecords(stream, delimiter: 0x2C, hasQuotes: true)
      var places: [String] = []
      for isTold in [true, false, true] {
        let step = try records.next(placesFaults: isTold)
        #expect(step == .fault(.textAfterQuote))
        places.append("\(records.fault("f"))")
      }
      #expect(places[0] == places[1] && places[1] != places[2])
    }
  }

  @Test func `fields are those of RFC 4180, with any line end`() throws {
    #expect(try records("a,b\n1,2\n") == [["a", "b"], ["1", "2"]])
    #expect(try records("\u{FEFF}a,b\r\n1,\r\n") == [["a", "b"], ["1", ""]])
    #expect(try records("a,b") == [["a", "b"]])
    #expect(try records("a,") == [["a", ""]])
    #expect(try records("\n\n\"\"\n") == [[""]])
    #expect(
      try records("\"a,\"\"b\"\"\",\"c\nd\"\r\ne,f\n") == [["a,\"b\"", "c\nd"], ["e", "f"]])
    #expect(try records("a\tb\"c\n", delimiter: 0x09) == [["a", "b\"c"]])
    #expect(try records("\"a,b\n", hasQuotes: false) == [["\"a", "b"]])
    #expect(try records("").isEmpty)
  }

  @Test func `a line that is none is named, and the next one is read`() throws {
    #expect(
      try records("a\n\"b\"c\nd\n\"e\nf\n") == [
        ["a"], ["f:2:4 textAfterQuote"], ["d"], ["f:4:1 openQuote"], ["f"],
      ])
    let long = String(repeating: "x", count: (1 << 20) + 7)
    #expect(try records("a\n\(long)\nb\n") == [["a"], ["f:2:1 tooLong"], ["b"]])
    let wide = String(repeating: ",", count: 5_000)
    #expect(try records("\(wide)\nb\n") == [["f:1:4097 tooManyFields"], ["b"]])
    // A field before may have been of two lines; columns count scalars.
    #expect(try records("\"x\ny\",é,\"b\"c\nd\n")[0] == ["f:2:9 textAfterQuote"])
  }

  @Test func `a record may lie anywhere across the ends of the buffer`() throws {
    // Rows of 9 to 73 bytes, two buffers and a half of them, every ninth of two lines.
    var text = ""
    var expected: [Int] = []
    var row = 0
    while text.utf8.count < 5 << 19 {
      let length = 1 + (row * 37) % 59
      let last = row % 9 == 0 ? "\n" : "z"
      text += "\(row),\"\(String(repeating: "y", count: length))\(last)\"\"\"\n"
      expected.append(length + 2)
      row += 1
    }
    let all = try records(text)
    #expect(all.count == expected.count)
    let wrong = all.indices.filter { index in
      all[index].count != 2 || all[index][0] != "\(index)"
        || all[index][1].utf8.count != expected[index]
    }
    #expect(wrong.isEmpty)
  }

  @Test func `a digest does not depend on how bytes come`() {
    let bytes = (0..<1_003).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    func digest(_ pieces: [Int]) -> UInt64 {
      var digest = WordDigest(0xCBF2_9CE4_8422_2325)
      bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        var start = 0
        for piece in pieces + [bytes.count] {
          let end = min(bytes.count, start + piece)
          digest.add(base + start, end - start)
          start = end
        }
      }
      digest.endFile()
      return digest.value
    }
    let whole = digest([])
    #expect(digest([1, 2, 3, 4, 5, 6, 7, 8, 9]) == whole)
    #expect(digest([500, 1]) == whole)
    #expect(whole != 0xCBF2_9CE4_8422_2325)
  }

  @Test func `a line of JSON gives the fields that are asked for`() throws {
    let fields = JSONFields(["a", "b.c", "list", "none"])
    func split(_ line: String) -> [String]? {
      Fixture.span(line) { span in
        var found: [RecordField] = []
        if fields.split(span, 0, into: &found) != nil { return nil }
        return found.map { span.part($0.start, $0.start + $0.count).text }
      }
    }
    #expect(
      split(#"{"a":1,"b":{"c":"x y","d":[1,{}]},"list":[1,2]}"#) == ["1", "x y", "[1,2]", ""])
    #expect(split(#"[{"a":true},"#) == ["true", "", "", ""])
    #expect(split(#" , "#) == nil)
    #expect(split(#"{"a":}"#) == nil)
    #expect(split(#"{"a":1"#) == nil)
    #expect(split(#"{"a":1} x"#) == nil)
    #expect(split(String(repeating: "[", count: 300)) == nil)
    #expect(split(#"{"x":"# + String(repeating: "[", count: 300)) == nil)
  }

  @Test func `escapes mean what RFC 8259 says`() {
    var scratch = ScratchText()
    let written = #"a\u00e9\n\"\\\ud83d\ude00\ud83dx"#
    let meaning = Fixture.span(written) { span -> String in
      scratch.unescape(span, .json)
      return scratch.text.text
    }
    #expect(meaning == "a\u{E9}\n\"\\\u{1F600}?x")
    let encoded = Fixture.span("a%20b%2Gc%2") { span -> String in
      scratch.decodePercent(span)
      return scratch.text.text
    }
    #expect(encoded == "a b%2Gc%2")
    let logged = Fixture.span(#"sid=\x22a\"b\\\x2"#) { span -> String in
      scratch.unescape(span, .log)
      return scratch.text.text
    }
    #expect(logged == #"sid="a"b\\x2"#)
  }

  @Test func `the common log is cut as servers write it`() {
    func split(_ line: String) -> [String]? {
      Fixture.span(line) { span in
        var found: [RecordField] = []
        if !CommonLogFields.split(span, 0, into: &found) { return nil }
        return found.prefix(8).map { span.part($0.start, $0.start + $0.count).text }
      }
    }
    let line =
      #"192.0.2.1 - ann [10/Oct/2026:13:55:36 +0000] "GET /a?b=\"c HTTP/1.1" 200 17 "#
      + #""-" "A \" B" "x""#
    #expect(
      split(line) == [
        "192.0.2.1", "10/Oct/2026:13:55:36 +0000", #"GET /a?b=\"c HTTP/1.1"#, "200", "17", "-",
        #"A \" B"#, "x",
      ])
    #expect(split(#"h - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 -"#)?[4] == "-")
    #expect(split(#"vhost:80 192.0.2.1 - - [d] "GET / HTTP/1.1" 304 0"#)?[3] == "304")
    #expect(split("nonsense") == nil)
    #expect(split(#"h - - [d] GET 200 1"#) == nil)
  }
}
