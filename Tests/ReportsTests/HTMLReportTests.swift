import Foundation
import Statistics
import Testing

@testable import FeedModel
@testable import Reports
@testable import Scenario
@testable import Studies

@Suite struct HTMLReportTests {
  /// Those of a feed that was simulated.
  private static let pageHeadings = PageHeading.allCases.filter {
    ![.live, .times, .numbers, .history].contains($0)
  }

  private func report(_ change: (inout StudyResult) -> Void = { _ in }) throws -> String {
    var result = try Fixture.result()
    result.waitedBand = result.p95Band
    change(&result)
    return try HTMLReport.text(result, toolchain: "Swift 6.3", commit: "abc")
  }

  /// What stands in the section of that name.
  private func section(_ id: String, of report: String) throws -> String {
    let begin = try #require(report.range(of: "<section id=\"\(id)\""))
    let end = try #require(report[begin.upperBound...].range(of: "</section>"))
    return String(report[begin.lowerBound..<end.upperBound])
  }

  /// The texts of all elements of a name, in order.
  private func texts(_ element: String, in markup: String) throws -> [String] {
    try markup.components(separatedBy: "<\(element)>").dropFirst().map { piece in
      let end = try #require(piece.range(of: "</\(element)>"))
      return try MarkupCheck("<p>\(piece[..<end.lowerBound])</p>").text
    }
  }

  @Test func `a report is the same twice, small, and names nothing outside itself`() throws {
    let first = try report()
    #expect(try report() == first)
    #expect(first.utf8.count < 300_000)
    // `style=` would be left out under a content security policy, and with it what it says.
    for word in ["http:", "https:", "<script", "<link", "@import", "url(", "src=", " style="] {
      #expect(!first.contains(word), "\(word)")
    }
  }

