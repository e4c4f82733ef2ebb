import Foundation
import Scenario
import Testing

@testable import Telemetry

/// Views and requests, as a prediction is compared with them.
@Suite struct ViewKeeperTests {
  private static let header = "sid,vid,at,ttff_ms,left,watch_s,play_s,stall_s,stalls,bytes,app\n"
  private static let columns = """
    version: 1
    timeZone: UTC
    columns:
      session: sid
      view: vid
      time: {column: at, unit: iso8601}
      ttff: {column: ttff_ms, unit: ms}
      abandoned: left
      dwell: {column: watch_s, unit: s}
      played: {column: play_s, unit: s}
      stall: {column: stall_s, unit: s}
      stalls: stalls
      bytes: {column: bytes, unit: B}
      version: app

    """

  private func observed(
    _ text: String, _ mapping: ColumnMapping, named name: String = "t.csv",
    period: Range<Double>? = nil, limit: Int = ViewKeeper.limit
  ) throws -> ObservedViews {
    try Fixture.with(Array(text.utf8), named: name) { path in
      var reader = FieldTelemetryReader(files: [path], mapping: mapping, salt: Fixture.salt)
      reader.keepsViews = true
      reader.period = period
      reader.keptLimit = limit
      return try #require(try reader.read().observed)
    }
  }

  @Test func `a view has what its row says, and nothing that it does not`() throws {
    let rows = """
      a,1,2026-11-02T10:00:00Z,420,,9.5,8,0.5,1,900000,v1
      a,2,2026-11-02T10:00:10Z,30,,5,,,,,v1
      a,3,2026-11-02T10:00:20Z,,1,1.5,,,,,v1
      b,1,2026-11-03T09:00:00Z,380,,,4,,,,v2
      b,2,2026-11-03T09:00:05Z,,,,,,,,v2

      """
    let found = try observed(Self.header + rows, try Fixture.mapping(Self.columns))
    #expect(found.views.count == 4 && found.dayCount == 2)
    let (first, second, left, other) =
      (found.views[0], found.views[1], found.views[2], found.views[3])
    #expect(first.isCold && first.hasStarted && abs(first.wait - 420) < 1e-9)
    #expect(first.watched == 8 && first.stalled == 0.5 && first.stalls == 1)
    #expect(first.bytes == 900_000)
    // Not said: what the screen time leaves beside the start.
    #expect(!second.isCold && abs(second.watched - 4.97) < 1e-9 && second.stalls.isNaN)
    #expect(second.bytes.isNaN)
    #expect(!left.hasStarted && !left.isCut && abs(left.wait - 1_500) < 1e-9 && left.watched == 0)
    #expect(other.isCold && other.session != first.session && second.session == first.session)
    #expect(found.cohorts[Int(first.cohort)].version == "v1")
    #expect(found.cohorts[Int(other.cohort)].version == "v2")
    #expect(found.only(.version, "v2").views.map(\.session) == [other.session])
    #expect(found.days(1...1).views.count == 1 && found.days(2...5).views.isEmpty)
    #expect(found.hasTimes && found.digest.count == 8)
    #expect(found.notes.contains { $0.hasPrefix("1 views do not say how long they played") })
  }

  @Test func `titles and their lengths are kept where they are said`() throws {
    let columns = """
      version: 1
      timeZone: UTC
      columns:
        session: sid
        time: {column: at, unit: iso8601}
        ttff: {column: ms, unit: ms}
        title: vid
        titleLength: {column: long, unit: s}

      """
    let rows = """
      sid,at,ms,vid,long
      a,2026-11-02T10:00:00Z,420,x,30
      a,2026-11-02T10:00:10Z,30,y,
      a,2026-11-02T10:00:15Z,30,z,0
      b,,50,x,30

      """
    let found = try observed(rows, try Fixture.mapping(columns))
    let titles = found.views.map(\.title)
    // Numbers as they come, and not hashes, which are others in every run.
    #expect(titles == [1, 2, 3, 1])
    #expect(found.views[0].length == 30 && found.views[1].length.isNaN)
    // No title is so short: nobody knew.
    #expect(found.views[2].length.isNaN)
    // A line without a time is in no day, and does not begin the first one.
    #expect(found.views[3].at.isNaN && found.dayCount == 1 && found.days(0...0).views.count == 3)
    #expect(found.notes.contains("1 views have no time: they are in no day"))
  }

