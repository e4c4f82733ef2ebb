import Foundation
import LoadHarness
import Testing

struct `The player's page` {
  /// Runs `body` with a folder that has a page, and files that are none of it.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let parent = NSTemporaryDirectory() + "firstframe-page-\(UUID().uuidString)"
    let files = FileManager.default
    defer { try? files.removeItem(atPath: parent) }
    let folder = "\(parent)/page"
    try files.createDirectory(atPath: "\(folder)/deep.js", withIntermediateDirectories: true)
    for (name, text) in [
      ("index.html", "<!doctype html>"), ("player.js", "let x = 1"), ("core.wasm", "\0asm"),
      ("notes.txt", "secret"), ("other.html", "secret"), ("../up.js", "secret"),
      ("deep.js/in.js", "secret"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    try await body(folder)
  }

  @Test func `its files are served with their types, and nothing else`() async throws {
    try await withFolder { folder in
      var options = StandinOptions()
      options.page = try StandinPage(folder: folder)
      try await LiveFixture.withStandin(options: options) { server, client in
        for (path, type, text) in [
          ("/player/", "text/html", "<!doctype html>"),
          ("/player/index.html", "text/html", "<!doctype html>"),
          ("/player/player.js", "text/javascript", "let x = 1"),
          ("/player/core.wasm", "application/wasm", "\0asm"),
        ] {
          let answer = try await client.get(path)
          #expect(answer.status == 200 && answer.text == text, "\(path)")
          #expect(answer.field("content-type") == type)
          #expect(answer.field("content-length") == String(text.utf8.count))
          #expect(answer.field("cache-control") == "no-store")
        }
        let head = try await client.send("HEAD", "/player/player.js")
        #expect(head.status == 200 && head.body.isEmpty && head.field("content-length") == "9")
        #expect(try await client.send("POST", "/player/player.js").status == 405)
        for path in [
          "/player", "/player/notes.txt", "/player/other.html", "/player/../up.js",
          "/player/%2e%2e/up.js", "/player/..%2fup.js", "/player//index.html",
          "/player/./core.wasm",
          "/player/deep.js", "/player/deep.js/in.js", "/player/Index.html", "/index.html",
          "/player/core.wasm%00.js",
        ] {
          let answer = try await client.get(path)
          #expect(answer.status == 404 && !answer.text.contains("secret"), "\(path)")
        }
        #expect(server.stats.total.requests == 0)
      }
      try await LiveFixture.withStandin { _, client in
        let answer = try await client.get("/player/index.html")
        #expect(answer.status == 404)
      }
      try FileManager.default.removeItem(atPath: "\(folder)/index.html")
      let failure = #expect(throws: HarnessFailure.self) { try StandinPage(folder: folder) }
      #expect(failure?.kind == .input)
    }
  }
}
