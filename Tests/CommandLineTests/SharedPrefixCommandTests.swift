import Foundation
import Testing

/// Sweeps whose points share prefixes, as processes.
@Suite struct SharedPrefixCommandTests {
  private static let outages =
    "cdn.origin.outages=[[], [{kind: error, from: 60 s, length: 20 s}], "
    + "[{kind: timeout, from: 60 s, length: 10 s}], [{kind: error, from: 80 s, length: 9 s}]]"
  private static let purges =
    "cdn.purges=[[], [{at: 50 s}], [{at: 70 s, classes: [playlists, mediaManifest]}]]"

  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "study.yaml",
        """
        version: 1
        name: study
        audience: {viewsPerDayPerEdge: 1000000, window: 2 min, sessionLength: 30 s}
        catalogue: {titles: 500}
        cdn: {ttl: {playlists: {maxAge: 10 s}, mediaManifest: {maxAge: 10 s}}}
        budgets:
          - {metric: ttff_cold_ms.mean, limit: "< 20 s", minimumSamples: 5}

        """)
      try body(firstframe)
    }
  }

  private func arguments(
    _ output: String, threads: Int, replications: Int = 3, _ vary: String...
  ) -> [String] {
    ["sweep", "study.yaml", "--replications", "\(replications)", "--threads", "\(threads)"]
      + ["--output", output] + vary.flatMap { ["--vary", $0] }
  }

  /// The folder of a finished sweep and its files, and the kept replications; not what somebody was
  /// writing who was killed.
  private func result(_ firstframe: Program, _ output: String) throws -> [String] {
    let folders = try firstframe.names(output)
    #expect(folders.count == 2)
    let files = try folders.filter { $0 != "shards" }.flatMap { folder in
      try firstframe.names("\(output)/\(folder)").filter { $0.contains(".") && !$0.hasPrefix(".") }
        .map { "\(folder)/\($0)" }
    }
    return try (files + firstframe.shards(output)).map {
      "\($0)\n" + (try firstframe.read("\(output)/\($0)"))
    }
  }

  @Test(arguments: [
    [SharedPrefixCommandTests.outages], [SharedPrefixCommandTests.purges],
    [SharedPrefixCommandTests.purges, "policy.pool.size=[2, 3]"],
  ])
  func `points that share prefixes have the bytes of those that do not, on any number of threads`(
    _ vary: [String]
  ) throws {
    try inFolder { firstframe in
      let all = vary.flatMap { ["--vary", $0] }
      let alone = try firstframe.run(
        arguments("alone", threads: 2) + all + ["--no-shared-prefix"])
      #expect(alone.status == 0, "\(alone.error)")
      #expect(!alone.error.contains("prefix"))
      for threads in [1, 2, 7] {
        let shared = try firstframe.run(arguments("shared\(threads)", threads: threads) + all)
        #expect(shared.status == 0, "\(shared.error)")
        #expect(shared.error.contains("points share prefixes: about"))
        #expect(!shared.error.contains("shared prefix:"), "\(shared.error)")
        #expect(
          shared.output.replacing("shared\(threads)", with: "alone") == alone.output)
        #expect(try result(firstframe, "shared\(threads)") == result(firstframe, "alone"))
      }
    }
  }

  @Test func `a sweep says that no prefix is shared, and why`() throws {
    try inFolder { firstframe in
      let other = try firstframe.run(
        arguments("other", threads: 2, replications: 2, "policy.pool.size=[2, 3]"))
      #expect(other.status == 0)
      #expect(other.error.contains("no prefix is shared: no two points differ in"))
      // Enough for what runs at a time, and not for those from which branches come.
      let narrow = try firstframe.run(
        arguments("narrow", threads: 7, replications: 2, SharedPrefixCommandTests.purges)
          + ["--memory-limit", "100 MiB"])
      #expect(narrow.status == 0, "\(narrow.error)")
      #expect(narrow.error.contains("no prefix is shared: that could take more than --memory-lim"))
      let quiet = try firstframe.run(
        arguments("quiet", threads: 2, replications: 2, SharedPrefixCommandTests.purges)
          + ["--quiet"])
      #expect(quiet.status == 0 && quiet.error.isEmpty, "\(quiet.error)")
    }
  }

  // MARK: Ends

  /// Processes that have the folder as theirs, by what they are.
  private func processes(in firstframe: Program) -> (programs: [pid_t], workers: [pid_t]) {
    var found: (programs: [pid_t], workers: [pid_t]) = ([], [])
    for (process, command) in firstframe.processes() {
      if command.contains("--prefix-worker") {
        found.workers.append(process)
      } else {
        found.programs.append(process)
      }
    }
    return found
  }

  private func kept(_ firstframe: Program, _ output: String) -> Int {
    firstframe.shards(output).count
  }

  /// Starts a sweep of 64 replications and calls `act` when some are kept and workers run.
  private func interrupted(
    _ firstframe: Program, _ output: String, _ act: (pid_t, [pid_t]) -> Void
  ) throws -> (status: Int32, error: String) {
    let (process, error) = try firstframe.start(
      arguments(output, threads: 2, replications: 64, SharedPrefixCommandTests.outages)
        + ["--quiet"])
    while process.isRunning, kept(firstframe, output) < 3 { usleep(2_000) }
    act(process.processIdentifier, processes(in: firstframe).workers)
    let text = String(decoding: error.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// Whether nobody is there any more, at once or soon.
  private func isLeft(_ firstframe: Program) -> Bool {
    for _ in 0..<200 {
      let found = processes(in: firstframe)
      if found.programs.isEmpty && found.workers.isEmpty { return true }
      usleep(10_000)
    }
    return false
  }

  private func whole(_ firstframe: Program) throws -> [String] {
    let outcome = try firstframe.run(
      arguments("whole", threads: 2, replications: 64, SharedPrefixCommandTests.outages)
        + ["--quiet", "--no-shared-prefix"])
    #expect(outcome.status == 0, "\(outcome.error)")
    return try result(firstframe, "whole")
  }

  @Test func `a worker that is killed is told of, and what it leaves is run all the same`() throws {
    try inFolder { firstframe in
      let cut = try interrupted(firstframe, "cut") { _, workers in
        #expect(!workers.isEmpty)
        // The youngest, which may be done by now.
        for _ in 0..<5 {
          if let last = processes(in: firstframe).workers.max() { kill(last, SIGKILL) }
          usleep(10_000)
        }
      }
      #expect(cut.status == 0, "\(cut.error)")
      #expect(cut.error.contains("shared prefix: a process was ended by signal 9"), "\(cut.error)")
      let all = try interrupted(firstframe, "all") { _, workers in
        for worker in workers { kill(worker, SIGKILL) }
      }
      #expect(all.status == 0, "\(all.error)")
      #expect(all.error.contains("ended by signal 9"), "\(all.error)")
      let whole = try whole(firstframe)
      #expect(try result(firstframe, "cut") == whole)
      #expect(try result(firstframe, "all") == whole)
      #expect(isLeft(firstframe))
    }
  }

  @Test func `a killed or interrupted sweep leaves no process, and goes on`() throws {
    try inFolder { firstframe in
      let whole = try whole(firstframe)
      for (name, signal, status) in [("killed", SIGKILL, SIGKILL), ("stopped", SIGINT, 14)] {
        let cut = try interrupted(firstframe, name) { program, workers in
          #expect(!workers.isEmpty)
          kill(program, signal)
        }
        #expect(cut.status == status, "\(cut.error)")
        #expect(isLeft(firstframe), "\(name)")
        #expect(kept(firstframe, name) < 256)
        #expect(try firstframe.names(name) == ["shards"])
        let resumed = try firstframe.run(
          arguments(name, threads: 2, replications: 64, SharedPrefixCommandTests.outages)
            + ["--quiet"])
        #expect(resumed.status == 0, "\(resumed.error)")
        #expect(try result(firstframe, name) == whole)
      }
    }
  }
}
