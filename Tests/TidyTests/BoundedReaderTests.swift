import Foundation
import Testing

/// Every file is read through a reader with bounds (`docs/reference/bounds.md`): whoever reads a
/// whole file, or builds values of JSON, without one stands in this list with a reason.
@Suite struct BoundedReaderTests {
  /// What reads without a bound, or builds values of JSON.
  private static let words = [
    ".jsonObject(", "ecoder().decode(", "ecoder.decode(", "contentsOfFile:", "Data(contentsOf",
    "String(contentsOf:", "contents(atPath",
  ]

  /// How often each file may, and why.
  private static let allowed: [String: (count: Int, because: String)] = [
    "FidelityKit/Reference.swift": (3, "measurements of this repository"),
    "LoadHarness/Browser/Chromium.swift": (1, "the port that our browser has written"),
    "LoadHarness/Browser/WatchedProcess.swift": (2, "what our processes have written"),
    "LoadHarness/EdgeServers/EdgeProcess.swift": (2, "what our processes have written; /proc"),
    "LoadHarness/Link/Leftovers.swift": (2, "our own lists of processes; /proc"),
    "LoadHarness/Link/ProcessTable.swift": (1, "/proc"),
    "LoadHarness/Link/Subprocess.swift": (1, "what our processes have written"),
    "LoadHarness/Media/FFmpeg.swift": (2, "media that were made just before"),
    "LoadHarness/Media/MediaLibrary+Making.swift": (2, "media that were made, of a stated size"),
    "LoadHarness/Media/MediaLibrary.swift": (1, "media, whose sizes are compared with the index"),
    "LoadHarness/Origin/StandinPage.swift": (1, "the page of this repository"),
    "LoadHarness/Stage/LiveStage.swift": (2, "what our processes have written"),
    "MachineDoctor/MachineProbe.swift": (1, "/proc and /sys"),
    "Scenario/Engine/JSONReader.swift": (2, "the reader of JSON itself"),
    "FirstFrameLiveKit/LiveSession+Browser.swift": (2, "the page of this repository; /proc"),
    "FirstFrameKit/AgentProcess.swift": (1, "what our processes have written, cut"),
    "FirstFrameKit/CommandTable.swift": (1, "what our own parser says of itself"),
    "FirstFrameKit/DocumentList.swift": (1, "documents of this repository"),
    "FirstFrameKit/Program.swift": (1, "the program itself"),
  ]

  @Test func `nothing from outside is read without a bound`() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    var found: [String: Int] = [:]
    for path in paths.sorted() where path.hasSuffix(".swift") {
      // Tools of this repository read this repository.
      if ["TidyKit/", "tidy/", "firstframe-bench/"].contains(where: path.hasPrefix) { continue }
      let text = try String(
        contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
      let count = text.split(separator: "\n").count { line in
        Self.words.contains { line.contains($0) }
      }
      if count > 0 { found[path] = count }
    }
    #expect(found.count > 10)
    for (path, count) in found.sorted(by: { $0.key < $1.key }) {
      #expect(
        count <= Self.allowed[path]?.count ?? 0,
        "\(path): \(count) times; use JSONReader, InputFile or DocumentRejected")
    }
    for path in Self.allowed.keys.sorted() {
      #expect(found[path] == Self.allowed[path]?.count, "\(path)")
    }
  }
}
