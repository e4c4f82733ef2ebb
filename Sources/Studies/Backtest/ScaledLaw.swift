import Scenario

/// A law of a feed that can be off, and how it is scaled.
struct ScaledLaw: Sendable {
  let name: String
  /// The keys to set for a factor; empty: the scenario has none that can be scaled.
  let settings: @Sendable (ResolvedTree, Double) -> [Variant.Setting]

  /// A law is scaled by these: far enough to be seen, and near enough for what it does to be in
  /// proportion.
  static let factors = [0.75, 1.25]

  /// The scenario with the law scaled.
  func plan(_ factor: Double, of scenario: StudyScenario) -> MutantPlan {
    let (name, settings) = (name, settings)
    let mutant = MutantClass(name, "\(name) times \(factor)") { tree in
      let all = settings(tree, factor)
      return all.isEmpty ? .notApplicable("nothing of it can be scaled") : .settings(all)
    }
    return MutantPlan(mutant, of: scenario)
  }

  /// What stands at a key.
  private enum Quantity { case number, bytes, times }

  /// The laws that telemetry of a feed could be of.
  static let all = [
    ScaledLaw("rates of links", (.number, ["network.access[].rateFactor"])),
    ScaledLaw("round trips", (.times, ["network.access[].roundTrip"])),
    ScaledLaw(
      "devices' times",
      (
        .times,
        [
          "playerCreation", "sourcePreparation", "decoderSetup", "decoderReuse", "firstDecode",
        ].map { "devices[].\($0)" }
      )),
    ScaledLaw(
      "watch times", (.number, ["audience.personas[].watchScale"]),
      (.times, ["audience.personas[].watchTime", "audience.personas[].shorter[].watchTime"])),
    ScaledLaw("patience", (.times, ["audience.patience"])),
    ScaledLaw("session length", (.times, ["audience.sessionLength"])),
    ScaledLaw("the feed's answers", (.times, ["feed.latency"])),
    ScaledLaw("popularity's exponent", (.number, ["catalogue.popularity.exponent"])),
    ScaledLaw("bytes of edges", (.bytes, ["cdn.edge.capacity"])),
  ]

  /// - Parameter keys: paths, `[]` for each element of a list. What a scenario does not have, or
  ///   what cannot be written in a line, is left as it is.
  private init(_ name: String, _ keys: (Quantity, [String])...) {
    self.name = name
    settings = { tree, factor in
      var settings: [Variant.Setting] = []
      for (quantity, patterns) in keys {
        for path in patterns.flatMap({ ScaledLaw.paths($0, in: tree) }) {
          guard let text = ScaledLaw.text(path, quantity, in: tree, times: factor) else { continue }
          settings.append(Variant.Setting(key: path, value: text))
        }
      }
      return settings
    }
  }

  /// The value at a path, scaled, as YAML.
  private static func text(
    _ path: String, _ quantity: Quantity, in tree: ResolvedTree, times factor: Double
  ) -> String? {
    switch quantity {
    case .number: "\(tree.real(path) * factor)"
    case .bytes: "\(max(1, Int64(Double(tree.bytes(path)) * factor))) B"
    case .times: tree.law(path).scaled(by: factor).flatMap { TimeLawText.text($0) }
    }
  }

  /// The key paths that a pattern stands for.
  private static func paths(_ pattern: String, in tree: ResolvedTree) -> [String] {
    guard let list = pattern.firstRange(of: "[].") else {
      return tree.hasValue(pattern) ? [pattern] : []
    }
    let (before, after) = (
      String(pattern[..<list.lowerBound]), String(pattern[list.upperBound...])
    )
    guard tree.hasValue(before) else { return [] }
    return tree.elements(before).enumerated().flatMap { place, element in
      paths(after, in: element).map { "\(before)[\(place)].\($0)" }
    }
  }
}
