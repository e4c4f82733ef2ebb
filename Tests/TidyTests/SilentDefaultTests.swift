import Testing

@testable import TidyKit

private func lines(
  _ code: String, at path: String = "Sources/Scenario/A.swift"
) -> [Int] {
  let manifest = SourceText(
    path: "Package.swift", text: "let targets = [.target(name: \"Scenario\")]\n")
  return Tidy().check([manifest, SourceText(path: path, text: code + "\n")]).findings
    .filter { $0.rule == "silent-default" }.map(\.line)
}

@Suite struct SilentDefaultTests {
  @Test(arguments: ["part.kind()", "part.kind(\"start\")", "part.word(\"end\")", "word", "kind"])
  func `a default behind words of a table is reported`(_ subject: String) {
    #expect(lines("switch \(subject) {\ncase \"a\": .a\ndefault: .b\n}") == [3])
    #expect(lines("switch \(subject) {\ncase \"a\": b {\n}\ndefault:\n  .b\n}") == [4])
  }

  @Test func `the message says what to use`() {
    let manifest = SourceText(
      path: "Package.swift", text: "let targets = [.target(name: \"Scenario\")]\n")
    let source = SourceText(
      path: "Sources/Scenario/A.swift", text: "let a = b.word(\"c\") == \"d\" ? 1 : 2\n")
    #expect(
      Tidy().check([manifest, source]).findings.map(\.description) == [
        "Sources/Scenario/A.swift:1: error: a word that the table may get would silently be taken "
          + "for another, use a row with its value (PluginFamily, Choice) [silent-default]"
      ])
  }

  @Test(
    arguments: [
      "let a = part.word(\"lock\") == \"atomic\" ? 1 : 2", "a(b.kind() == \"c\"\n  ? 1 : 2)",
    ])
  func `so is a comparison that picks one of two`(_ code: String) {
    #expect(lines(code) == [1])
  }

  @Test(
    arguments: [
      // Nothing is built for a word that has no case.
      "switch word {\ncase \"a\": b()\ndefault: preconditionFailure(\"no \\(word)\")\n}",
      "switch kind {\ncase \"a\": b()\ndefault: throw Fault()\n}",
      // Cases that the compiler knows.
      "switch event.kind {\ncase .a: b()\ndefault: c()\n}",
      // Words of something else.
      "switch field.name {\ncase \"a\": b()\ndefault: c()\n}",
      // The default is another switch's.
      "switch part.kind() {\ncase \"a\":\n  switch b {\n  default: c()\n  }\n}",
      // A check builds nothing.
      "if part.kind() == \"a\", b { c() }",
    ])
  func `other switches and comparisons are not`(_ code: String) {
    #expect(lines(code).isEmpty)
  }

  @Test func `nor is code of other modules`() {
    let code = "switch word {\ncase \"a\": b()\ndefault: c()\n}"
    #expect(lines(code, at: "Sources/Reports/A.swift").isEmpty)
  }
}
