import Foundation
import Scenario
import Testing

@testable import Reports
@testable import Studies

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct AuditReportTests {
  /// One audit with a mutant of each status, of some hundred views.
  private static let made = Task {
    let scenario = try StudyScenario.parse(
      """
      version: 1
      name: audited
      seed: 3
      audience: {window: 20 s}
      catalogue: {titles: 2000}
      budgets:
        - {metric: "ttff_swipe_ms.mean", limit: "< 200 ms", minimumSamples: 10}
        - {metric: ttff_ms.p95, limit: "< 100 s", minimumSamples: 10}
      """, file: "scenarios/audited.yaml")
    return try await Audit(
      scenario,
      mutants: ["prefetch-off", "query-in-cache-key", "telemetry-dropped", "edge-half"],
      replications: 6, threads: 2
    ).run()
  }

  @Test func `the terminal says what is noticed, what is not, and what cannot fail`() async throws {
    let audit = try await Self.made.value
    let text = AuditReport.text(audit, minimum: 0.5, width: 80, color: false)
    #expect(text.contains("AUDIT of audited"))
    #expect(text.contains("noticed by: ttff_swipe_ms.mean < 200 ms, got"))
    #expect(text.contains("moved: ") && text.contains("not sure: "))
    #expect(text.contains("client.telemetry is none"))
    #expect(text.contains("notices nothing: it cannot fail here"))
    #expect(text.contains("SCORE "))
    let long = text.split(separator: "\n").filter { $0.count > 80 }
    #expect(long.allSatisfy { $0.contains("- {metric:") }, "\(long)")
    let colored = AuditReport.text(audit, minimum: nil, width: 80, color: true)
    #expect(colored.contains("\u{1B}["))
  }

  @Test func `the document holds every mutant and budget`() async throws {
    let audit = try await Self.made.value
    let text = AuditDocument.json([audit], minimum: 0.5).text()
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == "audit" && object["minimumScore"] as? Double == 0.5)
    let found = try #require((object["audits"] as? [[String: Any]])?.first)
    let mutants = try #require(found["mutants"] as? [[String: Any]])
    #expect(mutants.count == 4 && (found["budgets"] as? [[String: Any]])?.count == 2)
    let noticed = try #require(mutants.first { $0["name"] as? String == "prefetch-off" })
    #expect(noticed["status"] as? String == "noticed")
    #expect((noticed["settings"] as? [[String: Any]])?.isEmpty == false)
  }

  @Test(arguments: [nil, 1.0])
  func `JUnit is well formed, and survivors fail only when the score is asked for`(
    _ minimum: Double?
  ) async throws {
    let audit = try await Self.made.value
    let text = AuditJUnit.text([audit], minimum: minimum)
    let parser = XMLParser(data: Data(text.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let failures = text.components(separatedBy: "<failure ").count - 1
    #expect(text.contains("failures=\"\(failures)\" errors=\"0\" skipped="))
    let survivors = audit.count(.survived)
    #expect(failures == (minimum == nil || survivors == 0 ? 0 : survivors + 1))
    #expect(text.components(separatedBy: "<testcase ").count - 1 == 1 + 1 + 4 + 2)
  }

  @Test func `a mutant is listed with its keys or the reason why not`() async throws {
    let audit = try await Self.made.value
    let text = AuditList.text([Audit(audit.base.scenario, replications: nil, threads: 1)])
    #expect(text.contains("--set 'policy.prefetch={kind: head, headLength: 0 s}'"))
    #expect(text.contains("not applicable: client.telemetry is none"))
    #expect(AuditList.text().contains("relays-off"))
  }

  @Test func `lines are broken at blanks and colours take no room`() {
    #expect(
      TextWrap.lines("one two three", first: "  ", rest: "    ", width: 10)
        == ["  one two", "    three"])
    #expect(
      TextWrap.lines("\u{1B}[31mone\u{1B}[0m two", first: "", rest: "", width: 7).count == 1)
  }
}
