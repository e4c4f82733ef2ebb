import Foundation
import Testing

@Suite struct CapacityCommandTests {
  private static let prices = """
    version: 1
    name: test
    asOf: "2026-11-22"
    services: {rankerInstanceHour: 0.1, apiInstanceHour: 0.1, transcodeMinute: 0.01}
    regions:
      here: {transfer: [{perGB: 0.05}], requestsPer10000: 0.01}

    """

  private static func json(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Covers: SIG-010.
  @Test func `a plan comes as text, JSON, Markdown, page and notebook, the same each time`() throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      try firstframe.write("p.yaml", Self.prices)
      let words = [
        "capacity", "s.yaml", "--short", "--audience", "500000", "--prices", "p.yaml",
        "--replications", "2", "--assume", "ranker.limit=40 ms",
      ]
      let outcome = try firstframe.run(words + ["--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      #expect(document["audience"] as? Double == 500_000)
      let levels = try #require(document["levels"] as? [[String: Any]])
      #expect(levels.map { $0["factor"] as? Double } == [0.9, 1, 1.1, 2])
      let costs = try levels.map { try #require($0["monthlyCost"] as? Double) }
      #expect(costs == costs.sorted() && costs[0] > 0)
      let rows = try #require(document["assumptions"] as? [[String: Any]])
      #expect(
        rows.contains {
          $0["key"] as? String == "ranker.limit" && $0["value"] as? String == "0.04 s"
        })
      let folder = try #require(try firstframe.names("results").first)
      #expect(
        try firstframe.names("results/\(folder)")
          == ["capacity.html", "capacity.ipynb", "capacity.json", "capacity.md"])
      #expect(try firstframe.read("results/\(folder)/capacity.json") == outcome.output)
      #expect(try firstframe.read("results/\(folder)/capacity.html").contains("gives way first"))
      #expect(try firstframe.read("results/\(folder)/capacity.md").contains("| ranker"))
      _ = try Self.json(try firstframe.read("results/\(folder)/capacity.ipynb"))
      let again = try firstframe.run(words + ["--json", "--threads", "1"])
      #expect(again.output == outcome.output)
      let text = try firstframe.run(words)
      #expect(text.output.contains("WHAT GIVES WAY FIRST") && text.output.contains("A MONTH"))
      #expect(text.output.contains("views that a user sees a day"))
      #expect(!text.output.contains("relay:") && !text.output.contains("transcoder:"))
      // What is over a limit stands in the second line.
      let many = try firstframe.run([
        "capacity", "s.yaml", "--short", "--audience", "100000", "--replications", "2",
        "--assume", "calls.perUserDay=0.1", "--assume", "originRequestsPerSecond=1",
      ])
      let lines = many.output.split(separator: "\n")
      let second = try #require(lines.dropFirst().first, "\(many.error)")
      #expect(second.hasPrefix("  Over today: origin holds "), "\(second)")
      #expect(many.output.contains("relay: ports"))
    }
  }

  @Test func `of several providers it is said whose the bytes and the curve are`() throws {
    try Program.inFolder { firstframe in
      let two = "cdn: {providers: [{name: left, share: 0.75}, {name: right, share: 0.25}]}\n"
      try firstframe.write("s.yaml", Program.tiny + two)
      try firstframe.write("one.yaml", Program.tiny)
      let words = ["--short", "--audience", "500000", "--replications", "2"]
      let outcome = try firstframe.run(["capacity", "s.yaml"] + words)
      #expect(outcome.status == 0, "\(outcome.error)")
      let bytes = "bytes of one edge of each provider together, for 97.0 % hits"
      #expect(outcome.output.contains(bytes), "\(outcome.output)")
      #expect(outcome.output.contains(" (provider left)."))
      let folder: String = try #require(try firstframe.names("results").first)
      let page: String = try firstframe.read("results/\(folder)/capacity.html")
      #expect(page.contains("Misses of an edge, by its bytes, of provider left"))
      #expect(page.contains(" for one edge of each provider together."))
      let notebook: String = try firstframe.read("results/\(folder)/capacity.ipynb")
      #expect(notebook.contains(#"page.curve(\"left\")"#))
      let one = try firstframe.run(["capacity", "one.yaml"] + words)
      #expect(one.output.contains("bytes an edge for 97.0 % hits"))
      #expect(!one.output.contains("(provider "))
    }
  }

