import Foundation
import Testing

@testable import Scenario

@Suite struct JSONReaderTests {
  private struct Document: Decodable, Equatable {
    struct Row: Decodable, Equatable {
      var name: String
      var counts: [Int]
    }

    var rows: [Row]
  }

  private func fault(
    _ text: String, within limits: JSONReader.Limits = .document
  ) -> String {
    do throws(JSONReader.Fault) {
      _ = try JSONReader.decode(Document.self, from: Data(text.utf8), within: limits)
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func `a document is read, and each fault has its place`() throws {
    let good = #"{"rows": [{"name": "é", "counts": [1, 2]}]}"#
    let read = try JSONReader.decode(Document.self, from: Data(good.utf8))
    #expect(read.rows == [.init(name: "é", counts: [1, 2])])
    #expect(fault("\u{FEFF}" + good) == "none")
    let faults = [
      ("", "1:1: expected JSON, got the end of the document"),
      (good + "]", "1:44: expected the end of the document, got ]"),
      ("{\"rows\":\n [}", "2:3: expected JSON, got }"),
      ("{\"rows\": [01]}", "1:11: expected a number, got 01"),
      ("{\"rows\": [1.]}", "1:11: expected a number, got 1."),
      ("{\"rows\": tru}", "1:10: expected JSON, got tru"),
      ("{\"rows\": [\"a]}", "1:11: expected a text that ends, got none"),
      ("{rows: 1}", "1:2: expected a name in double quotes, got rows:"),
      ("{}", "1:1: expected a member rows, got none"),
      (
        "{\"rows\": [\n{\"name\": \"é\", \"counts\": [1, \"x\"]}]}",
        "2:29: rows[0].counts[1]: expected a whole number, got \"x\""
      ),
      ("{\"rows\": [{\"name\": 1, \"counts\": []}]}", "1:20: rows[0].name: expected a text, got 1"),
      ("{\"rows\": {}}", "1:10: rows: expected a list, got an object"),
      (#"{"rows": ["\x"]}"#, "1:12: expected an escape, got \\x\""),
      (#"{"rows": ["\ud800"]}"#, "1:12: expected a pair of surrogates, got \\ud800\""),
      (
        #"{"rows": ["\u001b[2J"]}"#,
        "1:12: expected texts without control characters, got the character U+001B"
      ),
    ]
    for (text, wanted) in faults { #expect(fault(text) == wanted, "\(text)") }
    #expect(fault(#"{"rows": [], "x": "\u001b\u007f"}"#, within: .message) == "none")
  }

  @Test func `control characters of what others have said are read as escapes`() throws {
    let text = #"["\u001b[2J\b \\u001b \n\u007f \u00e9","# + "\"\u{7F}\u{9B}\"]"
    let read = try JSONReader.decode([String].self, from: Data(text.utf8), within: .told)
    #expect(
      read == ["\\u{1B}[2J\\u{8} \\u001b \n\\u{7F} é", "\\u{7F}\\u{9B}"])
  }

  @Test func `nesting, values and bytes are bounded before anything is built`() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
      for count in [65, 100_000, 1_000_000] {
        let deep = String(repeating: open, count: count)
        for text in [deep, deep + "1" + String(repeating: close, count: count)] {
          #expect(fault(text).contains("at most 64 levels of nesting, got more"))
        }
      }
    }
    let limit = JSONReader.Limits(bytes: 40, values: 5)
    #expect(fault("[1, 2, 3, 4]", within: limit) == "1:1: expected an object, got a list")
    #expect(fault("[1, 2, 3, 4, 5]", within: limit) == "1:14: expected at most 5 values, got more")
    let long = "\"" + String(repeating: "a", count: 39) + "\""
    #expect(fault(long, within: limit) == "1:1: expected at most 40 bytes, got 41")
  }

  @Test func `what a document says is the same however it is laid out`() {
    func contents(_ text: String) -> String {
      String(
        decoding: JSONReader.contents(of: Data(text.utf8), without: "sum"), as: UTF8.self)
    }
    let flat = #"{"a":[1,{"sum":"x y"}],"sum":,"z":" \" "}"#
    #expect(contents(#"{"a":[1,{"sum":"x y"}],"sum":"0 1","z":" \" "}"#) == flat)
    #expect(
      contents("{ \"a\": [1,\n {\"sum\": \"x y\"}],\n \"sum\": {}, \"z\": \" \\\" \"}\n") == flat)
    #expect(contents(#"{"a":[1,{"sum":"x  y"}],"sum":"","z":" \" "}"#) != flat)
    #expect(contents(#"{"b":1}"#) == #"{"b":1}"#)
  }

  @Test func `damaged bytes are a fault or a document, never a crash`() {
    let seed = Array(#"{"rows":[{"name":"a\u00e9\n","counts":[1,-2e3,0.5]},null,true]}"#.utf8)
    var state: UInt64 = 1
    func draw(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let pieces = Array("\"\\[]{},:0e-u\n\u{FEFF}é".utf8) + [0, 0xFF, 0xC3]
    var whole = 0
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0..<(1 + draw(3)) {
        let place = draw(bytes.count)
        switch draw(3) {
        case 0: bytes[place] = pieces[draw(pieces.count)]
        case 1: bytes.insert(pieces[draw(pieces.count)], at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + 1 + draw(4)))
        }
        if bytes.isEmpty { break }
      }
      do throws(JSONReader.Fault) {
        try JSONReader.check(Data(bytes), within: .message)
        whole += 1
        // What is let through is what Foundation reads.
        _ = try JSONReader.object(from: Data(bytes), within: .message)
      } catch {
        #expect(error.line >= 1 && error.column >= 1 && error.got != "something else")
      }
    }
    #expect(whole > 100)
  }
}

@Suite struct VisibleTextTests {
  @Test func `hidden characters are escapes, and others stay`() {
    #expect(
      VisibleText.escaped("a\u{1B}[2J\u{7F}\u{9B}b\n\tc") == "a\\u{1B}[2J\\u{7F}\\u{9B}b\n\tc")
    #expect(VisibleText.escaped("x\u{202E}y\u{2066}\u{E0041}") == "x\\u{202E}y\\u{2066}\\u{E0041}")
    #expect(VisibleText.escaped("é 中 👩‍💻 שלום") == "é 中 👩‍💻 שלום")
    #expect(Excerpt.oneLine("a\nb\u{1B}c") == "a b\\u{1B}c")
  }

