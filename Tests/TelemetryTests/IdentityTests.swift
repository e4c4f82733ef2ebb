import Foundation
import Scenario
import Testing

@testable import Telemetry

/// Whoever watched does not come out.
@Suite struct IdentityTests {
  /// Everything that a reading can show, as text.
  private static func shown(_ telemetry: FieldTelemetry) -> String {
    var text = ""
    dump(telemetry, to: &text)
    for problem in telemetry.reading.problems { text += problem.description + "\n" }
    return text + telemetry.reading.notes.joined(separator: "\n")
  }

  private static let names = [
    "viewer-4711", "ann@example.org", "192.0.2.77", "2001:db8::77", "sess-0815", "view-0042",
    "title-abc", "c0ffee-sid",
  ]

  /// Rows in which every name stands in its column, and rows that slipped by one column.
  private static let table: String = {
    var text = "who,mail,ip,ip6,sid,vid,video,ttff_ms,at,dev\n"
    for row in 0..<40 {
      let good = names[0..<7].map { $0 + "-\(row)" }.joined(separator: ",")
      text += good + ",250,2026-05-01T10:00:00Z,phone\n"
      text += "x," + good + ",2026-05-01T10:00:00Z,250\n"
      text += good + ",\(names[1]),\(names[2]),phone\n"
    }
    return text
  }()

  private static let mapping = """
    version: 1
    columns:
      viewer: who
      address: [mail, ip, ip6]
      session: sid
      view: vid
      title: video
      ttff: {column: ttff_ms, unit: ms}
      time: at
      device: dev

    """

  @Test func `no identifier of a table occurs in what was read`() throws {
    let telemetry = try Fixture.read(Self.table, Fixture.mapping(Self.mapping))
    #expect(telemetry.reading.records >= 40 && telemetry.reading.malformed >= 40)
    let text = Self.shown(telemetry)
    for name in Self.names { #expect(!text.contains(name), "\(name)") }
    #expect(text.contains("phone"))
  }

  @Test func `none of a log does, nor of a line that is none`() throws {
    var text = ""
    for row in 0..<30 {
      text +=
        "\(Self.names[2]) - \(Self.names[1]) [10/Oct/2026:13:55:36 +0000] "
        + "\"GET /v/\(Self.names[6])/s\(row).mp4?u=\(Self.names[0])&CMCD=sid%3D%22\(Self.names[7])"
        + "%22%2Cbr%3Dfast HTTP/1.1\" 200 17 \"-\" \"\(Self.names[4])\"\n"
      text += "\(Self.names[2]) \(Self.names[1]) broken\n"
      text += "\(Self.names[2]) - - [\(Self.names[1])] \"GET / HTTP/1.1\" 200 17\n"
      text += "\(Self.names[2]) - - [10/Oct/2026:13:55:36 +0000] \"\(Self.names[0])\" 200 17\n"
    }
    let telemetry = try Fixture.read(text, BuiltInMapping.common.mapping, named: "access.log")
    #expect(telemetry.reading.records == 30 && telemetry.reading.malformed == 90)
    #expect(telemetry.reading.problems.count == 20)
    let shown = Self.shown(telemetry)
    for name in Self.names { #expect(!shown.contains(name), "\(name)") }
  }

  @Test func `nothing that is read depends on the salt`() throws {
    let mapping = try Fixture.mapping(Self.mapping)
    func reading(_ salt: IdentitySalt) throws -> TelemetryReading {
      try Fixture.read(Self.table, mapping, salt: salt, viewLimit: 16).reading
    }
    let one = try reading(IdentitySalt(1, 2))
    for salt in [IdentitySalt(3, 4), .drawn(), .drawn()] {
      let other = try reading(salt)
      #expect(other.data.titleCounts == one.data.titleCounts)
      #expect(other.data.sessionTitles == one.data.sessionTitles)
      #expect(other.data.titleSessions == one.data.titleSessions)
      #expect(other.data.startup.seen == one.data.startup.seen)
      #expect(other.data.session.seen == one.data.session.seen)
      #expect(other.digest == one.digest && other.notes == one.notes)
      #expect(other.problems.map(\.line) == one.problems.map(\.line))
      #expect(other.records == one.records)
    }
  }
}
