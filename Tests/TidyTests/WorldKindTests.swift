import Testing

@testable import TidyKit

private func lines(_ code: String, at path: String = "Sources/Reports/A.swift") -> [Int] {
  let manifest = SourceText(
    path: "Package.swift", text: "let targets = [.target(name: \"Reports\")]\n")
  return Tidy().check([manifest, SourceText(path: path, text: code + "\n")]).findings
    .filter { $0.rule == "world-kind" }.map(\.line)
}

@Suite struct WorldKindTests {
  @Test(
    arguments: [
      "if case .calls(let plan) = scenario.plan { a(plan) }",
      "switch plan {\ncase .mixedFeed(let plan): a(plan)\ndefault: b()\n}",
      "guard case .feed(_) = plan else { return }",
      "if study.kind == .mixed { a() }", "let a = kind != .fullScreen",
      "if configuration.surface == nil { a() }", "let a = b.surface != nil",
    ])
  func `a test for a kind of world is reported`(_ code: String) {
    #expect(lines(code).count == 1)
    #expect(lines(code, at: "Sources/FirstFrameKit/A.swift").count == 1)
  }

  @Test(
    arguments: [
      "switch world {\ncase .feed: a()\ncase .mixedFeed: b()\ncase .calls: c()\n}",
      "let a = CallsPlan.kind.name == name", "let a = plan.name == \"calls\"",
      "if let surface = b.surface { a(surface) }", "let a: World = .calls(plan)",
      "if a.kind == .time { b() }", "switch source {\ncase .feed(let pageSize): a(pageSize)\n}",
    ])
  func `words, values and rows are not`(_ code: String) {
    #expect(lines(code).isEmpty)
  }

  @Test func `nor is the file of a layer, or what knows no scenario`() {
    let code = "if configuration.surface == nil { a() }"
    #expect(lines(code, at: "Sources/Reports/ReportedWorld.swift").isEmpty)
    #expect(lines(code, at: "Sources/Models/A.swift").isEmpty)
    #expect(lines(code, at: "Tests/ReportsTests/A.swift").isEmpty)
  }
}
