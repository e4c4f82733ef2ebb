import Foundation
import Testing

@testable import TidyKit

private func file(_ path: String, _ text: String) -> SourceText {
  SourceText(path: path, text: text)
}

private let emptyManifest = file("Package.swift", "let targets = [.target(name: \"Models\")]\n")

@Suite struct RepositoryRuleTests {
  @Test func `an unknown module folder is reported once`() {
    let manifest = file("Package.swift", "let targets = [.target(name: \"Cellar\")]\n")
    let report = Tidy().check([
      manifest, file("Sources/Cellar/A.swift", "\n\n"),
      file("Sources/Cellar/B.swift", "let b = 1\n"),
    ])
    #expect(
      report.findings.filter { $0.rule == "unknown-module" }.map(\.description) == [
        "Sources/Cellar/A.swift:1: error: the module folder 'Cellar' is not in the layer table, "
          + "use a row in Layout.firstFrame [unknown-module]"
      ])
  }

  @Test func `a file that no target builds is reported, an excepted folder is not`() {
    let report = Tidy().check([
      emptyManifest, file("Sources/Stray.swift", "let a = 1\n"), file("b.swift", "let b = 1\n"),
      file("Sources/Reports/C.swift", "let c = 1\n"), file("Sources/Models/D.swift", "let d = 1\n"),
      file("Tests/EmbeddedHost/Host.swift", "let e = 1\n"),
      file("Tests/Models/F.swift", "let f = 1\n"),
    ])
    #expect(
      report.findings.map(\.description)
        == ["Sources/Reports/C.swift", "Sources/Stray.swift", "b.swift"].map {
          "\($0):1: error: no target of Package.swift builds this file, "
            + "use a target's folder or delete it [orphan-file]"
        })
  }

  @Test func `a repository without a manifest is an error`() {
    #expect(
      Tidy().check([]).findings.map(\.description) == [
        "Package.swift:1: error: no package manifest, use 'tidy' on the root of the repository "
          + "[orphan-file]"
      ])
  }

  @Test func `a library product above L0 is reported`() {
    let manifest = file(
      "Package.swift",
      "let p = [.library(name: \"A\", targets: [\"MediaUnits\"]),\n"
        + "  .library(name: \"B\", targets: [\"CachePolicy\", \"Statistics\"]),\n"
        // The one that is meant to be.
        + "  .library(name: \"C\", targets: [\"FirstFrameKit\"])]\n")
    #expect(
      Tidy().check([manifest]).findings.map(\.description) == [
        "Package.swift:2: error: 'Statistics' is above L0 and cannot be a library product, "
          + "use an executable or an L0 target [product]"
      ])
  }

  @Test func `a plug-in file that its registry does not name in code is reported`() {
    var layout = Layout.firstFrame
    layout.families = [
      PluginFamily(folder: "Sources/Models/Eviction", registry: "Sources/Models/Registry.swift")
    ]
    let folder = "Sources/Models/Eviction"
    let sources = [
      emptyManifest, file("\(folder)/Sieve.swift", "struct Sieve {}\n"),
      file("\(folder)/Clock+Bits.swift", "struct Clock {}\n"),
      file("\(folder)/Lru.swift", "struct Lru {}\n"),
    ]
    let registry = file(
      "Sources/Models/Registry.swift", "// Lru\nlet names = [\"Lru\"]\nlet all = [sieve, Clock()]\n"
    )
    #expect(
      Tidy(layout: layout).check(sources + [registry]).findings.map(\.description) == [
        "Sources/Models/Eviction/Lru.swift:1: error: 'Lru' is not named in the registry, "
          + "use one line in Sources/Models/Registry.swift [unregistered]"
      ])
    #expect(
      Tidy(layout: layout).check(sources).findings.map(\.description) == [
        "Sources/Models/Registry.swift:1: error: the registry of Sources/Models/Eviction is "
          + "missing, use the path in the layout [unregistered]"
      ])
  }

  @Test(arguments: Layout.firstFrame.families)
  func `a file planted into a family of the house is reported`(_ family: PluginFamily) {
    let name = "Planted" + (family.suffix == ".swift" ? "Policy.swift" : family.suffix)
    let plant = file("\(family.folder)/\(name)", "struct Planted {}\n")
    let registry = file(family.registry, "let all = [Other()]\n")
    let report = Tidy().check([emptyManifest, registry, plant])
    #expect(
      report.findings.filter { $0.rule == "unregistered" }.map(\.description) == [
        "\(plant.path):1: error: '\(name.dropLast(6))' is not named in the registry, "
          + "use one line in \(family.registry) [unregistered]"
      ])
  }

  @Test func `a file of a family's folder with another ending is no plug-in`() {
    let report = Tidy().check([
      emptyManifest, file("Sources/Scenario/Traces/TraceFormat.swift", "let all = [Other()]\n"),
      file("Sources/Scenario/Traces/Helper.swift", "struct Helper {}\n"),
    ])
    #expect(!report.findings.contains { $0.rule == "unregistered" })
  }

  @Test func `findings come sorted by path and line, all in one pass`() {
    let report = Tidy().check([
      emptyManifest, file("z.md", "a \n"),
      file("Sources/Models/A.swift", "let b = try! c()\nlet a: Set<Int>\n"),
    ])
    #expect(
      report.findings.map { "\($0.path):\($0.line)" } == [
        "Sources/Models/A.swift:1", "Sources/Models/A.swift:2", "z.md:1",
      ])
    #expect(report.filesRead == 3)
  }
}

