import Foundation
import Models
import Studies
import Testing

struct `Kept failures of scenarios` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz/Corpus")

  private static let files: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".txt") && !$0.hasPrefix("messaging-") && !$0.hasPrefix("calls-") }
    .sorted()

  @Test func `there is one`() { #expect(!Self.files.isEmpty) }

  /// The scenario in the file is faulty; the recommended protocol survives its schedule.
  @Test(arguments: files)
  func `a failure of a scenario breaks what it broke, and no sound variant`(
    _ file: String
  ) throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    #expect(try FuzzFile.scenario(in: text, file: file) != nil)
    let own = try #require(
      try FuzzCatalogue.visit(failure: text, file: file, CorpusJudge(text: text)))
    #expect(own.broken.contains(own.kept))
    let name = try #require(FuzzFile.targetName(in: text))
    let family = name.prefix { $0 != "/" }
    for other in FuzzCatalogue.names where other.hasPrefix(family) && FuzzCatalogue.isSound(other) {
      let answer = try #require(try FuzzCatalogue.visit(other, CorpusJudge(text: text)))
      #expect(answer.broken.isEmpty, "\(other)")
    }
  }
}
