import Foundation
import Scenario
import Testing

@testable import Reports
@testable import Statistics
@testable import Studies

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct GateOutputTests {
  private func gate() throws -> GateResult {
    GateResult(study: try Fixture.result(), baseline: nil)
  }

  /// Reads the elements of an XML text.
  private final class Elements: NSObject, XMLParserDelegate {
    var names: [String] = []
    var attributes: [[String: String]] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes found: [String: String]
    ) {
      names.append(name)
      attributes.append(found)
    }
  }

  @Test func `JUnit is well formed, and its counts are those of its cases`() throws {
    let text = try JUnit.text([gate()])
    let elements = Elements()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = elements
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    func count(_ name: String) -> Int { elements.names.count { $0 == name } }
    let suite = try #require(elements.names.firstIndex(of: "testsuite"))
    let found = elements.attributes[suite]
    #expect(found["tests"] == "\(count("testcase"))")
    #expect(found["failures"] == "\(count("failure"))")
    #expect(found["errors"] == "\(count("error"))")
    #expect(found["skipped"] == "\(count("skipped"))")
    #expect(count("testcase") == (try gate().study.budgets.count))
    // A file of the result alone knows no time; what a command writes says when and how long.
    #expect(elements.attributes.allSatisfy { $0["time"] == nil && $0["timestamp"] == nil })
  }

  @Test func `JUnit says when a scenario was run and how long it took, when somebody knows`()
    throws
  {
    let time = JUnit.Time(start: 86_400 + 3_600, seconds: 12.0345)
    let text = try JUnit.text([gate(), gate()], times: [time, time])
    let elements = Elements()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = elements
    #expect(parser.parse())
    let suites = zip(elements.names, elements.attributes).filter { $0.0 == "testsuite" }.map(\.1)
    #expect(suites.allSatisfy { $0["time"] == "12.035" })
    #expect(suites.allSatisfy { $0["timestamp"] == "1970-01-02T01:00:00" })
    let whole = zip(elements.names, elements.attributes).first { $0.0 == "testsuites" }
    #expect(whole?.1["time"] == "24.069")
  }

  @Test func `texts with the characters of XML come back as they were`() {
    #expect(JUnit.escaped("a<b>&\"'\u{1}") == "a&lt;b&gt;&amp;&quot;&apos;\\u{1}")
  }

  @Test func `annotations stay below GitHub's limit and say what was cut`() throws {
    var one = try gate()
    let failing = try #require(one.study.budgets.first)
    var many: [BudgetResult] = []
    for index in 0..<25 {
      var row = failing
      row.verdict = .fail
      row.budget.level = .hard
      row.budget.place = "scenarios/a.yaml:\(index + 1):5"
      many.append(row)
    }
    one.study.budgets = many
    let lines = GitHubReport.annotations([one]).filter { $0.hasPrefix("::error") }
    #expect(lines.count == 10)
    #expect(lines[0].hasPrefix("::error file=scenarios/a.yaml,line=1,title="))
    #expect(lines[9].contains("16 more are not annotated"))
    #expect(lines.allSatisfy { !$0.contains("\n") })
  }

  @Test func `workflow commands escape what would end them`() {
    #expect(GitHubReport.data("50 %\nnext") == "50 %25%0Anext")
    #expect(GitHubReport.property("a:b,c") == "a%3Ab%2Cc")
  }

  @Test func `the summary names every budget and stays below GitHub's limit`() throws {
    let text = try GitHubReport.summary([gate()])
    for row in try gate().study.budgets {
      #expect(text.contains(row.budget.metric.shortName))
    }
    let many = try [GateResult](repeating: gate(), count: 3000)
    let long = GitHubReport.summary(many)
    #expect(long.utf8.count < 1_048_576)
    #expect(long.contains("more scenarios are left out"))
  }

  @Test func `OpenMetrics has one type for each family, units in names, and ends`() throws {
    let text = try OpenMetrics.text([gate()])
    let lines = text.split(separator: "\n")
    #expect(lines.last == "# EOF")
    let families = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    #expect(Set(families).count == families.count)
    for line in lines where !line.hasPrefix("#") {
      let name = line.prefix { $0 != "{" }
      #expect(families.contains(name), "\(line)")
      #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
    }
    // No series twice.
    let series = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "}" } }
    #expect(Set(series).count == series.count)
  }

  @Test func `OpenMetrics has limits and margins of budgets, in the units of their metrics`()
    throws
  {
    let text = try OpenMetrics.text([gate()])
    let pairs =
      "scenario=\"hand-made\",metric=\"ttff_ms\",stat=\"p75\",level=\"hard\",side=\"upper\""
    let family = "firstframe_limit_seconds"
    #expect(text.contains("# TYPE \(family) gauge\n# UNIT \(family) seconds\n"))
    #expect(text.contains("firstframe_limit_seconds{\(pairs)} 0.5\n"))
    #expect(text.contains("firstframe_margin_ratio{\(pairs),bound=\"value\"} 0.176\n"))
    // 412.25 ± 6.5 of 500.
    let start = "firstframe_margin_ratio{\(pairs),bound=\"lower"
    let lower = try #require(text.split(separator: "\n").first { $0.hasPrefix(start) })
    let number = try #require(Double(lower.split(separator: " ").last ?? ""))
    #expect(abs(number - (1 - 418.75 / 500)) < 1e-12)
    let soft = text.split(separator: "\n").first { $0.hasPrefix("firstframe_limit_ratio{") }
    #expect(soft?.contains("level=\"soft\"") == true && soft?.hasSuffix(" 0.01") == true)
  }

  @Test func `of two limits of one metric the stricter is a series`() throws {
    var one = try gate()
    var other = one.study.budgets[0]
    other.budget.limit.value = 450
    one.study.budgets.append(other)
    let lines = OpenMetrics.text([one]).split(separator: "\n").filter {
      $0.hasPrefix("firstframe_limit_seconds{") && $0.contains("stat=\"p75\"")
    }
    #expect(lines.count == 1)
    #expect(lines[0].hasSuffix(" 0.45"), "\(lines)")
  }

  @Test func `scenarios that a signal left out stand in JUnit as skipped cases`() throws {
    let gate = try gate()
    let scenario = gate.study.scenario
    let text = JUnit.text([gate], notRun: [scenario])
    let parser = XMLParser(data: Data(text.utf8))
    let elements = Elements()
    parser.delegate = elements
    #expect(parser.parse())
    let suites = zip(elements.names, elements.attributes).filter { $0.0 == "testsuite" }.map(\.1)
    #expect(suites.count == 2)
    #expect(suites.last?["tests"] == "\(scenario.budgets.count)")
    #expect(suites.last?["skipped"] == suites.last?["tests"])
    #expect(text.contains("not-run: stopped by a signal before this scenario"))
  }

  @Test func `a gate's JSON and JUnit are the same twice`() throws {
    #expect(try GateReport.json([gate()]).text() == GateReport.json([gate()]).text())
    #expect(try JUnit.text([gate()]) == JUnit.text([gate()]))
  }
}
