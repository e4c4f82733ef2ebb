import Models
import Scenario

/// One configuration of a study: a scenario file with keys set.
public struct Variant: Sendable {
  /// What a reader calls it: the keys that were set, or the file's name.
  public var label: String
  /// Key path and value of each key that was set.
  public var settings: [Setting]
  public var scenario: StudyScenario

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
    self.scenario = scenario
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

  /// Refuses a metric that names a cohort which the scenario does not have.
  ///
  /// - Throws: ``SweepDesign/Rejected``.
  func check(_ metric: MetricReference) throws(SweepDesign.Rejected) {
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