@Suite struct AllowTests {
  private static let marker = Allow.marker

  private func check(_ path: String, _ text: String) -> TidyReport {
    Tidy().check([emptyManifest, file(path, text)])
  }

  @Test(arguments: ["// ", "/// "])
  func `an allow comment accepts its rule on its own line and the next, and is counted`(
    _ opening: String
  ) {
    let comment = opening + AllowTests.marker + " set because it is never iterated"
    for text in ["\(comment)\nlet a: Set<Int>\n", "let a: Set<Int> \(comment)\n"] {
      let report = check("Sources/Models/A.swift", text)
      #expect(report.findings == [])
      #expect(
        report.allowances.map(\.description) == [
          "Sources/Models/A.swift:1: allowed: set because it is never iterated"
        ])
    }
  }

  @Test func `an allow comment does not reach two lines down or another rule`() {
    let comment = "// " + AllowTests.marker + " set because of tests"
    let far = check("Sources/Models/A.swift", "\(comment)\n\nlet a: Set<Int>\n")
    #expect(far.findings.map(\.rule) == ["allow", "set"])
    let other = check("Sources/Models/A.swift", "\(comment)\nlet a = try! b()\n")
    #expect(other.findings.map(\.rule) == ["allow", "try-bang"])
    #expect(other.allowances == [])
  }

  @Test(arguments: [" set", " set because", " nonsense because of me", " secret because I may", ""])
  func `an allow comment without a known rule and a reason is an error`(_ rest: String) {
    let report = check("Sources/Models/A.swift", "// " + AllowTests.marker + rest + "\n")
    #expect(
      report.findings.map(\.description) == [
        "Sources/Models/A.swift:1: error: an allow comment without a known rule and a reason, "
          + "use '\(AllowTests.marker) <rule> because <reason>' [allow]"
      ])
  }

  @Test func `an idle allow comment is an error`() {
    let report = check("a.md", "<!-- " + AllowTests.marker + " todo because of it -->\n")
    #expect(
      report.findings.map(\.description) == [
        "a.md:1: error: nothing here breaks the rule 'todo', use no allow comment [allow]"
      ])
  }

  @Test func `Markdown, YAML and scripts have allow comments of their own`() {
    let word = "TO" + "DO"
    let markdown = "<!-- " + AllowTests.marker + " todo because it is a quotation -->\n\(word)\n"
    #expect(check("a.md", markdown).findings == [])
    let hash = "\(word) # " + AllowTests.marker + " todo because it is a quotation\n"
    #expect(check("scenarios/a.yaml", hash).findings == [])
    #expect(check("Makefile", hash).allowances.map(\.reason) == ["it is a quotation"])
  }
}

@Suite struct WholeRepositoryTests {
  @Test func `this repository keeps its own rules`() throws {
    let root = try #require(Repository.root(above: #filePath))
    let files = try Repository.files(at: root)
    // An empty walk would pass everything.
    try #require(files.contains { $0.path == "Sources/TidyKit/Tidy.swift" })
    try #require(files.contains { $0.path == "Sources/MediaUnits/TimeSpan.swift" })
    // A family whose folder has moved would let everything pass.
    try #require(Layout.firstFrame.families.count >= 4)
    for family in Layout.firstFrame.families {
      #expect(files.contains { family.has($0) }, "\(family.folder) has no plug-in")
      #expect(files.contains { $0.path == family.registry }, "\(family.registry) is missing")
    }
    let findings = Tidy().check(files).findings
    #expect(findings.isEmpty, "\n\(findings.map(\.description).joined(separator: "\n"))")
  }
}
