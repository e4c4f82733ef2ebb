import CachePolicy
import FeedPolicy
import Foundation
import MediaUnits
import Models
import SimulationKernel
import Statistics

/// A checked scenario, ready to run: of the feed, or of another world (``world``).
public struct FeedScenario: Sendable {
  public var name: String
  public var description: String
  public var seed: UInt64
  /// Most replications.
  public var replications: Int
  /// Of the feed; without networks and devices where another world is simulated.
  public var configuration: FeedConfiguration
  /// What is simulated in place of the feed; nil: the feed.
  public var world: World?
  /// Values of the labels `network` and `device`, by index in the configuration.
  public var networks: [String]
  public var devices: [String]
  /// Values of the label `window`, by index in the configuration.
  public var windows: [String]
  public var budgets: [Budget]
  /// From which change on a metric's change matters, where that is not the default.
  public var thresholds: [MetricThreshold] = []
  /// Network models of published simulators to put beside ours.
  public var comparedNetworks: [NetworkModel]
  /// How the traffic is priced; nil: it is not.
  public var cost: CostPlan?
  /// What a sweep of the scenario varies.
  public var sweep: SweepPlan
  /// Whether this is the short form.
  public var isShort: Bool
  /// The text of `scenario.resolved.yaml`.
  public var resolvedText: String
  public var file: ScenarioFile
  /// The keys that were set after the file.
  public private(set) var overrides: [Override] = []
  /// The text that the scenario was parsed from; nil for one that was loaded.
  private var text: String?
  /// Names and digests of the other files that the scenario was built from.
  public var inputs: [String]
  /// Those files.
  public var inputFiles: [ScenarioInput]
  /// Largest interpolation error of the quantile tables, relative to max(|value|, interquartile
  /// range).
  public var tableError: Double

  /// Eight hexadecimal digits over the resolved scenario, the seed and the replications; part of
  /// the result folder's name.
  public var digest: String {
    Digest.digest8(
      "\(resolvedText)\nseed \(seed)\nreplications \(replications)\nshort \(isShort)\n"
        + inputs.joined(separator: "\n"))
  }

  /// The scenario again with keys set, from where it was read, so that paths in it mean the same.
  ///
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public static func rebuilt(
    _ scenario: FeedScenario, overrides added: [Override]
  ) throws(ScenarioRejected) -> FeedScenario {
    let all = scenario.overrides + added
    if let text = scenario.text {
      return try parse(text, file: scenario.file.path, overrides: all, short: scenario.isShort)
    }
    return try load(scenario.file.path, overrides: all, short: scenario.isShort)
  }

  /// Loads, checks and builds a scenario.
  ///
  /// - Parameters:
  ///   - short: whether to make the stated cut of audience and replications.
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public static func load(
    _ path: String, overrides: [Override] = [], short: Bool = false
  ) throws(ScenarioRejected) -> FeedScenario {
    let file: ScenarioFile
    do throws(ScenarioRejected) {
      file = try ScenarioFile.load(
        path, schema: WorldTable.schema(ofFile: path, overrides: overrides), overrides: overrides)
    } catch {
      throw BudgetTexts.adding(
        to: error, text: try? String(contentsOfFile: path, encoding: .utf8), path)
    }
    var built = try build(file, short: short)
    built.overrides = overrides
    built.description = ScenarioDescription.text(file, overrides: overrides)
    return built
  }

  /// The same for what can do with the feed only, such as a run against real servers.
  ///
  /// - Throws: ``ScenarioRejected`` also for a scenario of another world.
  public static func loadFeed(
    _ path: String, overrides: [Override] = [], short: Bool = false
  ) throws(ScenarioRejected) -> FeedScenario {
    let scenario = try load(path, overrides: overrides, short: short)
    if scenario.world == nil { return scenario }
    var problems = Problems()
    problems.add(
      scenario.file.tree.problem(at: "world", expected: "a scenario of the feed, without a world"))
    throw ScenarioRejected(problems)
  }

