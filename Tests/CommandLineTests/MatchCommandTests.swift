import Foundation
import Testing

/// `match` as a process: what it writes runs, and what cannot be fitted is said.
@Suite struct MatchCommandTests {
  private func match(_ firstframe: Program, _ arguments: String...) throws -> Program.Outcome {
    try firstframe.run(
      [
        "match", "field.yaml", "--observed", "views.csv", "--map", "columns.yaml", "--quiet",
        "--replications", "8",
      ] + arguments)
  }

  private func inFolder(cold: Int = 1_500, _ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("field.yaml", Program.field)
      try firstframe.write("columns.yaml", Program.columns)
      try firstframe.write("views.csv", Program.views(cold: cold))
      try body(firstframe)
    }
  }

  private struct Document: Decodable {
    struct Key: Decodable {
      var key, unit: String
      var value: Double
      var interval, range: [Double]
      var told: Bool
    }

    var kind: String
    var views, predictions: Int
    var converged: Bool
    var keys: [Key]
    var squares: [Double]
    var misfit: Double
  }

  @Test func `what is written says what it rests on, and runs`() throws {
    for cold in [1_000, 2_500] {
      try inFolder(cold: cold) { firstframe in
        let outcome = try match(
          firstframe, "--fit", "network.access[0].sessionRate.median=0.3..40 Mbps", "--json",
          "--output", "fitted.yaml")
        let found = try JSONDecoder().decode(Document.self, from: Data(outcome.output.utf8))
        let key = try #require(found.keys.first)
        #expect(found.kind == "firstframe.match" && found.views == 1_000)
        #expect(key.unit == "Mbps" && key.range == [0.3, 40])
        #expect(key.interval[0] <= key.value && key.value <= key.interval[1])
        // What is told, and only that, is a success.
        #expect(outcome.status == (found.converged && key.told ? 0 : 13), "\(outcome.error)")
        #expect(found.squares.allSatisfy { $0 > 0 } && found.misfit >= 1)
        #expect(found.predictions >= 2)
        let text = try firstframe.read("fitted.yaml")
        #expect(text.hasPrefix("# Keys fitted by simulation: firstframe match field.yaml"))
        #expect(try firstframe("validate", "fitted.yaml").status == 0)
      }
    }
  }

  @Test(arguments: [
    ("network.access[0].rateFactor", 64, "expected key=low..high"),
    ("network.access[0].rateFactor=2..1", 64, "expected key=low..high"),
    ("network.access[0].rateFaktor=1..2", 65, "rateFaktor"),
    ("network.access[0].sessionRate.median=1..2 ms", 65, "sessionRate.median"),
  ])
  func `a key that cannot be fitted is refused`(
    _ fit: String, _ status: Int32, _ words: String
  ) throws {
    try inFolder { firstframe in
      let outcome = try match(firstframe, "--fit", fit, "--output", "fitted.yaml")
      #expect(outcome.status == status && outcome.error.contains(words), "\(outcome.error)")
      #expect(!FileManager.default.fileExists(atPath: firstframe.folder + "/fitted.yaml"))
    }
  }

  @Test func `files that are not there, and too little of them, are said`() throws {
    try inFolder { firstframe in
      let fit = "network.access[0].rateFactor=0.1..4"
      let none = try firstframe.run(["match", "field.yaml", "--observed", "no.csv", "--fit", fit])
      #expect(none.status == 66 && none.error.contains("no.csv"))
      #expect(try match(firstframe).status == 64)
      #expect(try match(firstframe, "--fit", fit, "--fit", fit).status == 64)
      // What somebody sets holds, and so nothing is left to fit.
      let set = "network.access[0].rateFactor=1"
      let held = try match(firstframe, "--fit", fit, "--set", set)
      #expect(held.status == 64 && held.error.contains("expected a key that changes"))
      try firstframe.write("views.csv", "sid,at,ttff_ms\ns1,2026-11-01T10:00:00Z,900\n")
      let few = try match(firstframe, "--fit", fit)
      #expect(few.status == 13 && few.error.contains("more than 1 numbers"), "\(few.error)")
    }
  }

  @Test func `a fragment extends the scenario that has the rest`() throws {
    try inFolder { firstframe in
      var text = "sid,at,ttff_ms,title\n"
      for session in 0..<150 {
        for view in 0..<6 {
          text +=
            "s\(session),2026-11-01T10:\(10 + session % 50):0\(view)Z,300,"
            + "t\((session * session + view * 7) % (20 + view * 31))\n"
        }
      }
      try firstframe.write("titles.csv", text)
      try firstframe.write("columns.yaml", Program.columns + "  title: title\n")
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/out", withIntermediateDirectories: true)
      func calibrate(_ base: String, _ output: String...) throws -> Program.Outcome {
        try firstframe.run(
          ["calibrate", "titles.csv", "--map", "columns.yaml", "--extends", base] + output)
      }
      let outcome = try calibrate("field.yaml", "--output", "out/fit.yaml")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(try firstframe.read("out/fit.yaml").contains("\nextends: \"../field.yaml\"\n"))
      let explained = try firstframe("explain", "out/fit.yaml").output
      #expect(explained.contains("20 s") && explained.contains("lte"))
      #expect(try calibrate("none.yaml", "--output", "x.yaml").status == 66)
      #expect(try calibrate("field.yaml").status == 64)
    }
  }
}
