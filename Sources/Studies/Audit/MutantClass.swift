import Scenario

/// One way to spoil a configuration: what an audit of budgets tries (mutation testing).
///
/// The classes of each world are fixed in a table (``AuditWorld/mutants``) that knows nothing of a
/// scenario's limits, so that neither can be fitted to the other. A class derives the keys to set
/// from the resolved scenario; ``MutantPlan`` builds the variant and finds out whether it applies.
public struct MutantClass: Sendable {
  /// Stable name, such as `prefetch-off`.
  public let name: String
  /// What it does, one line without a full stop.
  public let summary: String
  private let derive: @Sendable (ResolvedTree) -> Derivation

  /// The keys to set, or why the scenario has nothing to spoil there.
  public enum Derivation: Sendable, Equatable {
    case settings([Variant.Setting])
    case notApplicable(String)
  }

  init(
    _ name: String, _ summary: String, _ derive: @escaping @Sendable (ResolvedTree) -> Derivation
  ) {
    self.name = name
    self.summary = summary
    self.derive = derive
  }

  /// What the class sets in a scenario.
  public func settings(in scenario: StudyScenario) -> Derivation { derive(scenario.file.tree) }
}

extension MutantClass {
  /// Sets the same keys in every scenario that has `key`, unless that is `none`.
  static func fixed(
    _ name: String, _ summary: String, needs key: String? = nil,
    _ pairs: KeyValuePairs<String, String>
  ) -> MutantClass {
    let settings = pairs.map { Variant.Setting(key: $0.key, value: $0.value) }
    return MutantClass(name, summary) { tree in
      if let key, !tree.hasValue(key) { return .notApplicable("\(key) is none") }
      return .settings(settings)
    }
  }

  /// Makes round trips longer: `milliseconds` are added to the law at `key`, times `share`.
  static func later(
    _ milliseconds: Int, at key: String, share: Double = 1
  ) -> MutantClass {
    MutantClass(
      "round-trip-\(milliseconds)", "Every round trip takes \(milliseconds) ms longer"
    ) { tree in
      let added = Double(milliseconds) / 1000 * share
      return law(tree, key) { $0.shifted(by: added) }
    }
  }

  /// Makes what happens at `keys` take `factor` times as long.
  static func slower(
    _ name: String, _ summary: String, factor: Double, at keys: [String]
  ) -> MutantClass {
    MutantClass(name, summary) { tree in
      var settings: [Variant.Setting] = []
      for key in keys {
        guard case .settings(let more) = law(tree, key, { $0.scaled(by: factor) }) else {
          return .notApplicable("\(key) is a law that cannot be scaled")
        }
        settings += more
      }
      return .settings(settings)
    }
  }

  /// Sets a whole number to half of what it is.
  static func halved(_ name: String, _ summary: String, at keys: [String]) -> MutantClass {
    MutantClass(name, summary) { tree in
      .settings(
        keys.map { .init(key: $0, value: "\(max(1, tree.integer($0) / 2))") })
    }
  }

  /// The law at a key, changed.
  static func law(
    _ tree: ResolvedTree, _ key: String, _ change: (LawSpec) -> LawSpec?
  ) -> Derivation {
    guard let text = change(tree.law(key)).flatMap({ TimeLawText.text($0) }) else {
      return .notApplicable("\(key) is a law that cannot be moved")
    }
    return .settings([.init(key: key, value: text)])
  }
}

extension ResolvedTree {
  /// Whether there is a key and it is not `none`.
  func hasValue(_ key: String) -> Bool {
    hasKey(key) && !isNone(key)
  }
}
