import FeedPolicy
import Foundation
import LoadHarness
import MediaUnits
import Models
import NIOPosix
import Scenario
import Studies
import Testing

/// Decision logs of live players.
@Suite(.serialized) struct PolicyLogFolderTests {
  private static func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private static func logs(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".log") }
      .sorted().map { "\(folder)/\($0)" }
  }

  @Test func `every log of a live run replays to equal commands`() async throws {
    let keys =
      LiveForm(
        window: .seconds(4), warmUp: .seconds(1), drain: .milliseconds(500), views: 60, edge: .none
      ).keys(for: try LiveFixture.scenario()) + [
        "client.gate={kind: gate}", "client.telemetry={}",
        "client.pauses=[{kind: typing, share: 0.3}]",
      ]
    let scenario = try LiveFixture.scenario(keys)
    try await Self.inFolder { folder in
      let origin = try await StandinOrigin.start(scenario, options: StandinOptions(), port: 0)
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let folderOfLogs = try PolicyLogFolder(folder)
      let runner = try LiveRunner(
        scenario, plan: try FeedRun.plan(scenario.configuration, seed: scenario.seed),
        options: LiveOptions(
          edge: try LiveTarget(url: "http://127.0.0.1:\(origin.port)"),
          servers: .realBehindModelledLinks, seed: scenario.seed), group: group,
        logs: folderOfLogs)
      let outcome = try await runner.run(stop: StopRequest()) { _ in }
      await runner.shutDown()
      try await group.shutdownGracefully()
      await origin.stop()
      let sessions = try folderOfLogs.close()
      #expect(Int64(sessions) == outcome.counts.starts)
      let logs = try Self.logs(in: folder)
      #expect(logs.count == 9 * sessions && sessions > 3)
      var commands = 0
      var machines: Set<String> = []
      for path in logs {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard case .equal(let events, let count) = PolicyLog.replay(bytes) else {
          Issue.record("\(path): \(String(describing: PolicyLog.replay(bytes)))")
          continue
        }
        if events > 0 { machines.insert(URL(fileURLWithPath: path).lastPathComponent) }
        commands += count
      }
      let busy = [
        "cursor-pager", "player-pool", "pause-stack", "prefetch-policy", "readiness-gate",
        "telemetry-batcher", "view-log",
      ]
      #expect(machines.isSuperset(of: busy.map { "\($0).log" }), "\(machines)")
      #expect(commands > 100)
    }
  }

  @Test func `a folder that holds something is not written into`() async throws {
    try await Self.inFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: "\(folder)/notes"))
      #expect(throws: HarnessFailure.self) { _ = try PolicyLogFolder(folder) }
    }
  }
}
