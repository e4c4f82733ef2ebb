import Foundation
import SlowTesting
import Testing

/// `plan`, `shard`, `status` and `merge`, as processes.
@Suite struct ShardCommandTests {
  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "study.yaml",
        """
        version: 1
        name: study
        replications: 24
        audience: {viewsPerDayPerEdge: 400000, window: 1 min, drain: 1 min}
        catalogue: {titles: 500}
        budgets:
          - {metric: ttff_ms.p95, limit: "< 1 s", minimumSamples: 10}
          - {metric: wasted_ratio, limit: "< 90 %", minimumSamples: 10}

        """)
      try body(firstframe)
    }
  }

  /// What a folder of results holds, but for who made it and when.
  private func result(_ firstframe: Program, _ output: String) throws -> [String] {
    let folders = try firstframe.names(output).filter { $0 != "shards" }
    #expect(folders.count == 1, "\(folders)")
    let folder = URL(fileURLWithPath: firstframe.folder).appendingPathComponent(output)
    return try folders.flatMap { name in
      try FileManager.default.subpathsOfDirectory(
        atPath: folder.appendingPathComponent(name).path
      ).sorted()
        .filter { $0.contains(".") && !["provenance.json", "notes.json"].contains($0) }
        .map { "\(name)/\($0)\n" + (try firstframe.read("\(output)/\(name)/\($0)")) }
    }
  }

  /// Does all shards that are missing, from the last one to the first.
  private func doAll(_ firstframe: Program, _ plan: String) throws {
    let status = try firstframe("status", plan, "--json")
    #expect(status.status == 0, "\(status.error)")
    struct Status: Decodable { var missing: [Int] }
    let missing = try JSONDecoder().decode(Status.self, from: Data(status.output.utf8)).missing
    for index in missing.reversed() {
      let shard = try firstframe("shard", plan, "--index", "\(index)", "--threads", "2")
      #expect(shard.status == 0, "\(shard.error)")
    }
  }

  /// Merges, and does what is asked for, until the study ends.
  private func merged(
    _ firstframe: Program, _ plan: String, most: Int = 10
  ) throws -> (outcome: Program.Outcome, waves: Int) {
    for wave in 1...most {
      try doAll(firstframe, plan)
      let outcome = try firstframe("merge", plan)
      if outcome.status != 14 { return (outcome, wave) }
    }
    Issue.record("the study does not end")
    return (try firstframe("merge", plan), most)
  }

  @Test(
    arguments: SlowRun.cases(
      [
        (["run", "study.yaml", "--seed", "9", "--set", "budgets[0].limit=< 80 ms"], 2),
        (
          [
            "sweep", "study.yaml", "--vary", "policy.pool.size=[1, 2]", "--vary",
            "policy.prefetch.headLength=[1 s, 4 s]", "--replications", "2",
          ], 1
        ),
        (["gate", "study.yaml", "--set", "policy.pool.size=1"], 1),
        (["run", "study.yaml"], 1),
      ], usual: 2))
  func `a study from shards has the bytes of one machine`(_ command: [String], waves: Int) throws {
    try inFolder { firstframe in
      let alone = try firstframe.run(command + ["--output", "alone", "--quiet"])
      let plan = try firstframe.run(
        ["plan", "--output", "p", "--cpu-time", "1 s", "--shard-time", "3 s"] + command
          + ["--output", "merged", "--quiet"])
      #expect(plan.status == 0, "\(plan.error)")
      #expect(try firstframe.names(".").contains("merged") == false, "nothing but a plan")
      let early = try firstframe("merge", "p")
      #expect(early.status == 14)
      #expect(early.error.contains("got none of 0"), "\(early.error)")
      let (outcome, asked) = try merged(firstframe, "p")
      #expect(outcome.status == alone.status, "\(outcome.error)")
      #expect(asked >= waves)
      #expect(try result(firstframe, "merged") == result(firstframe, "alone"))
      let audit = try firstframe("merge", "p", "--audit", "10%")
      #expect(audit.status == alone.status)
      #expect(audit.error.contains("shards run again, all bytes equal"), "\(audit.error)")
    }
  }

  @Test func `compare and tune print the same from shards, wave after wave`() throws {
    try inFolder { firstframe in
      let commands = [
        ["compare", "study.yaml", "--with", "policy.pool.size=1", "--replications", "3"],
        [
          "tune", "study.yaml", "--minimise", "ttff_ms.p95", "--vary",
          "policy.pool.size=[1, 2, 3]", "--replications", "8",
        ],
      ]
      for (place, command) in commands.enumerated() {
        let alone = try firstframe.run(command + ["--quiet"])
        let plan = try firstframe.run(
          ["plan", "-o", "p\(place)", "--cpu-time", "1 s"] + command + ["--quiet"])
        #expect(plan.status == 0, "\(plan.error)")
        let (outcome, waves) = try merged(firstframe, "p\(place)")
        #expect(outcome.status == alone.status, "\(outcome.error)")
        #expect(outcome.output == alone.output)
        #expect(place == 0 || waves >= 2, "tune has rounds")
      }
    }
  }

  @Test(.enabled(if: SlowRun.isOn))
  func `an audit of two files from shards says what one machine says`() throws {
    try inFolder { firstframe in
      let text = try firstframe.read("study.yaml")
      try firstframe.write("other.yaml", text.replacing("name: study", with: "name: other"))
      let command = [
        "audit", "study.yaml", "other.yaml", "--mutant", "prefetch-off", "--mutant",
        "round-trip-30", "--replications", "8", "--quiet", "--junit",
      ]
      let alone = try firstframe.run(command + ["alone.xml"])
      let plan = try firstframe.run(
        ["plan", "-o", "p", "--cpu-time", "1 s"] + command + ["merged.xml"])
      #expect(plan.status == 0, "\(plan.error)")
      let (outcome, waves) = try merged(firstframe, "p")
      #expect(outcome.status == alone.status, "\(outcome.error)")
      #expect(outcome.output == alone.output && !alone.output.isEmpty)
      #expect(waves == 2, "the scenarios side by side, then all mutants")
      #expect(try firstframe.read("merged.xml") == firstframe.read("alone.xml"))
      let audit = try firstframe("merge", "p", "--audit", "20%")
      #expect(audit.status == alone.status && audit.output == alone.output)
    }
  }

  @Test func `a search for faults from shards has the bytes of one machine`() throws {
    try inFolder { firstframe in
      let command = ["fuzz", "messaging/literal", "--seeds", "1..2500", "--output"]
      let alone = try firstframe.run(command + ["alone"])
      #expect(alone.status == 10, "\(alone.error)")
      let plan = try firstframe.run(
        ["plan", "-o", "p", "--cpu-time", "1 s", "--shard-time", "1 s"] + command + ["merged"])
      #expect(plan.status == 0 && plan.error.contains("3 replications"), "\(plan.error)")
      let (outcome, waves) = try merged(firstframe, "p")
      #expect(outcome.status == 10 && waves == 1, "\(outcome.error)")
      #expect(outcome.output == alone.output)
      let files = try firstframe.names("alone")
      #expect(!files.isEmpty)
      #expect(try firstframe.names("merged") == files)
      for file in files {
        #expect(try firstframe.read("merged/\(file)") == firstframe.read("alone/\(file)"))
      }
      let audit = try firstframe("merge", "p", "--audit", "100%")
      #expect(audit.status == 10 && audit.error.contains("3 of 3 shards run again"))
      // Of a scenario, whose file has to be the plan's.
      try firstframe.write("messages.yaml", "version: 1\nname: messages\nworld: messages\n")
      let other = ["fuzz", "run", "messages.yaml", "--seeds", "1..200", "--output", "none"]
      let single = try firstframe.run(other)
      #expect(try firstframe.run(["plan", "-o", "q", "--cpu-time", "1 s"] + other).status == 0)
      let joined = try merged(firstframe, "q").outcome
      #expect(joined.status == single.status && joined.output == single.output)
      #expect(try firstframe.run(["plan", "-o", "r", "--cpu-time", "1 s"] + other).status == 0)
      try firstframe.write(
        "messages.yaml", "version: 1\nname: messages\nworld: messages\nseed: 5\n")
      let changed = try firstframe("shard", "r")
      #expect(changed.status == 65, "\(changed.error)")
      #expect(changed.error.contains("changed after the plan was made"), "\(changed.error)")
    }
  }

  @Test(.enabled(if: SlowRun.isOn))
  func `a fit from shards has the bytes of one machine`() throws {
    try inFolder { firstframe in
      try firstframe.write("field.yaml", Program.field)
      try firstframe.write("columns.yaml", Program.columns)
      try firstframe.write("views.csv", Program.views(cold: 1_500))
      let command = [
        "match", "field.yaml", "--observed", "views.csv", "--map", "columns.yaml", "--quiet",
        "--replications", "8", "--fit", "network.access[0].sessionRate.median=0.3..40 Mbps",
        "--fit", "devices[0].firstDecode=5..200 ms", "--output", "fitted.yaml",
      ]
      let alone = try firstframe.run(command)
      #expect(alone.status == 13, "it is a search that ends before it rests: \(alone.error)")
      let fitted = try firstframe.read("fitted.yaml")
      try firstframe.write("fitted.yaml", "")
      let plan = try firstframe.run(["plan", "-o", "p", "--cpu-time", "1 s"] + command)
      #expect(plan.status == 0, "\(plan.error)")
      #expect(plan.error.contains("shard 0 of 1: 8 replications"), "\(plan.error)")
      let (outcome, waves) = try merged(firstframe, "p", most: 60)
      #expect(outcome.status == alone.status, "\(outcome.error)")
      #expect(outcome.output == alone.output && waves > 2)
      #expect(try firstframe.read("fitted.yaml") == fitted)
      // Slopes of both keys are one wave.
      struct Plan: Decodable {
        struct Shard: Decodable { var wave: Int }
        var shards: [Shard]
      }
      let shards = try JSONDecoder().decode(
        Plan.self, from: Data(try firstframe.read("p/plan.json").utf8)
      ).shards
      #expect(shards.filter { $0.wave == 2 }.count == 2)
    }
  }

  @Test func `what is wrong is told in one message with its exit code`() throws {
    try inFolder { firstframe in
      func expect(
        _ status: Int32, _ text: String, _ arguments: String..., line: Int = #line
      ) throws {
        let outcome = try firstframe.run(arguments)
        #expect(outcome.status == status, "line \(line): \(outcome.error)")
        #expect(outcome.error.contains(text), "line \(line): \(outcome.error)")
      }
      try expect(64, "expected a verb that has shards", "plan", "-o", "p", "why", "x")
      try expect(64, "--nonsense", "plan", "-o", "p", "run", "study.yaml", "--nonsense")
      try expect(64, "got a list", "plan", "-o", "p", "audit", "--list")
      try expect(
        64, "no clock ends", "plan", "-o", "p", "fuzz", "calls/grace", "--time", "1s")
      try expect(64, "expected seeds", "plan", "-o", "p", "fuzz", "calls/grace", "--exhaustive")
      try expect(
        64, "at most 65536000", "plan", "-o", "p", "fuzz", "calls/grace", "--seeds",
        "0..18446744073709551613")
      try expect(64, "calls/nobody", "plan", "-o", "p", "fuzz", "calls/nobody")
      try expect(65, "messages or calls", "plan", "-o", "p", "fuzz", "study.yaml")
      try expect(66, "nowhere.yaml", "plan", "-o", "p", "run", "nowhere.yaml")
      try expect(66, "no such file", "status", "nowhere")
      try expect(
        64, "more than zero", "plan", "-o", "p", "--shard-time", "0 s", "run", "study.yaml")
      #expect(try firstframe.names(".") == ["study.yaml"], "nothing is left behind")
      try expect(73, "other files", "plan", "-o", ".", "run", "study.yaml")
      let plan = try firstframe("plan", "-o", "p", "run", "study.yaml", "--replications", "2")
      #expect(plan.status == 0 && plan.error.contains("processor time"), "\(plan.error)")
      try expect(64, "which has 1 from 0 on, got 7", "shard", "p", "--index", "7")
      try expect(64, "such as 3, 0-7", "shard", "p", "--index", "3-1")
      let text = try firstframe.read("study.yaml")
      try firstframe.write("study.yaml", text.replacing("titles: 500", with: "titles: 501"))
      try expect(65, "changed after the plan was made", "shard", "p", "--index", "0")
      try firstframe.write("study.yaml", text)
      let good = try firstframe.read("p/plan.json")
      try firstframe.write("p/plan.json", good.replacing("\"seed\" : \"", with: "\"seed\" : \"1"))
      try expect(65, "one that was edited", "merge", "p")
      try firstframe.write("p/plan.json", good)
      let shard = try firstframe("shard", "p", "--index", "0")
      #expect(shard.status == 0, "\(shard.error)")
      let files = try FileManager.default.subpathsOfDirectory(
        atPath: firstframe.folder + "/p/shards"
      ).filter { $0.hasSuffix(".shard") }
      #expect(files.count == 2)
      let path = URL(fileURLWithPath: firstframe.folder + "/p/shards/" + files[0])
      var data = try Data(contentsOf: path)
      data[data.count / 2] ^= 1
      try data.write(to: path)
      let status = try firstframe("status", "p")
      #expect(status.output.contains("not as they were written"), "\(status.output)")
      try expect(14, "got none of 0", "merge", "p")
    }
  }

  @Test(arguments: ["slurm", "kubernetes", "snakemake", "parallel"])
  func `a plan is a job of an engine`(_ engine: String) throws {
    try inFolder { firstframe in
      let plan = try firstframe(
        "plan", "-o", "my plan", "--cpu-time", "60 s", "--emit", engine, "run", "study.yaml")
      #expect(plan.status == 0, "\(plan.error)")
      #expect(plan.output.contains("my plan"))
      let again = try firstframe("status", "my plan", "--emit", engine)
      #expect(again.output == plan.output)
      if engine == "slurm" {
        try firstframe.write("job.sh", plan.output)
        // What the engine does with it: every task by itself.
        for task in 0..<8 {
          let process = Process()
          process.executableURL = URL(fileURLWithPath: "/bin/bash")
          process.arguments = ["job.sh"]
          process.currentDirectoryURL = URL(fileURLWithPath: firstframe.folder)
          process.environment = Program.environment([
            "SLURM_ARRAY_TASK_ID": "\(task)", "FIRSTFRAME": try Program.executable().path,
          ])
          process.standardError = FileHandle.nullDevice
          try process.run()
          process.waitUntilExit()
          #expect(process.terminationStatus == 0)
        }
        let status = try firstframe("status", "my plan")
        #expect(status.output.contains("8 of 8 shards are finished"), "\(status.output)")
      }
    }
  }
}
