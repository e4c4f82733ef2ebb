import Foundation
import SlowTesting
import Testing

@testable import Reports
@testable import Scenario
@testable import Statistics
@testable import Studies

/// What others have written, through everything that we write: 100 texts, or 1,000 of the longer
/// run, the same each time, none of which may come out as it went in where it would mean something.
@Suite struct HostileTextTests {
  private static let pieces = [
    "<script>alert(1)</script>", "\"><img src=x onerror=a>", "'><svg/onload=a>", "&lt;b&gt;", "]]>",
    "--><!--", "</style>", "\u{1B}[31mred", "\u{1B}]0;title\u{7}", "\u{9B}2J", "\u{7F}", "\u{0}",
    "\u{202E}txt.exe", "\u{2066}x\u{2069}", "\u{FEFF}", "\u{E0041}\u{E0042}", "\u{2028}",
    "\n::error file=a::b", "::set-output name=x::y", "\r::add-mask::z", "\n ##[error]w",
    "##vso[task.setvariable variable=a]b", "\n##teamcity[message text='a']", "=1+1",
    "@SUM(A1:A9)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\"", "'", "`", "``", "|", "\\", "\\u0022",
    "\n", "\r\n", "[x](javascript:a)", "![p](//e.x/p.png)", "http://e.x/", "@someone", "**b**",
    "# head", "- item", "$1$", "%0A", "%", "{}", "}}", "{x=\"1\"} 2\n# EOF", "\u{FFFE}",
    "é中👩‍💻", "",
  ]

  /// Each a few pieces, drawn by number.
  private static let texts: [String] = (0..<SlowRun.count(100, slow: 1_000)).map {
    number in
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func draw(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    // Every piece stands alone once.
    if number < pieces.count { return pieces[number] }
    return (0..<(2 + draw(3))).map { _ in pieces[draw(pieces.count)] }.joined()
  }

  // MARK: What is written

  private struct Written {
    var pages: [String: String] = [:]
    var lines: [String: String] = [:]
    var documents: [String: String] = [:]
    var tables: [String: String] = [:]
    var markdown: [String: String] = [:]
    var commands: [String] = []
    var metrics = ""
    var junit = ""
    var notebook = ""
  }

  private static func study(_ text: String) throws -> StudyResult {
    var result = try Fixture.result()
    result.scenario.name = text
    result.scenario.description = text
    if var study = result.scenario.feed {
      let feed = study.feed
      study.feed = FeedWorldPlan(
        configuration: feed.configuration, networks: [text, "lte"], devices: ["high", text],
        windows: feed.windows, providers: feed.providers, tableError: feed.tableError)
      result.scenario = study.scenario
    }
    for index in result.budgets.indices {
      result.budgets[index].reason = text
      result.budgets[index].budget.limitText = text
    }
    var live = LiveFacts(target: text, edge: text, link: text)
    live.health = [.init(name: text, value: 2.5, unit: "ms", limit: 10, isGood: true)]
    live.latencies = [.init(name: text, count: 7, sent: [1, 2, 3, 4], due: [1, 2, 3.5, 4])]
    live.failures = [.init(text, 3)]
    live.notes = [text]
    live.reasons = [text]
    live.requests = 10
    live.serverData = .init()
    var hop = LiveFacts.ServerData.Hop(name: text)
    hop.answers = 9
    live.serverData?.answers = 9
    live.serverData?.hops = [hop]
    live.serverData?.malformed = 1
    live.serverData?.examples = [text]
    result.live = live
    return result
  }

  private static func gate(_ text: String) throws -> GateResult {
    var gate = try PullRequestCommentTests.gate(
      .worse, by: 46, key: text,
      rules: [ConfigurationChange(key: text, before: text, after: text)])
    let budgets = gate.study.budgets
    gate.study = try study(text)
    gate.study.budgets = budgets + gate.study.budgets
    gate.study.budgets[1].verdict = .fail
    gate.baseline?.path = text
    gate.baseline?.changes[0].before = text
    return gate
  }

  private static func written(_ text: String) throws -> Written {
    var all = Written()
    let result = try study(text)
    let gate = try gate(text)
    let document = ResultDocument.text(result)
    all.documents["result.json"] = document
    all.documents["gate --json"] = GateReport.json([gate]).text()
    all.pages["report.html"] = try HTMLReport.text(resultDocument: document)
    all.lines["report"] = TerminalReport.text(result, width: 100, color: true)
    all.lines["gate"] = GateReport.text(gate, width: 100, color: false)
    all.junit = JUnit.text([gate], notRun: [result.scenario])
    all.metrics = OpenMetrics.text([gate])
    all.commands = GitHubReport.annotations([gate])
    all.markdown["step summary"] = GitHubReport.summary([gate])
    all.markdown["comment"] = PullRequestComment.text([gate], notRun: [result.scenario])
    all.notebook = try NotebookReport.text(
      folder: { $0 == "result.json" ? document : nil }, runDirectory: "../a", topic: .all)
    for table in RunTables.all([RunRecord(result)]) { all.tables[table.file] = table.text }
    var sweep = try SweepFixture.sweep(front: "ttff_ms.p95, wasted_ratio")
    sweep.standings = [.surelyOnFront, .onFront, .dominated, .surelyDominated(by: 1)]
    sweep.scenario.name = text
    all.pages["sweep.html"] = SweepPage.text(
      sweep, command: ["firstframe", "sweep", text], run: ["firstframe", "run", text],
      folders: [1: text])
    all.lines["sweep"] = SweepReport.text(sweep, color: false)
    all.documents["sweep.json"] = SweepReport.json(sweep).text()
    var comparison = Comparison([], baseline: [], candidate: [], isPaired: true)
    comparison.rows = gate.baseline?.comparison.rows ?? []
    let report = ComparisonReport(
      comparison, baseline: text, candidate: text,
      changes: [ConfigurationChange(key: text, before: text, after: nil)], parts: [])
    all.pages["compare.html"] = ComparisonPage.text(
      report, title: text, records: ([], []), command: ["firstframe", text])
    return all
  }

  // MARK: What is looked for

  private static func hasHidden(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: VisibleText.isHidden)
  }

