import Scenario

/// A mutant of one scenario before it is run.
public struct MutantPlan: Sendable {
  /// The class's name and what it does.
  public let name: String
  public let summary: String
  /// The keys that it sets.
  public let settings: [Variant.Setting]
  /// The variant to run; nil when the class does not apply.
  let scenario: StudyScenario?
  /// Why the class does not apply; nil when it does.
  public let notApplicable: String?

  /// Whether there is something to run.
  public var isApplicable: Bool { scenario != nil }

  /// Derives the mutant. A class that sets what is so already, or what the scenario's checks
  /// refuse, does not apply, with the reason.
  public init(_ mutant: MutantClass, of base: StudyScenario) {
    name = mutant.name
    summary = mutant.summary
    switch mutant.settings(in: base) {
    case .notApplicable(let reason):
      (settings, scenario, notApplicable) = ([], nil, reason)
    case .settings(let derived):
      settings = derived
      (scenario, notApplicable) = MutantPlan.built(base, derived)
    }
  }

  private static func built(
    _ base: StudyScenario, _ settings: [Variant.Setting]
  ) -> (StudyScenario?, String?) {
    let overrides = settings.map {
      Override(option: "mutant", keyPath: $0.key, value: $0.value)
    }
    do throws(ScenarioRejected) {
      var variant = try StudyScenario.rebuilt(base, overrides: overrides)
      if Variant.differences(base, variant).isEmpty { return (nil, "the scenario is so already") }
      guard variant.budgets.map(\.metric) == base.budgets.map(\.metric) else {
        return (nil, "its budgets would be of other metrics")
      }
      variant.seed = base.seed
      return (variant.onlyJudged, nil)
    } catch {
      let problem = error.problems.first.map {
        "\($0.keyPath): expected \($0.expected), got \($0.got)"
      }
      return (nil, "refused: \(problem ?? error.description)")
    }
  }
}

extension StudyScenario {
  /// Without what an audit does not look at: peers' network models cost as much as the run.
  var onlyJudged: StudyScenario {
    var scenario = self
    scenario.comparedNetworks = []
    return scenario
  }
}
