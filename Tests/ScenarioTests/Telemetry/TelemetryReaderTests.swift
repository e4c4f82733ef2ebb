import Foundation
import Testing

@testable import Scenario

@Suite struct TelemetryReaderTests {
  static func read(_ name: String, _ text: String) throws -> TelemetryReading {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent(name).path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try TelemetryReader(files: [path]).read()
  }

  static let batch = """
    {"events":[{"id":"a","name":"view_start","at":1000,"view":0,"props":{"video_id":"v1"}},
     {"id":"b","name":"time_to_first_frame","at":1250,"view":0,"props":{"ms":250}},
     {"id":"c","name":"view_end","at":5000,"view":0,"props":{"video_id":"v1","dwell_ms":4000}}],
     "session_id":"s1","ts":1}

    """

  /// Covers: SIG-050, SIG-051.
  @Test func `a batch gives views, wherever its session stands and however it is broken up`()
    throws
  {
    for text in [Self.batch, "[" + Self.batch + "]", Self.batch.replacing("\n", with: " ")] {
      let reading = try Self.read("e.json", text)
      #expect(reading.malformed == 0 && reading.records == 3)
      #expect(reading.data.startup.seen == [0.25] && reading.data.startup.censored.isEmpty)
      #expect(reading.data.dwell.seen == [4])
      #expect(reading.data.titleCounts == [1] && reading.data.sessions == 1)
      // The session ends with the log: how long it went on is not known, but that its time was not
      // up before its only view.
      #expect(reading.data.session.count == 0 && reading.data.sessionViews.isEmpty)
    }
  }

  @Test func `a session seen from its middle keeps its places and gives no length`() throws {
    var text = ""
    func add(_ session: String, _ view: Int, item: Int, at: Int) {
      text += "{\"name\":\"view_end\",\"at\":\(at),\"view\":\(view),\"session_id\":\"\(session)\","
      text += "\"item\":\(item),\"props\":{\"video_id\":\"\(session)\(item)\",\"dwell_ms\":7}}\n"
    }
    for place in 0..<3 { add("late", place, item: 5 + place, at: 1_000 + 1_000 * place) }
    // Back to an item that was seen before.
    add("late", 3, item: 6, at: 5_000)
    for place in 0..<2 { add("whole", place, item: place, at: 2_000 + 1_000 * place) }
    add("last", 0, item: 0, at: 200_000)
    let reading = try Self.read("e.jsonl", text)
    #expect(reading.data.sessionTitles == [5..<8, 0..<2, 0..<1])
    #expect(reading.data.sessions == 3 && reading.data.sessionViews == [2])
    // From the first event at 2 s to the middle of a view of 7 ms that ended at 3 s.
    #expect(reading.data.session.seen.map { Int(($0 * 1e4).rounded()) } == [9_965])
    #expect(reading.notes.contains { $0.hasPrefix("1 of 3 sessions had begun before") })
  }

  @Test func `a title that comes again soon is told from one that comes again late`() throws {
    var text = ""
    for (view, place) in [(0, 0), (1, 7), (2, 0), (3, 100), (4, 132)].enumerated() {
      text += "{\"name\":\"view_end\",\"at\":\(view),\"view\":\(view),\"session_id\":\"s\","
      text += "\"item\":\(place.1),\"props\":{\"video_id\":\"t\",\"dwell_ms\":7}}\n"
    }
    // Item 7 soon after item 0, item 100 late, item 132 soon again; item 0 was gone back to.
    #expect(try Self.read("e.jsonl", text).data.titleRepeats == 2)
  }

  @Test func `a view left before its first frame is censored, not lost`() throws {
    let text = """
      {"name":"view_start","at":1000,"view":0,"session_id":"s"}
      {"name":"view_end","at":3000,"view":0,"session_id":"s","props":{"dwell_ms":2000}}
      """
    let reading = try Self.read("e.jsonl", text)
    #expect(reading.data.startup.seen.isEmpty && reading.data.startup.censored == [2])
    #expect(reading.data.leaving.seen == [2])
  }

  @Test func `what cannot be read is counted and named by its line, and nothing else is lost`()
    throws
  {
    let good = "{\"name\":\"view_end\",\"at\":9,\"view\":0,\"session_id\":\"s\",\"dwell_ms\":7}\n"
    let text =
      good + "{\"name\":\"view_end\",\"at\":9,\"view\":1,\"session_id\":\"s\"}\n" + "{oops}\n"
      + "{\"name\":\"view_end\",\"at\":9,\"view\":2,\"session_id\":\"s\",\"dwell_ms\":-1}\n"
      + good.replacing("\"view\":0", with: "\"view\":3") + "not json at all\n"
      + good.replacing("\"view\":0", with: "\"view\":4") + "{\"name\":\"view_end\",\"at\":9"
    let reading = try Self.read("e.jsonl", text)
    #expect(reading.records == 3 && reading.data.views == 3)
    #expect(reading.malformed == 5)
    #expect(reading.problems.map(\.line) == [2, 3, 4, 6, 8])
    #expect(reading.problems[0].keyPath == "props.dwell_ms")
    #expect(reading.problems[0].description.contains("expected the time on the screen"))
  }

