import MediaUnits
import Models

/// A rule of somebody else's, in Swift, as a kind of a scenario's key (docs/decisions/0044 and
/// 0046): a function of what it looks at, which remembers nothing, or a machine for each cache or
/// client.
///
/// What decides in the models is a `Decider`, made with the values of the rule's parameters. The
/// kinds of rules: ``VictimPackage``, ``BitratePackage``, ``ReleasePackage``, ``GatePackage``,
/// ``RetryPackage``, ``AdmissionPackage``, ``LifetimePackage``, ``EvictionPackage``,
/// ``PollPackage``, ``QualityPackage``.
public struct RulePackage<Decider: Sendable>: Sendable {
  /// What the table of keys and a run's identity need of it.
  public let row: PackageRow
  private let make: @Sendable ([PolicyValue]) -> Decider

  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - decides: what it decides, in the words of a result.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - make: what decides.
  ///   - answers: what it answers, with a configuration, to what is always the same.
  init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, decides: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    make: @escaping @Sendable (Configuration) -> Decider,
    answers: @escaping @Sendable (Configuration) -> [UInt8]
  ) {
    self.make = { values in
      var configuration = defaults
      for (parameter, value) in zip(parameters, values) { parameter.set(&configuration, value) }
      return make(configuration)
    }
    row = PackageRow(
      word, version: version, summary, decides: decides,
      parameters.map { PackageRow.Parameter($0, defaults) }
    ) { answers(defaults) }
  }

  /// The rule with these values of its parameters.
  public func decider(_ values: [PolicyValue]) -> Decider { make(values) }
}

extension RulePackage {
  /// A rule that is a function, asked a thousand questions made up at random for its identity.
  ///
  /// - Parameters:
  ///   - question: makes one up.
  ///   - bytes: an answer as bytes of a digest.
  ///   - make: what decides by the function.
  init<Configuration: Sendable, Question, Answer>(
    _ word: String, version: String, _ summary: String, decides: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, Question) -> Answer,
    question: @escaping @Sendable (inout RuleRehearsal) -> Question,
    bytes: @escaping @Sendable (Answer) -> [UInt8],
    make: @escaping @Sendable (RuleFunction<Question, Answer>) -> Decider
  ) {
    self.init(
      word, version: version, summary, decides: decides, defaults: defaults,
      parameters: parameters,
      make: { configuration in make(RuleFunction { rule(configuration, $0) }) },
      answers: { configuration in
        var rehearsal = RuleRehearsal(seed: 0)
        return rehearsal.answers { bytes(rule(configuration, question(&$0))) }
      })
  }
}

/// Decides by a function.
final class RuleFunction<Question, Answer>: RuleDecider {
  private let rule: @Sendable (Question) -> Answer

  init(_ rule: @escaping @Sendable (Question) -> Answer) { self.rule = rule }

  func callAsFunction(_ question: Question) -> Answer { rule(question) }
}

extension Bool {
  /// Itself as bytes of a digest.
  var bytes: [UInt8] { [self ? 1 : 0] }
}