  @Test func `hostile texts mean nothing anywhere`() throws {
    let plain = try Self.written("plain")
    let skeletons = try plain.pages.mapValues { try MarkupCheck($0).elements }
    #expect(Self.texts.count >= 100 && Set(Self.texts).count * 10 > Self.texts.count * 9)
    for text in Self.texts {
      let all = try Self.written(text)
      let shown = Excerpt.oneLine(text, limit: 200)
      for (name, page) in all.pages {
        // The same elements as of a harmless text, so that none of it is one.
        let found = try MarkupCheck(page)
        for element in ["script", "img", "style", "h1", "table"] {
          #expect(found.elements[element] == skeletons[name]?[element], "\(name): \(shown)")
        }
        #expect(!Self.hasHidden(page), "\(name): \(shown)")
        #expect(!found.links.contains { $0.hasPrefix("javascript:") }, "\(name): \(shown)")
      }
      for (name, lines) in all.lines {
        let log = VisibleText.terminal(lines, color: true)
        let bare = TextStyleFixture.without(log)
        #expect(!Self.hasHidden(bare), "\(name): \(shown)")
        for line in log.split(separator: "\n") {
          let start = line.drop { $0.isWhitespace }
          #expect(!start.hasPrefix("::") && !line.contains(/##[a-z]*\[/), "\(name): \(line)")
        }
      }
      for (name, document) in all.documents {
        #expect(!Self.hasHidden(document), "\(name): \(shown)")
        #expect(!document.contains(/##[a-z]*\[/), "\(name): \(shown)")
        _ = try JSONReader.object(from: Data(document.utf8), within: .message)
      }
      try Self.check(all, shown, plain)
    }
  }

