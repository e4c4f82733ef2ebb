import Foundation
import Testing

/// `firstframe replay policy`: logs of decisions, one by one and by the folder.
@Suite struct ReplayPolicyCommandTests {
  private static let logs = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("PolicyLogs")
    .path

  @Test func `the checked-in logs, those of a live run too, give the same commands`() throws {
    try Program.inFolder { firstframe in
      let all = try firstframe("replay", "policy", Self.logs)
      #expect(all.status == 0, "\(all.error)")
      #expect(all.output.contains("logs with the same commands"))
      let live = try firstframe("replay", Self.logs + "/live")
      #expect(live.status == 0, "\(live.error)")
      let one = try firstframe("replay", Self.logs + "/player-pool.log")
      #expect(one.status == 0 && one.output.contains("commands to 300 events"))
    }
  }

  @Test func `an altered line is named, with the exit code of what is wrong`() throws {
    try Program.inFolder { firstframe in
      let text = try String(contentsOfFile: Self.logs + "/player-pool.log", encoding: .utf8)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let place = try #require(lines.firstIndex { $0.hasPrefix("command prepare") })
      func write(_ name: String) throws {
        try lines.joined(separator: "\n").write(
          toFile: "\(firstframe.folder)/\(name)", atomically: true, encoding: .utf8)
      }
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/a/1024", withIntermediateDirectories: true)
      try write("a/1024/good.log")
      lines[place] += "7"
      try write("a/1024/player-pool.log")
      let folder = try firstframe("replay", "policy", "a")
      #expect(folder.status == 11)
      #expect(folder.output.contains("1 of 2 logs"))
      #expect(folder.error.contains("player-pool.log:\(place + 1):1: expected the command"))
      let event = try #require(lines.firstIndex { $0.hasPrefix("event ") })
      lines[event] = "event soon"
      try write("torn.log")
      #expect(try firstframe("replay", "policy", "torn.log").status == 65)
      #expect(try firstframe("replay", "policy", "absent.log").status == 66)
      // What is not whole is passed over; a folder without a log is no success.
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/b/1025.part", withIntermediateDirectories: true)
      try write("b/1025.part/player-pool.log")
      let empty = try firstframe("replay", "policy", "b")
      #expect(empty.status == 66 && empty.error.contains("expected logs"))
    }
  }

  @Test func `each line that differs is a message, and --explain tells the snapshot`() throws {
    try Program.inFolder { firstframe in
      let text = try String(contentsOfFile: Self.logs + "/player-pool.log", encoding: .utf8)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let places = lines.indices.filter { lines[$0].hasPrefix("command prepare") }
      let (first, last) = (places[0], places[places.count - 1])
      lines[first] += "7"
      lines.remove(at: last)
      try lines.joined(separator: "\n").write(
        toFile: firstframe.folder + "/pool.log", atomically: true, encoding: .utf8)
      let plain = try firstframe("replay", "pool.log")
      #expect(plain.status == 11)
      #expect(
        plain.error.contains(
          "pool.log:\(first + 1):1: expected the command \(lines[first].dropFirst(8)) of the log, "
            + "got \(lines[first].dropFirst(8).dropLast())\n"))
      #expect(
        plain.error.contains("pool.log:\(last + 1):1: expected no command by the log, got prepare ")
      )
      #expect(plain.output == "pool.log: other commands to 2 of 300 events, 2 in all\n")
      #expect(plain.error.split(separator: "\n").count == 2)
      let told = try firstframe("replay", "pool.log", "--explain")
      #expect(told.status == 11 && told.error == plain.error)
      #expect(told.output.contains("  snapshot: what the machine held before the event\n"))
      #expect(told.output.contains("  configuration: size 5, ahead 2, behind 2\n"))
      #expect(told.output.contains("  commands here: prepare: give the player this item; slot "))
      #expect(told.output.contains("    current "))
    }
  }

  @Test func `an event of a log that is as it should be can be told by its line`() throws {
    try Program.inFolder { firstframe in
      let log = Self.logs + "/prefetch-policy.log"
      let told = try firstframe("replay", log, "--explain", "--line", "9")
      #expect(told.status == 0)
      #expect(told.output.contains("prefetch-policy, the same commands"))
      let words = told.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.contains(", family connection, "))
      #expect(try firstframe("replay", log, "--explain", "--line", "99999").status == 64)
      #expect(try firstframe("replay", log, "--line", "9").status == 64)
      #expect(try firstframe("replay", log, "--explain", "--line", "0").status == 64)
    }
  }

  @Test func `the form of logs is published as a page and as JSON`() throws {
    try Program.inFolder { firstframe in
      let schema = try firstframe("schema", "--policy-log")
      #expect(schema.status == 0)
      let document = try #require(
        try JSONSerialization.jsonObject(with: Data(schema.output.utf8)) as? [String: Any])
      let machines = try #require(document["machines"] as? [[String: Any]])
      #expect(machines.count == 9 && machines[0]["machine"] as? String == "player-pool")
      let page = try firstframe("reference", "policy-logs")
      for machine in machines {
        #expect(page.output.contains("\n## \(machine["machine"] as? String ?? "?")\n"))
      }
      #expect(try firstframe("schema", "--policy-log", "--result").status == 64)
    }
  }
}
