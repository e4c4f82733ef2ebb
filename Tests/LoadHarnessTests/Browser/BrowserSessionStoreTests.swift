import Foundation
import Testing

@testable import LoadHarness

/// What a run in a browser keeps of its sessions.
@Suite struct BrowserSessionStoreTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sessions-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  private let one = BrowserSessionStore.Kept(
    session: 65_536, begin: 12, isLate: true, report: "{\"a\": \"line\\n\"}")
  private let two = BrowserSessionStore.Kept(
    session: 65_537, begin: 99, isLate: false, failure: "gone", hasCrashed: true)

  @Test func `what was kept is there again, and what was cut off is not`() throws {
    try inFolder { folder in
      do {
        var store = try BrowserSessionStore(folder, identity: "x")
        #expect(store.kept.isEmpty && store.pieces == 0)
        // Nobody else keeps here meanwhile.
        #expect(throws: HarnessFailure.self) { try BrowserSessionStore(folder, identity: "x") }
        try store.beginPiece()
        try store.add(one)
        try store.endPiece(reasons: ["busy"])
        try store.beginPiece()
        try store.add(two)
      }
      let path = "\(folder)/\(BrowserSessionStore.fileName)"
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      for cut in [0, 1, 40] {
        try whole.dropLast(cut).write(to: URL(fileURLWithPath: path))
        do {
          var again = try BrowserSessionStore(folder, identity: "x")
          #expect(again.kept == (cut == 0 ? [one, two] : [one]), "\(cut)")
          // The second piece has no end.
          #expect(again.pieces == 2 && again.reasons.count == 2 && again.reasons[0] == "busy")
          // What is added stands on a line of its own.
          if cut > 0 { try again.add(two) }
        }
        #expect(try BrowserSessionStore(folder, identity: "x").kept == [one, two])
      }
    }
  }

  @Test func `sessions of another run and other files are refused`() throws {
    try inFolder { folder in
      _ = try BrowserSessionStore(folder, identity: "x")
      #expect {
        _ = try BrowserSessionStore(folder, identity: "y")
      } throws: { error in
        "\(error)".contains("sessions.jsonl:1:1: identity: expected the sessions of this scenario")
      }
      let path = "\(folder)/\(BrowserSessionStore.fileName)"
      try Data("{}\n".utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: HarnessFailure.self) { try BrowserSessionStore(folder, identity: "x") }
      try Data("oops".utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: HarnessFailure.self) { try BrowserSessionStore(folder, identity: "x") }
      // A head that was cut off is written anew.
      try Data("{\"ide".utf8).write(to: URL(fileURLWithPath: path))
      #expect(try BrowserSessionStore(folder, identity: "z").kept.isEmpty)
      #expect(try BrowserSessionStore(folder, identity: "z").kept.isEmpty)
    }
  }

  @Test func `what a run that is over has kept is read by whichever program`() throws {
    try inFolder { folder in
      #expect(throws: HarnessFailure.self) { try BrowserSessionStore.read(folder) }
      do {
        var store = try BrowserSessionStore(folder, identity: "x", played: "p", seed: 5)
        try store.beginPiece()
        try store.add(one)
        try store.endPiece(reasons: ["slow"])
      }
      let contents = try BrowserSessionStore.read(folder)
      #expect(contents.played == "p" && contents.seed == 5)
      #expect(contents.count == 1 && contents.pieces == 1)
      #expect(contents.kept == [one] && contents.reasons == ["slow"])
      let path = "\(folder)/\(BrowserSessionStore.fileName)"
      // One from before a run said what it had played.
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try text.replacing(#","played":"p""#, with: "").replacing(#","seed":5"#, with: "").write(
        toFile: path, atomically: true, encoding: .utf8)
      let older = try BrowserSessionStore.read(folder)
      #expect(older.played == nil && older.seed == nil)
      for wrong in ["", "{}\n", "oops\n", "\(text)oops\n"] {
        try wrong.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: HarnessFailure.self, "\(wrong)") { try BrowserSessionStore.read(folder) }
      }
    }
  }

  @Test func `everything that decides what a session is names it`() {
    let names = [
      BrowserSessionStore.identity([1, 2], ["a", "b"]),
      BrowserSessionStore.identity([1, 2], ["a", "c"]),
      BrowserSessionStore.identity([1, 3], ["a", "b"]),
    ]
    #expect(Set(names).count == 3)
    #expect(names[0] == BrowserSessionStore.identity([1, 2], ["a", "b"]))
  }
}
