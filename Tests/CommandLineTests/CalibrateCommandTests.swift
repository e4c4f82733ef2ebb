import Foundation
import Testing

@Suite struct CalibrateCommandTests {
  private static func json(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Exponential waits by inversion of a grid of probabilities: the mean is 20 ms.
  static let waits: String = {
    var text = "quantity,value,censored\n"
    for step in 0..<2_000 {
      let p = (Double(step) + 0.5) / 2_000
      text += "feed.latency,\(-0.020 * log(1 - p)),0\n"
    }
    return text
  }()

  @Test func `named values become a fragment that validates and that a scenario extends`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("v.csv", Self.waits + "feed.latency,oops,0\n")
      let outcome = try firstframe(
        "calibrate", "v.csv", "--output", "fit.yaml", "--html", "fit.html", "--json")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.error.contains("v.csv:2002:1: value: expected a number, not negative"))
      let document = try Self.json(outcome.output)
      let laws = try #require(document["laws"] as? [[String: Any]])
      #expect(laws.count == 1 && laws[0]["key"] as? String == "feed.latency")
      let read = try #require(document["read"] as? [String: Any])
      #expect(read["malformed"] as? Int == 1 && read["records"] as? Int == 2_000)
      #expect(try firstframe.read("fit.yaml").contains("latency: {kind: "))
      #expect(try firstframe("validate", "fit.yaml").status == 0)
      try firstframe.write("mine.yaml", "extends: fit.yaml\nversion: 1\nname: mine\n")
      let explained = try firstframe("explain", "mine.yaml")
      #expect(explained.status == 0 && explained.output.contains("fit.yaml"))
      let page = try firstframe.read("fit.html")
      #expect(page.contains("<svg") && page.contains("Quantiles"))
      #expect(try firstframe("calibrate", "v.csv", "--json").output == outcome.output)
    }
  }

  /// Forty sessions of three uses each, whose times vary.
  static let players: String = {
    var text =
      #"{"browser":"Chrome/1","feeding":"mse","kind":"firstframe.players","processors":2,"#
      + #""scenario":"s","schema":1,"seed":1,"viewers":2}"# + "\n"
    for session in 0..<40 {
      let uses = (0..<3).map { place in
        let extra = Double((session * 3 + place) % 10) / 10
        return #"{"appends":[[\#(20 + extra),500]],"configured":10,"due":1,"isNew":true,"#
          + #""item":\#(place),"metadata":\#(15 + extra),"opened":\#(5 + extra),"#
          + #""player":\#(place),"players":0,"plays":[[40,1,\#(60 + extra)]],"#
          + #""ready":\#(30 + extra),"transfers":0,"worked":1}"#
      }
      text += #"{"players":[\#(uses.joined(separator: ","))],"session":\#(session)}"# + "\n"
    }
    return text
  }()

  @Test func `players of a live run become a device and a player`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("players.jsonl", Self.players + "nonsense\n")
      let outcome = try firstframe("calibrate", "--from-live", ".", "--output", "fit.yaml")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.error.contains("./players.jsonl:42:1: expected a session's players"))
      #expect(outcome.output.contains("playerCreation"))
      #expect(outcome.output.contains("NOT TOLD BY THESE RUNS"))
      let fit = try firstframe.read("fit.yaml")
      #expect(fit.contains("kind: chromium-mse") && fit.contains("startThreshold: 500 ms"))
      #expect(try firstframe("validate", "fit.yaml").status == 0)
      let page = try firstframe("calibrate", "--from-live", "players.jsonl", "--html", "fit.html")
      #expect(page.status == 64 && page.error.contains("--html"))
      #expect(try firstframe("calibrate", "--from-live", "nowhere").status == 66)
      try firstframe.write("other.csv", "quantity,value\n")
      #expect(try firstframe("calibrate", "--from-live", "other.csv").status == 65)
    }
  }

  @Test func `too little data is refused with a reason and exit code 13`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("v.csv", "quantity,value\nfeed.latency,1\nfeed.latency,2\n")
      let outcome = try firstframe("calibrate", "v.csv", "--output", "fit.yaml")
      #expect(outcome.status == 13)
      #expect(outcome.output.contains("refused: expected at least 100 values"))
      #expect(try firstframe.names() == ["v.csv"])
      #expect(try firstframe("calibrate", "none.csv").status == 66)
      #expect(try firstframe("calibrate").status == 64)
      try firstframe.write("bad.csv", "quantity,value\nx,y\n")
      #expect(try firstframe("calibrate", "bad.csv").status == 65)
    }
  }

  @Test func `a table of a team becomes a scenario by its mapping, and names nobody`() throws {
    try Program.inFolder { firstframe in
      var table = "who,sid,startup_ms,watch_s\n"
      for row in 0..<600 {
        // Exponential laws, at even shares.
        let (p, q) = ((Double(row) + 0.5) / 600, (Double(row * 241 % 600) + 0.5) / 600)
        let start = row % 7 == 0 ? "" : "\(Int(20 - 200 * log(p)))"
        table += "ann-\(row),sess-\(row / 6),\(start),\(0.5 - 8 * log(q))\n"
      }
      try firstframe.write("views.csv", table + "ann-x,sess-x,oops,1\n")
      try firstframe.write(
        "columns.yaml",
        """
        version: 1
        columns:
          viewer: who
          session: sid
          ttff: {column: startup_ms, unit: ms}
          dwell: {column: watch_s, unit: s}

        """)
      let outcome = try firstframe(
        "calibrate", "views.csv", "--map", "columns.yaml", "--json", "--html", "fit.html",
        "--output", "fit.yaml", "--at-least", "20", "--resamples", "50")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.error.contains("views.csv:602:14: startup_ms: expected a number"))
      let document = try Self.json(outcome.output)
      let laws = try #require(document["laws"] as? [[String: Any]])
      #expect(laws.contains { $0["name"] as? String == "startup" })
      #expect(laws.contains { $0["name"] as? String == "dwell" })
      for text in [outcome.output, outcome.error, try firstframe.read("fit.html")] {
        #expect(!text.contains("ann-") && !text.contains("sess-"))
      }
      let again = try firstframe(
        "calibrate", "views.csv", "--map", "columns.yaml", "--json", "--html", "fit.html",
        "--output", "fit.yaml", "--at-least", "20", "--resamples", "50")
      #expect(again.output == outcome.output)
      try firstframe.write(
        "columns.yaml", "version: 1\ncolumns: {ttff: {column: startup, unit: ms}}\n")
      let wrong = try firstframe("calibrate", "views.csv", "--map", "columns.yaml")
      #expect(wrong.status == 65 && wrong.error.contains("columns.yaml:2:17: columns.ttff"))
      #expect(try firstframe("calibrate", "views.csv", "--format", "mux").status == 65)
      #expect(try firstframe("calibrate", "views.csv", "--format", "flux").status == 64)
      #expect(try firstframe("calibrate", "views.csv", "--fields", "a").status == 64)
      let list = try firstframe("calibrate", "views.csv", "--format", "common", "--fields", "a")
      #expect(list.status == 65 && list.error.contains("--fields a: (file): expected files"))
      #expect(try firstframe("calibrate", "views.csv", "--map", "none.yaml").status == 66)
    }
  }

  /// Covers: SIG-050.
  @Test func `a run's events come back as the run's own audience`() throws {
    try Program.inFolder { firstframe in
      let scenario = """
        version: 1
        name: round
        audience:
          viewsPerDayPerEdge: 6000000
          sessionLength: {kind: exponential, mean: 30 s}
          window: 10 min
          drain: 5 min
        catalogue: {titles: 2000}

        """
      try firstframe.write("s.yaml", scenario)
      let run = try firstframe(
        "run", "s.yaml", "--replications", "1", "--quiet", "--events", "e.jsonl")
      #expect(run.status == 0, "\(run.error)")
      let outcome = try firstframe(
        "calibrate", "e.jsonl", "--json", "--titles", "2000", "--edges", "1", "--output", "f.yaml",
        "--resamples", "50")
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try Self.json(outcome.output)
      let popularity = try #require(document["popularity"] as? [String: Any])
      let exponent = try #require(popularity["exponent"] as? [String: Any])
      // The law that the feed draws from, though no session sees a title twice.
      #expect(popularity["draws"] as? String == "distinct in a session")
      let interval = try #require(exponent["interval"] as? [Double])
      #expect(interval[0] <= 1 && 1 <= interval[1], "\(exponent)")
      #expect(interval[1] - interval[0] < 0.1)
      let laws = try #require(document["laws"] as? [[String: Any]])
      let session = try #require(laws.first { $0["name"] as? String == "session length" })
      #expect(session["refused"] == nil, "\(session)")
      #expect(try firstframe("validate", "f.yaml").status == 0)
    }
  }
}
