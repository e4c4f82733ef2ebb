import Foundation
import Scenario
import Testing

@testable import Telemetry

/// What came when, as a capacity plan is held against it.
@Suite struct LoadTallyTests {
  private static let columns = """
    version: 1
    timeZone: UTC
    columns:
      session: sid
      viewer: who
      time: {column: at, unit: iso8601}
      ttff: {column: ttff_ms, unit: ms}
      abandoned: left
      dwell: {column: watch_s, unit: s}
      bytes: {column: bytes, unit: B}

    """
  private static let header = "sid,who,at,ttff_ms,left,watch_s,bytes\n"

  private func load(
    _ text: String, _ mapping: ColumnMapping, named name: String = "t.csv",
    salt: IdentitySalt = Fixture.salt
  ) throws -> ObservedLoad {
    try Fixture.with(Array(text.utf8), named: name) { path in
      var reader = FieldTelemetryReader(files: [path], mapping: mapping, salt: salt)
      reader.countsLoad = true
      return try #require(try reader.read().load)
    }
  }

  @Test func `views stand in the five minutes that they began in, and are shown where they were`()
    throws
  {
    let rows = """
      a,u1,2026-11-02T10:04:50Z,500,,20,1000
      a,u1,2026-11-02T10:05:10Z,500,,30,2000
      b,u2,2026-11-02T10:04:00Z,400,,600,500
      b,u2,2026-11-02T10:06:00Z,,1,2,100
      ,,2026-11-02T12:00:00Z,300,,,

      """
    let found = try load(Self.header + rows, try Fixture.mapping(Self.columns))
    let first = Int64(1_793_613_600 / 300)
    #expect(found.blocks.map(\.number) == [first, first + 1, first + 24])
    #expect(found.blocks.map(\.views) == [2, 2, 1] && found.blocks.map(\.sessions) == [2, 0, 0])
    // 10 s of one view and 60 of another; 10 + 30 s, what is left until the next view, and 2 s.
    let shown = found.blocks.map(\.shown)
    #expect(zip(shown, [70, 102, 0]).allSatisfy { abs($0 - $1) < 1e-6 }, "\(shown)")
    #expect(found.blocks.map(\.viewBytes) == [1_500, 2_100, 0])
    #expect(found.views == 5 && found.groups.reduce(0) { $0 + $1.namedViews } == 4)
    #expect(found.groups.reduce(0) { $0 + $1.sessions } == 2)
    #expect(found.groups.reduce(0) { $0 + $1.timed } == 4 && found.undatedViews == 0)
    #expect(found.groups.reduce(0) { $0 + $1.sized } == 4)
    #expect(found.presences.count == 2 && found.strangers == 1 && found.requests == 0)
    #expect(Set(found.presences.map(\.viewer)) == [0, 1])
  }

  @Test func `a view that was on the screen for years does not say when it began`() throws {
    let rows = """
      a,u1,2026-11-02T10:04:50Z,,,1770000000000,10
      a,u1,2026-11-02T10:05:10Z,500,,30,20

      """
    let found = try load(Self.header + rows, try Fixture.mapping(Self.columns))
    let second = Int64(1_793_613_600 / 300) + 1
    #expect(found.views == 2 && found.undatedViews == 1)
    #expect(found.blocks.map(\.number) == [second])
    #expect(found.blocks.first?.sessions == 1)
    #expect(found.blocks.first?.viewBytes == 20)
  }

  @Test func `what the cache behind the edge did counts where the edge went on with a request`()
    throws
  {
    let columns = """
      version: 1
      columns:
        time: {column: at, unit: epoch_s}
        url: url
        status: status
        bytes: {column: n, unit: B}
        cache: hit

      """
    var text = "at,url,status,n,hit\n"
    let rows: [(String, Int, Int)] = [
      ("HIT", 100, 200), ("\"MISS, HIT\"", 10, 200), ("\"HIT, MISS\"", 1_000, 200),
      ("\"MISS, MISS\"", 2_000, 200),
      ("\"shield; fwd=uri-miss, edge; fwd=stale; fwd-status=304\"", 50, 200),
      ("MISS", 300, 404), ("-", 7, 200),
    ]
    for (place, row) in rows.enumerated() {
      text += "\(1_762_000_200 + place),/v/\(place),\(row.2),\(row.1),\(row.0)\n"
    }
    let found = try load(text, try Fixture.mapping(columns))
    let asked = try #require(found.blocks.first?.asked)
    #expect(found.blocks.count == 1 && asked.count == 7 && asked.bytes == 3_467)
    #expect(asked.placed == 6 && asked.sized == 7)
    // The error is no answer of a copy's, and the edge went on with it all the same.
    #expect(asked.answered == 5 && asked.hits == 2 && asked.hitBytes == 110)
    #expect(asked.fills == 4 && asked.fillBytes == 3_300)
    // Behind the edge a hit, a miss, and a fetch for what had only to be revalidated.
    #expect(asked.followed == 3 && asked.followedHits == 1 && asked.originBytes == 2_000)
    var other = ObservedLoad()
    other.blocks = [ObservedLoad.Block(number: 1)]
    other.blocks[0].views = 3
    other.blocks[0].asked.count = 9
    other.replaceRequests(with: found)
    #expect(other.blocks.map(\.number) == [1, found.blocks[0].number])
    #expect(other.blocks[0].views == 3 && other.requests == 7)
  }

  @Test func `nothing of it depends on the salt of names, and too many viewers are none`() throws {
    var text = Self.header
    for view in 0..<300 {
      text += "s\(view % 90),u\(view % 40),2026-11-02T10:\(10 + view % 50):00Z,300,,9,10\n"
    }
    let mapping = try Fixture.mapping(Self.columns)
    let found = try load(text, mapping)
    #expect(try load(text, mapping, salt: IdentitySalt(1, 2)) == found)
    #expect(found.presences.count == 40 && !found.hasTooManyViewers)
    var tally = LoadTally(presenceLimit: 2)
    for viewer in [5, 6, 5, 7, 8] as [UInt64] {
      var line = Observation()
      line.who.viewer = viewer
      line.when.client = 1_000_000_000
      tally.meet(line)
    }
    let limited = tally.finish(digest: 1)
    #expect(limited.hasTooManyViewers && limited.presences.isEmpty)
  }
}
