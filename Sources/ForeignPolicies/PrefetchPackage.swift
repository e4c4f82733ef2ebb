import FeedPolicy
import MediaUnits
import Models

/// What a scenario says beside a policy's own keys, for policies that depend on it.
public struct PolicySurroundings: Sendable {
  /// Media of one segment (`catalogue.segmentDuration`).
  public var segmentLength: TimeSpan
  /// The pool of players (`policy.pool`).
  public var pool: PlayerPool.Configuration

  /// What a scenario says.
  public init(segmentLength: TimeSpan, pool: PlayerPool.Configuration) {
    self.segmentLength = segmentLength
    self.pool = pool
  }
}

/// A prefetch policy of somebody else's, in Swift, as a kind of `policy.prefetch`
/// (docs/decisions/0044).
///
/// The policy is a ``MediaUnits/PolicyMachine`` with the events and commands of
/// ``FeedPolicy/PrefetchPolicy``: code that an app can ship, since it needs no more than
/// `MediaUnits` and `FeedPolicy`.
public struct PrefetchPackage: Sendable {
  /// The most items ahead that a policy may fetch.
  public static let mostItemsAhead = 10

  /// What the table of keys and a run's identity need of it.
  public let row: PackageRow
  private let makeDeciders:
    @Sendable ([PolicyValue], PolicySurroundings) -> (any PrefetchDeciders, Int)
  private let makeMachine: @Sendable ([PolicyValue], PolicySurroundings) -> any PackagedMachine

  /// A kind of `policy.prefetch`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - machine: the policy.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - itemsAhead: how many items ahead it may fetch, 0 to ``mostItemsAhead``.
  ///   - readsHazard: whether it is told lengths of items and where the playhead is.
  ///   - readsStalls: whether it is told that the current item stalls.
  ///   - adapt: puts into the configuration what depends on the rest of the scenario.
  public init<Machine: PolicyMachine>(
    _ word: String, version: String, _ summary: String, machine: Machine.Type,
    defaults: Machine.Configuration, parameters: [PolicyParameter<Machine.Configuration>],
    itemsAhead: @escaping @Sendable (Machine.Configuration) -> Int, readsHazard: Bool = false,
    readsStalls: Bool = false,
    adapt: @escaping @Sendable (inout Machine.Configuration, PolicySurroundings) -> Void = { _, _ in
    }
  ) where Machine.Event == PrefetchPolicy.Event, Machine.Command == PrefetchPolicy.Command {
    let configured =
      { @Sendable (values: [PolicyValue], surroundings: PolicySurroundings) in
        var configuration = defaults
        for (parameter, value) in zip(parameters, values) { parameter.set(&configuration, value) }
        adapt(&configuration, surroundings)
        return configuration
      }
    makeDeciders = { values, surroundings in
      let configuration = configured(values, surroundings)
      let deciders = MachineDeciders<Machine>(
        configuration, name: "\(word) \(version)", log: PackageLog(word, values, surroundings),
        readsHazard: readsHazard, readsStalls: readsStalls)
      return (deciders, itemsAhead(configuration))
    }
    makeMachine = { HeldMachine(Machine(configured($0, $1))) }
    row = PackageRow(
      word, version: version, summary, decides: "prefetch",
      parameters.map { PackageRow.Parameter($0, defaults) }
    ) {
      PrefetchRehearsal.answers(of: { Machine(defaults) }, sessions: 64, events: 100)
    }
  }

  /// The policy with these values of its parameters, and how many items ahead it may fetch.
  public func deciders(
    _ values: [PolicyValue], _ surroundings: PolicySurroundings
  ) -> (deciders: any PrefetchDeciders, itemsAhead: Int) {
    makeDeciders(values, surroundings)
  }

  /// The policy of a log, as its configuration says; nil where the fields are none of it.
  public func machine(
    from fields: inout PolicyFields
  ) -> (machine: any PackagedMachine, values: [PolicyValue])? {
    guard let read = PackageLog.read(&fields, row.parameters) else { return nil }
    return (makeMachine(read.values, read.surroundings), read.values)
  }
}
