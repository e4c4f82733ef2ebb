import Foundation
import Testing

/// `backtest` as a process, as somebody has it who comes with files of his own.
@Suite struct BacktestCommandTests {
  private static let columns =
    Program.columns + """
        played: {column: play_s, unit: s}
        device: phone
        version: arm

      """

  /// Sessions of five views a day, by days and arms; waits are spread evenly around a middle.
  private static func rows(days: Int = 3, sessions: Int = 60, middle: Int = 300) -> String {
    var text = "sid,at,ttff_ms,play_s,phone,arm\n"
    for day in 1...days {
      for session in 0..<sessions {
        let arm = session % 2 == 0 ? "a" : "b"
        for view in 0..<5 {
          let wait = (middle + (session * 7 + view * 31) % 200) * (view == 0 ? 3 : 1)
          text +=
            "\(day)-\(session),2026-11-0\(day)T10:\(10 + session % 50):0\(view)Z,\(wait),6,"
            + "mid,\(arm)\n"
        }
      }
    }
    return text
  }

  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("field.yaml", Program.field)
      try firstframe.write("columns.yaml", Self.columns)
      try firstframe.write("views.csv", Self.rows())
      try body(firstframe)
    }
  }

  private func backtest(_ firstframe: Program, _ arguments: String...) throws -> Program.Outcome {
    try firstframe.run(["backtest", "field.yaml", "--quiet", "--replications", "8"] + arguments)
  }

  private struct Document: Decodable {
    struct Row: Decodable {
      var metric, cohort, verdict: String
      var samplesObserved: Int
    }
    struct Change: Decodable { var metric, verdict, sign: String }
    var kind, verdict, dataDigest: String
    var exitCode: Int
    var rows: [Row]
    var changes: [Change]
    var notObserved, notes: [String]
  }

  private func document(_ text: String) throws -> Document {
    try JSONDecoder().decode(Document.self, from: Data(text.utf8))
  }

  // MARK: What it finds

  @Test func `a scenario is held against events of another seed, and later runs say so`() throws {
    try inFolder { firstframe in
      let made = try firstframe(
        "run", "field.yaml", "--quiet", "--seed", "77", "--replications", "1", "--events",
        "e.jsonl", "-o", "other", "--set", "audience.window=300 s")
      #expect(made.status == 0, "\(made.error)")
      let outcome = try backtest(firstframe, "--observed", "e.jsonl", "--by", "cohort")
      #expect([0, 13].contains(outcome.status), "\(outcome.output)\(outcome.error)")
      #expect(outcome.output.contains("predicted against observed"))
      #expect(outcome.output.contains("Kolmogorov-Smirnov distance"))
      let folders = try firstframe.names("results")
      let folder = try #require(folders.first { $0.contains("-backtest-") })
      #expect(
        try firstframe.names("results/\(folder)")
          == ["backtest.html", "backtest.json", "scenario.resolved.yaml", "trust.json"])
      #expect(try firstframe.names("results/trust") == ["field.json"])
      let later = try firstframe("run", "field.yaml", "--quiet", "--replications", "2")
      #expect(later.output.contains("TRUST: backtest"), "\(later.output)")
      #expect(!later.output.contains("NOT TESTED"))
      let left = try firstframe(
        "run", "field.yaml", "--quiet", "--replications", "2", "--set", "policy.pool.size=5")
      #expect(left.output.contains("NOT TESTED: policy.pool.size 5"))
      // The same files, the same bytes.
      let first = try backtest(firstframe, "--observed", "e.jsonl", "--json", "--threads", "1")
      let again = try backtest(firstframe, "--observed", "e.jsonl", "--json", "--threads", "2")
      #expect(first.output == again.output && !first.output.isEmpty)
      // Most of it agrees; the slowest starts of some hundred sessions do not suffice.
      let found = try document(first.output)
      #expect(found.rows.count { $0.verdict == "agrees" } >= 4, "\(first.output)")
      // Looked at in another way it is another backtest.
      let before = try firstframe.names("results").count
      let other = try firstframe.run([
        "backtest", "field.yaml", "--quiet", "--replications", "9", "--observed", "e.jsonl",
      ])
      #expect([0, 13].contains(other.status), "\(other.error)")
      #expect(try firstframe.names("results").count == before + 1)
      // What lies there and is of no use any more is told, and only what was asked for ends a run.
      try firstframe.write("results/trust/field.json", "{}")
      let past = try firstframe("run", "field.yaml", "--quiet", "--replications", "2")
      #expect(past.status == later.status && !past.output.contains("TRUST"))
      #expect(past.error.contains("results/trust/field.json:1:1: expected a member schema"))
      let asked = try firstframe(
        "run", "field.yaml", "--quiet", "--replications", "2", "--trust",
        "results/trust/field.json")
      #expect(asked.status == 65, "\(asked.error)")
    }
  }

  @Test func `what is far off disagrees with exit code 10, metric by metric`() throws {
    try inFolder { firstframe in
      try firstframe.write("slow.csv", Self.rows(sessions: 200, middle: 9_000))
      let outcome = try backtest(
        firstframe, "--observed", "slow.csv", "--map", "columns.yaml", "--json")
      #expect(outcome.status == 10, "\(outcome.error)")
      let found = try document(outcome.output)
      #expect(found.kind == "firstframe.backtest" && found.verdict == "disagrees")
      let row = try #require(found.rows.first { $0.metric == "ttff_swipe_ms.p50" })
      #expect(row.verdict == "disagrees" && row.samplesObserved == 3 * 200 * 4)
      #expect(found.notObserved.contains("bytes_per_view"))
    }
  }

  @Test func `days are fitted to and others compared`() throws {
    try inFolder { firstframe in
      let outcome = try backtest(
        firstframe, "--observed", "views.csv", "--map", "columns.yaml", "--fit-on", "1-2",
        "--test-on", "3", "--by", "device", "--json")
      #expect([0, 10, 13].contains(outcome.status), "\(outcome.error)")
      let found = try document(outcome.output)
      #expect(found.notes.contains { $0.hasPrefix("fitted on days 1-2: ") }, "\(found.notes)")
      #expect(found.notes.contains("observed: day 3"))
      let rows = found.rows.filter { $0.metric == "ttff_cold_ms.p50" }
      #expect(rows.map(\.cohort) == ["", "device=mid"])
      #expect(rows.allSatisfy { $0.samplesObserved == 60 })
      // What was tested is a scenario by itself.
      let folder = try #require(try firstframe.names("results").first { $0 != "trust" })
      let later = try firstframe(
        "run", "results/\(folder)/scenario.resolved.yaml", "--quiet", "--replications", "2")
      #expect(later.output.contains("TRUST: backtest"), "\(later.output)\(later.error)")
      #expect(!later.output.contains("NOT TESTED"), "\(later.output)")
      let whole = try backtest(
        firstframe, "--observed", "views.csv", "--map", "columns.yaml", "--json")
      #expect(try document(whole.output).dataDigest != found.dataDigest)
    }
  }

  /// A fitted day begins at the trough of the files, and a window of seconds would lie there.
  @Test func `the time of day is fitted for a window of whole days alone`() throws {
    var text = "sid,at,ttff_ms,play_s,phone,arm\n"
    for day in 1...3 {
      for hour in 0..<24 {
        for session in 0..<(hour < 12 ? 5 : 15) {
          for view in 0..<3 {
            let minute = "\(hour < 10 ? "0" : "")\(hour):\(10 + session)"
            let at = "2026-11-0\(day)T\(minute):\(10 + 20 * view)Z"
            let wait = 300 + (session * 7 + view * 31) % 200
            let played = 4 + (session * 5 + hour * 7 + view * 11) % 23
            text += "\(day)-\(hour)-\(session),\(at),\(wait),\(played),mid,a\n"
          }
        }
      }
    }
    try inFolder { firstframe in
      try firstframe.write("round.csv", text)
      let outcome = try backtest(
        firstframe, "--observed", "round.csv", "--map", "columns.yaml", "--fit-on", "1-2",
        "--test-on", "3", "--json")
      #expect([0, 10, 13].contains(outcome.status), "\(outcome.error)")
      let notes = try document(outcome.output).notes
      #expect(
        notes.contains {
          $0 == "not set: audience.diurnal: audience.window is no whole day, and days are compared"
        }, "\(notes)")
      #expect(notes.contains { $0.hasPrefix("fitted on") && !$0.contains("diurnal") })
      let folder = try #require(try firstframe.names("results").first { $0 != "trust" })
      let resolved = try firstframe.read("results/\(folder)/scenario.resolved.yaml")
      #expect(!resolved.contains("peakToTrough"))
    }
  }

  @Test func `a change is held against two arms, and against two periods`() throws {
    try inFolder { firstframe in
      for (before, after) in [("version=a", "version=b"), ("1", "2-3")] {
        let outcome = try backtest(
          firstframe, "--observed", "views.csv", "--map", "columns.yaml", "--with",
          "policy.prefetch.itemsAhead=0", "--before", before, "--after", after, "--json")
        #expect([10, 13].contains(outcome.status), "\(outcome.error)")
        let found = try document(outcome.output)
        let row = try #require(found.changes.first { $0.metric == "ttff_swipe_ms.p50" })
        // Nothing happened to the observed arms.
        #expect(row.sign == "open")
        #expect(found.notes.contains { $0.contains("policy.prefetch.itemsAhead") })
      }
      // Each change has a folder of its own.
      #expect(try firstframe.names("results").count { $0.contains("-backtest-") } == 2)
      let trust = try firstframe.read("results/trust/field.json")
      #expect(trust.contains("\"change\" : \"disagrees\"") || trust.contains("too little data"))
      #expect(trust.components(separatedBy: "itemsAhead: 0").count == 2)
    }
  }

  // MARK: Suspects

  private struct Suspected: Decodable {
    struct Found: Decodable {
      struct Law: Decodable { var law: String }
      var outcome: String
      var candidates: [String]
      var laws: [Law]
      var runs: Int
    }
    var suspects: Found?
  }

  /// Round trips of 80 ms, and of 50 ms in the scenario.
  @Test func `the law that is off is suspected, with progress, and the same every time`() throws {
    try inFolder { firstframe in
      let made = try firstframe(
        "run", "field.yaml", "--quiet", "--seed", "77", "--replications", "1", "--events",
        "e.jsonl", "-o", "other", "--set", "audience.window=300 s", "--set",
        "network.access[0].roundTrip={kind: lognormal, median: 80 ms, sigma: 0.35}")
      #expect(made.status == 0, "\(made.error)")
      let options = ["--observed", "e.jsonl", "--suspects", "--replications", "8"]
      let outcome = try firstframe.run(["backtest", "field.yaml"] + options)
      #expect([10, 13].contains(outcome.status), "\(outcome.output)\(outcome.error)")
      #expect(outcome.output.contains("Suspect: round trips"), "\(outcome.output)")
      #expect(outcome.output.contains("18 predictions of 8 replications"), "\(outcome.output)")
      let step = "rates of links times 0.75 (1 of 18): 8 replications"
      #expect(outcome.error.contains(step), "\(outcome.error)")
      #expect(outcome.error.contains("(18 of 18)"), "\(outcome.error)")
      func json(_ threads: String) throws -> String {
        try firstframe.run(
          ["backtest", "field.yaml", "--json", "--quiet", "--threads", threads] + options
        ).output
      }
      let first = try json("1")
      #expect(try first == json("2") && !first.isEmpty)
      let found = try JSONDecoder().decode(Suspected.self, from: Data(first.utf8)).suspects
      #expect(found?.candidates.first == "round trips" && found?.runs == 18, "\(first)")
      #expect(found?.laws.count == 9)
      let folder = try #require(
        try firstframe.names("results").first { $0.contains("-backtest-") })
      #expect(
        try firstframe.read("results/\(folder)/backtest.html")
          .contains("Which law would explain the errors"))
      let without = try backtest(firstframe, "--observed", "e.jsonl", "--json")
      #expect(
        try JSONDecoder().decode(Suspected.self, from: Data(without.output.utf8)).suspects == nil)
      let wrong = try backtest(firstframe, "--observed", "e.jsonl", "--suspects=twice")
      #expect(wrong.status == 64 && wrong.error.contains("suspects"), "\(wrong.error)")
    }
  }

  @Test func `a search for suspects that is stopped leaves nothing`() throws {
    try inFolder { firstframe in
      let (process, error) = try firstframe.start(
        [
          "backtest", "field.yaml", "--observed", "views.csv", "--map", "columns.yaml",
          "--suspects", "--replications", "64",
        ], hearsInterrupts: true)
      var text = ""
      while !text.contains("(1 of 18)") {
        let more = error.availableData
        if more.isEmpty { break }
        text += String(decoding: more, as: UTF8.self)
      }
      process.interrupt()
      process.waitUntilExit()
      // By the signal, which a shell tells as 130.
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
      #expect((try? firstframe.names("results")) ?? [] == [], "\(text)")
    }
  }

  // MARK: What it refuses

  @Test func `options that contradict each other are refused`() throws {
    try inFolder { firstframe in
      let cases: [([String], String)] = [
        ([], "--observed: expected files"),
        (["--observed", "views.csv", "--by", "colour"], "--by: expected one of device"),
        (["--observed", "views.csv", "--fit-on", "1"], "expected --test-on beside it"),
        (["--observed", "views.csv", "--test-on", "0-2"], "expected days of the files from 1 on"),
        (["--observed", "views.csv", "--test-on", "5-2"], "expected days of the files from 1 on"),
        (
          ["--observed", "views.csv", "--fit-on", "1-2", "--test-on", "2-3"],
          "expected other days than --fit-on"
        ),
        (["--observed", "views.csv", "--with", "policy.pool.size=1"], "--before and --after"),
        (["--observed", "views.csv", "--before", "1", "--after", "2"], "expected a change"),
        (
          [
            "--observed", "views.csv", "--with", "policy.pool.size=1", "--before", "colour=a",
            "--after", "2",
          ], "or a cohort such as version=b"
        ),
        (["--observed", "views.csv", "--format", "prism"], "--format: expected one of events"),
        (["--observed", "views.csv", "--log-format", "common"], "expected --logs beside it"),
        (["--observed", "views.csv", "--replications", "2"], "8...64"),
      ]
      for (arguments, message) in cases {
        let outcome = try firstframe.run(["backtest", "field.yaml"] + arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome.status) \(outcome.error)")
        #expect(outcome.error.contains(message), "\(arguments): \(outcome.error)")
      }
    }
  }

  @Test func `files and parts that hold nothing are named`() throws {
    try inFolder { firstframe in
      try firstframe.write("empty.csv", "")
      try firstframe.write("other.csv", "a,b\n1,2\n")
      let mapped = ["--observed", "views.csv", "--map", "columns.yaml"]
      let cases: [([String], Int32, String)] = [
        (["--observed", "none.csv", "--map", "columns.yaml"], 66, "none.csv"),
        (["--observed", "views.csv", "--map", "none.yaml"], 66, "none.yaml"),
        (["--observed", "empty.csv", "--map", "columns.yaml"], 65, "an empty file"),
        (["--observed", "other.csv", "--map", "columns.yaml"], 65, "ttff_ms"),
        (mapped + ["--test-on", "7-9"], 65, "the files have days 1-3, from 2026-11-01"),
        (mapped + ["--by", "region"], 65, "--by region: expected a value that both sides have"),
        (
          mapped + [
            "--with", "policy.pool.size=1", "--before", "version=a", "--after", "version=c",
          ], 65, "the files have a, b"
        ),
        (mapped + ["--set", "policy.pool.sise=1"], 65, "policy.pool.sise"),
      ]
      for (arguments, status, message) in cases {
        let outcome = try firstframe.run(
          ["backtest", "field.yaml", "--quiet", "--replications", "8"] + arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome.status) \(outcome.error)")
        #expect(outcome.error.contains(message), "\(arguments): \(outcome.error)")
      }
      #expect(try firstframe("backtest", "none.yaml", "--observed", "views.csv").status == 66)
      try firstframe.write("chat.yaml", "version: 1\nname: chat\nworld: messages\n")
      let chat = try firstframe("backtest", "chat.yaml", "--observed", "views.csv")
      #expect(chat.status == 65 && chat.error.contains("expected a feed of full-screen items"))
      let same = try backtest(
        firstframe, "--observed", "views.csv", "--map", "columns.yaml", "--with", "seed=1",
        "--set", "seed=1", "--before", "1", "--after", "2")
      #expect(same.status == 64 && same.error.contains("the same scenario twice"))
    }
  }

  @Test func `a handful of views is too little data, and never a pass`() throws {
    try inFolder { firstframe in
      try firstframe.write("few.csv", Self.rows(days: 1, sessions: 4))
      let outcome = try backtest(
        firstframe, "--observed", "few.csv", "--map", "columns.yaml")
      #expect(outcome.status == 13, "\(outcome.error)")
      #expect(outcome.output.contains("TOO LITTLE DATA"))
      #expect(!outcome.output.contains("DISAGREES"))
    }
  }
}
