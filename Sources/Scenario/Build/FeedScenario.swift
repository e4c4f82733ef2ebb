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

/// What the table of keys cannot say: keys that contradict each other, budgets that name nothing.
struct ScenarioChecks {
  let tree: ResolvedTree
  var problems = Problems()
  var budgets: [Budget] = []
  private(set) var thresholds: [MetricThreshold] = []

  init(_ tree: ResolvedTree) { self.tree = tree }

  mutating func run() {
    checkCatalogue()
    checkCDN()
    checkShares("network.access")
    checkNetwork()
    checkShares("devices")
    checkPersonas()
    checkPolicies()
    checkSurface()
    checkDemand()
    checkScale()
    checkBudgets()
    checkThresholds()
  }

  private mutating func checkThresholds() {
    thresholds = MetricThreshold.list(tree, problems: &problems) { metric, element, problems in
      if WorldMetric.of(metric) == nil { return true }
      problems.add(element.problem(at: "metric", expected: "a metric of the feed"))
      return false
    }
    for element in tree.elements("thresholds") {
      guard case .success(let metric) = MetricReference.parse(element.text("metric")) else {
        continue
      }
      checkLabels(metric, element, windowKey: "metric")
    }
  }

  private mutating func checkCatalogue() {
    let ladder = tree.elements("catalogue.ladder")
    for (before, after) in zip(ladder, ladder.dropFirst())
    where after.bitRate() <= before.bitRate() {
      problems.add(after.problem(expected: "a rate above the one before it"))
    }
    if !tree.isNone("catalogue.audio") && ladder.count >= ObjectLayout.maximumRungs {
      problems.add(
        tree.problem(
          at: "catalogue.audio",
          expected: "a ladder of at most \(ObjectLayout.maximumRungs - 1) rungs beside it"))
    }
    if !tree.isNone("catalogue.audio") && tree.word("catalogue.packaging") == "progressive" {
      problems.add(
        tree.problem(
          at: "catalogue.audio", expected: "none beside progressive files: they hold the audio"))
    }
    let (least, most) = (
      tree.time("catalogue.minimumDuration"), tree.time("catalogue.maximumDuration")
    )
    if most < least {
      problems.add(
        tree.problem(
          at: "catalogue.maximumDuration", expected: "at least catalogue.minimumDuration"))
    }
    let step = tree.time("catalogue.segmentDuration")
    let limit = Int64(ObjectLayout.maximumSegments)
    if most / limit > step || (most / limit == step && most % limit > 0) {
      problems.add(
        tree.problem(
          at: "catalogue.maximumDuration",
          expected: "at most \(limit) segments of catalogue.segmentDuration"))
    }
    if tree.time("catalogue.spriteSpan") < most / Int64(ObjectLayout.maximumSprites) {
      problems.add(
        tree.problem(
          at: "catalogue.spriteSpan",
          expected: "at most \(ObjectLayout.maximumSprites) sheets for the longest title"))
    }
    if let top = ladder.last {
      let bytes =
        Double(top.bitRate()) / 8 * Double(step) / 1e9 * tree.real("catalogue.peakRatio")
      if bytes >= 1e9 {
        problems.add(top.problem(expected: "segments below 1 GB"))
      }
    }
  }

  private mutating func checkNetwork() {
    let network = tree.at("network")
    let http = network.word("http")
    for key in ["handshake", "resumedHandshake"] {
      let word = network.word(key)
      if word == "auto" || word == "none" || word.hasPrefix("quic") == (http == "3") { continue }
      problems.add(
        network.problem(
          at: key,
          expected: http == "3"
            ? "quic, quic-0rtt or auto with http: 3"
            : "a handshake over TCP, or auto, unless http is 3"))
    }
    if http != "1.1" && !network.isNone("connectionsPerHost") {
      problems.add(
        network.problem(at: "connectionsPerHost", expected: "none, unless http is 1.1"))
    }
    let compared = network.elements("compare")
    for (index, element) in compared.enumerated()
    where compared[..<index].contains(where: { $0.word() == element.word() }) {
      problems.add(element.problem(expected: "each model once"))
    }
    if !compared.isEmpty && network.word("model") != "firstframe" {
      problems.add(
        network.problem(at: "model", expected: "firstframe, when others are compared with it"))
    }
    for access in network.elements("access") {
      guard let cell = access.optional("cell") else { continue }
      if cell.integer("count") > 100_000 / max(1, tree.integer("cdn.edges")) {
        problems.add(
          cell.problem(at: "count", expected: "at most 100,000 cells over all edges"))
      }
    }
  }

  private mutating func checkShares(_ path: String) {
    var seen: Set<String> = []
    var sum = 0.0
    for element in tree.elements(path) {
      sum += element.real("weight")
      let isNamed = path == "network.access" && !element.isNone("name")
      if !seen.insert(isNamed ? element.text("name") : element.kind()).inserted {
        problems.add(
          element.problem(
            expected: path == "network.access"
              ? "each kind once, or a name of its own" : "each kind once"))
      }
    }
    if sum <= 0 { problems.add(tree.problem(at: path, expected: "a weight above 0")) }
  }

