import Scenario
import Testing

@testable import Telemetry

/// How lines become views and sessions, in flat memory.
@Suite struct JoinTests {
  /// Three rows a view, six views a session, eight sessions side by side, as a collector writes
  /// them.
  private static func events(groups: Int) -> String {
    var text = "at,sid,vid,video,ttff_ms,dwell_s\n"
    for row in 0..<groups * 144 {
      let (group, view, part) = (row / 144, row / 24 % 6, row / 8 % 3)
      let session = group * 8 + row % 8
      let at = 1_774_745_999_000 + row * 1_000
      let (title, start) = ((session * 7 + view * 3) % 50, 100 + (session + view) % 400)
      text += "\(at),s\(session),v\(view),t\(title),\(part == 1 ? "\(start)" : ""),"
      text += "\(part == 2 ? "\(1 + view)" : "")\n"
    }
    return text
  }

  @Test func `rows of a view find each other, however many views lie between`() throws {
    let mapping = try Fixture.mapping(Fixture.views)
    let text = Self.events(groups: 30)
    let whole = try Fixture.read(text, mapping)
    #expect(whole.reading.data.views == 1_440 && whole.reading.data.sessions == 240)
    #expect(whole.reading.data.startup.seen.count == 1_440)
    #expect(whole.reading.data.dwell.seen.count == 1_440 && whole.reading.records == 4_320)
    // Generations of a few views close sessions while the file is read.
    let small = try Fixture.read(text, mapping, viewLimit: 128)
    #expect(small.reading.data.views == 1_440 && small.reading.data.sessions == 240)
    #expect(small.reading.data.session.seen.sorted() == whole.reading.data.session.seen.sorted())
    #expect(small.reading.data.startup.seen.sorted() == whole.reading.data.startup.seen.sorted())
    #expect(small.reading.data.titleCounts.sorted() == whole.reading.data.titleCounts.sorted())
    // With too few they break up, and no row is lost.
    let tiny = try Fixture.read(text, mapping, viewLimit: 4)
    #expect(tiny.reading.data.views > 1_440 && tiny.reading.records == 4_320)
    #expect(tiny.reading.data.dwell.seen.count == 1_440)
  }

  @Test func `a row about all of a view stands at its begin, and ends with it`() throws {
    let mapping = try Fixture.mapping(Fixture.views)
    // Two sessions of views at 0, 5 and 8 s; the last view of the second was left before its frame.
    var text = "at,sid,vid,video,ttff_ms,dwell_s\n"
    for (session, start) in [("a", "300"), ("b", "")] {
      for (at, start, dwell) in [(0, "500", 5), (5, "", 3), (8, start, 4)] {
        text += "\(1_774_745_999_000 + at * 1_000),\(session),\(session)\(at),t,\(start),\(dwell)\n"
      }
    }
    // So much later that neither was cut by the end of the file.
    text += "1774746999000,c,c0,t,500,5\n"
    let data = try Fixture.read(text, mapping).reading.data
    #expect(data.session.seen == [10, 10], "\(data.session.seen)")
    #expect(data.dwell.seen == [5, 3, 4, 5, 3, 4, 5])
    #expect(data.leaving.seen == [3, 3, 4])
  }

