import FeedImage
import Foundation
import Testing

@testable import Reports
@testable import Scenario
@testable import Studies

@Suite struct WhatIfPageTests {
  private static let hostile = "</script><script>alert('\u{202E}1')</script> {{script}} & \"x\""

  private static let template = WhatIfTemplate(
    page: """
      <html><meta content="{{policy}}"><title>{{title}}</title><style>{{style}}</style>{{report}}
      {{data}}<script type="text/plain" id="worker">{{worker}}</script><script>{{script}}</script>
      """,
    style: "p { margin: 0 }", script: "const a = \"{{title}}\";", worker: "onmessage = null;",
    module: Gzip.bytes(of: [0, 0x61, 0x73, 0x6D]))

  private static func page(name: String = "a-feed") throws -> WhatIfPage {
    let image = [UInt8](0..<60)
    var other = image
    other[30] = 99
    other.insert(contentsOf: [1, 2], at: 50)
    let controls = WhatIfControls(
      controls: [
        .init(
          key: "policy.pool.size", words: name, group: "player",
          steps: [
            .init(text: "3", delta: .none),
            .init(text: name, delta: ImageDelta.between(image, other)),
          ], base: 0, isOrdered: true)
      ], conflicts: [0...1])
    let scenario = try Fixture.scenario()
    let metrics = [
      try Fixture.metric("ttff_ms.p75", value: 480, half: 9, samples: 1200),
      try Fixture.metric("ready_ratio", value: nil, half: nil, samples: 0),
      try Fixture.metric("hit_ratio{tier=edge,by=requests}", value: 0.98, half: 0.01, samples: 9),
      try Fixture.metric("startup_ms{part=tls}.mean", value: 12, half: 1, samples: 9),
    ]
    let budget = BudgetResult(
      budget: scenario.budgets[0], metric: metrics[0], verdict: .inconclusive, reason: name,
      decidedAt: nil, margin: 0.04)
    return WhatIfPage(
      identity: .init(
        name: name, description: name, digest: "0123abcd", file: name, isShort: true,
        arguments: ["--short"],
        seed: .max, replications: 2, viewsPerReplication: 3500.4, report: "report.html"),
      base: .init(
        metrics: metrics, budgets: [budget], budgetMetrics: [0],
        fingerprints: [.init(value: 1), .init(value: .max)], curve: [(100, 0.5), (200, 1)],
        image: image, plan: [1, 2, 3]),
      controls: controls)
  }

  /// What stands in the element of that name.
  private static func block(_ id: String, of text: String) throws -> String {
    let start = try #require(text.firstRange(of: "id=\"\(id)\">"))
    let end = try #require(text[start.upperBound...].firstRange(of: "</script>"))
    return String(text[start.upperBound..<end.lowerBound])
  }

  /// The bytes of the element of that name, as page.js reads them.
  private static func bytes(_ id: String, of text: String) throws -> [UInt8] {
    let end = try #require(text.firstRange(of: "\" id=\"\(id)\">")?.lowerBound)
    let start = try #require(text[..<end].ranges(of: "data-bytes=\"").last?.upperBound)
    let count = try #require(Int(text[start..<end]))
    return try BlockTextTests.bytes(of: try block(id, of: text), count: count)
  }

