import Foundation
import Testing

@Suite struct KeysCommandTests {
  @Test func `a pattern prints keys with meaning, unit, default and source`() throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe("keys", "policy.prefetch.headLength")
      #expect(outcome.status == 0, "\(outcome.error)")
      let words = outcome.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.hasPrefix("policy.prefetch.headLength"), "\(words)")
      #expect(words.contains("unit: time") && words.contains("default: "), "\(words)")
      // Of a world by itself, too.
      let calls = try firstframe("keys", "*", "--world", "calls")
      #expect(calls.output.contains("\ncalls.") && calls.output.contains("\nseed\n"))
      #expect(!calls.output.contains("\npolicy."))
    }
  }

  @Test func `all keys are printed by world, in three forms`() throws {
    try Program.inFolder { firstframe in
      let text = try firstframe("keys").output
      for world in ["FEED", "MESSAGES", "SERVICES", "PIPELINE", "CALLS"] {
        #expect(text.contains("\n\(world)  ") || text.hasPrefix("\(world)  "))
      }
      let page = try firstframe("keys", "--format", "markdown").output
      #expect(page.hasPrefix("# Keys of scenarios\n"))
      #expect(page.contains("| `cdn.edge.capacity`"))
      let json = try firstframe("keys", "ttl", "--format", "json").output
      let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let worlds = try #require(value?["worlds"] as? [[String: Any]])
      let keys = try #require(worlds.first?["keys"] as? [[String: Any]])
      #expect(keys.contains { $0["key"] as? String == "cdn.ttl" })
      for key in keys { #expect(key["source"] is String && key["meaning"] is String) }
    }
  }

  @Test(arguments: [
    (["nosuchkeyatall"], "expected a part of a key"), (["capasity"], "(did you mean"),
    (["--world", "cals"], "(did you mean calls?)"), (["--format", "xml"], "xml"),
  ]) func `what is not there is code 64`(arguments: [String], message: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(["keys"] + arguments)
      #expect(outcome.status == 64 && outcome.output.isEmpty)
      #expect(outcome.error.contains(message), "\(outcome.error)")
    }
  }

  @Test(arguments: ["a: b", "x\ny", "sub/x", "é", ""])
  func `a name that a scenario cannot have is code 64`(_ name: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe("init", name)
      #expect(outcome.status == 64 && outcome.error.contains("name"), "\(outcome.error)")
      #expect(try firstframe.names() == [])
    }
  }

  @Test func `the first line of a new scenario leads to a schema, also from below`() throws {
    try Program.inFolder { firstframe in
      #expect(try firstframe("init", "one").status == 0)
      let place = "# yaml-language-server: $schema=.firstframe/feed.schema.json\n"
      #expect(try firstframe.read("one.yaml").hasPrefix(place))
      let schema = try firstframe.read(".firstframe/feed.schema.json")
      #expect(schema == (try firstframe("schema").output))
      // Within a repository a file above serves, and one of another version is written again.
      try FileManager.default.createDirectory(
        atPath: "\(firstframe.folder)/.git", withIntermediateDirectories: false)
      try FileManager.default.createDirectory(
        atPath: "\(firstframe.folder)/a/b", withIntermediateDirectories: true)
      try firstframe.write(".firstframe/feed.schema.json", "{}")
      #expect(try firstframe("init", "two", "-o", "a/b/two.yaml").status == 0)
      let above = "# yaml-language-server: $schema=../../.firstframe/feed.schema.json\n"
      #expect(try firstframe.read("a/b/two.yaml").hasPrefix(above))
      #expect(try firstframe.read(".firstframe/feed.schema.json") == schema)
      #expect(try firstframe.names("a/b") == ["two.yaml"])
      #expect(try firstframe("validate", "a/b/two.yaml").status == 0)
    }
  }

  @Test func `a clone's own schema serves, and a place may be named`() throws {
    try Program.inFolder { firstframe in
      for folder in [".git", "docs/reference/generated", "scenarios"] {
        try FileManager.default.createDirectory(
          atPath: "\(firstframe.folder)/\(folder)", withIntermediateDirectories: true)
      }
      try firstframe.write("docs/reference/generated/feed.schema.json", "{}")
      #expect(try firstframe("init", "one", "-o", "scenarios/one.yaml").status == 0)
      #expect(
        try firstframe.read("scenarios/one.yaml").hasPrefix(
          "# yaml-language-server: $schema=../docs/reference/generated/feed.schema.json\n"))
      #expect(try firstframe.read("docs/reference/generated/feed.schema.json") == "{}")
      #expect(try firstframe("init", "two", "--schema", "none").status == 0)
      #expect(try firstframe.read("two.yaml").hasPrefix("# A short-video feed"))
      #expect(try firstframe("init", "three", "--schema", "x.json").status == 0)
      #expect(
        try firstframe.read("three.yaml").hasPrefix("# yaml-language-server: $schema=x.json\n"))
      #expect(try firstframe("init", "four", "--schema", "a b").status == 64)
      #expect(!(try firstframe.names().contains(".firstframe")))
    }
  }

  @Test func `a schema that cannot be written leaves no scenario`() throws {
    try Program.inFolder { firstframe in
      // A file where the folder belongs.
      try firstframe.write(".firstframe", "x")
      let outcome = try firstframe("init", "one")
      #expect(outcome.status == 73, "\(outcome.error)")
      #expect(try firstframe.names() == [".firstframe"])
    }
  }
}
