import Foundation
import Testing

/// What `gate` tells others, as a process: the comment, the history, the times of JUnit.
@Suite struct GateTellingTests {
  private func gate(
    _ firstframe: Program, _ arguments: String..., environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    let quiet = ["GITHUB_SHA": "", "CI_COMMIT_SHA": "", "GIT_COMMIT": ""]
    return try firstframe.run(
      ["gate", "study.yaml", "--replications", "8", "--quiet"] + arguments,
      environment: quiet.merging(environment) { $1 })
  }

  private func head(_ text: String) -> Substring { text.prefix { $0 != "\n" } }

  @Test func `the comment is silent without a change, and names cause and size with one`() throws {
    try StudyCommandTests.inFolder { firstframe in
      #expect(try gate(firstframe, "--update-baseline").status == 0)
      let known = ["--baseline", "results/baselines", "--pr-comment", "out/comment.md"]
      let same = try gate(firstframe, known[0], known[1], known[2], known[3])
      #expect(same.status == 0, "\(same.error)")
      let silent = try firstframe.read("out/comment.md")
      #expect(head(silent).hasPrefix("<!-- firstframe-gate name=\"gate\" verdict=\"pass\" "))
      #expect(head(silent).contains(" changed=\"false\" "), "\(silent)")
      let worse = try gate(
        firstframe, known[0], known[1], known[2], known[3], "--pr-comment-name", "feed",
        "--set", "policy.pool.size=1")
      #expect(worse.status == 11, "\(worse.error)")
      let loud = try firstframe.read("out/comment.md")
      #expect(head(loud).contains(" name=\"feed\" verdict=\"fail\" changed=\"true\" "))
      #expect(loud.contains("`policy.pool.size`: `3` → `1`"), "\(loud)")
      #expect(loud.contains("❌ worse | `ready_ratio`"))
      #expect(loud.contains("| `policy.pool.size` 100 % ("))
      // The rules are another matter than what is simulated.
      let rules = try gate(
        firstframe, known[0], known[1], known[2], known[3], "--set", "budgets[0].limit=< 30 s")
      #expect(rules.status == 0, "\(rules.error)")
      let told = try firstframe.read("out/comment.md")
      #expect(head(told).contains("verdict=\"pass\" changed=\"true\""), "\(told)")
      #expect(told.contains("What is judged changed, too:") && told.contains("`\"< 30 s\"`"))
      #expect(try gate(firstframe, "--pr-comment-name", "a b").status == 64)
    }
  }

  @Test func `each gate adds a line to the history, with what was gated`() throws {
    try StudyCommandTests.inFolder { firstframe in
      let named: [([String], [String: String], String)] = [
        (["--commit", "abc"], ["GITHUB_SHA": "from-github"], "abc"),
        ([], ["GITHUB_SHA": "from-github"], "from-github"),
        ([], ["CI_COMMIT_SHA": "from-gitlab"], "from-gitlab"),
        ([], ["GIT_COMMIT": "from-jenkins"], "from-jenkins"),
      ]
      for (arguments, environment, _) in named {
        let outcome = try firstframe.run(
          ["gate", "study.yaml", "--replications", "2", "--quiet", "--history", "kept/h.jsonl"]
            + arguments,
          environment: ["GITHUB_SHA": "", "CI_COMMIT_SHA": "", "GIT_COMMIT": ""]
            .merging(environment) { $1 })
        #expect(outcome.status == 0, "\(outcome.error)")
      }
      let lines = try firstframe.read("kept/h.jsonl").split(separator: "\n")
      #expect(lines.count == 4)
      for (line, (_, _, commit)) in zip(lines, named) {
        let entry = try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(entry["commit"] as? String == commit)
        #expect(entry["scenario"] as? String == "study" && entry["verdict"] as? String == "pass")
        let metric = try #require((entry["metrics"] as? [[String: Any]])?.first)
        #expect(metric["metric"] as? String == "ttff_cold_ms.mean")
        #expect(metric["value"] is Double && metric["lower"] is Double && metric["n"] is Int)
        #expect(metric["limit"] as? String == "< 20 s")
      }
      let folder = try #require(try firstframe.names("results").first { $0 != "baselines" })
      let page = try firstframe.read("results/\(folder)/report.html")
      #expect(page.contains("Over commits") && page.contains("4 runs of the gate"))
      // The page can be made again from its folder.
      #expect(try firstframe("report", "results/\(folder)").status == 0)
      #expect(try firstframe.read("results/\(folder)/report.html") == page)
    }
  }

  @Test func `a damaged line is named, and the gate goes on; another file is refused`() throws {
    try StudyCommandTests.inFolder { firstframe in
      let fast = ["gate", "study.yaml", "--replications", "2", "--quiet", "--history"]
      #expect(try firstframe.run(fast + ["h.jsonl"]).status == 0)
      let line = try firstframe.read("h.jsonl")
      try firstframe.write("h.jsonl", line + "{\"schema\":1,\"ki")
      let outcome = try firstframe.run(fast + ["h.jsonl"])
      #expect(outcome.status == 0)
      #expect(outcome.error.contains("h.jsonl:2:1: expected a line of firstframe.gate-history 1"))
      let text = try firstframe.read("h.jsonl")
      #expect(text.hasPrefix(line + "{\"schema\":1,\"ki\n{") && text.hasSuffix("}\n"))
      let before = try firstframe.read("study.yaml")
      let other = try firstframe.run(fast + ["study.yaml"])
      #expect(other.status == 65 && other.error.contains("study.yaml: expected a file of gate"))
      #expect(try firstframe.read("study.yaml") == before)
      #expect(try firstframe.run(fast + ["study.yaml/h.jsonl"]).status == 73)
    }
  }

  @Test func `JUnit of the command knows when it was, that of the folder does not`() throws {
    try StudyCommandTests.inFolder { firstframe in
      let before = Date().timeIntervalSince1970
      let outcome = try gate(firstframe, "--junit", "junit.xml")
      #expect(outcome.status == 0, "\(outcome.error)")
      let junit = try firstframe.read("junit.xml")
      let stamp = try #require(
        junit.firstMatch(of: /timestamp="(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})"/))
      let date = try #require(ISO8601DateFormatter().date(from: String(stamp.1) + "Z"))
      #expect(abs(date.timeIntervalSince1970 - before) < 600)
      let seconds = try #require(junit.firstMatch(of: /<testsuites [^>]*time="([\d.]+)"/))
      #expect(try #require(Double(seconds.1)) > 0.001)
      let folder = try #require(try firstframe.names("results").first)
      let kept = try firstframe.read("results/\(folder)/junit.xml")
      #expect(!kept.contains("time=") && !kept.contains("timestamp="))
    }
  }
}