  private static func members(_ text: String) throws -> [String: Any] {
    let data = Data(try block("page", of: text).utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func theScriptReadsWhatTheRunCameTo() throws {
    let members = try Self.members(Self.page().text(Self.template))
    #expect(members["seed"] as? String == "18446744073709551615")
    #expect(
      members["fingerprints"] as? [String] == ["0000000000000001", "ffffffffffffffff"])
    #expect(members["headline"] as? [Int] == [1, 2])
    #expect(members["tiers"] as? [Int] == [2])
    #expect(members["conflicts"] as? [[Int]] == [[0, 1]])
    let metrics = try #require(members["metrics"] as? [[String: Any]])
    #expect(metrics.map { $0["name"] as? String }[0] == "ttff_ms.p75")
    #expect(metrics.map { $0["group"] as? String } == ["starts", "starts", "caches", "starts"])
    let values = metrics.map { ($0["base"] as? [String: Any])?["value"] }
    #expect(values[0] as? Double == 480)
    #expect(values[1] is NSNull)
    let budgets = try #require(members["budgets"] as? [[String: Any]])
    #expect(budgets[0]["comparison"] as? String == "<")
    #expect(budgets[0]["number"] as? Double == 500)
    let breakdown = try #require(members["breakdown"] as? [[String: Any]])
    #expect(breakdown.map { $0["name"] as? String } == ["TLS"])
  }

  /// A patch names its bytes among those of all patches.
  @Test func patchesHaveTheirBytes() throws {
    let page = try Self.page()
    let members = try Self.members(page.text(Self.template))
    let controls = try #require(members["controls"] as? [[String: Any]])
    let steps = try #require(controls[0]["steps"] as? [[String: Any]])
    #expect((steps[0]["patch"] as? [[Int]])?.isEmpty == true)
    #expect(steps[1]["patch"] as? [[Int]] == [[30, 1, 0, 1], [50, 0, 1, 2]])
    let text = page.text(Self.template)
    #expect(try Self.bytes("patches", of: text) == Gzip.bytes(of: [99, 1, 2]))
    #expect(try Self.bytes("image", of: text) == Gzip.bytes(of: page.base.image))
  }

  /// Nothing that a scenario says ends an element or begins one.
  @Test func whatOthersWroteIsTextOnly() throws {
    let text = try Self.page(name: Self.hostile).text(Self.template)
    #expect(text.ranges(of: "<script").count == 7)
    #expect(text.ranges(of: "</script").count == 7)
    #expect(!text.contains("alert('1"))
    #expect(text.contains("const a = \"{{title}}\";"))
    let members = try Self.members(text)
    let json = try Self.block("page", of: text)
    #expect(!json.contains("<"))
    #expect(json.contains("\\u003c/script>"))
    #expect(members["name"] as? String == Self.hostile)
    #expect(members["description"] as? String == Self.hostile)
  }

  /// The browser runs the script and shows the styles that the policy names, and no others.
  @Test func thePolicyNamesWhatIsThere() throws {
    let text = try Self.page().text(Self.template)
    func hash(_ open: String, _ close: String) throws -> String {
      let start = try #require(text.ranges(of: open).last)
      let end = try #require(text[start.upperBound...].firstRange(of: close))
      let inner = text[start.upperBound..<end.lowerBound]
      return Data(SHA256.bytes(of: inner.utf8)).base64EncodedString()
    }
    let policy = try #require(text.firstRange(of: "content=\""))
    let rest = text[policy.upperBound...]
    let said = rest.prefix { $0 != "\"" }.replacing("&#39;", with: "'")
    #expect(said.contains("script-src 'sha256-\(try hash("<script>", "</script>"))' 'wasm-unsafe"))
    #expect(said.contains("style-src 'sha256-\(try hash("<style>", "</style>"))';"))
    #expect(said.hasPrefix("default-src 'none'; "))
    #expect(!said.contains("unsafe-inline") && !said.contains("'unsafe-eval'"))
  }

  /// The page as it ships asks nobody for anything.
  @Test func nothingIsFromElsewhere() throws {
    func part(_ name: String) throws -> String { try RepositoryText.of("tools/what-if/\(name)") }
    let template = WhatIfTemplate(
      page: try part("page.html"), style: try part("page.css"), script: try part("page.js"),
      worker: try part("worker.js"), module: Self.template.module)
    let text = try Self.page().text(template)
    let own = text.replacing("http://www.w3.org/2000/svg", with: "")
    for word in ["http:", "https:", "src=", "@import", "url("] {
      #expect(!own.contains(word), "\(word)")
    }
    for place in ["lang", "policy", "title", "style", "report", "data", "worker", "script"] {
      #expect(template.page.contains("{{\(place)}}"))
      #expect(!text.contains("{{\(place)}}"))
    }
  }

  /// What a stranger has to read of another language: under 800 lines, comments aside.
  @Test func theScriptStaysShort() throws {
    let lines = try ["page.js", "worker.js"].flatMap { name in
      try RepositoryText.of("tools/what-if/\(name)").split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    let code = lines.filter { line in
      !line.isEmpty && !["//", "/*", "*"].contains { line.hasPrefix($0) }
    }
    #expect((100..<800).contains(code.count))
    #expect(lines.allSatisfy { $0.utf8.count <= 120 })
  }

  @Test func partsThatWouldNotStayArePutBack() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("what-if-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func put(_ name: String, _ bytes: [UInt8]) throws {
      try Data(bytes).write(to: folder.appendingPathComponent(name))
    }
    for name in WhatIfTemplate.files { try put(name, Array("{{data}}".utf8)) }
    #expect { _ = try WhatIfTemplate(folder: folder.path) } throws: {
      ($0 as? DocumentRejected)?.isMissing == true
    }
    try put(WhatIfTemplate.mark, [0, 0x61])
    #expect(throws: DocumentRejected.self) { _ = try WhatIfTemplate(folder: folder.path) }
    try put(WhatIfTemplate.mark, Gzip.bytes(of: [0, 0x61]))
    _ = try WhatIfTemplate(folder: folder.path)
    try put("page.js", Array("const a = \"</SCRIPT>\";".utf8))
    #expect(throws: DocumentRejected.self) { _ = try WhatIfTemplate(folder: folder.path) }
  }
}