  @Test func `a clock of which nothing is known is compared with none`() throws {
    let mapping = try Fixture.mapping(
      "version: 1\ncolumns:\n  ttff: {column: t, unit: ms}\n  played: {column: p, unit: s}\n")
    let found = try observed("t,p\n300,4\n500,6\n", mapping)
    #expect(found.views.count == 2 && found.views.allSatisfy { $0.wait.isNaN && $0.hasStarted })
    #expect(found.views.map(\.watched) == [4, 6] && !found.hasTimes)
    #expect(Set(found.views.map(\.session)).count == 2)
    #expect(found.notes.contains { $0.contains("what their clock begins with") })
    #expect(found.notes.contains { $0.contains("each counts as one by itself") })
    let swipes = try Fixture.mapping(
      "version: 1\ncolumns:\n  ttff: {column: t, unit: ms, clock: swipe}\n"
        + "  played: {column: p, unit: s}\n")
    let known = try observed("t,p\n300,4\n500,6\n", swipes)
    #expect(known.views.map(\.wait) == [300, 500] && known.views.allSatisfy { !$0.isCold })
  }

  @Test func `clocks that begin with play are said to, and others left out`() throws {
    let mapping = try Fixture.mapping(
      "version: 1\ncolumns:\n  ttff: {column: t, unit: ms}\n  clock: c\n  session: s\n")
    let rows = "play,a\n" + "play,a\n" + "play,b\n" + "swipe,b\n"
    let text = "t,c,s\n" + rows.split(separator: "\n").map { "200,\($0)\n" }.joined()
    let found = try observed(text, mapping)
    #expect(found.beginsWithPlay && found.views.count { $0.wait.isNaN } == 1)
    #expect(found.views.count(where: \.isCold) == 2)
    #expect(found.notes.contains { $0.contains("clocks begin with play()") })
  }

  /// Else the clock of a session's first view would be another one only where it was left.
  @Test func `a view that was left has the clock of its file`() throws {
    func found(_ clock: String) throws -> ObservedViews {
      try observed(
        "t,d,s\n,2,a\n300,9,a\n400,9,b\n,3,b\n",
        try Fixture.mapping(
          "version: 1\ncolumns:\n  ttff: {column: t, unit: ms, clock: \(clock)}\n"
            + "  dwell: {column: d, unit: s}\n  session: s\n"))
    }
    let swipes = try found("swipe")
    #expect(swipes.views.allSatisfy { !$0.isCold } && swipes.views.count { !$0.hasStarted } == 2)
    let plays = try found("play")
    #expect(plays.beginsWithPlay && plays.views.allSatisfy { !$0.wait.isNaN })
    #expect(plays.views.map(\.wait).sorted() == [300, 400, 2_000, 3_000])
    #expect(plays.views.count(where: \.isCold) == 2)
  }

  @Test func `a start that failed is neither seen nor left`() throws {
    let mapping = try Fixture.mapping(
      "version: 1\ncolumns:\n  ttff: {column: t, unit: ms}\n  failed: f\n  dwell: {column: d, "
        + "unit: s}\n  session: s\n")
    let found = try observed("t,f,d,s\n,1,3,a\n,0,3,b\n250,0,9,c\n", mapping)
    #expect(found.views.map(\.isCut) == [true, false, false])
    #expect(found.views.map(\.hasStarted) == [false, false, true])
    #expect(found.notes.contains { $0.hasPrefix("1 views were ended by an error") })
  }

