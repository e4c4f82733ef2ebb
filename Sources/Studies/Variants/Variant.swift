import Models
import Scenario

/// One configuration of a study: a scenario file with keys set.
public struct Variant: Sendable {
  /// What a reader calls it: the keys that were set, or the file's name.
  public var label: String
  /// Key path and value of each key that was set.
  public var settings: [Setting]
  private var source: Source
  /// Of one of very many: what is asked of each of them.
  private(set) var facts: Facts?

  private enum Source: Sendable {
    case held(StudyScenario)
    /// Built again for whoever asks, since thousands of worlds do not fit into memory.
    case member(ScenarioFamily, [Override])
  }

  /// What a study asks of every variant, found out when it was built.
  struct Facts: Sendable {
    /// Where its records are kept, when they are.
    var subject: ShardSubject?
    var metrics: [MetricReference]
    /// Why it does not have one of the metrics.
    var fault: SweepDesign.Rejected?
    /// It is the scenario that is varied.
    var isAsItIs: Bool
  }

  /// - Precondition: of one of very many, it can be built, as it was before: its files are still
  ///   there.
  public var scenario: StudyScenario {
    do throws(ScenarioRejected) {
      return try built()
    } catch {
      preconditionFailure("\(label) was a scenario before: \(error)")
    }
  }

  /// The same for whoever can say that its files are gone.
  ///
  /// - Throws: ``ScenarioRejected``.
  func built() throws(ScenarioRejected) -> StudyScenario {
    switch source {
    case .held(let scenario): return scenario
    case .member(let family, let overrides): return try family.member(overrides)
    }
  }

  /// A key and its value as text.
  public struct Setting: Sendable, Hashable, Codable {
    public var key: String
    public var value: String

    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  public init(label: String, settings: [Setting], scenario: StudyScenario) {
    self.label = label
    self.settings = settings
    source = .held(scenario)
  }

  /// One of very many, whose scenario is not held.
  init(
    label: String, settings: [Setting], of family: ScenarioFamily, overrides: [Override],
    facts: Facts
  ) {
    self.label = label
    self.settings = settings
    source = .member(family, overrides)
    self.facts = facts
  }

  /// Loads a scenario file with settings on top of `overrides`.
  ///
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public static func load(
    _ path: String, overrides: [Override], settings: [Setting], label: String? = nil,
    short: Bool = false
  ) throws(ScenarioRejected) -> Variant {
    let added = settings.map {
      Override(option: "variant", keyPath: $0.key, value: $0.value)
    }
    let text = settings.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return Variant(
      label: label ?? (text.isEmpty ? path : text), settings: settings,
      scenario: try StudyScenario.load(path, overrides: overrides + added, short: short))
  }

  /// Refuses metrics that name a cohort which the scenario does not have.
  ///
  /// - Throws: ``SweepDesign/Rejected``.
  func check(_ metrics: [MetricReference]) throws(SweepDesign.Rejected) {
    if let facts, facts.metrics == metrics {
      if let fault = facts.fault { throw fault }
      return
    }
    let scenario = scenario
    for metric in metrics { try Variant.check(metric, of: scenario) }
  }

  /// Refuses a metric that names a cohort which the scenario does not have.
  ///
  /// - Throws: ``SweepDesign/Rejected``.
  static func check(
    _ metric: MetricReference, of scenario: StudyScenario
  ) throws(SweepDesign.Rejected) {
    if !scenario.plan.has(metric) {
      throw SweepDesign.Rejected(
        description: "\(metric): expected a metric of \(scenario.plan.title), "
          + "got one that it does not have")
    }
    let cohorts = [
      ("network", scenario.networks), ("device", scenario.devices), ("window", scenario.windows),
      ("provider", scenario.providers),
    ]
    for (label, known) in cohorts {
      guard let value = metric.label(label), !known.contains(value) else { continue }
      let names = known.isEmpty ? "it has none" : known.joined(separator: ", ")
      throw SweepDesign.Rejected(
        description:
          "\(metric): expected a \(label) of the scenario (\(names)), got \(value)")
    }
  }

  /// Keys of the resolved scenarios that differ, with both values, in the order of the table.
  public static func differences(
    _ a: StudyScenario, _ b: StudyScenario
  ) -> [ConfigurationChange] {
    ConfigurationChange.between(a.file.tree, b.file.tree)
  }
}

extension Variant.Facts {
  /// What a study of `metrics` asks of a scenario.
  ///
  /// - Parameters:
  ///   - store: where records are kept; nil: nowhere.
  ///   - base: the scenario that is varied.
  init(
    _ scenario: StudyScenario, metrics: [MetricReference], store: ShardStore?,
    base: StudyScenario
  ) {
    self.metrics = metrics
    isAsItIs = scenario.resolvedText == base.resolvedText
    subject = store.map {
      ShardSubject(
        scenario, seed: scenario.seed, metrics: metrics, kind: .record, isPlanned: $0.isEmpty)
    }
    do throws(SweepDesign.Rejected) {
      for metric in metrics { try Variant.check(metric, of: scenario) }
    } catch {
      fault = error
    }
  }
}

extension Variant {
  /// Whether it is the scenario that is varied.
  func isAsItIs(of base: StudyScenario) -> Bool {
    facts?.isAsItIs ?? (scenario.resolvedText == base.resolvedText)
  }
}