  @Test func `the same id twice counts once, unknown names are counted`() throws {
    let line =
      "{\"id\":\"x\",\"name\":\"view_end\",\"at\":9,\"view\":0,\"session_id\":\"s\","
      + "\"dwell_ms\":7}\n"
    let other = "{\"name\":\"app_open\",\"at\":9,\"session_id\":\"s\"}\n"
    let reading = try Self.read("e.jsonl", line + line + other)
    #expect(reading.repeated == 1 && reading.unused == 1 && reading.data.views == 1)
  }

  @Test func `events and named values come as CSV`() throws {
    let events = try Self.read(
      "e.csv", "name,at,session_id,view,dwell_ms,ms\nview_end,9,s,0,70,\nview_end,9,s,1,,\nx\n")
    #expect(events.records == 1 && events.problems.map(\.line) == [3, 4])
    let named = try Self.read(
      "v.csv",
      "quantity,value,censored\nfeed.latency,0.5,0\nfeed.latency,2,1\nfeed.latency,0,0\n"
        + "feed.latency,-1,0\nfeed.latency,1,x\n")
    let times = try #require(named.data.named["feed.latency"])
    #expect(times.seen == [0.5] && times.censored == [2] && times.zeros == 1)
    #expect(named.problems.map(\.line) == [5, 6] && named.malformed == 2)
  }

  @Test func `logs give the popularity of titles by their most requested object`() throws {
    func line(_ target: String) -> String {
      "h - - [10/Oct/2026:13:55:36 +0000] \"GET \(target) HTTP/1.1\" 200 10\n"
    }
    let text =
      line("/v/a/m.json") + line("/v/a/s1.mp4") + line("/v/a/m.json") + line("/v/b/m.json?x=1")
      + "broken line\n"
    let reading = try Self.read("access.log", text)
    #expect(reading.data.titleCounts == [2, 1] && reading.records == 4)
    #expect(reading.malformed == 1 && reading.problems.map(\.line) == [5])
  }

  @Test func `messages quote nobody's name`() throws {
    let names = ["ann@example.org", "192.0.2.77", "sess-0815"]
    let event = "{\"session_id\":\"sess-0815\",\"id\":\"ann@example.org\",\"name\":\"view_end\"}\n"
    let files = [
      ("e.jsonl", event + "ann@example.org\n"),
      ("e.csv", "name,at,session_id,view\nsess-0815,ann@example.org\nx,y,sess-0815,192.0.2.77\n"),
      (
        "access.log",
        "h - - [10/Oct/2026:13:55:36 +0000] \"GET /v/a HTTP/1.1\" 200 10\n192.0.2.77 broken\n"
          + "192.0.2.77 - ann@example.org [ann@example.org] \"GET /v/a HTTP/1.1\" 200 10\n"
      ),
    ]
    for (name, text) in files {
      let reading = try Self.read(name, text)
      #expect(reading.malformed == 2 && reading.problems.count == 2)
      for problem in reading.problems {
        for word in names { #expect(!problem.description.contains(word), "\(problem)") }
      }
    }
  }

  @Test func `a missing file and an unknown format are refused`() throws {
    #expect(throws: InputRejected.self) { try TelemetryReader(files: ["/none/there"]).read() }
    #expect(throws: InputRejected.self) { try Self.read("x.txt", "what is this\n") }
    let many = TelemetryReader(files: (0..<21).map { "/none/there\($0)" })
    let rejected = #expect(throws: InputRejected.self) { try many.read() }
    #expect(rejected?.description.hasSuffix("\nand 1 more problem in this telemetry") == true)
  }

  @Test func `numbers are read as they are written`() {
    for text in ["0", "12", "-3.5", "0.001", "1e3", "123456789012345678", "2.25E-2"] {
      let bytes = Array(text.utf8)
      #expect(JSONScanner.number(bytes, 0..<bytes.count) == Double(text))
    }
    for text in ["", "-", "1.2.3", "x"] {
      let bytes = Array(text.utf8)
      #expect(JSONScanner.number(bytes, 0..<bytes.count) == nil)
    }
  }

  @Test func `the unit of a law is that of its key`() {
    #expect(ScenarioTable.lawUnit(at: "feed.latency") == .time)
    #expect(ScenarioTable.lawUnit(at: "catalogue.titleScale") == .real)
    #expect(ScenarioTable.lawUnit(at: "feed.ranker.latency") == .time)
    #expect(ScenarioTable.lawUnit(at: "feed.bytesPerItem") == nil)
    #expect(ScenarioTable.lawUnit(at: "nothing.here") == nil)
  }
}
