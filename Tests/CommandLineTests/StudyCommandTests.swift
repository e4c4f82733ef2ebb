import Foundation
import Testing

/// `gate`, `sweep`, `tune`, `compare` and `why` as processes.
@Suite struct StudyCommandTests {
  /// Some hundred views in a replication.
  static let study = """
    version: 1
    name: study
    audience: {viewsPerDayPerEdge: 3000000, window: 15 s, drain: 1 min}
    catalogue: {titles: 200}
    budgets:
      - {metric: ttff_cold_ms.mean, limit: "< 20 s", minimumSamples: 5}

    """

  /// A folder with ``study`` in `study.yaml`.
  static func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("study.yaml", StudyCommandTests.study)
      try body(firstframe)
    }
  }

  private func inFolder(_ body: (Program) throws -> Void) throws {
    try StudyCommandTests.inFolder(body)
  }

  /// `gate study.yaml` with eight replications.
  private func gate(
    _ firstframe: Program, _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try firstframe.run(
      ["gate", "study.yaml", "--replications", "8", "--quiet"] + arguments,
      environment: environment)
  }

  // MARK: Limits

  @Test func `what needs more memory than it may have is refused with the estimate`() throws {
    try inFolder { firstframe in
      let commands = [
        ["run", "study.yaml"], ["gate", "study.yaml"],
        ["sweep", "study.yaml", "--vary", "policy.pool.size=[1, 2]"],
      ]
      for command in commands {
        let outcome = try firstframe.run(command + ["--quiet", "--memory-limit", "2MiB"])
        #expect(outcome.status == 70, "\(command): \(outcome.error)")
        #expect(
          outcome.error.contains("--memory-limit: expected at most 2 MiB, got an estimate of"))
        #expect(outcome.error.contains("viewers at one time"))
        #expect(outcome.output.isEmpty)
      }
      let fits = try firstframe(
        "run", "study.yaml", "--quiet", "--replications", "2", "--memory-limit", "8 GiB")
      #expect(fits.status == 0, "\(fits.error)")
      // What is done leaves no times behind, however many replications there are.
      let many = try firstframe.run(
        commands[2] + ["--quiet", "--replications", "2", "--memory-limit", "8 GiB"])
      #expect(many.status == 0, "\(many.error)")
    }
  }

  @Test func `a study ends at its time limit with what is complete`() throws {
    try inFolder { firstframe in
      let none = try firstframe(
        "run", "study.yaml", "--quiet", "--time-limit", "1ms", "--set", "audience.window=1 h")
      #expect(none.status == 14, "\(none.error)")
      #expect(none.error.contains("--time-limit: no replication was complete"))
      // The folder says so much: nothing is complete, and no budget is decided.
      let folders = try FileManager.default.contentsOfDirectory(
        atPath: firstframe.folder + "/results")
      #expect(folders.count == 1)
      let place = "\(firstframe.folder)/results/\(folders[0])"
      let result = try String(contentsOfFile: place + "/result.json", encoding: .utf8)
      #expect(result.contains("\"partial\":true"))
      let origin = try String(contentsOfFile: place + "/provenance.json", encoding: .utf8)
      #expect(origin.contains("\"givenUp\": {"))
      // It does not replace what is there.
      let again = try firstframe(
        "run", "study.yaml", "--quiet", "--time-limit", "1ms", "--set", "audience.window=1 h")
      #expect(again.status == 14 && again.error.contains("keeps what an earlier run has left"))
      // Between nothing and all of 64 replications: how long that is depends on who else computes.
      var some = none
      for seconds in [1, 2, 4, 8, 16, 32, 64] where some.error.contains("no replication") {
        some = try firstframe(
          "run", "study.yaml", "--quiet", "--threads", "1", "--time-limit", "\(seconds)s", "--set",
          "audience.window=3 min", "--replications", "64", "--output", "within \(seconds) s")
      }
      #expect(some.status == 14, "\(some.error)")
      #expect(some.output.contains("PARTIAL"), "\(some.error)")
      for bad in ["0s", "soon", "-1s"] {
        #expect(try firstframe("run", "study.yaml", "--time-limit", bad).status == 64)
      }
    }
  }

  // MARK: Gate

  @Test func `a gate run twice gives the same bytes`() throws {
    try inFolder { firstframe in
      var texts: [[String]] = []
      for _ in 0..<2 {
        let outcome = try gate(
          firstframe, "--junit", "junit.xml", "--openmetrics", "metrics.txt", "--gitlab",
          "--github")
        #expect(outcome.status == 0, "\(outcome.error)")
        let folder = try #require(try firstframe.names("results").first)
        let files = try firstframe.names("results/\(folder)").filter {
          $0.contains(".") && $0 != "provenance.json"
        }
        #expect(files.contains("result.json") && files.contains("report.html"))
        let paths =
          files.map { "results/\(folder)/\($0)" } + ["metrics.txt", "gitlab-metrics.txt"]
        // But for the time, which only the file for a CI server tells.
        let junit = try firstframe.read("junit.xml")
          .replacing(#/ time(stamp)?="[^"]*"/#, with: "")
        texts.append(
          [outcome.output, "\(paths)", junit] + (try paths.map { try firstframe.read($0) }))
      }
      #expect(texts[0] == texts[1])
    }
  }

  @Test func `a baseline is written, kept to, and a change of the policy is found and named`()
    throws
  {
    try inFolder { firstframe in
      let written = try gate(firstframe, "--update-baseline")
      #expect(written.status == 0, "\(written.error)")
      #expect(written.error.contains("baseline in results/baselines/study.json"))
      let same = try gate(firstframe, "--baseline", "results/baselines")
      #expect(same.status == 0, "\(same.output)\(same.error)")
      let worse = try gate(
        firstframe, "--baseline", "results/baselines/study.json", "--set", "policy.pool.size=1",
        "--set", "cdn.edge.hitForMiss=3 min", "--junit", "junit.xml")
      #expect(worse.status == 11, "\(worse.output)\(worse.error)")
      #expect(worse.output.contains("policy.pool.size"))
      let junit = try firstframe.read("junit.xml")
      #expect(junit.contains("<failure type=\"fail\"") && junit.contains("cause: policy.pool.size"))
    }
  }

  @Test func `missing, foreign and broken baselines have their codes`() throws {
    try inFolder { firstframe in
      #expect(try gate(firstframe, "--baseline", "none").status == 66)
      try firstframe.write("study.json", "[]")
      let broken = try gate(firstframe, "--baseline", "study.json")
      #expect(broken.status == 65, "\(broken.error)")
      #expect(broken.error.contains("study.json:1:1: expected "), "\(broken.error)")
      #expect(try gate(firstframe, "--update-baseline", "--baseline", ".").status == 0)
      let other = try gate(
        firstframe, "--baseline", ".", "--set", "audience.sessionLength=20 s")
      #expect(other.status == 65 && other.error.contains("audience"), "\(other.error)")
    }
  }

  @Test func `verdicts, wrong use and unwritable folders have their codes`() throws {
    try inFolder { firstframe in
      func limit(_ text: String) -> String { "budgets[0].limit=\(text)" }
      #expect(try gate(firstframe, "--set", limit("< 1 ms")).status == 10)
      #expect(
        try gate(firstframe, "--set", "budgets[0].minimumSamples=1000000").status == 13)
      #expect(try gate(firstframe, "--threshold", "x").status == 64)
      #expect(try firstframe("gate").status == 64)
      #expect(try firstframe("gate", "none.yaml").status == 66)
      #expect(try gate(firstframe, "--set", "nothing=1").status == 65)
      #expect(try gate(firstframe, "--output", "study.yaml").status == 73)
      #expect(try gate(firstframe, "--junit", "study.yaml/junit.xml").status == 73)
      // A limit at the value itself cannot be told from it.
      let outcome = try gate(firstframe, "--openmetrics", "metrics.txt")
      #expect(outcome.status == 0)
      let line = try #require(
        try firstframe.read("metrics.txt").split(separator: "\n").first {
          $0.hasPrefix("firstframe_ttff_cold_seconds{") && $0.contains("stat=\"mean\"")
            && $0.contains("bound=\"value\"")
        })
      let seconds = try #require(Double(line.split(separator: " ").last ?? ""))
      let edge = try gate(firstframe, "--set", limit("< \(Int64(seconds * 1e6)) us"))
      #expect(edge.status == 12, "\(edge.output)\(edge.error)")
    }
  }

  @Test func `the step summary is appended to what the file holds`() throws {
    try inFolder { firstframe in
      try firstframe.write("summary.md", "before\n")
      for _ in 0..<2 {
        let outcome = try gate(
          firstframe, "--github", "--set", "budgets[0].limit=< 1 ms",
          environment: ["GITHUB_STEP_SUMMARY": "summary.md"])
        #expect(outcome.status == 10)
        #expect(outcome.output.contains("::error file=study.yaml,line=6,"), "\(outcome.output)")
      }
      let text = try firstframe.read("summary.md")
      #expect(text.hasPrefix("before\n### "))
      #expect(text.components(separatedBy: "### ").count == 3)
    }
  }

  // MARK: Sweep

  private static let sweep = [
    "sweep", "study.yaml", "--vary", "policy.pool.size=[1, 2, 3]", "--replications", "8",
    "--threads", "1", "--quiet", "--set", "audience.window=20 s",
  ]

  /// Starts a sweep into the folder `output` and sends it a signal when some replications are kept.
  /// One that was done before the signal came, on a machine with much else to do, is begun anew.
  private func interrupted(
    _ firstframe: Program, _ output: String, by signal: Int32
  ) throws -> (status: Int32, error: String) {
    for _ in 0..<9 {
      let outcome = try signalled(firstframe, output, by: signal)
      if kept(firstframe, output) < 24 { return outcome }
      try FileManager.default.removeItem(atPath: "\(firstframe.folder)/\(output)")
    }
    return try signalled(firstframe, output, by: signal)
  }

  private func signalled(
    _ firstframe: Program, _ output: String, by signal: Int32
  ) throws -> (status: Int32, error: String) {
    let (process, error) = try firstframe.start(
      StudyCommandTests.sweep + ["--output", output])
    while process.isRunning, kept(firstframe, output) < 3 { usleep(2_000) }
    kill(process.processIdentifier, signal)
    let text = String(decoding: error.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private func kept(_ firstframe: Program, _ output: String) -> Int {
    firstframe.shards(output).count
  }

  /// The folder of a finished sweep and its files.
  private func result(_ firstframe: Program, _ output: String) throws -> [String] {
    let folders = try firstframe.names(output).filter { $0 != "shards" }
    let folder = try #require(folders.first)
    #expect(folders.count == 1)
    return [folder]
      + (try firstframe.names("\(output)/\(folder)").map {
        "\($0)\n" + (try firstframe.read("\(output)/\(folder)/\($0)"))
      })
  }

  @Test func `a sweep that was killed goes on and ends with the same bytes`() throws {
    try inFolder { firstframe in
      let whole = try firstframe.run(StudyCommandTests.sweep + ["--output", "whole"])
      #expect(whole.status == 0, "\(whole.error)")
      let cut = try interrupted(firstframe, "cut", by: SIGKILL)
      #expect(cut.status == SIGKILL)
      let count = kept(firstframe, "cut")
      #expect(count >= 3 && count < 24)
      #expect(try firstframe.names("cut") == ["shards"])
      let resumed = try firstframe.run(StudyCommandTests.sweep + ["--output", "cut"])
      #expect(resumed.status == 0, "\(resumed.error)")
      #expect(try result(firstframe, "cut") == result(firstframe, "whole"))
    }
  }

  @Test func `an interrupted sweep is code 14 and its resume command works`() throws {
    try inFolder { firstframe in
      let whole = try firstframe.run(StudyCommandTests.sweep + ["--output", "whole"])
      #expect(whole.status == 0, "\(whole.error)")
      let cut = try interrupted(firstframe, "cut", by: SIGINT)
      #expect(cut.status == 14, "\(cut.error)")
      let start = try #require(cut.error.range(of: "to go on: ")?.upperBound)
      let command = cut.error[start...].prefix { $0 != "\n" }
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-c", String(command)]
      shell.currentDirectoryURL = URL(fileURLWithPath: firstframe.folder)
      shell.environment = Program.environment([
        "PATH": try Program.executable().deletingLastPathComponent().path + ":/usr/bin:/bin"
      ])
      shell.standardOutput = FileHandle.nullDevice
      try shell.run()
      shell.waitUntilExit()
      #expect(shell.terminationStatus == 0, "\(command)")
      #expect(try result(firstframe, "cut") == result(firstframe, "whole"))
    }
  }

  // MARK: The others

  @Test func `compare shows the changed key and says how many replications were paired`() throws {
    try inFolder { firstframe in
      let arguments = [
        "compare", "study.yaml", "--with", "policy.pool.size=1", "--replications", "8", "--quiet",
      ]
      let outcome = try firstframe.run(arguments)
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output.contains("policy.pool.size"))
      // The sentence may be wrapped anywhere.
      let words = outcome.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.contains("Paired over 8 replications"))
      #expect(outcome.output.contains("worse"))
      #expect(try firstframe.run(arguments).output == outcome.output)
      #expect(try firstframe("compare", "study.yaml").status == 64)
      #expect(try firstframe("compare", "study.yaml", "--with", "policy.pol=1").status == 65)
    }
  }

  @Test func `tune recommends a pool, and refuses an objective of the wrong direction`() throws {
    try inFolder { firstframe in
      let arguments = ["tune", "study.yaml", "--vary", "policy.pool.size=[1, 3]", "--quiet"]
      let outcome = try firstframe.run(
        arguments + [
          "--minimise", "ttff_ms.mean", "--replications", "8", "--set", "policy.pool.size=1",
          "--subject-to", "wasted_ratio < 99 %",
        ])
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output.contains("policy.pool.size"))
      #expect(outcome.output.contains("3"))
      #expect(try firstframe.run(arguments + ["--maximise", "ttff_ms.mean"]).status == 64)
      #expect(try firstframe.run(arguments).status == 64)
    }
  }

  @Test func `why lists what a world has that has no startups`() throws {
    try inFolder { firstframe in
      try firstframe.write(
        "messages.yaml",
        """
        version: 1
        name: messages
        replications: 2
        world: messages
        messages: {audience: {groups: 2, duration: 4 h}}

        """)
      let quiet = ["run", "messages.yaml", "--quiet", "--replications", "2"]
      _ = try firstframe.run(quiet + ["--output", "a"])
      _ = try firstframe.run(
        quiet + ["--output", "b", "--set", "messages.protocol.trackedInterval=5 s"])
      _ = try firstframe.run(
        ["run", "study.yaml", "--replications", "2", "--quiet", "--output", "c"])
      let names = try ["a", "b", "c"].map { "\($0)/\(try firstframe.names($0)[0])" }
      let alone = try firstframe("why", names[0])
      #expect(alone.status == 0 && alone.output.contains("world messages"), "\(alone.error)")
      #expect(alone.output.contains("requests_per_video.rate"))
      #expect(!alone.output.contains("STARTUP"))
      let moved = try firstframe("why", names[1], "--against", names[0])
      #expect(moved.status == 0 && moved.output.contains("METRICS THAT MOVED MOST"))
      #expect(moved.output.contains("drain_ms.p50") && !moved.output.contains("STARTUP"))
      let mixed = try firstframe("why", names[0], "--against", names[2])
      #expect(mixed.status == 65 && mixed.error.contains("expected a run of the world messages"))
    }
  }

  @Test func `why reads run folders and simulates nothing`() throws {
    try inFolder { firstframe in
      let quiet = ["run", "study.yaml", "--replications", "2", "--quiet"]
      _ = try firstframe.run(quiet + ["--output", "a"])
      _ = try firstframe.run(quiet + ["--output", "b", "--set", "policy.pool.size=1"])
      let (a, b) = (try firstframe.names("a")[0], try firstframe.names("b")[0])
      let outcome = try firstframe("why", "b/\(b)", "--against", "a/\(a)/result.json")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output.contains("first decode") || outcome.output.contains("decoder"))
      #expect(try firstframe("why", "none").status == 66)
      #expect(try firstframe("why", "study.yaml").status == 65)
    }
  }
}