  /// The same from text that stands in a file called `file`.
  public static func parse(
    _ text: String, file: String, overrides: [Override] = [], short: Bool = false
  ) throws(ScenarioRejected) -> FeedScenario {
    let parsed: ScenarioFile
    do throws(ScenarioRejected) {
      parsed = try ScenarioFile.parse(
        text, file: file, schema: WorldTable.schema(of: text, file: file, overrides: overrides),
        overrides: overrides)
    } catch {
      throw BudgetTexts.adding(to: error, text: text, file)
    }
    var built = try build(parsed, short: short)
    built.overrides = overrides
    built.description = ScenarioDescription.text(parsed, overrides: overrides)
    built.text = text
    return built
  }

  private static func build(
    _ file: ScenarioFile, short: Bool
  ) throws(ScenarioRejected) -> FeedScenario {
    if file.tree.hasKey("world"),
      let kind = WorldKind.named(file.tree.word("world"))
    {
      return try build(file, kind, short: short)
    }
    var checks = ScenarioChecks(file.tree)
    checks.run()
    let sweep = SweepPlan(file.tree, problems: &checks.problems)
    let cost = CostPlan(file.tree, problems: &checks.problems)
    if !checks.problems.isEmpty { throw ScenarioRejected(checks.problems) }
    var builder = ScenarioBuilder(file.tree, short: short)
    let configuration = builder.configuration()
    if !builder.problems.isEmpty { throw ScenarioRejected(builder.problems) }
    let tree = file.tree
    var scenario = FeedScenario(
      name: tree.text("name"), description: tree.text("description"),
      seed: UInt64(tree.integer("seed")),
      replications: Int(tree.integer(short ? "short.replications" : "replications")),
      configuration: configuration, networks: ScenarioBuilder.networkNames(tree),
      devices: tree.elements("devices").map { $0.kind() },
      windows: ScenarioBuilder.windows(tree).map(\.name), budgets: checks.budgets,
      comparedNetworks: tree.elements("network.compare").map {
        ScenarioTable.comparedModels.value($0)
      },
      cost: cost, sweep: sweep, isShort: short, resolvedText: file.resolvedText, file: file,
      inputs: builder.inputs + (cost.map { ["\($0.file.name) \($0.digest)"] } ?? []),
      inputFiles: builder.inputFiles + (cost.map { [$0.file] } ?? []),
      tableError: builder.tables.worstError)
    scenario.thresholds = checks.thresholds
    return scenario
  }

  private static func build(
    _ file: ScenarioFile, _ kind: WorldKind, short: Bool
  ) throws(ScenarioRejected) -> FeedScenario {
    let tree = file.tree
    var checks = WorldChecks(kind, tree)
    let world = checks.world(short: short)
    checks.checkBudgets()
    checks.checkThresholds()
    checks.checkSweep()
    let sweep = SweepPlan(tree, problems: &checks.problems)
    if !checks.problems.isEmpty { throw ScenarioRejected(checks.problems) }
    var scenario = FeedScenario(
      name: tree.text("name"), description: tree.text("description"),
      seed: UInt64(tree.integer("seed")),
      replications: Int(tree.integer(short ? "short.replications" : "replications")),
      configuration: noFeed, world: world, networks: [], devices: [], windows: [],
      budgets: checks.budgets, comparedNetworks: [], cost: nil, sweep: sweep, isShort: short,
      resolvedText: file.resolvedText, file: file, inputs: [], inputFiles: [], tableError: 0)
    scenario.thresholds = checks.thresholds
    return scenario
  }

  /// A feed that nobody watches.
  private static let noFeed: FeedConfiguration = {
    do throws(ScenarioRejected) {
      let text = "{version: 1, name: none, catalogue: {titles: 1}}"
      var configuration = try parse(text, file: "").configuration
      configuration.networks = []
      configuration.devices = []
      return configuration
    } catch {
      preconditionFailure("a scenario of defaults is one: \(error.description)")
    }
  }()
}
