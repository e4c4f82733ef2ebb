import Foundation
import Telemetry
import Testing

@testable import LoadHarness

/// What becomes of the edge's log when the system does not take it.
@Suite struct EdgeLogTests {
  #if os(Linux)
    @Test func `a log that could not be written is said when it is closed`() async throws {
      let log = try EdgeLog(path: "/dev/full")
      try await EdgeFixture.with(configure: { $0.log = log }) { _, client, _ in
        // The client is served all the same.
        let text = try await client.get("/a").text
        #expect(text == "body")
      }
      #expect(throws: (any Error).self) { try log.close() }
      // Whoever asks again is told again.
      #expect(throws: (any Error).self) { try log.close() }
    }
  #endif

  @Test func `a log of nothing and a log of a request are closed in silence`() async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let log = try EdgeLog(path: path)
    try await EdgeFixture.with(configure: { $0.log = log }) { _, client, _ in
      _ = try await client.get("/a")
    }
    try log.close()
    try log.close()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasSuffix("\n") && text.contains("GET /a HTTP/1.1"))
  }
}
