import Scenario
import Testing

@testable import Telemetry

/// Mapping files and what they make of tables.
@Suite struct MappingTests {
  @Test func `a mapping file says what is wrong with it, all at once and with places`() {
    let problems = Fixture.problems(
      ofMapping: """
        version: 1
        colour: red
        timeZone: Mars
        columns:
          tff: a
          ttff: {column: b, unit: msec, clock: swype}
          dwell: watch_ms
          bytes: {column: c, unit: B, clock: cold}
          session: {column: d, unit: ms}
          device: [x, y]
        ignore: 7
        """)
    let places = problems.map { "\($0.line):\($0.column) \($0.keyPath) \($0.code.rawValue)" }
    #expect(
      places == [
        "2:1 colour unknown-key",
        "3:11 timeZone wrong-word",
        "5:3 columns.device inconsistent",
        "5:3 columns.tff unknown-key",
        "6:27 columns.ttff.unit wrong-unit",
        "6:40 columns.ttff.clock wrong-word",
        "7:10 columns.dwell.unit missing-unit",
        "8:38 columns.bytes.clock inconsistent",
        "9:30 columns.session.unit inconsistent",
        "11:9 ignore wrong-type",
      ], "\(places)")
    #expect(problems.first { $0.keyPath == "columns.tff" }?.suggestion == "ttff")
    #expect(problems.first { $0.keyPath == "columns.dwell.unit" }?.suggestion == "ms")
  }

  @Test func `a mapping needs its version, columns, and meanings of events`() {
    #expect(Fixture.problems(ofMapping: "").map(\.code) == [.emptyFile])
    #expect(
      Set(Fixture.problems(ofMapping: "ignore: rest").map(\.keyPath)) == ["version", "columns"])
    let events = Fixture.problems(
      ofMapping: "version: 1\ncolumns: {event: e, value: {column: v, unit: ms}}\n")
    #expect(events.map(\.keyPath) == ["events"])
    let words = Fixture.problems(
      ofMapping: "version: 1\ncolumns: {event: e}\nevents: {a: tfff}\n")
    #expect(words.map(\.keyPath) == ["events.a"] && words[0].suggestion == "ttff")
    let value = Fixture.problems(
      ofMapping: "version: 1\ncolumns: {value: {column: v, unit: ms}}\n")
    #expect(value.map(\.keyPath) == ["columns.value"])
    let lines = Fixture.problems(
      ofMapping: "version: 1\nrecords: jsonl\ndelimiter: ;\nheader: [a]\ncolumns: {device: a}\n")
    #expect(lines.map(\.keyPath) == ["delimiter", "header"])
    #expect(throws: InputRejected.self) { try MappingFile.read("/none/there.yaml") }
  }

  @Test func `what is wrong with parts of a start is told at once`() {
    let problems = Fixture.problems(
      ofMapping: """
        version: 1
        columns:
          session: sid
          startPart:
            - {column: a, unit: ms}
            - {column: b, unit: ms, key: dns+conect}
            - {column: c, key: tls}
            - {column: d, unit: ms, key: dns}
            - plain

        """)
    let told = problems.map(\.description)
    #expect(problems.count == 7, "\(told)")
    #expect(
      told.contains { $0.contains("columns.startPart[0].key: expected one or more of launch") })
    #expect(problems.contains { $0.got == "conect" && $0.suggestion == "connect" })
    #expect(problems.contains { $0.keyPath == "columns.startPart[2].unit" })
    #expect(
      problems.contains { $0.expected == "each part in one column" && $0.got.hasPrefix("dns") })
    #expect(problems.contains { $0.keyPath == "columns.startPart[4]" })
    #expect(problems.contains { $0.expected == "a column of ttff beside it" })
    let nine = (0..<9).map { "{column: c\($0), unit: ms, key: \(MetricReference.parts[$0])}" }
    let many = Fixture.problems(
      ofMapping: """
        version: 1
        columns:
          ttff: {column: t, unit: ms}
          startPart: [\(nine.joined(separator: ", "))]

        """)
    #expect(many.map(\.expected) == ["at most 8 columns"])
  }

  @Test func `twenty problems are told, and how many more there are in what kind of file`() throws {
    let names = (0..<22).map { "x\($0): a" }.joined(separator: ", ")
    let mapping = Array("version: 1\ncolumns: {\(names)}\n".utf8)
    let rejected = #expect(throws: InputRejected.self) {
      try MappingFile.parse(mapping, file: "map.yaml")
    }
    let lines = try #require(rejected).description.split(separator: "\n")
    #expect(lines.count == 21 && lines.last == "and 2 more problems in this mapping file")
  }

  @Test func `a table of starts and dwells becomes what laws are fitted to`() throws {
    let text = """
      at,sid,vid,video,ttff_ms,dwell_s,extra
      2026-05-01T10:00:00Z,s1,v1,a,250,4,x
      2026-05-01T10:00:05Z,s1,v2,b,,2.5,x
      2026-05-01T10:00:09Z,s1,v3,a,500,,x
      2026-05-01T11:00:00Z,s2,v4,a,0,1,x
      """
    let telemetry = try Fixture.read(text, Fixture.mapping(Fixture.views))
    let data = telemetry.reading.data
    #expect(telemetry.reading.records == 4 && telemetry.reading.malformed == 0)
    #expect(data.startup.seen == [0.25, 0.5] && data.startup.zeros == 1)
    // Who left before the first frame.
    #expect(data.startup.censored == [2.5] && data.leaving.seen == [2.5])
    #expect(data.dwell.seen == [4, 2.5, 1])
    #expect(data.views == 4 && data.sessions == 2 && data.span == 3_600)
    #expect(data.titleCounts == [3, 1] && data.titleSessions == [2, 1])
    #expect(data.sessionTitles == [0..<2, 0..<1] && data.titleRepeats == 1)
    #expect(telemetry.tally.starts[Int(Observation.Clock.swipe.rawValue)].count == 3)
    #expect(telemetry.reading.notes.contains { $0 == "1 column is not read: extra" })
    #expect(telemetry.tally.hours.reduce(0, +) == 4)
    // 1 May 2026 is a Friday.
    #expect(telemetry.tally.hours[4 * 24 + 10] == 3)
  }

  @Test func `a column that is not there is refused where the mapping names it`() throws {
    let mapping = try Fixture.mapping(Fixture.views)
    let problems = try Fixture.problems("at,sid,vid,vide,ttff_ms,dwell_s\n", mapping)
    #expect(problems.count == 1 && problems[0].line == 7 && problems[0].file == "map.yaml")
    #expect(problems[0].suggestion == "vide" && problems[0].keyPath == "columns.title")
    let twice = try Fixture.problems("at,sid,vid,video,ttff_ms,dwell_s,at\n", mapping)
    #expect(twice.map(\.code) == [.duplicateKey])
    #expect(try Fixture.problems("", mapping).map(\.code) == [.emptyFile])
    let named = try Fixture.mapping("version: 1\nheader: [a]\ncolumns: {device: a}\n")
    #expect(try Fixture.problems("", named).map(\.code) == [.emptyFile])
    // A line that is none of names suggests nobody's.
    let one = try Fixture.mapping("version: 1\ncolumns: {device: ann}\n")
    let none = try Fixture.problems("anna,x\n", one)
    #expect(none.map(\.suggestion) == [nil])
  }

  @Test func `columns that are listed are left, others are refused once there is a list`() throws {
    let mapping = try Fixture.mapping(Fixture.views + "ignore: [extra]\n")
    let header = "at,sid,vid,video,ttff_ms,dwell_s,extra"
    #expect(try Fixture.problems(header + "\n", mapping).isEmpty)
    let problems = try Fixture.problems(header + ",other\n", mapping)
    #expect(problems.map(\.keyPath) == ["other"] && problems[0].line == 1)
  }

  @Test func `rows that are none are counted and the first are named by line and column`() throws {
    let mapping = try Fixture.mapping(Fixture.views)
    var text = "at,sid,vid,video,ttff_ms,dwell_s\n"
    text += "2026-05-01T10:00:00Z,s1,v1,a,oops,4\n"
    text += "2026-05-01T10:00:00Z,s1,v1,a\n"
    text += "2026-05-01T10:00:00Z,s1,v1,a,-5,4\n"
    text += "2026-05-01T10:00:00,s1,v1,a,5,4\n"
    text += "yesterday,s1,v1,a,5,4\n"
    for index in 0..<30 { text += "\"2026-05-01T10:00:00Z\",s1,w\(index),a,x,4\n" }
    text += "2026-05-01T10:00:00Z,s1,v9,a,5,4\n"
    let reading = try Fixture.read(text, mapping).reading
    #expect(reading.records == 1 && reading.malformed == 35 && reading.problems.count == 20)
    #expect(reading.problems.prefix(5).map(\.line) == [2, 3, 4, 5, 6])
    #expect(reading.problems.prefix(6).map(\.column) == [30, 1, 30, 1, 1, 32])
    #expect(reading.problems[0].keyPath == "ttff_ms" && reading.unnamed == 15)
    #expect(reading.problems[2].description.hasSuffix("expected a number, not negative, got -5"))
    #expect(reading.problems[3].expected.hasPrefix("a time with its offset"))
  }

  @Test func `tables of tabs, semicolons and JSON, and rows of events`() throws {
    let tabs = try Fixture.read(
      "sid\tms\ns\t250\n",
      Fixture.mapping("version: 1\ncolumns: {session: sid, ttff: {column: ms, unit: ms}}\n"),
      named: "t.tsv")
    #expect(tabs.reading.data.startup.seen == [0.25])
    let semicolons = try Fixture.read(
      "sid;s\ns;0.25\n",
      Fixture.mapping(
        "version: 1\ndelimiter: ;\ncolumns: {session: sid, ttff: {column: s, unit: s}}\n"))
    #expect(semicolons.reading.data.startup.seen == [0.25])
    let json = try Fixture.read(
      #"{"who":{"sid":"s\u0041"},"ms":250}"# + "\n{oops}\n" + #"{"ms":"500","more":[1]}"# + "\n",
      Fixture.mapping("version: 1\ncolumns: {session: who.sid, ttff: {column: ms, unit: ms}}\n"),
      named: "t.jsonl")
    #expect(json.reading.data.startup.seen == [0.5, 0.25])
    #expect(json.reading.problems.map { "\($0.line):\($0.column)" } == ["2:2"])
    // Two quantities of one member.
    let twice = try Fixture.read(
      #"{"ms":250}"# + "\n",
      Fixture.mapping(
        "version: 1\ncolumns: {dwell: {column: ms, unit: ms}, ttff: {column: ms, unit: ms}}\n"),
      named: "t.jsonl")
    #expect(twice.reading.data.startup.seen == [0.25] && twice.reading.data.dwell.seen == [0.25])
    let missing = try Fixture.problems(
      #"{"sid":"s","mss":1}"# + "\n",
      Fixture.mapping("version: 1\ncolumns: {session: sid, ttff: {column: ms, unit: ms}}\n"),
      named: "t.jsonl")
    #expect(missing.map(\.keyPath) == ["columns.ttff"] && missing[0].suggestion == "mss")
    let events = try Fixture.read(
      "s,v,e,n,t\na,1,first,250,1774745999\na,1,stall,100,1774745999\na,1,stall,300,1774745999\n"
        + "a,1,end,4000,1774745999\na,1,open,,1774745999\na,1,first,,1774745999\n",
      Fixture.mapping(
        """
        version: 1
        columns:
          session: s
          view: v
          event: e
          time: t
          value: {column: n, unit: ms}
        events: {first: ttff, stall: stall, end: dwell}
        """))
    let data = events.reading.data
    #expect(data.startup.seen == [0.25] && data.dwell.seen == [4] && data.views == 1)
    #expect(events.tally.stalledTime == 0.4 && events.tally.stallCount == 2)
    #expect(events.reading.unused == 1 && events.reading.problems.map(\.line) == [7])
  }

  @Test func `a unit that cannot be right is refused by name`() throws {
    func problems(_ value: String, _ unit: String) throws -> [Problem] {
      let mapping = try Fixture.mapping(
        "version: 1\ncolumns:\n  ttff: {column: v, unit: \(unit)}\n")
      return try Fixture.problems(
        "v\n" + String(repeating: value + "\n", count: 5) + "0\n", mapping)
    }
    #expect(try problems("800", "ms").isEmpty && problems("0.8", "s").isEmpty)
    let long = try problems("800000", "ms")
    #expect(long.count == 1 && long[0].code == .wrongUnit && long[0].suggestion == "us")
    #expect(long[0].place == "map.yaml:3:9" && long[0].keyPath == "columns.ttff.unit")
    #expect(long[0].description.contains("expected a median from 0.001 s to 60 s, got 800 s in ms"))
    #expect(try problems("0.8", "ms")[0].suggestion == "s")
    let size = try Fixture.mapping("version: 1\ncolumns: {bytes: {column: v, unit: GB}}\n")
    #expect(try Fixture.problems("v\n900\n901\n950\n", size).map(\.code) == [.wrongUnit])
  }

  @Test func `times, zones and clocks that differ are said`() throws {
    let mapping = try Fixture.mapping(
      """
      version: 1
      timeZone: "+02:00"
      columns:
        time: {column: at, unit: iso8601}
        serverTime: seen
        ttff: {column: ms, unit: ms}
      """)
    var text = "at,seen,ms\n"
    for second in 10..<40 {
      text += "2026-05-01 12:00:\(second),\(1_777_629_600_000 + second * 1_000 + 1_500),9\n"
    }
    let telemetry = try Fixture.read(text, mapping)
    #expect(telemetry.skew == 1.5)
    let notes = telemetry.reading.notes
    #expect(notes.contains { $0.hasPrefix("30 times say no offset: read as those of +02:00") })
    #expect(notes.contains { $0 == "seen: numbers since 1970, by their size milliseconds" })
    #expect(notes.contains { $0.hasPrefix("clients' clocks are 1.500 s behind") })
    // An hour of difference is a zone.
    let wrong = try Fixture.read(text.replacing(" 12:", with: " 11:"), mapping)
    #expect(wrong.reading.notes.contains { $0.hasPrefix("that is 1 h: look at timeZone") })
  }
}

extension Problem {
  /// The place in front of a message.
  var place: String { origin.place }
}
