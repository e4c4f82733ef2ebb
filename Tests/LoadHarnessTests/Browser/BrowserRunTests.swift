import CachePolicy
import Foundation
import MediaUnits
import Models
import Testing

@testable import FeedModel
@testable import LoadHarness

/// What a run in a browser is made of, without a browser.
@Suite struct BrowserRunTests {
  private func session(at times: [Int64], bytes: Int64 = 0) -> FeedMeasures {
    var measures = FeedMeasures(networks: 1, devices: 1)
    for (item, time) in times.enumerated() {
      measures.views.append(
        ViewRecord(
          session: 1024, item: UInt32(item), title: 0, network: 0, device: 0, flags: [.started],
          firstRung: 0, settledAt: .zero + .milliseconds(time), ttff: .milliseconds(10),
          ttffPlay: .milliseconds(10), played: .seconds(1), stalled: .zero, stalls: 0,
          parts: StartupParts()))
    }
    measures.counts.deliveredBytes = bytes
    return measures
  }

  @Test func `views count by when they began, sums by when their session did`() {
    var views = BrowserViews(
      networks: 1, devices: 1, measuredFrom: .zero + .seconds(10), window: .seconds(20), count: 2)
    // Begins in the warm-up, and is still there in the window: 8.5 s does not count, 12 s does.
    views.add(session(at: [500, 4_000], bytes: 7), from: .zero + .seconds(8))
    // Begins in the first part and goes on in the second.
    views.add(session(at: [0, 3_000], bytes: 5), from: .zero + .seconds(18))
    // Goes on after the window: the last part has it.
    views.add(session(at: [0, 6_000], bytes: 3), from: .zero + .seconds(29))
    let parts = views.sorted()
    let begun = parts.map { $0.views.map { ($0.settledAt - Instant.zero).seconds } }
    #expect(begun == [[12, 18], [21, 29, 35]])
    #expect(parts.map(\.counts.deliveredBytes) == [5, 3])
  }

