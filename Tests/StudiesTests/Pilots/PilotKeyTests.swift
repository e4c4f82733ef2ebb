import CacheModel
import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel
import SlowTesting
import Testing

@testable import FeedModel
@testable import Scenario
@testable import Studies

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private let scenarios: [String] = {
  let names = try? FileManager.default.contentsOfDirectory(atPath: root.path + "/scenarios")
  return (names ?? []).filter { $0.hasSuffix(".yaml") }.sorted()
}()

private func load(_ file: String, _ changes: [Override] = []) throws -> StudyScenario {
  try StudyScenario.load(root.path + "/scenarios/\(file)", overrides: changes, short: true)
}

/// The same with short sessions, so that pilots take little.
private func brief(_ file: String, _ changes: [Override] = []) throws -> StudyScenario {
  try load(file, [Override(set: "audience.sessionLength=15 s")] + changes)
}

private func key(_ scenario: StudyScenario) throws -> ContentKey? {
  let configuration = try #require(scenario.feed).configuration
  return ValueWalk.key(
    of: try #require(FeedPilot(configuration, seed: scenario.seed, replication: 0)))
}

/// What a pilot counts of which nothing was left out: with full caches, but all that the scenario
/// says of them and of what stands behind them.
private func countWithEverything(_ scenario: StudyScenario) throws -> OffsetCounts {
  let configuration = try #require(scenario.feed).configuration
  var pilot = configuration
  pilot.cdn.start = .everything
  pilot.cdn.warmUp = .zero
  pilot.cdn.edges = 1
  pilot.cdn.edgesBehindShield = 1
  pilot.cdn.origin.outages = []
  pilot.cdn.purges = []
  for index in pilot.networks.indices { pilot.networks[index].cell = nil }
  pilot.audience.viewsPerDayPerEdge = 86_400
  pilot.audience.viewsPerSession = 1
  pilot.audience.drain = .hours(24)
  pilot.audience.window = .seconds(FeedPilot.sessions)
  pilot.withoutDisturbances()
  var plan = FeedPlan(viewsPerSession: 1)
  plan.counting = configuration.scale.isWhole ? .requests : .requestsAndDelays
  return try FeedRun.run(
    pilot, plan: plan, seed: scenario.seed, replication: FeedRun.pilotReplication(of: 0)
  ).measures.offsets
}

/// Each key of a scenario with another value than it has, one at a time.
private func changes(_ tree: ResolvedTree) -> [Override] {
  var found: [Override] = []
  func add(_ path: TreePath, _ value: ResolvedValue, like node: ResolvedNode) {
    found.append(
      Override(
        option: "--set", keyPath: path.description,
        value: CanonicalText.flow(ResolvedNode(value: value, origin: node.origin))))
  }
  func walk(_ node: ResolvedNode, _ path: TreePath) {
    switch node.value {
    case .time(let time): add(path, .time(time == 0 ? 1_000_000_000 : time / 2), like: node)
    case .bytes(let count): add(path, .bytes(count / 2 + 1), like: node)
    case .bitRate(let rate): add(path, .bitRate(rate / 2 + 1), like: node)
    case .ratio(let ratio): add(path, .ratio(ratio == 0 ? 0.5 : ratio / 2), like: node)
    case .integer(let count): add(path, .integer(count > 1 ? count - 1 : count + 1), like: node)
    case .real(let number): add(path, .real(number == 0 ? 1 : number / 2), like: node)
    case .boolean(let isSo): add(path, .boolean(!isSo), like: node)
    case .law:
      for value in ["250 ms", "2 s", "0.5", "3 Mbps"] {
        found.append(Override(option: "--set", keyPath: path.description, value: value))
      }
    case .list(let elements):
      for (index, element) in elements.enumerated() { walk(element, path.index(index)) }
      if !elements.isEmpty { add(path, .list(Array(elements.dropLast())), like: node) }
    case .map(let fields), .object(let fields), .kind(_, let fields):
      // What is judged and what is varied is no part of a feed.
      for field in fields where !["kind", "budgets", "sweep"].contains(field.key) {
        walk(field.node, path.key(field.key))
      }
    case .text, .word, .none, .variations: break
    }
    for word in words(path) where word != node.excerpt {
      let isKind = if case .kind = node.value { true } else { false }
      found.append(
        Override(
          option: "--set", keyPath: path.description, value: isKind ? "{kind: \(word)}" : word))
    }
  }
  func words(_ path: TreePath) -> [String] {
    let top = Node(.mapping([]), origin: tree.root.origin)
    guard case .shape(let shape) = ScenarioTable.schema.find(path, in: top) else { return [] }
    switch shape.withoutOptional {
    case .word(let words): return words.map(\.spelling)
    case .kinds(let kinds): return kinds.map(\.word)
    default: return []
    }
  }
  walk(tree.root, TreePath())
  return found
}

@Suite struct PilotKeyTests {
  @Test(arguments: scenarios)
  func `each shipped scenario of the feed has a name for its pilot and its tiers`(
    _ file: String
  ) throws {
    let scenario = try load(file)
    guard let configuration = scenario.fullScreenFeed?.configuration else { return }
    #expect(try key(scenario) != nil)
    let plan = FeedPlan(configuration, seed: 1, replication: 0, counted: OffsetCounts())
    if let filling = TierFilling(plan, configuration) { #expect(ValueWalk.key(of: filling) != nil) }
  }

  @Test(
    arguments: SlowRun.cases(
      [
        "cdn-ttl-flash-crowd.yaml", "wifi-budget-gate.yaml", "network-faults.yaml",
        "internet-scale.yaml",
      ], usual: 2))
  func `what changes what a pilot counts changes its name, key by key`(_ file: String) throws {
    let base = try brief(file)
    let name = try #require(try key(base))
    let configuration = try #require(base.feed).configuration
    let counted = try #require(FeedPilot(configuration, seed: base.seed, replication: 0)).count()
    #expect(try countWithEverything(base) == counted)
    var same: [String] = []
    var other: [String] = []
    for change in changes(base.file.tree) {
      guard let variant = try? brief(file, [change]), variant.fullScreenFeed != nil else {
        continue
      }
      guard try key(variant) == name else {
        other.append(change.keyPath)
        continue
      }
      same.append(change.keyPath)
      #expect(try countWithEverything(variant) == counted, "\(change)")
    }
    // The keys have been gone over at all, and the name says no more than it must.
    #expect(same.count > 20 && other.count > 60, "\(same.count) same, \(other.count) other")
    for key in ["seed", "policy.pool.size", "catalogue.titles", "audience.settle"] {
      #expect(other.contains(key), "\(key) moves the name")
    }
    for key in ["replications", "audience.drain", "cdn.edge.capacity", "cdn.originFirstByte"] {
      #expect(same.contains(key), "\(key) does not move the name")
    }
  }
}