  @Test func `a report is well-formed, every section is there and every link leads to one`() throws
  {
    let text = try report()
    let check = try MarkupCheck(text)
    #expect(Set(check.ids).count == check.ids.count)
    #expect(check.links.count > HTMLReportTests.pageHeadings.count)
    for link in check.links {
      #expect(link.first == "#" && check.ids.contains(String(link.dropFirst())))
    }
    for heading in HTMLReportTests.pageHeadings { #expect(check.ids.contains(heading.rawValue)) }
    for (element, count) in [("main", 1), ("header", 1), ("nav", 1), ("h1", 1)] {
      #expect(check.elements[element] == count)
    }
    let tables = check.elements["table"] ?? 0
    #expect(check.elements["caption"] == tables)
    #expect(text.components(separatedBy: "scope=\"col\"").count > tables)
    #expect(check.elements["section"] == HTMLReportTests.pageHeadings.count)
  }

  @Test func `texts from outside are data, never markup`() throws {
    let nasty = "a<script>alert('1')</script>&amp;\"\u{1}b"
    let text = try report { result in
      result.scenario.name = nasty
      result.scenario.description = nasty
      if var study = result.scenario.feed {
        study.feed.networks = [nasty, "lte"]
        result.scenario = study.scenario
      }
      result.budgets[2].reason = nasty
      result.budgets[2].budget.limitText = nasty
    }
    let check = try MarkupCheck(text)
    #expect(check.elements["script"] == nil)
    #expect(check.text.contains("a<script>alert('1')</script>&amp;\"\\u{1}b"))
  }

  @Test func `the structure of a report`() throws {
    let text = try report()
    #expect(try texts("h3", in: text) == HTMLReportTests.headings)
    #expect(try texts("caption", in: text) == HTMLReportTests.captions)
  }

  private static let headings = [
    "Late starts by the part that took longest", "What to look at", "Views to look at",
    "Run it again", "Tier: edge",
    "By network",
  ]
  private static let captions = [
    "Every budget of the scenario, those that hold included",
    "Late: after 0.5 s. Never: left before a first frame",
    "Mean time by part; the parts sum to the whole",
    "Time to first frame in ms, ± half of the 95 % interval over the replications",
    "Requests at the edge by class and outcome", "What prefetches cost the items on the screen",
    "Init and segment bytes", "Sums over the replications",
    "By network, ± half of the 95 % interval",
    "Sums over all replications", "As result.json names them",
  ]

  @Test func `a budget shows value, limit, interval, margin, samples and decision`() throws {
    let rows = try section("budgets", of: try report()).components(separatedBy: "<tr>")
    let passed = try MarkupCheck(
      "<p>"
        + (try #require(rows.dropFirst(2).first)
          .components(separatedBy: "</tr>")[0]) + "</p>"
    ).text
    for piece in [
      "✓ pass", "412.2 ms", "<\u{A0}500\u{A0}ms", "[405.8, 418.8] ms", "+17.6\u{A0}%", "1,200",
      "after 8",
    ] {
      #expect(passed.contains(piece), "\(piece)")
    }
    let invalid = try #require(rows.last)
    for piece in ["! </span>invalid", "≥ 5,000 ms", "40 samples, 1000 are needed"] {
      #expect(invalid.contains(piece), "\(piece)")
    }
  }

  @Test func `the verdict is a sentence, and colour never says it alone`() throws {
    #expect(
      try report().contains(
        "1 of 2 hard budgets cannot be judged; no data is never a pass. 1 soft budget is missed"))
    let failed = try report { $0.budgets[2].verdict = .fail }
    #expect(failed.contains("✗ </span>FAIL"))
    #expect(
      failed.contains("1 of 2 hard budgets are missed. The worst: first frame of a session"))
    let passed = try report { $0.budgets[2].verdict = .pass }
    #expect(passed.contains("✓ </span>PASS"))
    #expect(passed.contains("All 2 hard budgets hold."))
    let open = try report { $0.budgets[2].verdict = .inconclusive }
    #expect(open.contains("? </span>INCONCLUSIVE"))
    #expect(open.contains("1 of 2 hard budgets are undecided after 8 replications"))
    let none = try report { $0.budgets = [] }
    #expect(none.contains("– </span>NOT-RUN"))
    #expect(none.contains("The scenario has no hard budget"))
  }

  @Test func `what is missing says so, and why`() throws {
    let text = try report { result in
      result.cohorts = result.cohorts.map { _ in CohortSums() }
      result.histograms = []
      result.metrics = []
      result.budgets = []
      result.measures = FeedMeasures(networks: 2, devices: 2)
      result.medianBand = BreakdownBand()
      result.p95Band = BreakdownBand()
      result.waitedBand = BreakdownBand()
      result.late = LateStarts()
    }
    _ = try MarkupCheck(text)
    for id in HTMLReportTests.pageHeadings.map(\.rawValue)
    where !["links", "players", "provenance"].contains(id) {
      #expect(try section(id, of: text).contains("No data: "), "\(id)")
    }
  }

  @Test func `a start without a wait is told from one at 0 ms`() throws {
    let ready = try section("startup", of: try report { $0.waitedBand = BreakdownBand() })
    #expect(ready.contains("ready when its clock started: none waited for more than the display."))
    let shown = try section("startup", of: try report { $0.medianBand = Fixture.band([]) })
    #expect(
      shown.contains("the median: 0 ms, the first frame was on the display when the clock started.")
    )
  }

  @Test func `tiers and labels that this version does not know are shown`() throws {
    let known = ResultDocument.text(try Fixture.result())
    let text = try HTMLReport.text(
      resultDocument: known.replacing("\"tier\":\"edge\"", with: "\"tier\":\"regional\"")
        .replacing("{network=lte}", with: "{window=flash crowd}"))
    #expect(try texts("h3", in: text).contains("Tier: regional"))
    #expect(try texts("h3", in: text).contains("By window"))
    #expect(text.contains("flash crowd"))
  }

  @Test func `a comparison shows the keys that differ and the paired differences`() throws {
    let baseline = ReportBaseline(
      name: "results/baselines/hand-made.json",
      changes: [.init(key: "policy.pool.size", before: "3", after: nil)],
      differences: [
        .init(
          metric: "ttff_ms.p95", unit: "ms", before: 400, after: 460, difference: 60, lower: 51,
          upper: 69, pairs: 8, conclusion: "regression"),
        .init(
          metric: "wasted_ratio.ratio", unit: "ratio", before: nil, after: 0.5, difference: nil,
          lower: nil, upper: nil, pairs: 0, conclusion: "no data"),
      ])
    let text = try section(
      "changes", of: try HTMLReport.text(try Fixture.result(), baseline: baseline))
    for piece in ["policy.pool.size", "not there", "+60.0 ±9.0 ms", "regression", "50.00 %"] {
      #expect(text.contains(piece), "\(piece)")
    }
    let copy = try JSONDecoder().decode(
      ReportBaseline.self, from: try JSONEncoder().encode(baseline))
    #expect(copy == baseline)
  }

  @Test func `a folder's report is made again from the folder alone, without its wall-clock times`()
    throws
  {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let result = try Fixture.result()
    var texts: [String] = []
    for (start, threads) in [(0.0, 1), (1e9, 2)] {
      var provenance = RunFolderTests.provenance
      (provenance.start, provenance.end, provenance.threads) = (start, start + 5, threads)
      let folder = try RunFolder.write(result, provenance: provenance, parent: scratch)
      texts.append(try String(contentsOfFile: folder + "/report.html", encoding: .utf8))
      try FileManager.default.removeItem(atPath: folder + "/report.html")
      let path = try RunFolder.rewriteReport(folder)
      texts.append(try String(contentsOfFile: path, encoding: .utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 6)
    }
    #expect(Set(texts).count == 1)
  }

  @Test func `documents that are no result are refused with their key`() throws {
    let good = ResultDocument.text(try Fixture.result())
    func failure(_ text: String) -> String {
      do {
        _ = try HTMLReport.text(resultDocument: text)
        return "none"
      } catch {
        return error.description
      }
    }
    #expect(
      failure("{")
        == "result.json:1:2: expected a name in double quotes, got the end of the document")
    #expect(
      failure(good.replacing("\"schema\": 1,", with: "\"schema\": 2,"))
        == "result.json: schema: expected 1, got 2")
    #expect(
      failure(good.replacing("\"cohorts\": [", with: "\"others\": ["))
        == "result.json:1:1: expected a member cohorts, got none")
    #expect(
      failure(good.replacing("\"level\": \"soft\"", with: "\"level\": 7"))
        .hasSuffix(": budgets[1].level: expected a text, got 7"))
    #expect(throws: HTMLReport.ReadError.self) { try HTMLReport.text(folder: { _ in nil }) }
  }

  @Test func `the command of a report runs the same digest again`() throws {
    var result = try Fixture.result()
    let run = "firstframe run scenario.resolved.yaml"
    #expect(try HTMLReport.text(result).contains("<code>\(run)</code>"))
    result.scenario.isShort = true
    result.looks = [16]
    result.shuffleTies = 3
    #expect(
      try HTMLReport.text(result).contains(
        "<code>\(run) --short --replications 16 --shuffle-ties 3</code>"))
  }

  @Test func `the survival curve is the product-limit estimate`() throws {
    var clocks = ClockHistogram()
    var (events, censored): ([Double], [Double]) = ([], [])
    // A fixed spread of times; every third view is left.
    for index in 1...400 as ClosedRange<Int64> {
      let milliseconds = 20 + (index * 7919) % 3000
      if index % 3 == 0 {
        clocks.censored.add(nanoseconds: milliseconds * 1_000_000)
        censored.append(Double(milliseconds))
      } else {
        clocks.started.add(nanoseconds: milliseconds * 1_000_000)
        events.append(Double(milliseconds))
      }
    }
    var result = try Fixture.result()
    result.histograms = [[clocks], []]
    let record = try JSONDecoder().decode(
      RunRecord.self, from: Data(ResultDocument.text(result).utf8))
    let points = TimeBuckets(record.histograms).survival
    let exact = try KaplanMeier(events: events, censored: censored)
    #expect(points.count > 100)
    for point in points {
      let truth = exact.steps.last { $0.time < point.x }?.survival ?? 1
      // A bucket ends at most 1.6 % above its times, and holds a handful of views of each kind.
      #expect(abs(point.y - truth) < 0.01, "\(point.x)")
    }
  }
}
