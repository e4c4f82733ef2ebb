import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// A rule of somebody else's, in Swift, that chooses the rendition of each segment, as a kind of
/// `policy.abr` (docs/decisions/0044).
///
/// It is a function of a ``FeedPolicy/BitrateSnapshot``, as ``FeedPolicy/BitrateRule`` is: it
/// remembers nothing. What it chooses is held within the ladder and below the cap that the scenario
/// asks for.
public struct BitratePackage: Sendable {
  /// A rule with its configuration.
  public typealias Rule<Configuration> =
    @Sendable (Configuration, BitrateSnapshot, Ladder) -> RungIndex

  /// What the table of keys and a run's identity need of it.
  public let row: PackageRow
  private let makeDecider: @Sendable ([PolicyValue]) -> any BitrateDecider

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
    parameters: [PolicyParameter<Configuration>], rule: @escaping Rule<Configuration>
  ) {
    makeDecider = { values in
      var configuration = defaults
      for (parameter, value) in zip(parameters, values) { parameter.set(&configuration, value) }
      return RuleDecider(configuration, rule)
    }
    row = PackageRow(
      word, version: version, summary, decides: "bit rate",
      parameters.map { PackageRow.Parameter($0, defaults) }
    ) {
      BitrateRehearsal.answers { rule(defaults, $0, $1) }
    }
  }

  /// The rule with these values of its parameters.
  public func decider(_ values: [PolicyValue]) -> any BitrateDecider { makeDecider(values) }

  private final class RuleDecider<Configuration: Sendable>: BitrateDecider {
    private let configuration: Configuration
    private let rule: Rule<Configuration>

    init(_ configuration: Configuration, _ rule: @escaping Rule<Configuration>) {
      self.configuration = configuration
      self.rule = rule
    }

    func rung(for snapshot: BitrateSnapshot, in ladder: Ladder) -> RungIndex {
      rule(configuration, snapshot, ladder)
    }
  }
}
