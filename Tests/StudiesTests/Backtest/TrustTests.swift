import Foundation
import Scenario
import Testing

@testable import Studies

/// What a backtest says of later runs.
@Suite struct TrustTests {
  private func trust(
    _ changes: [String] = [], others: [StudyScenario] = []
  ) throws -> Trust {
    let backtest = try Backtest(
      predicted: MadeViews().prediction(), observed: MadeViews().views())
    return Trust(
      backtest, scenario: try SmallScenario.make(changes), others: others, dataDigest: "0badf00d",
      replications: 8)
  }

  @Test func `the file reads back as what was written, and anything else is refused`() throws {
    let trust = try trust()
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "trust-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "small.json").path
    func written(_ text: String) throws -> Result<Trust, Trust.Rejected> {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      do throws(Trust.Rejected) { return .success(try Trust.load(path)) } catch {
        return .failure(error)
      }
    }
    #expect(try written(trust.text()).get() == trust)
    #expect(!trust.measured.isEmpty && trust.name == "small" && trust.schema == 1)
    for text in [
      "", "{}", trust.text().replacing("firstframe.trust", with: "firstframe.result"),
      trust.text().replacing("\"schema\" : 1", with: "\"schema\" : 7"),
      trust.text().replacing("\"verdict\" : \"\(trust.verdict)\"", with: "\"verdict\" : \"fine\""),
    ] {
      guard case .failure(let error) = try written(text) else {
        Issue.record("\(text.prefix(80)) was read")
        continue
      }
      #expect(error.description.hasPrefix(path) && !error.isMissing)
    }
    #expect(throws: Trust.Rejected.self) { try Trust.load(path + ".none") }
  }

  private func left(_ changes: [String], by trust: Trust) throws -> [ConfigurationChange] {
    try trust.reach(SmallScenario.make(changes), path: "trust.json").left
  }

  @Test func `a key with another value than was tested has left the range`() throws {
    let trust = try trust()
    #expect(try left([], by: trust).isEmpty)
    let change = try #require(try left(["policy.pool.size=5"], by: trust).first)
    #expect(change.key == "policy.pool.size" && change.after == "5")
    #expect(change.before != nil && change.before != "5")
    // What only says how much is simulated, or what must hold, changes no prediction.
    #expect(try left(["seed=9", "replications=8"], by: trust).isEmpty)
    let kinds = try left(["cdn.shield=none"], by: trust)
    #expect(kinds.map(\.key) == ["cdn.shield"])
  }

  @Test func `a number between two that were tested is within, one beyond is not`() throws {
    let other = try SmallScenario.make(["policy.prefetch.headLength=4 s"])
    let trust = try trust(["policy.prefetch.headLength=2 s"], others: [other])
    let beyond = try #require(try left(["policy.prefetch.headLength=40 s"], by: trust).first)
    #expect(beyond.before == "\"2 s\", \"4 s\"" && beyond.after == "\"40 s\"")
    #expect(try left(["policy.prefetch.headLength=2500 ms"], by: trust).isEmpty)
    #expect(try left(["policy.prefetch.headLength=4 s"], by: trust).isEmpty)
  }

  @Test func `a model that has changed since has to be tested anew`() throws {
    var trust = try trust()
    let scenario = try SmallScenario.make()
    #expect(try trust.reach(scenario, path: "t").isWithin)
    trust.modelVersion -= 1
    let reach = try trust.reach(scenario, path: "t")
    #expect(!reach.isWithin && reach.otherVersion == trust.modelVersion)
    trust.tested = ["version: 1\nname: x\nnoSuchKey: 1\n"]
    #expect(throws: Trust.Rejected.self) { try trust.reach(scenario, path: "t") }
  }
}
