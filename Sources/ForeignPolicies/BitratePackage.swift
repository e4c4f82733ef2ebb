import FeedPolicy
import MediaUnits
import Models

/// A rule that chooses the rendition of each segment, as a kind of `policy.abr`.
///
/// It is a function of a ``FeedPolicy/BitrateSnapshot``, as ``FeedPolicy/BitrateRule`` is. What it
/// chooses is held within the ladder and below the cap that the scenario asks for.
public typealias BitratePackage = RulePackage<any BitrateDecider>

extension RulePackage where Decider == any BitrateDecider {
  /// A kind of `policy.abr`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: chooses the rung.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, BitrateSnapshot, Ladder) -> RungIndex
  ) {
    self.init(
      word, version: version, summary, decides: "bit rate", defaults: defaults,
      parameters: parameters,
      make: { configuration in BitrateRuleDecider { rule(configuration, $0, $1) } },
      answers: { configuration in BitrateRehearsal.answers { rule(configuration, $0, $1) } })
  }
}

private final class BitrateRuleDecider: BitrateDecider {
  private let rule: @Sendable (BitrateSnapshot, Ladder) -> RungIndex

  init(_ rule: @escaping @Sendable (BitrateSnapshot, Ladder) -> RungIndex) { self.rule = rule }

  func rung(for snapshot: BitrateSnapshot, in ladder: Ladder) -> RungIndex {
    rule(snapshot, ladder)
  }
}
