import Scenario
import Testing

@testable import Telemetry

/// What tables and logs say of links, devices and what is watched.
@Suite struct FieldSampleTests {
  private static let path = """
    version: 1
    columns:
      session: sid
      time: at
      network: net
      device: phone
      throughput: {column: mbps, unit: Mbps}
      roundTrip: {column: rtt_ms, unit: ms}
      setup: {column: setup_ms, unit: ms}

    """

  private func samples(
    _ text: String, _ mapping: ColumnMapping, named name: String = "t.csv"
  ) throws -> FieldSamples {
    try Fixture.read(text, mapping, named: name).reading.data.field
  }

  @Test func `rates, round trips and parts come by session, with what it is on`() throws {
    let samples = try samples(
      """
      sid,at,net,phone,mbps,rtt_ms,setup_ms
      a,1700000000,wifi,high,12.5,20,40
      a,1700000001,,,15,22,
      b,1700000002,lte,mid,3,60,
      ,1700000003,lte,mid,4,61,
      c,1700000004,lte,mid,,,

      """, try Fixture.mapping(Self.path))
    #expect(samples.isRead && samples.networks == ["wifi", "lte"])
    // The session without any value is not among them.
    #expect(samples.sessions.map(\.network) == [1, 2, 2])
    #expect(samples.sessions.map(\.isNamed) == [true, true, false])
    let rates = samples.values(of: .measured)
    #expect(rates.map(\.value) == [12.5e6, 15e6, 3e6, 4e6])
    #expect(rates.map(\.session) == [0, 0, 1, 2])
    #expect(rates[1].second - rates[0].second == 1)
    #expect(samples.values(of: .roundTrip).map(\.value) == [0.02, 0.022, 0.06, 0.061])
    #expect(samples.values(of: .setup).map(\.value) == [0.04])
  }

  @Test func `starts say whether they were ready, where they came and the clock is no launch`()
    throws
  {
    let columns = """
      version: 1
      columns:
        session: sid
        ttff: {column: ttff_ms, unit: ms}
        clock: clock
        failed: failed
        abandoned: gone
        ready: prepared
        bytes: {column: bytes, unit: B}

      """
    let samples = try samples(
      """
      sid,ttff_ms,clock,failed,gone,prepared,bytes
      a,900,cold,,,0,5000
      a,40,swipe,,,1,7000
      a,60,swipe,,0,true,
      b,700,swipe,,false,false,9000
      b,,swipe,,,1,10
      b,300,swipe,1,,0,10
      b,200,swipe,,1,0,10
      b,30,swipe,,true,1,10
      b,50,play,,,,10

      """, try Fixture.mapping(columns))
    let (ready, waited) = (samples.values(of: .readyStart), samples.values(of: .waitedStart))
    #expect(ready.map(\.value) == [0.04, 0.06] && waited.map(\.value) == [0.7])
    #expect(ready[0].bytes == 7_000 && ready[1].bytes.isNaN && waited[0].bytes == 9_000)
    #expect(ready.map(\.session) == [0, 0] && waited.map(\.session) == [1])
  }

  @Test func `a session that changes its network is another one to a link`() throws {
    let samples = try samples(
      """
      sid,at,net,phone,mbps,rtt_ms,setup_ms
      a,1700000000,wifi,high,12.5,20,40
      a,1700000001,,,15,,
      a,1700000002,lte,,3,60,
      a,1700000003,,,4,,
      b,1700000004,wifi,mid,11,,
      b,1700000005,lte,,,,
      b,1700000006,,,2,,

      """, try Fixture.mapping(Self.path))
    #expect(samples.networks == ["wifi", "lte"])
    let rates = samples.values(of: .measured)
    #expect(rates.map(\.value) == [12.5e6, 15e6, 3e6, 4e6, 11e6, 2e6])
    let networks = rates.map { samples.sessions[$0.session].network }
    #expect(networks == [1, 1, 2, 2, 1, 2])
    // The device is the same.
    let devices = rates.map { samples.sessions[$0.session].device }
    #expect(devices == [1, 1, 1, 1, 2, 2])
    #expect(samples.values(of: .roundTrip).map(\.session) == [rates[0].session, rates[2].session])
  }

