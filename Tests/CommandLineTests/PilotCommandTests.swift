import Foundation
import Testing

/// Pilots that are kept between runs (docs/decisions/0028).
@Suite struct PilotCommandTests {
  private static let run = ["run", "tiny.yaml", "--short", "--quiet"]

  /// What a run printed, and its result.json.
  private func result(
    _ firstframe: Program, _ arguments: [String], _ environment: [String: String]
  ) throws -> [String] {
    let output = "\(UUID().uuidString)"
    let outcome = try firstframe.run(
      arguments + ["--output", output], environment: environment)
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.error == "")
    let folder = try #require(try firstframe.names(output).first)
    return [
      outcome.output.replacing(output, with: "results"),
      try firstframe.read("\(output)/\(folder)/result.json"),
      try firstframe.read("\(output)/\(folder)/report.html"),
    ]
  }

  /// The file system's numbers of the files in `pilots`.
  private func numbers(_ firstframe: Program) throws -> [Int] {
    try firstframe.names("pilots").map { name in
      let path = "\(firstframe.folder)/pilots/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return try #require(attributes[.systemFileNumber] as? Int)
    }
  }

  private func inFolder(_ body: (Program) throws -> Void) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny + "cdn: {edge: {capacity: 2 GB}}\n")
      try body(firstframe)
    }
  }

  @Test func `cold, warm, damaged and switched off, a run writes the same bytes`() throws {
    try inFolder { firstframe in
      let here = ["FIRSTFRAME_PILOTS": "./pilots"]
      let off = try result(firstframe, Self.run, [:])
      #expect(try result(firstframe, Self.run + ["--no-pilot-cache"], here) == off)
      #expect(try firstframe.names().contains("pilots") == false)
      #expect(try result(firstframe, Self.run, here) == off, "cold")
      let kept = try firstframe.names("pilots")
      // What was counted and what the tiers are filled with, of two replications.
      #expect(kept.count == 4)
      // What is counted anew is moved to its place, as another file.
      let files = try numbers(firstframe)
      #expect(try result(firstframe, Self.run, here) == off, "warm")
      #expect(try numbers(firstframe) == files, "read, and not counted anew")
      for name in kept { try firstframe.write("pilots/\(name)", "damaged") }
      #expect(try result(firstframe, Self.run, here) == off, "damaged")
      #expect(try firstframe.names("pilots") == kept)
      for name in kept {
        let size = try firstframe.read("pilots/\(name)").utf8.count
        #expect(size > 1000, "\(name) was written again")
      }
    }
  }

  @Test func `a folder that cannot be written to is no error`() throws {
    try inFolder { firstframe in
      let off = try result(firstframe, Self.run, [:])
      let blocked = try result(
        firstframe, Self.run, ["FIRSTFRAME_PILOTS": "\(firstframe.folder)/tiny.yaml/below"])
      #expect(blocked == off)
    }
  }

  @Test func `a word that is neither off nor a path is refused`() throws {
    try inFolder { firstframe in
      for word in ["OFF", "0", "no", "pilots"] {
        let refused = try firstframe.run(Self.run, environment: ["FIRSTFRAME_PILOTS": word])
        #expect(refused.status == 64)
        #expect(
          refused.error.contains(
            "FIRSTFRAME_PILOTS: expected off, or a folder's path with a slash, got \(word)"))
        #expect(try !firstframe.names().contains(word))
      }
      let off = try result(firstframe, Self.run + ["--no-pilot-cache"], ["FIRSTFRAME_PILOTS": "0"])
      #expect(try off == result(firstframe, Self.run, [:]))
    }
  }

  @Test func `pilots lie where XDG says, and relative paths of it count for nothing`() throws {
    try inFolder { firstframe in
      let folder = firstframe.folder
      for (environment, place) in [
        (["XDG_CACHE_HOME": "\(folder)/cache", "HOME": "/nowhere"], "cache/firstframe"),
        (["XDG_CACHE_HOME": "", "HOME": "\(folder)/home"], "home/.cache/firstframe"),
        (["XDG_CACHE_HOME": "below", "HOME": "\(folder)/other"], "other/.cache/firstframe"),
      ] {
        _ = try result(
          firstframe, Self.run, environment.merging(["FIRSTFRAME_PILOTS": ""]) { $1 })
        #expect(try firstframe.names(place + "/pilots").count == 4)
      }
      #expect(try !firstframe.names().contains("below"))
    }
  }

  @Test func `a sweep finds the pilots of a run, and each of the verbs can do without`() throws {
    try inFolder { firstframe in
      let here = ["FIRSTFRAME_PILOTS": "./pilots"]
      _ = try result(firstframe, Self.run, here)
      let sweep = [
        "sweep", "tiny.yaml", "--short", "--quiet", "--replications", "2", "--json", "--vary",
        "audience.window=[20 s, 30 s]",
      ]
      let off = try firstframe.run(sweep + ["--output", "a", "--no-pilot-cache"])
      let warm = try firstframe.run(sweep + ["--output", "b"], environment: here)
      #expect(off.status == 0 && warm.status == 0, "\(off.error) \(warm.error)")
      #expect(off.output == warm.output)
      #expect(try firstframe.names("pilots").count == 4)
      for verb in ["run", "gate", "compare", "sweep", "tune", "audit", "trace", "capacity"] {
        #expect(try firstframe(verb, "--help").output.contains("--no-pilot-cache"), "\(verb)")
      }
    }
  }
}
