import Scenario
import Testing

@testable import Telemetry

/// Formats that are known by name.
@Suite struct FormatTests {
  private func read(
    _ text: String, _ format: BuiltInMapping, named name: String = "t.csv"
  ) throws -> FieldTelemetry {
    try Fixture.read(text, format.mapping, named: name)
  }

  @Test func `every format has its document, and no column twice`() {
    for format in BuiltInMapping.allCases {
      let mapping = format.mapping
      #expect(!mapping.source.isEmpty && mapping.name == format.rawValue)
      #expect(!format.summary.isEmpty)
      let names = mapping.columns.map(\.name)
      #expect(Set(names).count == names.count, "\(format)")
      #expect(mapping.ignored.isDisjoint(with: names), "\(format)")
      if mapping.foldsNames {
        #expect(mapping.ignored.allSatisfy { $0 == $0.lowercased() }, "\(format)")
      }
    }
    #expect(LogMappings.realtimeFields.count == 69)
  }

  @Test func `an export of Mux`() throws {
    let header =
      "asn,country,exit_before_video_start,rebuffer_count,rebuffer_duration,session_id,"
      + "video_id,video_startup_failure,video_startup_time,view_id,view_playing_time,view_start,"
      + "viewer_user_id,watch_time,weighted_average_bitrate\n"
    let rows =
      "1,DE,false,1,200,s1,t1,false,350,v1,9000,2026-05-01 10:00:00 UTC,u1,9550,2400000\n"
      + "1,DE,true,0,0,s1,t2,false,,v2,,2026-05-01 10:00:10 UTC,u1,1500,\n"
      + "1,US,false,0,0,s2,t1,true,,v3,,2026-05-01 10:00:20 UTC,u2,800,\n"
    let telemetry = try read(header + rows, .mux)
    let data = telemetry.reading.data
    #expect(data.startup.seen == [0.35] && data.startup.censored == [1.5])
    #expect(data.leaving.seen == [1.5] && telemetry.tally.failed == 1)
    #expect(data.dwell.seen == [9.55, 1.5, 0.8] && data.views == 3)
    #expect(data.titleCounts == [2, 1] && telemetry.words.regions.words == ["DE", "US"])
    #expect(telemetry.tally.stalledTime == 0.2 && telemetry.tally.bitrates.seen == [2_400_000])
    #expect(telemetry.reading.notes.contains { $0.hasPrefix("columns as in: Mux, Export raw") })
  }