  @Test func `sessions are read back for the seed that they are of alone`() throws {
    let scenario = try LiveFixture.scenario(["audience.window=90 s", "audience.warmUp=0 s"])
    let plan = try FeedRun.plan(scenario.configuration, seed: 2)
    var contents = BrowserSessionStore.Contents()
    contents.kept = FeedRun.arrivals(scenario.configuration, plan: plan, seed: 2).map {
      BrowserSessionStore.Kept(
        session: $0.session, begin: ($0.at - Instant.zero).nanoseconds + 1_000_000, isLate: false,
        failure: "it did not open")
    }
    try #require(contents.count > 10)
    contents.seed = 2
    func read(_ seed: UInt64) throws -> BrowserFacts {
      try BrowserRunner.readBack(
        scenario, plan: plan, options: BrowserOptions(edges: [""], seed: seed, page: [:]),
        contents: contents
      ).1
    }
    #expect(try read(2).failed == contents.count)
    #expect { try read(3) } throws: {
      "\($0)".contains("expected those of seed 3, got those of seed 2")
    }
    // Older files do not say it, but when who began, and how many there were.
    contents.seed = nil
    #expect(try read(2).failed == contents.count)
    for seed in UInt64(3)..<9 {
      #expect { try read(seed) } throws: { "\($0)".contains("the seed or the audience is another") }
    }
    contents.kept.removeLast(2)
    #expect { try read(2) } throws: { "\($0)".contains("2 are missing and 0 are of none") }
  }

  @Test func `a page finds its files under the path, whatever stands behind the name`() {
    let files = BrowserPageFiles(
      under: "/player/", ["feed.js": BrowserFile(type: "text/javascript", bytes: [0x61, 0x62])])
    #expect(files.pattern == "*/player/*")
    for url in ["http://a:1/player/feed.js", "http://b/player/feed.js?session=3#top"] {
      let answer = files.answer(to: url, id: "7")
      #expect(answer["responseCode"] == 200)
      #expect(answer["body"] == "YWI=")
      #expect(answer["requestId"] == "7")
    }
    for url in ["http://a/player/other.js", "http://a/feed.js", "http://a/player/"] {
      #expect(files.answer(to: url, id: "7")["responseCode"] == 404)
    }
  }

  @Test func `a session's report has the logs of each machine`() throws {
    let text = """
      {"session":1029,"measures":"measures 1","logs":"player-pool 4\\nab\\n\\nprefetch-policy 1\\nx",
       "counts":{"requests":3,"answered":2,"bytes":10,"silent":0,"failures":{"TypeError":1}},
       "requests":[[5,0,0.1,0.2,0.3,0.4,100,1]],"players":[],"frames":{"shown":9,"dropped":1},
       "loads":[4,1,300],"problems":[],"seconds":4.5}
      """
    let report = try JSONDecoder().decode(BrowserSession.self, from: Data(text.utf8))
    #expect(report.machineLogs.map(\.machine) == ["player-pool", "prefetch-policy"])
    let texts = report.machineLogs.map { String(decoding: $0.lines, as: UTF8.self) }
    #expect(texts == ["ab\n\n", "x"])
    #expect(report.loads == [4, 1, 300])
    var cut = report
    cut.logs = "player-pool 40\nab"
    #expect(cut.machineLogs.isEmpty)
  }

  /// Heads of answers as real servers write them.
  static let heads: [[(name: String, value: String)]] = [
    [("Cache-Status", "ff; hit; ttl=30")], [("Cache-Status", "ff; hit; ttl=-3")],
    [("Cache-Status", "ff; fwd=uri-miss; stored")], [("Cache-Status", "ff; fwd=miss; collapsed")],
    [("Cache-Status", "ff; fwd=stale; fwd-status=304")],
    [("Cache-Status", "ff; fwd=stale; fwd-status=503")],
    [("Cache-Status", "ff; fwd=bypass")], [("Cache-Status", "\"a, b\"; hit, edge; fwd=method")],
    [("Cache-Status", "ff; fwd=unheard-of")], [("X-Cache-Status", "HIT")],
    [("X-Cache-Status", "EXPIRED")], [("X-Cache-Status", "UPDATING")],
    [("X-Cache", "MISS, HIT")], [("X-Cache", "pass")], [("X-Varnish", "12 7")],
    [("X-Varnish", "12")], [("X-Varnish", "no")], [("Age", "3")], [("Age", "0")], [],
  ]

  private static let node = ["/usr/bin/node", "/usr/local/bin/node"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// What a script says that follows the page's own, run by node.
  private func run(_ file: String, _ script: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    // In one file with what asks it: not every node takes a .js for a module.
    let text = try String(
      contentsOf: root.appendingPathComponent("tools/browser/\(file)"), encoding: .utf8)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "firstframe-page-\(UInt32.random(in: 0 ... .max)).mjs")
    try "\(text)\n\(script)".write(to: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: path) }
    return try Subprocess.run([try #require(Self.node), path.path])
  }

  @Test(.enabled(if: node != nil, "node runs the page's script"))
  func `an item's media are whole without a hole, and what is dropped is no more`() throws {
    let script = """
      const media = new ItemMedia(7);
      const lost = [];
      media.player = { pump() {}, lose(piece) { lost.push(piece.segment); } };
      const seen = [];
      media.count = 3;
      const pieces = [0, 1, 2].map((segment) => media.begin(0, segment));
      media.end(pieces[0]);
      media.end(pieces[2]);
      seen.push(media.isComplete);
      media.drop(pieces[1]);
      seen.push(media.isComplete, lost.join());
      media.drop(pieces[2]);
      seen.push(media.segments[2] === pieces[2]);
      media.end(media.begin(1, 1));
      seen.push(media.isComplete);
      const init = media.begin(1, -1);
      media.drop(init);
      seen.push(media.inits.size);
      console.log(JSON.stringify(seen));
      """
    #expect(
      try run("players.js", script).trimmingCharacters(in: .newlines)
        == #"[false,false,"1",true,true,0]"#)
  }

  @Test(.enabled(if: node != nil, "node runs the page's script"))
  func `an element that loads by itself gets its playlist once, and tells when it could begin`()
    throws
  {
    let script = """
      const listeners = {};
      const video = {
        style: {}, buffered: { length: 1, end: () => 0.25 }, currentTime: 0, sources: [],
        addEventListener(name, hear) { (listeners[name] ??= []).push(hear); },
        requestVideoFrameCallback() {}, getVideoPlaybackQuality: () =>
          ({ totalVideoFrames: 2, droppedVideoFrames: 0 }),
        pause() {}, load() {}, removeAttribute() {}, set src(url) { this.sources.push(url); },
      };
      const fire = (name) => listeners[name].forEach((hear) => hear());
      globalThis.document = { createElement: () => video };
      const told = [];
      const player = new playerKinds.native(
        3, { append() {} }, (...news) => told.push(news.join()), () => [1, 2]);
      const media = new ItemMedia(7);
      // Nobody knows yet what to load.
      player.hold(media, 5, () => undefined, 0);
      const seen = [video.sources.length];
      media.playlist = "/p.m3u8";
      player.pump();
      player.pump();
      seen.push(video.sources.join());
      fire("loadstart");
      media.end(media.begin(0, -1));
      const segment = media.begin(0, 0);
      seen.push(player.use.configured > 0);
      media.end(segment);
      seen.push(player.use.configured > 0, player.use.players, player.use.transfers);
      fire("progress");
      fire("canplay");
      fire("progress");
      seen.push(player.use.appends.map((each) => each[1]).join(), told.join("; "));
      seen.push(player.use.due > 0 && player.use.due <= player.use.opened);
      // One that comes back to another item loads that.
      const other = new ItemMedia(8);
      other.playlist = "/q.m3u8";
      player.hold(other, 6, () => undefined, 0);
      seen.push(video.sources.join(), player.use.due, media.player === undefined);
      console.log(JSON.stringify(seen));
      """
    #expect(
      try run("players.js", script).trimmingCharacters(in: .newlines)
        == #"[0,"/p.m3u8",false,true,1,2,"250","ready,3,5",true,"/p.m3u8,/q.m3u8",0,true]"#)
  }

  @Test(.enabled(if: node != nil, "node runs the page's script"))
  func `the page's script reads heads as the harness does`() throws {
    let heads = try JSONSerialization.data(
      withJSONObject: Self.heads.map { $0.map { [$0.name, $0.value] } })
    let script = """
      const heads = \(String(decoding: heads, as: UTF8.self));
      const read = heads.map((head) => verdict(200, new Headers(head)) ?? -1);
      read.push(verdict(503, new Headers()));
      read.push(lifetime(new Headers([["Cache-Control", "public, max-age=7"]])) / 1e9);
      read.push(lifetime(new Headers([["Cache-Control", "no-store"]])));
      read.push(lifetime(new Headers()));
      console.log(JSON.stringify(read));
      """
    let text = try run("verdict.js", script)
    let read = try JSONDecoder().decode([Int].self, from: Data(text.utf8))
    let expected = Self.heads.map { head in
      LiveHeaders(status: 200, fields: head).verdict.outcome.map { Int($0.rawValue) } ?? -1
    }
    #expect(Array(read.prefix(expected.count)) == expected)
    #expect(Array(read.suffix(4)) == [Int(CacheOutcome.error.rawValue), 7, 0, -1])
  }
}
