import CachePolicy
import MediaUnits
import Models
import Synchronization

/// A rule of what may enter a cache, as a kind of `admission` of each tier of `cdn`.
///
/// It is a function of a ``CachePolicy/MissedObject``.
public typealias AdmissionPackage = RulePackage<any AdmissionDecider>

extension RulePackage where Decider == any AdmissionDecider {
  /// A kind of `cdn.edge.admission`, and of the other tiers'.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: whether an object enters.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, MissedObject) -> Bool
  ) {
    self.init(
      word, version: version, summary, decides: "admission", defaults: defaults,
      parameters: parameters, rule: rule, question: { $0.missedObject() }, bytes: { $0.bytes }
    ) { $0 }
  }
}

extension RuleFunction: AdmissionDecider where Question == MissedObject, Answer == Bool {
  func admits(_ object: MissedObject) -> Bool { self(object) }
}

/// A rule of how long a tier keeps answers, as a kind of `ttl` of each tier of `cdn`.
///
/// It is a function of what the origin says (``CachePolicy/CacheDirectives``); no lifetime: the
/// answer is not stored.
public typealias LifetimePackage = RulePackage<any LifetimeDecider>

extension RulePackage where Decider == any LifetimeDecider {
  /// A kind of `cdn.edge.ttl`, and of the other tiers'.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: how long an answer is fresh from when it was made; nil: it is not stored.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, CacheDirectives) -> TimeSpan?
  ) {
    self.init(
      word, version: version, summary, decides: "lifetimes", defaults: defaults,
      parameters: parameters, rule: rule, question: { $0.directives() },
      bytes: { $0.map { [1] + $0.nanoseconds.bytes } ?? [0] }
    ) { $0 }
  }
}

extension RuleFunction: LifetimeDecider where Question == CacheDirectives, Answer == TimeSpan? {
  func lifetime(of directives: CacheDirectives) -> TimeSpan? { self(directives) }
}

/// A rule of which object leaves a full cache, as a kind of each tier of `cdn`.
///
/// The rule is a ``CachePolicy/EvictionMachine``, one for each cache.
public typealias EvictionPackage = RulePackage<any EvictionDeciders>

extension RulePackage where Decider == any EvictionDeciders {
  /// A kind of `cdn.edge`, and of the other tiers.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - machine: the rule.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  public init<Machine: EvictionMachine>(
    _ word: String, version: String, _ summary: String, machine: Machine.Type,
    defaults: Machine.Configuration, parameters: [PolicyParameter<Machine.Configuration>]
  ) {
    self.init(
      word, version: version, summary, decides: "eviction", defaults: defaults,
      parameters: parameters,
      make: { MachineEvictions<Machine>($0, name: "\(word) \(version)") },
      answers: { configuration in
        EvictionRehearsal.answers { Machine(configuration, capacity: $0) }
      })
  }
}

/// Makes a machine for each cache, and notes the first one that names an object which is not there.
private final class MachineEvictions<Machine: EvictionMachine>: EvictionDeciders {
  private let configuration: Machine.Configuration
  private let name: String
  private let isVoid = Atomic(false)

  init(_ configuration: Machine.Configuration, name: String) {
    self.configuration = configuration
    self.name = name
  }

  var hasFailed: Bool { isVoid.load(ordering: .relaxed) }

  func decider(capacity: ByteCount) -> any EvictionDecider {
    Decider(Machine(configuration, capacity: capacity), self)
  }

  private func fail(_ victim: UInt32) {
    ForeignFailure.note("cdn: \(name): expected an object that is stored to leave, got \(victim)")
    isVoid.store(true, ordering: .relaxed)
  }

  private final class Decider: EvictionDecider {
    private var machine: Machine
    private let owner: MachineEvictions

    init(_ machine: Machine, _ owner: MachineEvictions) {
      self.machine = machine
      self.owner = owner
    }

    func used(_ object: UInt32, at now: Instant) { machine.used(object, at: now) }

    func stored(_ object: UInt32, size: ByteCount, at now: Instant) {
      machine.stored(object, size: size, at: now)
    }

    func victim() -> UInt32 { machine.victim() }
    func removed(_ object: UInt32) { machine.removed(object) }

    func refuse(_ victim: UInt32) { owner.fail(victim) }
  }
}