  @Test func `bad input is named and has its exit code`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      try firstframe.write("p.yaml", "version: 1\nname: x\n")
      #expect(try firstframe("capacity", "none.yaml").status == 66)
      #expect(try firstframe("capacity", "s.yaml", "--prices", "none.yaml").status == 66)
      let prices = try firstframe("capacity", "s.yaml", "--prices", "p.yaml")
      #expect(prices.status == 65 && prices.error.contains("p.yaml:1:1: "))
      let assume = try firstframe("capacity", "s.yaml", "--assume", "ranker.limti=1 s")
      #expect(assume.status == 65 && assume.error.contains("did you mean limit?"))
      #expect(try firstframe("capacity", "s.yaml", "--audience", "0").status == 64)
      #expect(try firstframe("capacity", "s.yaml", "--region", "x").status == 64)
    }
  }

  // MARK: Telemetry

  private static let field = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios/field").path

  private static func rows(_ document: [String: Any]) throws -> [String: [String: Any]] {
    let observed = try #require(document["observed"] as? [String: Any])
    var rows: [String: [String: Any]] = [:]
    for row in try #require(observed["rows"] as? [[String: Any]]) {
      rows[try #require(row["quantity"] as? String)] = row
    }
    return rows
  }

  /// The laws behind the files stand in tools/field-telemetry.py: one segment of 200 to 400 kB a
  /// view, of which an edge answers 0.9.
  @Test func `telemetry and a log of known truth say what they can, and what they cannot`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      let words = [
        "capacity", "s.yaml", "--short", "--replications", "2", "--audience",
        "\(Self.field)/warehouse.csv", "--map", "\(Self.field)/warehouse.map.yaml", "--logs",
        "\(Self.field)/cloudfront.log", "--log-format", "cloudfront",
      ]
      let outcome = try firstframe.run(words + ["--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      let rows = try Self.rows(document)
      for (name, truth) in [
        ("hitRatio", 0.9), ("byteHitRatio", 0.9), ("bytesPerView", 300_000), ("requestsPerView", 1),
      ] {
        let row = try #require(rows[name], "\(name)")
        let bounds = try #require(row["interval"] as? [Double], "\(name)")
        let value = try #require(row["observed"] as? Double)
        let half = max((bounds[1] - bounds[0]) / 2 / 2 * 3, 1e-9)
        #expect(abs(value - truth) <= half && half < 0.1 * truth, "\(name) \(value) \(bounds)")
        #expect(row["predicted"] is Double)
      }
      #expect(rows["requestsPerView"]?["n"] as? Int == 3_391)
      // A mean session has some 17 views of 7 s.
      let views = try #require(rows["viewsPerSession"]?["observed"] as? Double)
      #expect(abs(views - 3_391 / 200) < 1e-9)
      // Two hours are no day: nothing is made up.
      #expect(rows["viewsPerDay"] == nil && rows["peakToMean"] == nil)
      #expect(rows["viewersAtPeak"]?["observed"] is Double)
      #expect(rows["viewersAtPeak"]?["predicted"] is NSNull)
      let observed = try #require(document["observed"] as? [String: Any])
      #expect(observed["isAudienceKnown"] as? Bool == false && observed["wholeDays"] as? Int == 0)
      let untold = try #require(observed["notTold"] as? [[String: Any]])
      #expect(
        untold.contains {
          ($0["reason"] as? String)?.hasSuffix(" h, and a day has 24") == true
            && ($0["quantities"] as? [String])?.contains("viewsPerDay") == true
        })
      let limits = try #require(observed["limits"] as? [[String: Any]])
      #expect(limits.map { $0["isOver"] as? Bool } == [false, nil, true])
      let text = try firstframe.run(words)
      let lines = text.output.split(separator: "\n")
      #expect(lines[1].hasPrefix("  Was missed: 97.0 % hit ratio, the target of the edges; "))
      #expect(text.output.contains("WHAT WAS TAKEN, BESIDE THE PLAN"))
      #expect(text.output.contains("NOT TOLD BY THESE FILES"))
      #expect(text.output.contains("what grows with the audience is not compared"))
      // Nobody who watched comes out.
      for name in ["user-s0", "s0000", "203.0.113."] {
        #expect(!(text.output + outcome.output + outcome.error).contains(name))
      }
    }
  }

  private static let columns = """
    version: 1
    timeZone: UTC
    columns:
      session: sid
      viewer: who
      time: {column: at, unit: iso8601}
      ttff: {column: ttff_ms, unit: ms}
      dwell: {column: watch_s, unit: s}
      bytes: {column: bytes, unit: B}

    """

  /// Three days from seven o'clock on: 6 sessions an hour of 4 views of 10 s, each 3 MB, and 30
  /// sessions in the hour from 20 to 21; a user has two of them a day.
  private static var week: String {
    var text = "sid,who,at,ttff_ms,watch_s,bytes\n"
    for hour in 7..<79 {
      let sessions = hour % 24 == 20 ? 30 : 6
      let clock = String(format: "2026-11-%02dT%02d", 2 + hour / 24, hour % 24)
      for session in 0..<sessions {
        for view in 0..<4 {
          let second = view * 10 + session % 7
          let at = String(format: "%02d:%02d", session * 60 / sessions, second)
          text += "\(hour)-\(session),u\(session % 15)-\(hour / 2),"
          text += "\(clock):\(at)Z,300,10,3000000\n"
        }
      }
    }
    return text
  }

  @Test func `whole days make a plan for those who came, and stand beside it`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      try firstframe.write("week.csv", Self.week)
      try firstframe.write("columns.yaml", Self.columns)
      let words = [
        "capacity", "s.yaml", "--short", "--replications", "2", "--audience", "week.csv", "--map",
        "columns.yaml",
      ]
      let outcome = try firstframe.run(words + ["--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      let rows = try Self.rows(document)
      func value(_ name: String) throws -> Double {
        try #require(rows[name]?["observed"] as? Double, "\(name)")
      }
      let sessions = 23.0 * 6 + 30
      #expect(try value("sessionsPerDay") == sessions && value("viewsPerDay") == 4 * sessions)
      #expect(try value("viewsPerSession") == 4 && value("secondsPerView") == 10)
      #expect(try value("bytesPerView") == 3e6)
      #expect(abs(try value("peakToMean") - 30 * 24 / sessions) < 1e-9)
      // 30 sessions an hour of 40 s each.
      #expect(abs(try value("viewersInHour") - 30 * 40 / 3600.0) < 1e-6)
      let rate = try value("edgeRate")
      #expect(abs(rate - (try value("peakViews")) * 3e6 * 8) < 1e-6)
      let observed = try #require(document["observed"] as? [String: Any])
      #expect(observed["wholeDays"] as? Int == 3)
      #expect(
        observed["taken"] as? [String] == ["sessionsPerUserDay", "peakToMean", "burst"])
      #expect(abs((document["sessionsPerDay"] as? Double ?? 0) - sessions) < 1e-9)
      let users = try value("usersPerDay")
      #expect(abs((document["audience"] as? Double ?? 0) - users) < 1e-9)
      let levels = try #require(document["levels"] as? [[String: Any]])
      #expect(
        rows["peakViews"]?["predicted"] as? Double == levels[1]["peakViewsPerSecond"] as? Double)
      let folder = try #require(try firstframe.names("results").first)
      for name in ["capacity.html", "capacity.md", "capacity.ipynb"] {
        let text = try firstframe.read("results/\(folder)/\(name)")
        #expect(text.contains("What was taken"), "\(name)")
      }
      #expect(try firstframe.run(words + ["--json", "--threads", "1"]).output == outcome.output)
      // What somebody says holds, and other data are another plan.
      let said = try firstframe.run(words + ["--assume", "burst=2"])
      #expect(said.output.contains("The plan takes from them: sessionsPerUserDay, peakToMean;"))
      try firstframe.write("week.csv", Self.week + "x,y,2026-11-03T00:00:00Z,300,10,5\n")
      _ = try firstframe.run(words)
      #expect(try firstframe.names("results").count == 3)
    }
  }

  @Test func `what is wrong with mappings and files is said at once`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("s.yaml", Program.tiny)
      try firstframe.write("week.csv", Self.week)
      try firstframe.write("edge.log", "127.0.0.1 nothing of a log\n")
      try firstframe.write(
        "columns.yaml",
        Self.columns.replacingOccurrences(of: "watch_s", with: "wotch_s")
          .replacingOccurrences(of: "unit: ms", with: "unit: s"))
      try firstframe.write("log.yaml", "version: 1\ncolums: {}\n")
      let outcome = try firstframe(
        "capacity", "s.yaml", "--audience", "week.csv", "--map", "columns.yaml", "--logs",
        "edge.log", "--log-map", "log.yaml")
      #expect(outcome.status == 65)
      #expect(outcome.error.contains("columns.yaml:8:10: columns.dwell: expected a column"))
      #expect(outcome.error.contains("(did you mean watch_s?)"), "\(outcome.error)")
      #expect(outcome.error.contains("log.yaml:2:1: "), "\(outcome.error)")
      #expect(try !firstframe.names().contains("results"))
      #expect(try firstframe("capacity", "s.yaml", "--audience", "none.csv").status == 66)
      #expect(try firstframe("capacity", "s.yaml", "--audience", "2.5").status == 64)
      #expect(try firstframe("capacity", "s.yaml", "--map", "columns.yaml").status == 64)
      #expect(
        try firstframe("capacity", "s.yaml", "--audience", "5", "--format", "mux").status == 64)
      let lone = ["capacity", "s.yaml", "--audience", "week.csv", "--log-format", "mux"]
      #expect(try firstframe.run(lone).status == 64)
      // Lines that say nothing are no audience.
      try firstframe.write("bare.csv", "at,what\n2026-11-03T00:00:00Z,x\n")
      try firstframe.write(
        "bare.yaml", "version: 1\ncolumns: {time: {column: at, unit: iso8601}}\n")
      let bare = try firstframe(
        "capacity", "s.yaml", "--audience", "bare.csv", "--map", "bare.yaml")
      #expect(bare.status == 65 && bare.error.contains("expected views or requests"))
    }
  }

  @Test func `of a world of services it says at which load each budget breaks`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "s.yaml",
        """
        version: 1
        name: pages
        world: services
        services: {load: {sessionsPerSecond: 40, warmUp: 2 s, window: 5 s}}
        budgets:
          - {metric: ranker_ms.p99, limit: "<= 30 ms"}
          - {metric: fallback_mismatch.count, limit: "< 1"}

        """)
      let outcome = try firstframe.run(["capacity", "s.yaml", "--replications", "2", "--json"])
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      #expect(document["kind"] as? String == "load-knee" && document["load"] as? Double == 40)
      let breaks = try #require(document["breaks"] as? [[String: Any]])
      #expect(
        breaks.map { $0["metric"] as? String } == ["ranker_ms.p99", "fallback_mismatch.count"])
      #expect((breaks[0]["multiple"] as? Double ?? 0) > 0.5)
      #expect(breaks[1]["neverBroken"] as? Int == 2)
      let text = try firstframe("capacity", "s.yaml", "--replications", "2")
      #expect(text.output.contains("what gives way first as the load grows"))
      #expect(try firstframe("capacity", "s.yaml", "--audience", "5").status == 64)
      #expect(try firstframe("capacity", "s.yaml", "--logs", "edge.log").status == 64)
      try firstframe.write("m.yaml", "version: 1\nname: m\nworld: messages\n")
      #expect(try firstframe("capacity", "m.yaml").status == 65)
    }
  }
}