  @Test func `our own events read as before under a mapping`() throws {
    var csv = "name,at,session_id,view,item,video_id,dwell_ms,ms\n"
    var json = ""
    for index in 0..<300 {
      let (session, view) = ("s\(index / 7)", index % 7)
      let at = 1_774_745_999_000 + index * 900
      let title = "t\(index * index % 23)"
      func add(_ name: String, _ at: Int, _ dwell: String, _ start: String) {
        csv += "\(name),\(at),\(session),\(view),\(view),\(title),\(dwell),\(start)\n"
        json += "{\"name\":\"\(name)\",\"at\":\(at),\"session_id\":\"\(session)\","
        json += "\"view\":\(view),\"item\":\(view),\"video_id\":\"\(title)\""
        if !dwell.isEmpty { json += ",\"dwell_ms\":\(dwell)" }
        if !start.isEmpty { json += ",\"ms\":\(start)" }
        json += "}\n"
      }
      add("view_start", at, "", "")
      if index % 5 > 0 { add("time_to_first_frame", at + 90, "", "\(50 + index)") }
      add("view_end", at + 600, "\(500 + index)", "")
    }
    let mapping = try Fixture.mapping(
      """
      version: 1
      columns:
        time: at
        session: session_id
        view: view
        item: item
        title: video_id
        dwell: {column: dwell_ms, unit: ms}
        ttff: {column: ms, unit: ms}
      ignore: [name]
      """)
    let reading = try Fixture.read(csv, mapping).reading
    let mapped = reading.data
    // The same bytes have the same digest, whole or in pieces.
    let digest = try Fixture.with(Array(csv.utf8)) { path in
      try TelemetryReader(files: [path]).read().digest
    }
    #expect(reading.digest == digest)
    let before = try Fixture.with(Array(json.utf8), named: "e.jsonl") { path in
      try TelemetryReader(files: [path]).read()
    }.data
    Self.compare(mapped, before)
    // As they are posted, in batches and in flat memory.
    let lines = json.split(separator: "\n").map { String($0) }
    var batches = "{oops}\n"
    for start in stride(from: 0, to: lines.count, by: 20) {
      let batch = lines[start..<min(lines.count, start + 20)].joined(separator: ",")
      batches += "{\"events\":[\(batch)],\"device_id\":\"d\"}\n"
    }
    let posted = try Fixture.read(batches, BuiltInMapping.events.mapping, named: "e.jsonl").reading
    Self.compare(posted.data, before)
    #expect(posted.records == lines.count && posted.problems.map(\.line) == [1])
    let id =
      "{\"id\":\"x\",\"name\":\"view_end\",\"at\":9,\"view\":0,\"session_id\":\"s\",\"dwell_ms\":7}"
    let other = "{\"name\":\"app_open\",\"at\":9,\"session_id\":\"s\"}"
    let again = try Fixture.read(
      [id, id, other, "[]"].joined(separator: "\n"), BuiltInMapping.events.mapping
    ).reading
    #expect(again.repeated == 1 && again.unused == 1 && again.data.views == 1)
    #expect(again.records == 2 && again.malformed == 0)
  }

  private static func compare(_ one: TelemetryData, _ other: TelemetryData) {
    #expect(one.startup.seen == other.startup.seen)
    #expect(one.startup.censored == other.startup.censored)
    #expect(one.leaving.seen == other.leaving.seen && one.dwell.seen == other.dwell.seen)
    #expect(one.titleCounts == other.titleCounts && one.span == other.span)
    #expect(one.sessionTitles == other.sessionTitles)
    #expect(one.titleSessions == other.titleSessions)
    #expect(one.titleRepeats == other.titleRepeats)
    #expect(one.sessionViews == other.sessionViews)
    #expect(one.session.seen == other.session.seen)
    #expect(one.session.censored == other.session.censored)
    #expect(one.views == other.views && one.sessions == other.sessions)
  }

  @Test func `a session without end is closed and goes on, in linear time`() throws {
    var text = "sid,ms\n"
    for view in 0..<20_000 { text += "s,\(100 + view % 7)\n" }
    let telemetry = try Fixture.read(
      text,
      Fixture.mapping("version: 1\ncolumns: {session: sid, ttff: {column: ms, unit: ms}}\n"),
      viewLimit: 1_024)
    #expect(telemetry.reading.data.views == 20_000 && telemetry.reading.data.sessions == 5)
  }

  @Test func `values beyond what a fit needs are thinned evenly, zeros and censored ones alike`() {
    var sample = ThinnedSample()
    let count = 3 * ThinnedSample.limit
    for index in 0..<count { sample.add(Double(index % 4), isCensored: index % 4 == 3) }
    #expect(sample.count == count && sample.halvings == 2)
    #expect(sample.note("x")?.contains("of \(count) values are kept") == true)
    let times = sample.times
    let kept = Double(sample.keptCount)
    // A quarter each, within five standard errors of a share.
    let slack = 5 * (0.25 * 0.75 / kept).squareRoot()
    for part in [times.zeros, times.censored.count, times.seen.count / 2] {
      #expect(abs(Double(part) / kept - 0.25) < slack)
    }
    var again = ThinnedSample()
    for index in 0..<count { again.add(Double(index % 4), isCensored: index % 4 == 3) }
    #expect(again.seen == sample.seen)
    var few = ThinnedSample()
    for index in 0..<1_000 { few.add(Double(index)) }
    #expect(few.seen == (0..<1_000).map { Double($0) } && few.note("x") == nil)
  }

  @Test func `a median tells units from one another`() {
    var tally = UnitTally()
    #expect(tally.median == nil)
    for value in [0, 0, 0.25, 0.5, 1] { tally.add(value) }
    #expect(abs((tally.median ?? 0) / 0.5 - 1) < 0.07)
    for value in [Double.nan, -1, 1e300, .leastNonzeroMagnitude, .infinity] { tally.add(value) }
    #expect(tally.total == 6)
  }
}