  @Test func `nothing in a log is a command of its server`() {
    func shown(_ text: String) -> String { VisibleText.terminal(text, color: false) }
    #expect(shown("::error::x\n a::b\n \t::set-output") == "\\::error::x\n a::b\n \t\\::set-output")
    #expect(shown("x ##[error]y ##vso[task]z") == "x #\\#[error]y #\\#vso[task]z")
    #expect(shown("###[a] ## Title [1]") == "##\\#[a] ## Title [1]")
    #expect(shown("\r::error::x") == "\\u{D}::error::x")
    #expect(shown("\u{1B}[31mred") == "\\u{1B}[31mred")
    let styled = "\u{1B}[31mred\u{1B}[0m"
    #expect(VisibleText.terminal(styled, color: true) == styled)
    #expect(VisibleText.terminal("\u{1B}[5mx\u{1B}]0;t", color: true) == "\\u{1B}[5mx\\u{1B}]0;t")
  }

  @Test func `JSON has hidden characters and two number signs as escapes`() throws {
    let text = "a\u{202E}\u{7F}##[error]\u{2028}\u{E0041}"
    let quoted = JSONText.string(text).text(indent: 0)
    #expect(quoted == #""a\u202e\u007f#\u0023[error]\u2028\udb40\udc41""#)
    #expect(try JSONDecoder().decode(String.self, from: Data(quoted.utf8)) == text)
  }

  @Test func `a scenario's texts have no control characters`() {
    var problems = Problems()
    _ = YAMLReader.read("a: \"x\\e[2J\"\n", file: "f.yaml", into: &problems)
    #expect(
      problems.sorted.map(\.description)
        == ["f.yaml:1:4: a: expected text without control characters, got the character \\u{1B}"])
  }
}

@Suite struct NestedTelemetryTests {
  @Test func `nested brackets in events are refused by their line`() throws {
    for open in ["[", "{\"a\":", "[{\"events\":", "{\"events\":["] {
      let text = String(repeating: open, count: 200_000) + "\n" + TelemetryReaderTests.batch
      let reading = try TelemetryReaderTests.read("e.json", text)
      #expect(reading.malformed == 1, "\(open)")
      #expect(
        reading.problems.first?.expected == "at most 64 levels of nesting"
          || reading.problems.first?.expected == "a string", "\(open) \(reading.problems)")
      #expect(reading.records == 3)
    }
  }
}

@Suite struct DefaultPlaceTests {
  @Test func `a default that contradicts the file is told where the file is, with its name`() {
    func message(_ text: String) -> String {
      do throws(ScenarioRejected) {
        _ = try StudyScenario.parse(text, file: "some/f.yaml")
        return "none"
      } catch {
        return error.description
      }
    }
    let near = message("version: 1\nname: x\ncatalogue:\n  minimumDuration: 3 h\n")
    #expect(
      near.hasPrefix("some/f.yaml:4:3: catalogue.maximumDuration: expected at least")
        || near.hasPrefix("some/f.yaml:3:1: catalogue.maximumDuration: expected at least"),
      "\(near)")
    #expect(near.contains(" by default ("), "\(near)")
    for line in near.split(separator: "\n") { #expect(line.hasPrefix("some/f.yaml:")) }
  }
}