  @Test func `a transfer's rate is that after its first byte, and small ones have none`() throws {
    func line(_ number: Int, _ status: Int, _ bytes: Int, _ time: Double) -> String {
      #"{"request":"GET /a/\#(number) HTTP/1.1","status":\#(status),"bytes_sent":\#(bytes),"#
        + #""request_time":\#(time),"upstream_response_time":0.1,"msec":1700000000}"# + "\n"
    }
    let samples = try samples(
      line(1, 200, 1_000_000, 1.1) + line(2, 200, 1_000, 0.2) + line(3, 404, 900_000, 0.2),
      BuiltInMapping.jsonLog.mapping, named: "t.jsonl")
    let rates = samples.values(of: .transfer)
    #expect(rates.count == 1 && abs(rates[0].value - 8e6) < 1 && abs(rates[0].width - 1) < 1e-9)
    #expect(samples.notes.contains { $0.hasPrefix("1 transfers of less than 256 KiB") })
    #expect(samples.requests == 3 && samples.sizes.count == 3)
    #expect(samples.outcomes.map(\.word) == ["unknown"])
  }

  @Test func `a rate of a playback and a player's estimate are told apart from measured ones`()
    throws
  {
    let playback = try samples(
      "session,view,time,meanBandwidth,totalElapsedTimeMs,totalValidJoinTimeMs\n"
        + "s,v,1700000000000,5000000,4000,300\n", BuiltInMapping.media3.mapping)
    #expect(playback.values(of: .playback).map(\.width) == [4])
    #expect(playback.watched.seen.count == 1 && abs(playback.watched.seen[0] - 3.7) < 1e-9)
    let log = try samples(
      #"{"msec":1700000000,"request":"GET /v/1 HTTP/1.1","cmcd":"mtp=2500,sid=\"x\",sta=d,v=2"}"#
        + "\n", BuiltInMapping.jsonLog.mapping, named: "t.jsonl")
    #expect(log.values(of: .estimate).map(\.value) == [2.5e6])
    #expect(log.preloads == 1)
  }

  @Test func `what is watched stands by the title's length, and its end counts as such`() throws {
    let samples = try samples(
      """
      sid,at,ttff,played,length
      a,1700000000,0.1,3,15
      a,1700000010,0.1,14.8,15
      a,1700000020,0.1,14.6,15
      a,1700000030,0.1,31,15
      a,1700000040,0.1,0,9
      a,1700000050,0.1,50,600
      a,1700000060,0.1,7,

      """,
      try Fixture.mapping(
        """
        version: 1
        columns:
          session: sid
          time: at
          ttff: {column: ttff, unit: s}
          played: {column: played, unit: s}
          titleLength: {column: length, unit: s}

        """))
    #expect(samples.watchedByLength.map(\.below) == [10, 20, 40, 80, .infinity])
    #expect(samples.watchedByLength.map(\.times.seen) == [[0.001], [3, 14.6], [], [], [50]])
    // Rounded, and in a second round.
    let ends = samples.watchedByLength.map(\.times.censored)
    #expect(ends == [[], [14.75, 14.75], [], [], []])
    #expect(samples.watched.count == 7)
  }

  @Test func `units of rates, round trips and parts that cannot be right are refused`() throws {
    var rows = "sid,at,net,phone,mbps,rtt_ms,setup_ms\n"
    for row in 0..<10 { rows += "s\(row),1700000000,w,mid,12000000,20,40000000\n" }
    let problems = try Fixture.problems(rows, try Fixture.mapping(Self.path))
    let texts = problems.map(\.description)
    #expect(
      texts.contains { $0.contains("columns.throughput.unit") && $0.contains("did you mean") },
      "\(texts)")
    #expect(texts.contains { $0.contains("columns.setup.unit") }, "\(texts)")
  }

  @Test func `whole sessions are left out of too many, whatever the salt`() throws {
    var tally = PathTally()
    var observation = Observation()
    let total = 3 * PathTally.limit
    for number in 0..<total {
      observation.who.session = UInt64(number / 3) + 1
      observation.request.throughput = Double(number % 3) + 1
      tally.take(observation)
    }
    var samples = FieldSamples()
    tally.finish(&samples, words: ObservedWords())
    #expect(samples.values.count <= PathTally.limit && samples.values.count > PathTally.limit / 4)
    // Of a session that is kept all values are.
    #expect(samples.values.count == 3 * samples.sessions.count)
    #expect(samples.notes.contains { $0.contains("of whole sessions") })
  }
}