  @Test func `an unknown column of a known format is refused by name`() throws {
    let problems = try Fixture.problems(
      "view_id,video_startup_time,video_startup_tyme\n", BuiltInMapping.mux.mapping)
    #expect(problems.map(\.keyPath) == ["video_startup_tyme"])
    #expect(problems[0].suggestion == "video_startup_time" && problems[0].line == 1)
    // A line that is none of names is not quoted.
    let none = try Fixture.problems("u-17,192.0.2.7,ann\n", BuiltInMapping.mux.mapping)
    #expect(
      none.map(\.description) == [
        "\(none[0].place): (file): expected columns of mux, got none of them"
      ])
  }

  @Test func `a session log of Conviva, whose sessions are views`() throws {
    let header =
      "viewerId,asset,device/os,country,state,city,asn,isp,start time (unix time),"
      + "startup time (ms),playing time (ms),buffering time (ms),interrupts,"
      + "average bitrate (kbps),startup error,session tags,ip address,cdn,browser,"
      + "conviva session id,stream url,error list,percentage complete\n"
    func row(_ id: Int, _ start: String, _ play: String, _ error: String) -> String {
      "u,t,iOS,DE,BE,Berlin,1,isp,177762960\(id),\(start),\(play),100,1,800,\(error),tags,"
        + "192.0.2.7,cdn1,Safari,c\(id),https://h/x,,50\n"
    }
    let telemetry = try read(
      header + row(0, "900", "5000", "0") + row(1, "-1", "0", "0") + row(2, "-3", "0", "1"),
      .conviva)
    let data = telemetry.reading.data
    #expect(data.startup.seen == [0.9] && telemetry.tally.abandoned == 1)
    #expect(telemetry.tally.failed == 1 && data.sessions == 0 && data.views == 3)
    #expect(data.dwell.seen[0] == 6)
    #expect(telemetry.tally.bitrates.seen == [800_000, 800_000, 800_000])
    #expect(telemetry.words.edges.words == ["cdn1"])
  }

  @Test func `playbacks of Media3 and of AVPlayer`() throws {
    let media3 = try read(
      "playbackCount,totalValidJoinTimeMs,abandonedBeforeReadyCount,totalPlayTimeMs,"
        + "totalElapsedTimeMs,totalRebufferTimeMs,totalRebufferCount,totalBandwidthBytes\n"
        + "1,420,0,8000,8600,150,1,2500000\n1,-9223372036854775807,1,0,700,0,0,90000\n", .media3)
    #expect(media3.reading.data.startup.seen == [0.42])
    #expect(media3.reading.data.startup.censored == [0.7])
    #expect(media3.reading.data.dwell.seen == [8.6, 0.7])
    let avplayer = try read(
      "playbackSessionID,startupTime,durationWatched,numberOfStalls,numberOfBytesTransferred,"
        + "observedBitrate,indicatedBitrate,URI,serverAddress,playbackStartDate\n"
        + "p1,0.31,7.5,0,900000,5200000,1500000,https://h/v/a/m.m3u8,192.0.2.9,"
        + "2026-05-01T10:00:00Z\np1,-1,2.5,-1,300000,,,https://h/v/a/m.m3u8,192.0.2.9,\n", .avplayer
    )
    #expect(avplayer.reading.data.startup.seen == [0.31])
    #expect(avplayer.reading.data.views == 1 && avplayer.reading.data.titleCounts == [1])
    // Stretches of a playback add up.
    #expect(avplayer.reading.malformed == 0 && avplayer.reading.data.dwell.seen == [10.31])
  }

  @Test func `logs give outcomes, sizes and titles by their most requested object`() throws {
    func line(_ target: String, _ bytes: Int) -> String {
      "192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET \(target) HTTP/1.1\" 200 \(bytes)\n"
    }
    let text =
      line("/v/a/m.json", 10) + line("/v/a/s1.mp4", 500) + line("/v/a/m.json?x=1", 10)
      + line("/v/b/m.json", 10) + "broken line\n"
    let telemetry = try read(text, .common, named: "access.log")
    #expect(telemetry.reading.data.titleCounts == [2, 1] && telemetry.reading.records == 4)
    #expect(telemetry.reading.problems.map(\.line) == [5] && telemetry.reading.data.views == 0)
    #expect(telemetry.tally.requests.count == 4)
    #expect(telemetry.tally.requests.sizes.seen.sorted() == [10, 10, 10, 500])
  }

  @Test func `a standard log of CloudFront, with CMCD encoded twice`() throws {
    let head =
      "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-uri-stem "
      + "sc-status cs(User-Agent) cs-uri-query x-edge-result-type time-taken time-to-first-byte\n"
    let query = "CMCD=bl%253D2300%252Cbs%252Cmtp%253D4800%252Csid%253D%2522s1%2522"
    let rows =
      "2026-05-01\t10:00:00\tFRA50\t900\t192.0.2.1\t/v/a/s1.mp4\t200\tx\t\(query)\tHit\t0.010\t"
      + "0.002\n2026-05-01\t10:00:01\tFRA50\t800\t192.0.2.1\t/v/a/s2.mp4\t200\tx\t-\tMiss\t0.1\t"
      + "0.09\n2026-05-01\t10:00:01\tFRA50\t800\n"
    let telemetry = try read(head + rows, .cloudfront, named: "E1.log")
    let requests = telemetry.tally.requests
    #expect(requests.count == 2 && requests.withCMCD == 1 && requests.starved == 1)
    #expect(requests.throughputs.seen == [4_800_000])
    #expect(requests.outcomes[Int(Observation.CacheOutcome.hit.rawValue)] == 1)
    #expect(requests.outcomes[Int(Observation.CacheOutcome.miss.rawValue)] == 1)
    #expect(telemetry.reading.problems.map(\.line) == [5] && telemetry.reading.data.views == 1)
    #expect(try Fixture.problems("a\tb\n", BuiltInMapping.cloudfront.mapping)[0].line == 1)
  }

  @Test func `a real-time log of CloudFront under the names of its configuration`() throws {
    var mapping = BuiltInMapping.cloudfrontRealtime.mapping
    mapping.header =
      """
      timestamp c-ip time-to-first-byte sc-bytes cs-uri-stem x-edge-result-type cmcd-session-id
      cmcd-measured-throughput cmcd-buffer-starvation cmcd-version
      """.words
    let telemetry = try Fixture.read(
      "1777629600.123\t192.0.2.1\t0.002\t900\t/v/a/s1.mp4\tHit\ts1\t4800\ttrue\t-\n", mapping,
      named: "t.log")
    #expect(telemetry.reading.malformed == 0 && telemetry.tally.requests.starved == 1)
    #expect(telemetry.tally.requests.throughputs.seen == [4_800_000])
    // All fields are too many for this line.
    let all = try Fixture.read("a\tb\n", BuiltInMapping.cloudfrontRealtime.mapping, named: "t.log")
    #expect(all.reading.malformed == 1 && all.reading.records == 0)
  }

  @Test func `logs of JSON, with Cache-Status, Server-Timing and headers of CMCD`() throws {
    let text =
      #"{"time_iso8601":"2026-05-01T10:00:00+02:00","remote_addr":"192.0.2.1","#
      + #""request":"GET /v/a/s1.mp4 HTTP/2.0","status":"200","bytes_sent":"900","#
      + #""request_time":"0.010","cache-status":"origin; fwd=uri-miss, edge; hit; ttl=30","#
      + #""server-timing":"origin;dur=40, total;dur=50","http_cmcd_session":"sid=\"s1\",v=2","#
      + #""http_cmcd_request":"mtp=(4800;v)","other":1}"# + "\n"
    let telemetry = try read(text, .jsonLog, named: "t.jsonl")
    let requests = telemetry.tally.requests
    #expect(telemetry.reading.malformed == 0 && requests.count == 1)
    #expect(requests.outcomes[Int(Observation.CacheOutcome.hit.rawValue)] == 1)
    let tries = try read(#"{"status":200,"upstream_response_time":"0.5, - : 0.25"}"#, .jsonLog)
    #expect(tries.tally.requests.upstreams.seen == [0.75])
    #expect(requests.upstreams.seen == [0.04] && requests.throughputs.seen == [4_800_000])
    #expect(telemetry.reading.notes.contains { $0.contains("version 2: 1") })
    #expect(telemetry.reading.notes.contains { $0 == "1 column is not read: other" })
  }

  @Test func `what a cache did, in the words of many`() {
    func outcome(_ text: String) -> Observation.CacheOutcome? {
      Fixture.span(text) { CacheField.outcome($0) }
    }
    #expect(outcome("HIT") == .hit && outcome("MISS, HIT") == .hit && outcome("1") == .hit)
    #expect(outcome("TCP_MEM_HIT") == .hit && outcome("OriginShieldHit") == .hit)
    #expect(outcome("RefreshHit") == .revalidated && outcome("UPDATING") == .staleHit)
    #expect(outcome("HIT, MISS") == .miss && outcome("EXPIRED") == .miss)
    #expect(outcome("a; hit; ttl=-3") == .staleHit)
    #expect(outcome("a; fwd=stale; fwd-status=304; stored") == .revalidated)
    #expect(outcome("a; fwd=uri-miss; collapsed") == .collapsed)
    #expect(outcome("a; hit, b; fwd=bypass") == .bypass)
    #expect(outcome("teapot") == nil && outcome("a; ttl=3") == nil)
  }
}
