import Foundation
import Testing

/// Pages of `sweep`, `tune` and `compare`, and two finished runs side by side, as processes.
@Suite struct StudyPageCommandTests {
  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      try body(firstframe)
    }
  }

  /// The only folder below `results` whose name holds a word.
  private func folder(_ firstframe: Program, _ word: String, in parent: String) throws -> String {
    let names = try firstframe.names(parent).filter { $0.contains(word) }
    #expect(names.count == 1, "\(names)")
    return "\(parent)/\(try #require(names.first))"
  }

  @Test
  func `a sweep's page is the same from one thread and from seven, and links runs that lie there`()
    throws
  {
    try inFolder { firstframe in
      let vary = "{vary: {policy.pool.size: [1, 3]}, front: [ttff_ms.mean, wasted_ratio]}"
      let sweep = "\(Program.tiny)sweep: \(vary)\n"
      try firstframe.write("tiny.yaml", sweep)
      let words = [
        "sweep", "tiny.yaml", "--short", "--quiet", "--replications", "2", "--metric",
        "ttff_ms.p75",
      ]
      var pages: [String] = []
      for threads in ["1", "7"] {
        let outcome = try firstframe.run(words + ["--threads", threads, "--output", threads])
        #expect(outcome.status == 0, "\(outcome.error)")
        pages.append(
          try firstframe.read("\(folder(firstframe, "-sweep-", in: threads))/sweep.html"))
      }
      #expect(pages[0] == pages[1])
      #expect(
        pages[0].contains("sweep tiny.yaml --short --replications 2 --metric ttff_ms.p75</pre>"))
      #expect(!pages[0].contains("report.html"))
      #expect(pages[0].contains("✓ </span>pass</span>"))
      let run = try firstframe.run([
        "run", "tiny.yaml", "--short", "--quiet", "--set", "policy.pool.size=1", "--output", "1",
      ])
      #expect(run.status == 0 || run.status == 12, "\(run.error)")
      let place = try #require(
        try firstframe.names("1").first { $0.hasPrefix("tiny-") && !$0.contains("sweep") })
      let again = try firstframe.run(words + ["--output", "1"])
      #expect(again.status == 0, "\(again.error)")
      let page = try firstframe.read("\(folder(firstframe, "-sweep-", in: "1"))/sweep.html")
      #expect(page.contains("href=\"../\(place)/report.html\""))
    }
  }

  @Test func `tune leaves a page, and says what comes nearest where no candidate keeps the limits`()
    throws
  {
    try inFolder { firstframe in
      let words = [
        "tune", "tiny.yaml", "--short", "--quiet", "--replications", "4", "--minimise",
        "ttff_ms.mean", "--vary", "policy.pool.size=[1, 3]",
      ]
      let none = try firstframe.run(
        words + ["--subject-to", "wasted_ratio < 1 %", "--output", "none"])
      #expect(none.status == 10, "\(none.output) \(none.error)")
      #expect(none.output.contains("  nearest: "), "\(none.output)")
      #expect(none.output.contains("    misses wasted_ratio < 1 % by "), "\(none.output)")
      let place = try folder(firstframe, "-tune-", in: "none")
      #expect(none.output.hasSuffix("results in \(place)\n"))
      #expect(
        try firstframe.names(place) == ["scenario.resolved.yaml", "tune.html", "tune.json"])
      #expect(try firstframe.read("\(place)/tune.html").contains("NOTHING TO RECOMMEND"))
      #expect(try firstframe.read("\(place)/tune.json").contains("\"nearestMiss\": {"))
      var pages: [String] = []
      for threads in ["1", "7"] {
        let found = try firstframe.run(
          words + ["--subject-to", "wasted_ratio < 99 %", "--threads", threads, "-o", threads])
        #expect(found.status == 0, "\(found.error)")
        pages.append(try firstframe.read("\(folder(firstframe, "-tune-", in: threads))/tune.html"))
      }
      #expect(pages[0] == pages[1] && pages[0].contains("RECOMMENDED"))
      let seek = try firstframe.run([
        "tune", "tiny.yaml", "--short", "--quiet", "--replications", "4", "--output", "goal",
        "--target", "hit_ratio{tier=edge,by=requests} = 99.9 %", "--vary",
        "cdn.edge.capacity=[1 MB, 30 MB]",
      ])
      #expect(seek.status == 10, "\(seek.error)")
      let goal = try firstframe.read("\(folder(firstframe, "-tune-", in: "goal"))/tune.html")
      #expect(goal.contains("OUT OF REACH") && goal.contains("below it"))
    }
  }

  @Test func `compare writes a page with curves and causes, and hostile values escaped`() throws {
    try inFolder { firstframe in
      let words = [
        "compare", "tiny.yaml", "--short", "--quiet", "--replications", "8", "--with",
        "policy.pool.size=1", "--with", "description=<b>\"x\" & 'y'</b>", "--causes",
      ]
      var pages: [String] = []
      for threads in ["1", "7"] {
        let page = "pages/\(threads).html"
        let outcome = try firstframe.run(words + ["--threads", threads, "--page", page])
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.hasSuffix("page in \(page)\n"))
        pages.append(try firstframe.read(page))
      }
      #expect(pages[0] == pages[1])
      #expect(pages[0].contains("Views that still wait for their first frame"))
      #expect(pages[0].contains("&lt;b&gt;") && !pages[0].contains("<b>"))
      #expect(pages[0].contains("id=\"causes\""))
      #expect(try firstframe.names("pages") == ["1.html", "7.html"])
      let wrong = try firstframe.run(words + ["--page", "page.txt"])
      #expect(wrong.status == 64 && wrong.error.contains("--page: expected a name that ends in"))
    }
  }

  // MARK: Runs

  /// Two runs of one seed, and one of another.
  private func runs(_ firstframe: Program) throws -> [String] {
    let quiet = ["run", "tiny.yaml", "--short", "--quiet", "--replications", "4"]
    let changes = [[], ["--set", "policy.pool.size=1"], ["--seed", "9"]]
    return try changes.enumerated().map { index, change in
      let parent = "run\(index)"
      let outcome = try firstframe.run(quiet + change + ["--output", parent])
      #expect(outcome.status == 0 || outcome.status == 12, "\(outcome.error)")
      return "\(parent)/\(try firstframe.names(parent)[0])"
    }
  }

  @Test func `two finished runs are put side by side, paired where they can be`() throws {
    try inFolder { firstframe in
      let runs = try runs(firstframe)
      let outcome = try firstframe("compare", runs[0], runs[1], "--page", "two.html")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output.contains("policy.pool.size"), "\(outcome.output)")
      let words = outcome.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.contains("Paired over 4 replications"), "\(outcome.output)")
      let page = try firstframe.read("two.html")
      for id in ["result", "differences", "budgets", "caches", "bytes", "cohorts", "others"] {
        #expect(page.contains("<section id=\"\(id)\""), "\(id)")
      }
      #expect(page.contains("href=\"./\(runs[0])/report.html\""))
      // As `compare` of the two configurations has it.
      let simulated = try firstframe.run([
        "compare", "tiny.yaml", "--short", "--quiet", "--replications", "4", "--with",
        "policy.pool.size=1", "--json", "--metric", "wasted_ratio",
      ])
      let beside = try firstframe.run(
        ["compare"] + runs[0...1] + ["--json", "--metric", "wasted_ratio"])
      let left = try metrics(simulated.output, [])
      let right = try metrics(beside.output, ["comparison"])
      #expect(left.count == 1 && right.count == 1, "\(simulated.error) \(beside.error)")
      for name in ["baseline", "candidate", "difference"] {
        let (a, b) = (left[0][name] as? Double ?? 0, right[0][name] as? Double ?? 1)
        #expect(abs(a - b) < 1e-6, "\(name): \(a) \(b)")
      }
      let apart = try firstframe("compare", runs[0], "\(runs[2])/result.json")
      #expect(apart.status == 0, "\(apart.error)")
      #expect(apart.output.contains("Not paired: the seeds are"), "\(apart.output)")
      let same = try firstframe("compare", runs[0], runs[0])
      #expect(same.output.contains("Equivalent in every metric"), "\(same.output)")
    }
  }

  private func metrics(_ text: String, _ path: [String]) throws -> [[String: Any]] {
    var read = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    for name in path { read = try #require(read[name] as? [String: Any]) }
    return try #require(read["metrics"] as? [[String: Any]])
  }

  @Test func `what is no pair of runs is refused with one message`() throws {
    try inFolder { firstframe in
      let runs = try runs(firstframe)
      let mixed = try firstframe("compare", runs[0], "tiny.yaml")
      #expect(mixed.status == 64 && mixed.error.contains("tiny.yaml: expected a run folder"))
      let one = try firstframe("compare", runs[0])
      #expect(one.status == 64 && one.error.contains("expected a second run folder"))
      let option = try firstframe("compare", runs[0], runs[1], "--with", "policy.pool.size=1")
      #expect(option.status == 64 && option.error.contains("--with: expected scenario files"))
      let metric = try firstframe(
        "compare", runs[0], runs[1], "--metric", "ttff_ms{network=none}.p50")
      #expect(metric.status == 65 && metric.error.contains("expected a result with"))
      let text = try firstframe.read("\(runs[1])/result.json")
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/old", withIntermediateDirectories: true)
      try firstframe.write(
        "old/result.json", text.replacing("\"schema\": 1", with: "\"schema\": 2"))
      let old = try firstframe("compare", runs[0], "old")
      #expect(old.status == 65, "\(old.error)")
      #expect(
        old.error.contains(
          "schema: expected a firstframe.result of version 1, got firstframe.result 2"),
        "\(old.error)")
      #expect(old.error.split(separator: "\n").count == 1)
    }
  }
}