  @Test func `stalls that are events are none where there is none`() throws {
    let mapping = try Fixture.mapping(
      """
      version: 1
      columns:
        session: s
        view: v
        event: e
        value: {column: x, unit: ms}
      events: {first: ttff, end: dwell, stalled: stall}

      """)
    let found = try observed(
      "s,v,e,x\na,1,first,300\na,1,end,5300\na,2,first,40\na,2,stalled,700\na,2,end,4740\n",
      mapping)
    #expect(found.views.map(\.stalled) == [0, 0.7])
    #expect(abs(found.views[0].watched - 5) < 1e-9 && abs(found.views[1].watched - 4) < 1e-9)
  }

  @Test func `requests are counted by hour and class, and what was fetched ahead is paid for`()
    throws
  {
    let columns = """
      version: 1
      records: csv
      columns:
        time: {column: at, unit: epoch_s}
        url: url
        status: status
        bytes: {column: n, unit: B}
        cache: hit
        cmcd: cmcd

      """
    func row(_ at: Int, _ hit: String, _ bytes: Int, _ cmcd: String, status: Int = 200) -> String {
      "\(1_762_000_000 + at),/v/x.m4s,\(status),\(bytes),\(hit),\"\(cmcd)\","
        + (cmcd.contains("sid=") ? "a" : "") + "\n"
    }
    var text = "at,url,status,n,hit,cmcd,who\n"
    text += row(0, "HIT", 100, "cid=\"\"t1\"\",sid=\"\"s1\"\",ot=v,msd=300")
    text += row(1, "MISS", 50, "cid=\"\"t2\"\",sid=\"\"s1\"\",ot=v")
    text += row(2, "HIT", 10, "cid=\"\"t1\"\",sid=\"\"s1\"\",ot=i")
    text += row(7_200, "RefreshHit", 10, "ot=m")
    text += row(7_300, "HIT", 10, "ot=m", status: 404)
    text += row(7_400, "-", 10, "ot=m")
    let found = try observed(text, try Fixture.mapping(columns + "  session: who\n"))
    let rows = found.traffic.sorted { ($0.block, $0.asset) < ($1.block, $1.asset) }
    #expect(rows.map(\.asset) == ["init", "segment", "other"])
    #expect(rows.map(\.requests) == [1, 2, 1] && rows.map(\.hits) == [1, 1, 0])
    #expect(rows.map(\.hitBytes) == [10, 100, 0] && rows[2].block == rows[0].block + 2)
    // The other title was never seen; its bytes are the view's.
    #expect(found.views.count == 1 && found.views[0].bytes == 160)
    #expect(found.notes.contains { $0.contains("say no outcome at the cache") })
    // A `sid` is a playback: without sessions nobody knows whose the other title was.
    let alone = try observed(text, try Fixture.mapping(columns))
    #expect(alone.views.count == 1 && alone.views[0].bytes.isNaN)
    #expect(alone.traffic == found.traffic)
    #expect(alone.notes.contains { $0.hasSuffix("are not compared (columns.session)") })
  }

  @Test func `a period leaves out the rest, whatever is read of it`() throws {
    var text = Self.header
    for day in 1...5 {
      for view in 0..<4 {
        text += "s\(day)-\(view),1,2026-11-0\(day)T12:00:00Z,300,,8,7,0,0,1,v\n"
      }
    }
    let mapping = try Fixture.mapping(Self.columns)
    let whole = try observed(text, mapping)
    #expect(whole.dayCount == 5 && whole.views.count == 20)
    let begin = Double(whole.firstDay + 1) * ObservedViews.day
    let part = try observed(text, mapping, period: begin..<begin + 2 * ObservedViews.day)
    #expect(part.views.count == 8 && part.dayCount == 2 && part.firstDay == whole.firstDay + 1)
  }

