import Foundation
import Testing

/// `calibrate` of tables that tell of links and devices: what it writes runs, and what has no key
/// is listed.
@Suite struct CalibrateFieldTests {
  /// Sessions whose rates, round trips and set-ups follow known laws; all numbers by inversion of
  /// even shares, scattered by multiplication.
  private static let table: String = {
    var text = "sid,at,mbps,rtt_ms,setup_ms\n"
    var state: UInt64 = 7
    func normal() -> Double {
      // The sum of twelve uniform numbers is normal for these purposes.
      var sum = -6.0
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        sum += Double(state >> 11) * 0x1p-53
      }
      return sum
    }
    for session in 0..<150 {
      let mean = 8 * exp(0.7 * normal())
      let base = 40 * exp(0.3 * normal())
      var variation = 0.4 * normal()
      for step in 0..<10 {
        let row = [
          "s\(session)", "\(1_700_000_000 + session * 60 + step)",
          "\(mean * exp(variation - 0.08))", "\(base + Double(step % 4) * 10)",
          step == 0 ? "\(150 * exp(0.2 * normal()))" : "",
        ]
        text += row.joined(separator: ",") + "\n"
        variation = 0.5 * variation + 0.4 * 0.75.squareRoot() * normal()
      }
    }
    return text
  }()

  private static let mapping = """
    version: 1
    columns:
      session: sid
      time: at
      throughput: {column: mbps, unit: Mbps}
      roundTrip: {column: rtt_ms, unit: ms}
      setup: {column: setup_ms, unit: ms}

    """

  private func row(_ document: [String: Any], _ key: String) throws -> [[String: Any]] {
    let fits = try #require(document["fits"] as? [[String: Any]])
    let row = try #require(fits.first { $0["key"] as? String == key }, "\(fits)")
    #expect(row["n"] as? Int ?? 0 > 100 && row["distance"] is Double)
    return try #require(row["numbers"] as? [[String: Any]])
  }

  @Test func `a table of transfers becomes a network and a device that run`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.table)
      try firstframe.write("map.yaml", Self.mapping)
      let outcome = try firstframe(
        "calibrate", "t.csv", "--map", "map.yaml", "--json", "--resamples", "50", "--output",
        "fit.yaml")
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      let rate = try row(document, "network.access[measured].sessionRate")
      let inside = try row(document, "network.access[measured].rateSigma, rateCorrelation")
      for (number, truth) in zip(rate + inside, [8e6, 0.7, 0.4, 0.5]) {
        let value = try #require(number["value"] as? Double)
        let bounds = try #require(number["interval"] as? [Double])
        // Four standard errors.
        #expect(abs(value - truth) <= bounds[1] - bounds[0], "\(number) of \(truth)")
        #expect(bounds[1] - bounds[0] < truth)
      }
      let unknown = try #require(document["unknown"] as? [String])
      #expect(unknown.contains { $0.contains("[measured].loss") })
      let fit = try firstframe.read("fit.yaml")
      for words in ["sessionRate: {kind: lognormal", "roundTrip: {kind: ", "decoderSetup: {"] {
        #expect(fit.contains(words), "\(words) in \(fit)")
      }
      let run = try firstframe(
        "run", "fit.yaml", "--short", "--quiet", "--set", "audience.viewsPerDayPerEdge=200000")
      #expect(run.status == 0 || run.status == 13, "\(run.error)")
      // The report says the same as the file.
      let text = try firstframe("calibrate", "t.csv", "--map", "map.yaml", "--resamples", "50")
      #expect(text.output.contains("NOT TOLD BY THESE DATA"))
      #expect(text.output.contains("session rate: median"))
      let half = try firstframe(
        "calibrate", "t.csv", "--map", "map.yaml", "--resamples", "50", "--without",
        "network.access", "--json")
      #expect(half.status == 0 && !half.output.contains("network.access[measured]"))
    }
  }

  @Test func `what no key takes ends with 65, a list, and nothing written`() throws {
    try Program.inFolder { firstframe in
      var text = "quantity,value\n"
      for step in 1..<400 {
        let wait = -log(Double(step) / 400)
        text += "network,\(1e7 * wait)\ndwell,\(8 * wait)\nfeed.latency,\(0.1 * wait)\n"
      }
      try firstframe.write("v.csv", text)
      let outcome = try firstframe(
        "calibrate", "v.csv", "--output", "fit.yaml", "--resamples", "50")
      #expect(outcome.status == 65)
      #expect(outcome.error.contains("dwell: what is watched goes to audience.personas"))
      #expect(outcome.error.contains("network: rates go to network.access"))
      #expect(outcome.output.contains("NO KEY TAKES"))
      #expect(try firstframe.names() == ["v.csv"])
      let without = try firstframe(
        "calibrate", "v.csv", "--output", "fit.yaml", "--resamples", "50", "--without",
        "dwell, network")
      #expect(without.status == 0, "\(without.error)")
      #expect(try firstframe("validate", "fit.yaml").status == 0)
      let typo = try firstframe("calibrate", "v.csv", "--without", "dwell,netwrk")
      #expect(typo.status == 64)
      #expect(typo.error.contains("got netwrk (did you mean network?)"), "\(typo.error)")
      // Times to the first frame are a result, and make no scenario by themselves.
      var table = "ttff\n"
      for step in 1..<400 { table += "\(800 * -log(Double(step) / 400) + 1)\n" }
      try firstframe.write("t.csv", table)
      try firstframe.write("map.yaml", "version: 1\ncolumns: {ttff: {column: ttff, unit: ms}}\n")
      let alone = try firstframe(
        "calibrate", "t.csv", "--map", "map.yaml", "--resamples", "50", "--output", "ttff.yaml")
      #expect(alone.status == 65, "\(alone.output)")
      #expect(alone.error.contains("startup: it is a result of a run (ttff_ms)"))
      #expect(try !firstframe.names().contains("ttff.yaml"))
    }
  }

  @Test func `a unit of a rate that cannot be right is refused before anything is fitted`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("t.csv", Self.table)
      try firstframe.write("map.yaml", Self.mapping.replacing("unit: Mbps", with: "unit: bps"))
      let outcome = try firstframe("calibrate", "t.csv", "--map", "map.yaml")
      #expect(outcome.status == 65)
      #expect(outcome.error.contains("columns.throughput.unit"), "\(outcome.error)")
      #expect(outcome.error.contains("did you mean"), "\(outcome.error)")
    }
  }

  @Test func `what simulated viewers watch comes back from their events`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "s.yaml",
        """
        version: 1
        name: truth
        audience:
          viewsPerDayPerEdge: 3000000
          sessionLength: {kind: exponential, mean: 60 s}
          personas: [{kind: measured, watchTime: {kind: lognormal, median: 4 s, sigma: 0.5}}]
          burstStart: 0
          window: 5 min
          drain: 5 min
        catalogue: {titles: 2000}

        """)
      let run = try firstframe(
        "run", "s.yaml", "--replications", "1", "--quiet", "--events", "e.jsonl")
      #expect(run.status == 0, "\(run.error)")
      let outcome = try firstframe(
        "calibrate", "e.jsonl", "--format", "events", "--json", "--resamples", "50", "--output",
        "fit.yaml")
      #expect(outcome.status == 0, "\(outcome.error)")
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      let laws = try #require(document["laws"] as? [[String: Any]])
      let watched = try #require(laws.first { $0["key"] as? String == "audience.personas" })
      #expect(watched["family"] as? String == "lognormal", "\(watched)")
      let numbers = try #require(watched["parameters"] as? [[String: Any]])
      // Milliseconds are whole, sessions end in views, and titles do: a tenth of the median.
      #expect(abs((numbers[0]["value"] as? Double ?? 0) - 4) < 0.2, "\(numbers)")
      #expect(abs((numbers[1]["value"] as? Double ?? 0) - 0.5) < 0.05, "\(numbers)")
      let again = try firstframe("explain", "fit.yaml")
      #expect(again.status == 0 && again.output.contains("measured"))
    }
  }
}