  private static func check(_ all: Written, _ shown: String, _ plain: Written) throws {
    for (name, table) in all.tables {
      #expect(!hasHidden(table), "\(name): \(shown)")
      for field in fields(table) {
        #expect(!field.hasPrefix("=") && !field.hasPrefix("@"), "\(name): \(shown)")
      }
    }
    for (name, text) in all.markdown {
      #expect(!hasHidden(text), "\(name): \(shown)")
      // Outside of code spans nothing is an element, a link, a picture or a mention.
      let rest = text.replacing(/`[^`\n]*`/, with: "")
      let elements = rest.replacing(
        /<\/?(details|summary|sub)>|<!-- firstframe-gate [^<>]* -->/, with: "")
      #expect(!elements.contains("<"), "\(name): \(shown)")
      #expect(!rest.contains("](") && !rest.contains("://"), "\(name): \(shown)")
      #expect(!rest.contains("@"), "\(name): \(shown)")
    }
    let plainLines = plain.markdown["step summary"]?.split(separator: "\n").count
    #expect(all.markdown["step summary"]?.split(separator: "\n").count == plainLines, "\(shown)")
    #expect(all.commands.count == plain.commands.count)
    for command in all.commands {
      #expect(!command.utf8.contains(0x0A) && !hasHidden(command), "\(shown)")
      #expect(command.contains(/^::(error|warning) file=[^:,]*,line=[0-9]+,title=[^:,]*::/))
    }
    #expect(!hasHidden(all.junit), "\(shown)")
    let junit = try MarkupCheck(
      all.junit.replacing("&#10;", with: " ").replacing("&#9;", with: " ")
        .replacing("&apos;", with: "'"))
    #expect(
      junit.elements["testcase"]
        == (try MarkupCheck(
          plain.junit.replacing("&#10;", with: " ")
        ).elements["testcase"]))
    #expect(!hasHidden(all.metrics), "\(shown)")
    for line in all.metrics.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(
        line.contains(/^[a-z_]+\{([a-z_]+="([^"\\]|\\.)*",?)*\} -?[0-9.e+-]+$/), "\(line)")
    }
    #expect(all.metrics.split(separator: "\n").count { $0 == "# EOF" } == 1, "\(shown)")
    #expect(!hasHidden(all.notebook), "\(shown)")
    let cells = try JSONReader.object(from: Data(all.notebook.utf8)) as? [String: Any]
    #expect((cells?["cells"] as? [Any])?.count == cellCount(plain.notebook), "\(shown)")
  }

  /// The fields of a table (RFC 4180).
  private static func fields(_ table: String) -> [String] {
    var (fields, field, isQuoted, wasClosed) = ([String](), "", false, false)
    for scalar in table.unicodeScalars {
      if scalar == "\"" {
        // Two of them inside of quotes are one.
        if wasClosed { field += "\"" }
        wasClosed = isQuoted
        isQuoted.toggle()
        continue
      }
      wasClosed = false
      if !isQuoted && (scalar == "," || scalar == "\n") {
        fields.append(field)
        field = ""
      } else {
        field.unicodeScalars.append(scalar)
      }
    }
    return fields + [field]
  }

  private static func cellCount(_ notebook: String) -> Int? {
    let read = try? JSONReader.object(from: Data(notebook.utf8)) as? [String: Any]
    return (read?["cells"] as? [Any])?.count
  }

  @Test func `a table's field is no formula, and numbers stay numbers`() {
    for (text, field) in [
      ("=1+1", "'=1+1"), ("@x", "'@x"), ("+1+1", "'+1+1"), ("-x", "'-x"), ("-2 ms", "-2 ms"),
      ("+0.5", "+0.5"), ("-1(2)", "'-1(2)"), ("-", "-"), ("a=1", "a=1"), ("a\rb", "a\\u{D}b"),
      ("a,\"b\"", "\"a,\"\"b\"\"\""), ("\t=1", "'\t=1"), ("x\r\ny", "\"x\\u{D}\ny\""),
    ] { #expect(CSVText.field(text) == field) }
  }

  @Test func `a shell reads a command with hidden characters back as it was`() throws {
    let word = "a'b\\\u{1B}[2J\u{202E}"
    let command = ShellText.command(["printf", "%s", word])
    #expect(!Self.hasHidden(command))
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.standardOutput = output
    try process.run()
    let read = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: read, as: UTF8.self) == word)
  }
}

private enum TextStyleFixture {
  /// The text without the styles that reports use.
  static func without(_ text: String) -> String {
    text.replacing(/\u{1B}\[[0-9]*m/, with: "")
  }
}
