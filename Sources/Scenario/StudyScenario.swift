import Foundation
import Models

/// A checked scenario, ready to run: a header, whose members are the scenario's, and the plan of
/// the world that it is of.
@dynamicMemberLookup
public struct StudyScenario: Sendable {
  public var header: StudyHeader
  public var plan: World

  public subscript<Value>(dynamicMember member: KeyPath<StudyHeader, Value>) -> Value {
    header[keyPath: member]
  }

  public subscript<Value>(dynamicMember member: WritableKeyPath<StudyHeader, Value>) -> Value {
    get { header[keyPath: member] }
    set { header[keyPath: member] = newValue }
  }

  /// Values of the labels `network`, `device` and `window`; empty in worlds without them.
  public var networks: [String] { plan.labels.networks }
  public var devices: [String] { plan.labels.devices }
  public var windows: [String] { plan.labels.windows }
  public var providers: [String] { plan.labels.providers }

  /// The scenario again with keys set, from where it was read, so that paths in it mean the same.
  ///
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public static func rebuilt(
    _ scenario: StudyScenario, overrides added: [Override]
  ) throws(ScenarioRejected) -> StudyScenario {
    let all = scenario.overrides + added
    if let text = scenario.header.text {
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
  ) throws(ScenarioRejected) -> StudyScenario {
    let file: ScenarioFile
    do throws(ScenarioRejected) {
      file = try ScenarioFile.load(
        path, schema: WorldTable.schema(ofFile: path, overrides: overrides), overrides: overrides)
    } catch {
      throw BudgetTexts.adding(
        to: error, text: InputFile.text(at: path, limit: YAMLReader.Limits.bytes), path)
    }
    var built = try build(file, short: short)
    built.header.overrides = overrides
    built.description = ScenarioDescription.text(file, overrides: overrides)
    return built
  }

  /// The same from text that stands in a file called `file`.
  public static func parse(
    _ text: String, file: String, overrides: [Override] = [], short: Bool = false
  ) throws(ScenarioRejected) -> StudyScenario {
    let parsed: ScenarioFile
    do throws(ScenarioRejected) {
      parsed = try ScenarioFile.parse(
        text, file: file, schema: WorldTable.schema(of: text, file: file, overrides: overrides),
        overrides: overrides)
    } catch {
      throw BudgetTexts.adding(to: error, text: text, file)
    }
    var built = try build(parsed, short: short)
    built.header.overrides = overrides
    built.description = ScenarioDescription.text(parsed, overrides: overrides)
    built.header.text = text
    return built
  }

  /// A default that contradicts what the file says is told at the nearest key around it that the
  /// file has.
  private static func rejected(_ problems: Problems, _ file: ScenarioFile) -> ScenarioRejected {
    var problems = problems
    problems.amend { problem in
      guard case .preset(let source) = problem.origin else { return }
      problem.got += " by default (\(source))"
      problem.origin = .file(file.path, line: 1, column: 1)
      var path = TreePath(parsing: problem.keyPath) ?? TreePath()
      while !path.steps.isEmpty {
        path.steps.removeLast()
        let keys = path.steps.allSatisfy { if case .key = $0 { true } else { false } }
        if keys && !path.steps.isEmpty && !file.tree.hasKey(path.description) { continue }
        guard keys, case .file = file.tree.origin(of: path.description) else { continue }
        problem.origin = file.tree.origin(of: path.description)
        return
      }
    }
    return ScenarioRejected(problems)
  }

  /// A file with the key `world` is of the world that it names, another of a feed.
  static func build(
    _ file: ScenarioFile, short: Bool
  ) throws(ScenarioRejected) -> StudyScenario {
    if file.tree.hasKey("world"),
      let kind = WorldKind.named(file.tree.word("world"))
    {
      return try build(file, kind, short: short)
    }
    let tree = file.tree
    var checks = ScenarioChecks(tree)
    checks.run()
    checks.checkShown()
    let sweep = SweepPlan(tree, problems: &checks.problems)
    let cost = CostPlan(tree, short: short, problems: &checks.problems)
    if !checks.problems.isEmpty { throw rejected(checks.problems, file) }
    var builder = ScenarioBuilder(tree, short: short)
    let configuration = builder.configuration()
    if !builder.problems.isEmpty { throw rejected(builder.problems, file) }
    let feed = FeedWorldPlan(
      configuration: configuration, networks: ScenarioBuilder.networkNames(tree),
      devices: tree.elements("devices").map { $0.kind() },
      windows: ScenarioBuilder.windows(tree).map(\.name),
      providers: ScenarioBuilder.providerNames(tree), tableError: builder.tables.worstError)
    var header = StudyHeader(
      file, short: short, budgets: checks.budgets, thresholds: checks.thresholds, sweep: sweep)
    header.cost = cost
    header.inputs = builder.inputs + (cost.map { ["\($0.file.name) \($0.digest)"] } ?? [])
    header.policies = builder.policies + tree.packagedRules
    header.inputFiles = builder.inputFiles + (cost.map { [$0.file] } ?? [])
    header.comparedNetworks = tree.elements("network.compare").map { element in
      let model = ScenarioTable.comparedModels.value(element)
      var peer = feed
      peer.configuration.transport.model = model
      return ComparedNetwork(model: model, plan: World(built: peer))
    }
    return StudyScenario(header: header, plan: World(built: feed))
  }

  private static func build(
    _ file: ScenarioFile, _ kind: WorldKind, short: Bool
  ) throws(ScenarioRejected) -> StudyScenario {
    let tree = file.tree
    var checks = WorldChecks(kind, tree)
    let world = checks.world(short: short)
    checks.checkBudgets()
    checks.checkThresholds()
    checks.checkSweep()
    let sweep = SweepPlan(tree, problems: &checks.problems)
    if !checks.problems.isEmpty { throw rejected(checks.problems, file) }
    var header = StudyHeader(
      file, short: short, budgets: checks.budgets, thresholds: checks.thresholds, sweep: sweep)
    header.policies = tree.packagedRules
    return StudyScenario(header: header, plan: world)
  }
}

/// A scenario's world with a published simulator's network model in place of ours.
public struct ComparedNetwork: Sendable {
  public let model: NetworkModel
  public let plan: World
}
