import Foundation
import Scenario
import Statistics
import Studies
import Testing

@testable import Reports
@testable import Studies

@Suite struct BriefReportTests {
  /// The hand-made result with these budgets: verdict, level, margin.
  private func result(
    _ verdicts: [(Verdict, Budget.Level, Double)], name: (Int) -> String = { _ in "lte" }
  ) throws -> StudyResult {
    var result = try Fixture.result()
    result.budgets = try verdicts.enumerated().map { index, row in
      let metric = "ttff_ms{network=\(name(index)),device=device-\(index)}.p95"
      var budget = result.scenario.budgets[0]
      budget.metric = try MetricReference.parse(metric).get()
      budget.level = row.1
      return BudgetResult(
        budget: budget,
        metric: try Fixture.metric(metric, value: 500 * (1 - row.2), half: 3, samples: 1_234_567),
        verdict: row.0, reason: row.0 == .inconclusive ? "the interval is too wide" : "",
        decidedAt: nil, margin: row.2)
    }
    return result
  }

  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  private func checked(
    _ result: StudyResult, causes: [String] = [], width: Int = 80
  ) throws -> [String] {
    let text = try BriefReport.text(
      result, folder: "results/x", causes: causes, width: width)
    let lines = lines(text)
    #expect(lines.count <= 40, "\(text)")
    #expect(lines.allSatisfy { $0.count <= width && !$0.hasSuffix(" ") }, "\(text)")
    #expect(lines.last == "results in results/x")
    return lines
  }

  @Test func `the brief report says verdict, budgets, why, doubts and how to run it again`() throws
  {
    let lines = try checked(try Fixture.result())
    let text = lines.joined(separator: "\n")
    #expect(
      lines[0] == "INVALID  hand-made: 1 of 2 hard budgets cannot be judged (exit code 13)")
    #expect(lines[1] == "A result made by hand")
    #expect(lines[2] == "8 of up to 16 replications, 1,200 views in 40 sessions, seed 7")
    #expect(text.contains("    ttff_ms.p75       < 500 ms    412.2 ms  [405.8, 418.8]  1.2k"))
    #expect(text.contains("\n  fail (soft)\n    rebuffer_ratio"))
    #expect(text.contains("NOT SURE\n  invalid, 40 samples, 1000 are needed: ttff_cold_ms.p95"))
    #expect(
      text.contains("--viewer 5 --replication 7 --item 6\n"), "\(text)")
    #expect(text.contains("\n  firstframe run some/folder/hand.yaml\n"))
  }

  @Test(arguments: [1, 5, 12, 30, 60])
  func `a budget that does not pass is never hidden, however many there are`(_ count: Int) throws {
    let verdicts: [Verdict] = [.fail, .pass, .inconclusive, .pass, .pass]
    let rows = (0..<count).map { index in
      (verdicts[index % 5], index % 3 == 0 ? Budget.Level.soft : .hard, Double(index) / 100)
    }
    let result = try result(rows)
    let text = try checked(result).joined(separator: "\n")
    let joined = text.replacing("\n", with: " ")
    for (index, row) in rows.enumerated() where row.0 != .pass {
      #expect(joined.contains("ttff_ms{lte,device-\(index)}.p95"), "\(index): \(text)")
    }
    if count > 30 { #expect(text.contains(" pass\n"), "\(text)") }
  }

  @Test func `more names than forty lines hold are named all the same`() throws {
    let rows = (0..<200).map { _ in (Verdict.fail, Budget.Level.hard, -0.5) }
    let result = try result(rows)
    let text = try BriefReport.text(result, folder: "r").replacing("\n", with: " ")
    for index in 0..<200 { #expect(text.contains("lte,device-\(index)}")) }
  }

  @Test func `names that would read the same stay whole`() {
    #expect(
      BriefName.names([
        "hit_ratio{tier=edge,by=requests}.ratio", "ttff_ms{network=high}.p95",
        "ttff_ms{device=high}.p95", "push_bytes.max",
      ]) == [
        "hit_ratio{edge,requests}", "ttff_ms{network=high}.p95", "ttff_ms{device=high}.p95",
        "push_bytes",
      ])
  }

  @Test func `a budget that nothing has come near is called out on the terminal and the page`()
    throws
  {
    var result = try result([(.pass, .hard, 1), (.pass, .hard, 0.5)])
    result.budgets[0].metric.interval = Interval(lower: 0, upper: 0, level: 0.95)
    let said = "cannot fail here, 0 in every replication: ttff_ms{lte,device-0}.p95"
    #expect(try checked(result).joined(separator: "\n").contains(said))
    #expect(TerminalReport.text(result).contains("cannot fail here, 0 in every replication: ttff"))
    #expect(try HTMLReport.text(result).contains("One budget cannot fail here: time to first"))
    #expect(try !HTMLReport.text(try Fixture.result()).contains("cannot fail here"))
  }

  @Test func `lines about causes stand in a place of their own, as they are`() throws {
    let lines = try checked(try Fixture.result(), causes: ["  cause  one", "  cause  two"])
    let start = try #require(lines.firstIndex(of: "CAUSES"))
    #expect(lines[start + 1...start + 2] == ["  cause  one", "  cause  two"])
    #expect(try #require(lines.firstIndex(of: "BUDGETS")) < start)
  }

  @Test func `commands on several lines are read back by a shell`() throws {
    let long = "--set=" + String(repeating: "it's a \"long\" $value; ", count: 12)
    let words = ["firstframe", "run", "a b.yaml", "--set", "x=1", long, "", "--viewer", "17"]
    for width in [60, 80, 100] {
      let lines = ShellText.lines(words, width: width, indent: "  ")
      #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "printf '%s\\0' " + lines.joined(separator: "\n")]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let read = String(decoding: data, as: UTF8.self)
        .split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
      #expect(read == words)
    }
    #expect(ShellText.command(["a", "it's"]) == "a 'it'\\''s'")
  }

  @Test func `a margin's interval has the margin in it, and bars share a scale`() throws {
    let record = RunRecord(
      try result([(.pass, .hard, 0.25), (.fail, .hard, -0.5), (.fail, .hard, -9)]))
    let margins = record.budgets.compactMap { BudgetMargin($0) }
    #expect(margins.count == 3)
    for margin in margins {
      let interval = try #require(margin.interval)
      #expect(interval.contains(margin.value))
      #expect(abs(interval.upperBound - interval.lowerBound - 6.0 / 500) < 1e-9)
    }
    #expect(MarginScale(record.budgets).range == -1.05...1.05)
    #expect(MarginScale([record.budgets[0]]).range == -0.05...1.05)
    let bar = try #require(MarginBar(record.budgets[2], MarginScale(record.budgets)))
    #expect(!bar.markup.contains("\"-"))
  }

  @Test func `full sections carry the commands that show their views`() throws {
    var result = try Fixture.result()
    result.waitedBand = result.p95Band
    let text = TerminalReport.text(result)
    #expect(text.contains("\n  P95:\n    firstframe trace some/folder/hand.yaml"))
    let page = try HTMLReport.text(try Fixture.result())
    #expect(
      page.contains(
        "<code>firstframe trace scenario.resolved.yaml --viewer 5 --replication 7 --item 6</code>"))
  }
}
