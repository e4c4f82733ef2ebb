import Foundation
import Testing

@Suite struct TuneTargetCommandTests {
  private static let ratio = "hit_ratio{tier=edge,by=requests}"

  private static func seek(
    _ firstframe: Program, _ target: String, _ vary: [String], _ more: [String] = []
  ) throws -> Program.Outcome {
    try firstframe.write("tiny.yaml", Program.tiny)
    let keys = vary.flatMap { ["--vary", $0] }
    return try firstframe.run(
      ["tune", "tiny.yaml", "--short", "--quiet", "--replications", "4", "--target", target]
        + keys + more)
  }

  @Test func `the capacity for a hit ratio is found with its interval, and runs to that ratio`()
    throws
  {
    try Program.inFolder { firstframe in
      let vary = ["cdn.edge.capacity=[1 MB, 1 GB]"]
      let outcome = try Self.seek(firstframe, "\(Self.ratio) = 50 %", vary, ["--json"])
      #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
      let read = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      let goal = try #require(read as? [String: Any])
      #expect(goal["outcome"] as? String == "reached")
      #expect(goal["target"] as? String == "\(Self.ratio) = 50 %")
      #expect(goal["today"] as? String == "4 TB")
      let value = try #require(goal["value"] as? String)
      let points = try #require(goal["points"] as? [[String: Any]])
      let found = try #require(points.first { $0["value"] as? String == value })
      let metric = try #require(found["metric"] as? [String: Any])
      let (lower, upper) = (metric["lower"] as? Double ?? 1, metric["upper"] as? Double ?? 0)
      #expect(lower < 0.5 && upper > 0.5, "\(metric)")
      #expect(goal["lower"] is String && goal["upper"] is String, "\(goal)")
      #expect(points.count < 20)
      // The same search says the same, from what it has kept.
      let again = try Self.seek(firstframe, "\(Self.ratio) = 50 %", vary)
      #expect(again.status == 0 && again.output.contains("REACHED"), "\(again.output)")
      #expect(again.output.contains("cdn.edge.capacity: 4 TB -> \(value)"), "\(again.output)")
      let command = "--set 'cdn.edge.capacity=\(value)'"
      #expect(again.output.contains(command), "\(again.output)")
      let run = try firstframe(
        "sweep", "tiny.yaml", "--short", "--quiet", "--replications", "4", "--metric", Self.ratio,
        "--vary", "cdn.edge.capacity=[\(value)]", "--json")
      #expect(run.status == 0, "\(run.error)")
      let swept = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      let first = (swept?["points"] as? [[String: Any]])?.first?["metrics"] as? [[String: Any]]
      #expect(first?.first?["value"] as? Double == metric["value"] as? Double)
    }
  }

  @Test func `a whole number that steps over the target has none`() throws {
    try Program.inFolder { firstframe in
      for seed in ["1", "7"] {
        let outcome = try Self.seek(
          firstframe, "ready_ratio = 30 %", ["policy.pool.size=[1, 8]"], ["--seed", seed])
        #expect(outcome.status == 10, "\(outcome.output)")
        #expect(outcome.output.contains("OUT OF REACH"), "\(outcome.output)")
      }
    }
  }

  @Test func `a target that no value has is code 10 with the nearest one`() throws {
    try Program.inFolder { firstframe in
      let outcome = try Self.seek(
        firstframe, "\(Self.ratio) = 99.9 %", ["cdn.edge.capacity=[1 MB, 30 MB]"])
      #expect(outcome.status == 10, "\(outcome.output)")
      #expect(outcome.output.contains("OUT OF REACH"), "\(outcome.output)")
      #expect(outcome.output.contains("nearest: cdn.edge.capacity = 30 MB"), "\(outcome.output)")
    }
  }

  @Test func `a key that does not move the metric is code 12`() throws {
    try Program.inFolder { firstframe in
      let outcome = try Self.seek(
        firstframe, "\(Self.ratio) = 99 %", ["policy.prefetch.headLength=[2 s, 3 s]"])
      #expect(outcome.status == 12, "\(outcome.output)")
      #expect(outcome.output.contains("NOT SURE"), "\(outcome.output)")
      #expect(outcome.output.contains("(--replications, now 4)"), "\(outcome.output)")
    }
  }

  @Test(arguments: [
    (["policy.abr=[{kind: throughput}, {kind: bola}]"], "different numbers of one unit"),
    (["policy.pool.size=[1, 3]", "cdn.edges=[1, 2]"], "expected one key to vary"),
    (["policy.pool.size=[3]"], "expected 2 to 33"), ([], "expected one key to vary"),
  ]) func `a search needs one key with bounds`(vary: [String], message: String) throws {
    try Program.inFolder { firstframe in
      let outcome = try Self.seek(firstframe, "ready_ratio = 50 %", vary)
      #expect(outcome.status == 65, "\(outcome.output)")
      #expect(outcome.error.contains(message), "\(outcome.error)")
    }
  }

  @Test(arguments: [
    (["--target", "hit_ratio"], "expected a metric, = and a value"),
    (["--target", "ready_ratio = 5 s"], "--target: expected a ratio"),
    (["--target", "ready_ratio = 5 %", "--minimise", "ttff_ms.mean"], "expected one of"),
    (["--target", "ready_ratio = 5 %", "--halving"], "no --halving"), ([], "and --target"),
  ]) func `a target that is none is code 64`(arguments: [String], message: String) throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let outcome = try firstframe.run(
        ["tune", "tiny.yaml", "--vary", "policy.pool.size=[1, 3]"] + arguments)
      #expect(outcome.status == 64 && outcome.error.contains(message), "\(outcome.error)")
    }
  }
}
