import Foundation
import Studies
import Testing

/// The file of what real players did.
@Suite struct PlayerLogTests {
  private let use = PlayerUse(
    player: 1, item: 2, isNew: true, due: 0, worked: 0.5, opened: 3, configured: 4, metadata: 5.25,
    ready: 9, players: 1, transfers: 2, appends: [[4.5, 100]], plays: [[10, 1, 20]])

  private var log: PlayerLog {
    PlayerLog(
      PlayerLog.Head(
        browser: "Chrome/1", feeding: .mse, processors: 2, viewers: 2, scenario: "s", seed: 7),
      sessions: [
        PlayerLog.Session(session: 9, players: [use]), PlayerLog.Session(session: 3, players: []),
      ])
  }

  private func read(_ text: String) throws -> (log: PlayerLog?, problems: [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "players-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(PlayerLog.fileName)
    try Data(text.utf8).write(to: file)
    let (log, problems) = PlayerLog.read(folder.path)
    return (log, problems.map { $0.replacingOccurrences(of: folder.path + "/", with: "") })
  }

  @Test func `what is written is read, in the order of sessions`() throws {
    let (found, problems) = try read(log.text())
    #expect(problems.isEmpty)
    #expect(found == log)
    #expect(found?.sessions.map(\.session) == [3, 9])
  }

  @Test func `every line that is none is named`() throws {
    let lines = log.text().split(separator: "\n").map { String($0) }
    let bad = lines[2].replacingOccurrences(of: "5.25", with: "-7")
    let text = ([lines[0], "{}", lines[1], bad, lines[1]]).joined(separator: "\n")
    let (found, problems) = try read(text)
    #expect(found?.sessions.count == 1)
    #expect(
      problems == [
        "players.jsonl:2:1: expected a session's players, got something else",
        "players.jsonl:4:1: players[0]: expected times that a page tells, got others",
        "players.jsonl:5:1: session: expected each session once, got 3 again",
      ])
  }

  @Test func `another file is none, and no file neither`() throws {
    let (found, problems) = try read("{\"kind\": \"firstframe.run\"}\n")
    #expect(found == nil)
    #expect(
      problems == [
        "players.jsonl:1:1: expected the players of a live run in a browser, got another file"
      ])
    #expect(PlayerLog.read("/nowhere/at/all").log == nil)
    let (other, problem) = try read(log.text().replacing(#""mse""#, with: #""flash""#))
    #expect(other == nil)
    #expect(
      problem == ["players.jsonl:1:1: feeding: expected mse or native, got another word"])
  }
}