  @Test func `too many views are thinned by whole sessions, the same for any salt`() throws {
    var text = Self.header
    for session in 0..<400 {
      for view in 0..<5 {
        text += "s\(session),\(view),2026-11-02T12:00:0\(view)Z,\(100 + session),,8,7,0,0,1,v\n"
      }
    }
    let mapping = try Fixture.mapping(Self.columns)
    let found = try observed(text, mapping, limit: 1_000)
    #expect(found.views.count <= 1_000 && found.views.count >= 300)
    let sizes = Dictionary(grouping: found.views, by: \.session).values.map(\.count)
    #expect(sizes.allSatisfy { $0 == 5 })
    #expect(found.notes.contains { $0.contains("those of one session of") })
    let again = try Fixture.with(Array(text.utf8)) { path in
      var reader = FieldTelemetryReader(files: [path], mapping: mapping)
      (reader.keepsViews, reader.keptLimit) = (true, 1_000)
      return try #require(try reader.read().observed)
    }
    #expect(again.views.map(\.wait) == found.views.map(\.wait))
    #expect(again.digest == found.digest)
  }

  // MARK: Parts of a start

  private static let partColumns =
    columns + """
        startPart:
          - {column: net_ms, unit: ms, key: dns+connect+tls}
          - {column: dl_s, unit: s, key: transfer}

      """
  private static let partHeader =
    header.replacingOccurrences(of: "app\n", with: "app,net_ms,dl_s\n")

  @Test func `the parts of a start are those of its row, and of lines that came later`() throws {
    let rows = """
      a,1,2026-11-02T10:00:00Z,400,,9,8,0,0,1,v,100,0.25
      a,2,2026-11-02T10:00:10Z,50,,9,8,0,0,1,v,,0.05
      a,3,2026-11-02T10:00:20Z,60,,9,8,0,0,1,v,20,
      a,3,2026-11-02T10:00:21Z,,,,,,,,v,,0.04
      a,4,2026-11-02T10:00:30Z,,1,1,,,,,v,10,0.01

      """
    let found = try observed(
      Self.partHeader + rows, try Fixture.mapping(Self.partColumns))
    #expect(found.parts == ["dns+connect+tls", "transfer"])
    #expect(found.views.count == 4 && found.partTimes.count == 8)
    func near(_ place: Int, _ time: Double) -> Bool { abs(found.partTimes[place] - time) < 1e-3 }
    #expect(near(0, 100) && near(1, 250) && found.partTimes[2].isNaN && near(3, 50))
    #expect(near(4, 20) && near(5, 40) && near(6, 10) && near(7, 10))
    // Of the two starts that tell both: 350 and 60 of 460 ms.
    #expect(found.notes.contains("parts of starts add up to 89 % of them"), "\(found.notes)")
  }

  @Test func `parts of views without a clock are of no starts, and thinning keeps them in place`()
    throws
  {
    var text = Self.partHeader
    for session in 1...400 {
      for view in 0..<5 {
        let ttff = 10 * session
        let row = "s\(session),\(view),2026-11-02T12:00:0\(view)Z,\(ttff),,8,7,0,0,1,v"
        text += "\(row),\(ttff),0\n"
      }
    }
    let mapping = try Fixture.mapping(Self.partColumns)
    let found = try observed(text, mapping, limit: 1_000)
    #expect(found.views.count <= 1_000 && found.partTimes.count == 2 * found.views.count)
    for (place, view) in found.views.enumerated() {
      #expect(abs(found.partTimes[2 * place] - view.wait) < 1e-2)
    }
    // Neither session nor clock: nobody knows whose starts they are.
    let bare = try observed(
      "ttff_ms,net_ms\n400,100\n",
      try Fixture.mapping(
        """
        version: 1
        columns:
          ttff: {column: ttff_ms, unit: ms}
          startPart: [{column: net_ms, unit: ms, key: connect}]

        """))
    #expect(bare.views.count == 1 && bare.partTimes[0].isNaN)
  }
}
