import Foundation
import Testing

@Suite struct ReportCommandTests {
  @Test func `report writes the same page again from the run folder, and its command the same run`()
    throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      _ = try firstframe("run", "tiny.yaml", "--short", "--seed", "5", "--replications", "2")
      let name = try #require(try firstframe.names("results").first)
      let page = try firstframe.read("results/\(name)/report.html")
      try FileManager.default.removeItem(
        atPath: firstframe.folder + "/results/\(name)/report.html")
      let outcome = try firstframe("report", "results/\(name)/")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output == "results/\(name)/report.html\n")
      #expect(try firstframe.read("results/\(name)/report.html") == page)
      let command = "firstframe run scenario.resolved.yaml --short --replications 2"
      #expect(page.contains("<code>\(command)</code>"))
      _ = try firstframe(
        "run", "results/\(name)/scenario.resolved.yaml", "--short", "--replications", "2",
        "--output", "again")
      #expect(try firstframe.names("again") == [name])
      #expect(try firstframe.read("again/\(name)/report.html") == page)
    }
  }

  @Test func `report names what is missing, unreadable or in its way`() throws {
    try Program.inFolder { firstframe in
      let missing = try firstframe("report", "nowhere")
      #expect(missing.status == 66)
      #expect(missing.error.contains("nowhere: expected a run folder with result.json, got none"))
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/bad", withIntermediateDirectories: false)
      try firstframe.write("bad/result.json", "{\"schema\": 1}")
      let bad = try firstframe("report", "bad")
      #expect(bad.status == 65)
      #expect(bad.error.contains("bad/result.json: expected a member"))
      try firstframe.write("tiny.yaml", Program.tiny)
      _ = try firstframe("run", "tiny.yaml", "--short", "--replications", "1")
      let name = try #require(try firstframe.names("results").first)
      let path = firstframe.folder + "/results/\(name)/report.html"
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false)
      let blocked = try firstframe("report", "results/\(name)")
      #expect(blocked.status == 73)
      #expect(try !firstframe.names("results/\(name)").contains { $0.hasPrefix(".report") })
    }
  }
}
