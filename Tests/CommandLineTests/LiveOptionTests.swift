import Foundation
import Testing

/// Options of live runs that cannot be: refused before anything is started.
@Suite struct LiveOptionTests {
  @Test(arguments: [
    (["--cmcd", "header"], "--cmcd"),
    (["--cmcd-version", "2"], "--cmcd-version: expected --cmcd headers or query with it, got off"),
    (["--cmcd", "query", "--cmcd-version", "3"], "--cmcd-version: expected 1 or 2, got 3"),
    (
      ["--cmcd", "headers", "--client", "browser", "--link", "none"],
      "--cmcd headers: expected --client model with it, got browser"
    ),
    (
      ["--cmsd", "--client", "browser", "--link", "none"],
      "--cmsd: expected --client model with it, got browser"
    ),
  ])
  func `what players and servers tell needs players of ours`(
    _ options: [String], _ message: String
  ) throws {
    try Program.inFolder { firstframe in
      for verb in ["run", "validate"] {
        let answer = try firstframe.run(["live", verb, "scenario.yaml"] + options)
        #expect(answer.status == 64, "\(answer.error)")
        #expect(answer.error.contains(message), "\(answer.error)")
      }
    }
  }

  @Test func `an edge suggests a bit rate only with what carries it`() throws {
    try Program.inFolder { firstframe in
      let edge = ["live", "edge", "--origin", "http://127.0.0.1:9"]
      let alone = try firstframe.run(edge + ["--suggest", "1Mbps"])
      #expect(alone.status == 64 && alone.error.contains("--suggest: expected --cmsd with it"))
      let wrong = try firstframe.run(edge + ["--cmsd", "--suggest", "fast"])
      #expect(wrong.status == 64 && wrong.error.contains("--suggest: expected"), "\(wrong.error)")
      let log = try firstframe.run(edge + ["--port", "0", "--log", "no/such/folder/log"])
      #expect(log.status == 73 && log.error.contains("--log: expected a file"), "\(log.error)")
    }
  }
}
