import Foundation
import Testing

/// `init --policy-package`, and the program of such a package (Tests/sample).
@Suite struct PolicyPackageCommandTests {
  /// Where this repository has the files of a package, by what they are called there.
  private static func own(_ path: String) -> String? {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().path
    return switch path {
    case "Sources/sample/Main.swift": "\(tests)/sample/Main.swift"
    case "scenarios/sample.yaml": "\(tests)/sample/sample.yaml"
    case "Sources/SamplePolicies/SamplePrefetch.swift": "\(tests)/\(path.dropFirst(8))"
    case "Tests/SamplePoliciesTests/SamplePrefetchTests.swift": "\(tests)/\(path.dropFirst(6))"
    default: nil
    }
  }

  @Test func `a package is what is tested here, but for its name`() throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe("init", "--policy-package", "demo", "--live")
      #expect(outcome.status == 0, "\(outcome.error)")
      let written = outcome.output.split(separator: "\n").map(String.init)
      #expect(
        written.last == "next: cd demo && swift build && swift test && swift run demo run "
          + "scenarios/demo.yaml --short")
      var compared = 0
      for path in written.dropLast() {
        let text = try firstframe.read(path)
        #expect(!text.contains("__"), "\(path) has a word that was not replaced")
        let own = path.dropFirst("demo/".count).replacingOccurrences(of: "demo", with: "sample")
          .replacingOccurrences(of: "Demo", with: "Sample")
        guard let file = Self.own(own) else { continue }
        let known = try #require(FileManager.default.contents(atPath: file))
        let same = text.replacingOccurrences(of: "demo", with: "sample")
          .replacingOccurrences(of: "Demo", with: "Sample")
        #expect(same == String(decoding: known, as: UTF8.self), "\(path)")
        compared += 1
      }
      #expect(compared == 4)
      #expect(
        FileManager.default.isExecutableFile(atPath: "\(firstframe.folder)/demo/gate"))
      let manifest = try firstframe.read("demo/Package.swift")
      #expect(manifest.contains(".package(name: \"FirstFrame\", path: \"../"))
      // Nothing is lost of what is there.
      #expect(manifest.contains("        .product(name: \"FirstFrameLiveKit\", package: \"FirstF"))
      let again = try firstframe("init", "--policy-package", "demo")
      #expect(again.status == 73)
      #expect(again.error.contains("demo: expected a new folder that can be written"))
      #expect(try firstframe.names() == ["demo"])
    }
  }

  @Test func `a package may get the program from an address`() throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe(
        "init", "--policy-package", "quick-start", "--from", "https://example.com/a/firstframe.git",
        "--output", "packages/mine")
      #expect(outcome.status == 0, "\(outcome.error)")
      let manifest = try firstframe.read("packages/mine/Package.swift")
      #expect(manifest.contains(".package(url: \"https://example.com/a/firstframe.git\", from: \""))
      #expect(manifest.contains(".product(name: \"FirstFrameKit\", package: \"firstframe\")"))
      #expect(
        try firstframe.read("packages/mine/scenarios/quick-start.yaml").contains("kind: quick"))
      #expect(
        try firstframe.names("packages/mine/Sources") == ["QuickStartPolicies", "quick-start"])
      // Sockets are for who asks for them.
      #expect(!manifest.contains("Live"))
      let program = try firstframe.read("packages/mine/Sources/quick-start/Main.swift")
      #expect(!program.contains("live") && program.contains("prefetch: [prefetch]).main()"))
    }
  }

  /// Nothing of another program is run in their place.
  @Test func `a program without live runs says so`() throws {
    try inPackage { sample in
      let none = try Program(folder: sample.folder, name: "sample-rules")("live", "run", "own.yaml")
      #expect(none.status == 69)
      #expect(none.error.contains("expected a program with live runs, got sample-rules without"))
      let help = try sample("live", "run", "--help")
      #expect(help.status == 0 && help.output.contains("USAGE: sample live run "), "\(help.output)")
    }
  }

  @Test(arguments: [
    (["--policy-package", "head"], "expected a name that is no kind of policy.prefetch"),
    (["--policy-package", "firstframe-x"], "expected a name that is no kind of policy.prefetch"),
    (["--policy-package", "Demo"], "expected a name of small letters, digits and -"),
    (["--policy-package", "../x"], "expected a name of small letters, digits and -"),
    (["--policy-package", ""], "expected a name of small letters, digits and -"),
    (["--policy-package", "demo", "--from", "there"], "--from: expected the address of a git"),
    (["--policy-package", "demo", "--from", "https://a b/c"], "--from: expected the address"),
    (["--policy-package", "demo", "my-feed"], "--policy-package: expected no name of a scenario"),
    (["--from", "https://example.com/firstframe"], "--from: expected --policy-package"),
    (["--live"], "--live: expected --policy-package"),
  ])
  func `what cannot be a package is refused in one line`(
    _ words: [String], _ said: String
  ) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(["init"] + words)
      #expect(outcome.status == 64)
      #expect(outcome.error.contains(said), "\(outcome.error)")
      #expect(try firstframe.names().isEmpty)
    }
  }

  /// A folder with a scenario of the package's policy, and its program.
  private func inPackage(_ body: (Program) throws -> Void) throws {
    try StudyCommandTests.inFolder { firstframe in
      try firstframe.write(
        "own.yaml", "extends: study.yaml\npolicy:\n  prefetch: {kind: sample, headLength: 4 s}\n")
      try body(Program(folder: firstframe.folder, name: "sample"))
    }
  }

  private func result(_ program: Program, _ output: String) throws -> [String: Any] {
    let names = try program.names(output).filter { $0.hasPrefix("study-") }
    let text = try program.read("\(output)/\(try #require(names.first))/result.json")
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `a package's policy gives the result of the family it is, and its name`() throws {
    try inPackage { sample in
      let builtIn = "policy.prefetch={kind: head, headLength: 4 s}"
      for (words, output) in [([], "own"), (["--set", builtIn], "built-in")] {
        let outcome = try sample.run(
          [
            "run", "own.yaml", "--replications", "4", "--quiet", "--output", output, "--threads",
            "2",
          ]
            + words)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.contains("prefetch by sample 1.0") == (output == "own"))
        #expect(outcome.output.contains("\n  sample run "), "\(outcome.output)")
      }
      var (own, builtInResult) = (try result(sample, "own"), try result(sample, "built-in"))
      let scenario = try #require(own["scenario"] as? [String: Any])
      let policies = try #require(scenario["policies"] as? [[String: Any]])
      #expect(policies.map { $0["name"] as? String } == ["sample"])
      own["scenario"] = nil
      builtInResult["scenario"] = nil
      let texts = try [own, builtInResult].map {
        try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)
      }
      #expect(texts[0] == texts[1])
    }
  }

  @Test func `a package's parameters are keys like any other`() throws {
    try inPackage { sample in
      let keys = try sample("keys", "policy.prefetch.pauseBelowBuffer")
      #expect(keys.status == 0 && keys.output.contains("sample"), "\(keys.output)")
      let explained = try sample("explain", "own.yaml")
      #expect(explained.output.contains("headLength"), "\(explained.error)")
      #expect(try sample("schema").output.contains("\"sample\""))
      let swept = try sample(
        "sweep", "own.yaml", "--short", "--replications", "2", "--quiet", "--vary",
        "policy.prefetch.headLength=[500 ms, 6 s]", "--metric", "wasted_ratio")
      #expect(swept.status == 0, "\(swept.error)")
      #expect(!swept.output.contains("the same at every point"), "\(swept.output)")
      #expect(try sample("validate", "own.yaml").status == 0)
      for (setting, said) in [
        ("headLength=6", "policy.prefetch.headLength: expected a time"),
        ("itemsAhead=11", "policy.prefetch.itemsAhead: expected a whole number from 0 to 10"),
        ("headLen=6 s", "policy.prefetch.headLen: expected one of the keys kind, headLength"),
      ] {
        let outcome = try sample("validate", "own.yaml", "--set", "policy.prefetch.\(setting)")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains(said), "\(outcome.error)")
      }
      let exported = try sample("export", "own.yaml", "--as", "swift")
      #expect(exported.status == 65)
      #expect(exported.error.contains("got sample"), "\(exported.error)")
      let named = try sample("--help")
      #expect(named.output.contains("USAGE: sample "))
      let other = try Program(folder: sample.folder)("validate", "own.yaml")
      #expect(other.status == 65)
      #expect(other.error.contains("external, got sample"), "\(other.error)")
    }
  }
}
