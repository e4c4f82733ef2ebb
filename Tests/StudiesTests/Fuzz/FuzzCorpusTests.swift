import Foundation
import Models
import Studies
import Testing

/// Runs a schedule whatever it was found with, and says what it broke.
struct CorpusJudge: FuzzVisitor {
  let text: String

  func visit<Target: FuzzTarget>(_ target: Target) throws -> (kept: String, broken: [String]) {
    let read = try FuzzFile.read(text, of: target)
    let run = target.run(read.schedule, records: false)
    return (read.property.title, run.probes.violations.map(\.property.title))
  }
}

struct `Kept failures` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Corpus")

  /// Those of the catalogue's targets; those of scenarios have tests of their own.
  private static let files: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasPrefix("messaging-") || $0.hasPrefix("calls-") }.sorted()

  @Test func `there are some`() { #expect(Self.files.count >= 9) }

  @Test(arguments: files)
  func `a kept failure breaks what it broke, and no sound variant`(_ file: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    let name = try #require(FuzzFile.targetName(in: text))
    let own = try #require(try FuzzCatalogue.visit(name, CorpusJudge(text: text)))
    #expect(own.broken.contains(own.kept) == !FuzzCatalogue.isSound(name))
    let family = name.prefix { $0 != "/" }
    for other in FuzzCatalogue.names where other.hasPrefix(family) && FuzzCatalogue.isSound(other) {
      let answer = try #require(try FuzzCatalogue.visit(other, CorpusJudge(text: text)))
      #expect(answer.broken.isEmpty, "\(other)")
    }
  }

  @Test func `a replay says where it broke, draws it, and shrinks no further than it can`() throws {
    let text = try String(
      contentsOf: Self.folder.appending(path: "messaging-literal-no-false-view.txt"),
      encoding: .utf8)
    let replay = FuzzReplay(text: text, shrinks: true, commit: "none")
    let answer = try #require(try FuzzCatalogue.visit("messaging/literal", replay))
    #expect(answer.brokenAt != nil)
    #expect(answer.text == text.replacing("commit unknown", with: "commit none"))
    #expect(answer.mermaid.contains("put video 0"))
    let sound = FuzzReplay(text: text, shrinks: false, commit: "none")
    #expect(try FuzzCatalogue.visit("messaging/kept", sound)?.brokenAt == nil)
    #expect(try FuzzCatalogue.visit("nothing/at-all", sound) == nil)
  }

  @Test func `a search says in words what held, what happened and what broke`() throws {
    let search = FuzzSearch(seeds: 0..<400, shrinks: true, commit: "none") { false }
    let answer = try #require(try FuzzCatalogue.visit("messaging/literal", search))
    #expect(!answer.holds)
    #expect(answer.lines[0].hasPrefix("messaging/literal: 400 seeds, "))
    #expect(answer.lines.contains { $0.contains("no-false-view: BROKEN by ") })
    #expect(answer.lines.contains("  always status-rises: held"))
    #expect(answer.files.map(\.name) == ["messaging-literal-no-false-view.txt"])
    let stopped = FuzzSearch(seeds: 0..<400, shrinks: true, commit: "none") { true }
    #expect(try FuzzCatalogue.visit("calls/grace", stopped)?.lines[0].contains(": 0 seeds") == true)
  }
}
