import Foundation
import SlowTesting
import Testing

/// The telemetry of scenarios/field, made of laws that stand in its truth.yaml, is read by each
/// route and gives these laws again.
@Suite struct FieldScenarioTests {
  private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("scenarios/field").path

  /// What `calibrate` prints of the file.
  private func fit(_ file: String, _ options: [String]) throws -> [String: Any] {
    var document: [String: Any] = [:]
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(
        ["calibrate", "\(Self.folder)/\(file)", "--json", "--output", "fit.yaml"] + options)
      #expect(outcome.status == 0, "\(outcome.error)")
      document = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      // What was fitted is a scenario by itself.
      #expect(try firstframe("validate", "fit.yaml").status == 0)
      // Nobody who watched comes out.
      let written = try firstframe.read("fit.yaml") + outcome.output + outcome.error
      for name in ["user-s0", "s0000", "s0123", "203.0.113."] {
        #expect(!written.contains(name), "\(name)")
      }
    }
    let read = try #require(document["read"] as? [String: Any])
    #expect(read["malformed"] as? Int == 0 && read["unused"] as? Int == 0)
    return document
  }

  private func law(_ document: [String: Any], _ key: String) throws -> [String: Any] {
    let laws = try #require(document["laws"] as? [[String: Any]])
    return try #require(laws.first { $0["key"] as? String == key }, "\(key)")
  }

  /// Expects the truth inside the 95 % interval, widened to three standard errors on each side: a
  /// few numbers by a few routes must not fail by chance of the one audience that there is.
  private func expect(_ truth: Double, in found: Any?, _ name: String) throws {
    let found = try #require(found as? [String: Any], "\(name)")
    let value = try #require(found["value"] as? Double)
    let bounds = try #require(found["interval"] as? [Double], "\(name)")
    let half = (bounds[1] - bounds[0]) / 2 / 1.96 * 3
    #expect(half > 0 && half < 0.5 * truth, "\(name): \(value) \(bounds)")
    #expect(abs(value - truth) <= half, "\(name): \(value) \(bounds)")
  }

  private func parameter(
    _ law: [String: Any], _ name: String
  ) throws -> [String: Any]? {
    try #require(law["parameters"] as? [[String: Any]]).first { $0["name"] as? String == name }
  }

  @Test(arguments: [
    ("warehouse.csv", ["--map", "\(folder)/warehouse.map.yaml"]),
    ("mux.csv", ["--format", "mux"]),
    ("media3.csv", ["--format", "media3"]),
  ])
  func `a table of views gives the audience that it was made of`(
    _ file: String, _ options: [String]
  ) throws {
    let document = try fit(file, options)
    let session = try law(document, "audience.sessionLength")
    #expect(session["family"] as? String == "lognormal", "\(session)")
    try expect(90, in: try parameter(session, "median"), "session length, median")
    try expect(0.6, in: try parameter(session, "sigma"), "session length, sigma")
    let patience = try law(document, "audience.patience")
    // An exponential is a gamma and a Weibull law of shape one, too: its mean tells what it is.
    let quantiles = try #require(patience["parameters"] as? [[String: Any]])
    #expect(!quantiles.isEmpty && (patience["censored"] as? Int ?? 0) > 100)
    if patience["family"] as? String == "exponential" {
      try expect(3, in: try parameter(patience, "mean"), "patience, mean")
    }
    // Of what is played the export has whole milliseconds, and the table none.
    let watched = try law(document, "audience.personas")
    #expect(watched["family"] as? String == "lognormal", "\(watched)")
    try expect(5, in: try parameter(watched, "median"), "watched, median")
    try expect(0.8, in: try parameter(watched, "sigma"), "watched, sigma")
    let popularity = try #require(document["popularity"] as? [String: Any])
    #expect(popularity["draws"] as? String == "distinct in a session")
    try expect(0.8, in: popularity["exponent"], "popularity, exponent")
  }

  /// A scenario's own views of another seed agree with it. Those of the telemetry began by a law,
  /// with no app and no network behind it, and are held against it as swipes, whoever left.
  @Test(.enabled(if: SlowRun.isOn))
  func `what was fitted is held against its own views, and against the telemetry`() throws {
    try Program.inFolder { firstframe in
      let table = "\(Self.folder)/warehouse.csv"
      let columns = ["--map", "\(Self.folder)/warehouse.map.yaml"]
      let fit = try firstframe.run(["calibrate", table, "--output", "fit.yaml"] + columns)
      #expect(fit.status == 0, "\(fit.error)")
      let made = try firstframe(
        "run", "fit.yaml", "--seed", "7", "--replications", "1", "--quiet", "--events", "e.jsonl")
      #expect(made.status == 0, "\(made.error)")
      let backtest = ["backtest", "fit.yaml", "--quiet", "--observed"]
      let own = try firstframe.run(backtest + ["e.jsonl"])
      #expect(own.status == 0, "\(own.output)\(own.error)")
      #expect(own.output.contains("AGREES: 8 of 8 metrics"), "\(own.output)")
      let field = try firstframe.run(backtest + [table, "--json", "--replications", "8"] + columns)
      #expect(field.status == 10, "\(field.error)")
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(field.output.utf8)) as? [String: Any])
      let rows = try #require(document["rows"] as? [[String: Any]])
      let swipes = try #require(rows.first { $0["metric"] as? String == "ttff_swipe_ms.p50" })
      #expect(swipes["samplesObserved"] as? Int == 3_391)
      #expect(swipes["verdict"] as? String == "disagrees")
      let missing = try #require(document["notObserved"] as? [String])
      #expect(missing.contains("ttff_cold_ms.p50"), "\(missing)")
    }
  }

  private func fitted(_ document: [String: Any], _ key: String, _ name: String) throws -> Any? {
    let fits = try #require(document["fits"] as? [[String: Any]])
    let row = try #require(fits.first { $0["key"] as? String == key }, "\(key)")
    return try #require(row["numbers"] as? [[String: Any]]).first { $0["name"] as? String == name }
  }

  @Test func `a table of transfers gives the links and devices that it was made of`() throws {
    let document = try fit(
      "transfers.csv", ["--map", "\(Self.folder)/transfers.map.yaml", "--at-least", "50"])
    for (name, rate, between, within, correlation) in [
      ("wifi", 30e6, 0.7, 0.3, 0.6), ("cellular", 8e6, 0.6, 0.5, 0.45),
    ] {
      let session = "network.access[\(name)].sessionRate"
      try expect(rate, in: try fitted(document, session, "median"), "\(name), median")
      try expect(between, in: try fitted(document, session, "sigma"), "\(name), sigma")
      let inside = "network.access[\(name)].rateSigma, rateCorrelation"
      try expect(within, in: try fitted(document, inside, "sigma"), "\(name), inside")
      try expect(
        correlation, in: try fitted(document, inside, "correlation"), "\(name), correlation")
    }
    // A session's least of ten round trips is its base: every third waits in no queue.
    for (name, median) in [("wifi", 0.020), ("cellular", 0.055)] {
      let trip = try law(document, "network.access[\(name)].roundTrip")
      if trip["family"] as? String == "lognormal" {
        try expect(median, in: try parameter(trip, "median"), "\(name), round trip")
      }
    }
    for (name, median) in [("high", 0.060), ("mid", 0.170), ("low-end", 0.350)] {
      let setup = try law(document, "devices[\(name)].decoderSetup")
      if setup["family"] as? String == "lognormal" {
        try expect(median, in: try parameter(setup, "median"), "\(name), set-up")
      }
    }
    let unknown = try #require(document["unknown"] as? [String])
    #expect(unknown.contains { $0.hasPrefix("network.access[wifi].loss") }, "\(unknown)")
  }

  @Test func `a log with CMCD gives titles and their popularity`() throws {
    let document = try fit("cloudfront.log", ["--format", "cloudfront"])
    let popularity = try #require(document["popularity"] as? [String: Any])
    // A log of single requests knows no sessions; the law of the views is flatter.
    let exponent = try #require(popularity["exponent"] as? [String: Any])
    let value = try #require(exponent["value"] as? Double)
    #expect(value > 0.6 && value < 0.85, "\(value)")
  }
}
