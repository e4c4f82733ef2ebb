import Studies

/// The mutants as a list to read.
public enum AuditList {
  /// Those of all worlds.
  public static func text() -> String {
    AuditWorld.allCases.map { world in
      let width = (world.mutants.map(\.name.count).max() ?? 0) + 2
      let lines = world.mutants.map { mutant in
        "  " + mutant.name + String(repeating: " ", count: width - mutant.name.count)
          + mutant.summary
      }
      return ([world.rawValue] + lines).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  /// Those of scenarios, with the keys that they set or why they do not apply.
  public static func text(_ audits: [Audit]) -> String {
    audits.map { audit in
      let lines = audit.plans.flatMap { plan in
        ["  \(plan.name): \(plan.summary)"]
          + (plan.notApplicable.map { ["    not applicable: \($0)"] }
            ?? plan.settings.map { "    --set '\($0.key)=\($0.value)'" })
      }
      return ([audit.scenario.name] + lines).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }
}