  private mutating func checkPersonas() {
    let sum = tree.elements("audience.personas").reduce(0) { $0 + $1.real("weight") }
    if sum <= 0 {
      problems.add(tree.problem(at: "audience.personas", expected: "a weight above 0"))
    }
  }

  private mutating func checkPolicies() {
    checkPrefetch()
    let rule = ScenarioTable.bitrateRules.value(tree, "policy.abr")
    if let problem = rule.check(tree.at("policy.abr"), tree.count("catalogue.ladder")) {
      problems.add(problem)
    }
    if tree.time("policy.player.forwardBuffer") < tree.time("policy.player.resumeThreshold") {
      problems.add(
        tree.problem(
          at: "policy.player.forwardBuffer",
          expected: "at least policy.player.resumeThreshold, or no stall would end"))
    }
    if tree.time("policy.player.forwardBuffer") < tree.time("policy.player.startThreshold") {
      problems.add(
        tree.problem(
          at: "policy.player.forwardBuffer", expected: "at least policy.player.startThreshold"))
    }
  }

  private mutating func checkPrefetch() {
    if tree.hasKey("policy.prefetch.rung"),
      let rung = tree.optionalInteger("policy.prefetch.rung"),
      rung >= Int64(tree.count("catalogue.ladder"))
    {
      problems.add(
        tree.problem(
          at: "policy.prefetch.rung",
          expected: "a rung below \(tree.count("catalogue.ladder"))"))
    }
    if tree.hasKey("policy.player.minimumBuffer"),
      tree.time("policy.player.minimumBuffer") > tree.time("policy.player.forwardBuffer")
    {
      problems.add(
        tree.problem(
          at: "policy.player.minimumBuffer", expected: "at most policy.player.forwardBuffer"))
    }
  }

  private mutating func checkBudgets() {
    for element in tree.elements("budgets") {
      var reference: MetricReference
      switch MetricReference.parse(element.text("metric")) {
      case .success(let parsed): reference = parsed
      case .failure(let fault):
        problems.add(element.problem(at: "metric", expected: fault.expected))
        continue
      }
      if WorldMetric.of(reference) != nil {
        problems.add(element.problem(at: "metric", expected: "a metric of the feed"))
        continue
      }
      if let window = element.optionalText("during") {
        switch reference.during(window) {
        case .success(let cut): reference = cut
        case .failure(let fault):
          problems.add(element.problem(at: "during", expected: fault.expected))
          continue
        }
      }
      checkLabels(reference, element, windowKey: element.isNone("during") ? "metric" : "during")
      let references = each(reference, element)
      switch BudgetLimit.parse(element.text("limit"), unit: reference.unit) {
      case .success(let limit):
        budgets += references.map { metric in
          Budget(
            metric: metric, limit: limit, limitText: element.text("limit"),
            level: ScenarioTable.budgetLevels.value(element, "level"),
            minimumSamples: Int(element.integer("minimumSamples")),
            place: element.origin(of: "metric").place)
        }
      case .failure(let fault):
        problems.add(element.problem(at: "limit", expected: fault.expected))
      }
    }
  }

  /// The metrics that a budget stands for: one, or one for each value of its label `each`.
  private mutating func each(
    _ reference: MetricReference, _ element: ResolvedTree
  ) -> [MetricReference] {
    if element.isNone("each") { return [reference] }
    let name = element.word("each")
    let values = cohorts.first { $0.label == name }?.values ?? MetricReference.keptClasses
    switch reference.forEach(name, in: values) {
    case .success(let references): return references
    case .failure(let fault):
      problems.add(element.problem(at: "each", expected: fault.expected))
      return []
    }
  }

  /// Labels with the values that they have in the scenario.
  private var cohorts: [(label: String, values: [String])] {
    [
      ("network", ScenarioBuilder.networkNames(tree)),
      ("device", tree.elements("devices").map { $0.kind() }),
      (
        "window",
        (tree.elements("windows") + tree.elements("audience.crowds")).map { $0.text("name") }
      ),
    ]
  }

  private mutating func checkLabels(
    _ reference: MetricReference, _ element: ResolvedTree, windowKey: String
  ) {
    for (label, known) in cohorts {
      guard let value = reference.label(label), !known.contains(value) else { continue }
      let names = known.isEmpty ? "it has none" : known.joined(separator: ", ")
      problems.add(
        element.problem(
          at: label == "window" ? windowKey : "metric",
          expected: "a \(label) of the scenario: \(names)",
          got: value, suggestion: Spelling.nearest(to: value, in: known)))
    }
    for tier in ["regional", "shield"]
    where reference.label("tier") == tier && tree.isNone("cdn.\(tier)") {
      problems.add(
        element.problem(at: "metric", expected: "a tier that the scenario has", got: tier))
    }
  }
}
