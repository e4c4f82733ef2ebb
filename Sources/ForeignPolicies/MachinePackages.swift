import CallSignalling
import MediaUnits
import MessageDelivery
import Models
import Synchronization

/// A machine that decides when a client of the world `messages` asks the server, as a kind of
/// `messages.protocol.polls` (docs/decisions/0051).
///
/// It is a ``MediaUnits/PolicyMachine`` with the events and commands of
/// ``MessageDelivery/PollMachine``, one for each life of a client's process.
public typealias PollPackage = RulePackage<any PollDeciders>

extension RulePackage where Decider == any PollDeciders {
  /// A kind of `messages.protocol.polls`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - machine: what decides.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  public init<Machine: PolicyMachine>(
    _ word: String, version: String, _ summary: String, machine: Machine.Type,
    defaults: Machine.Configuration, parameters: [PolicyParameter<Machine.Configuration>]
  ) where Machine.Event == PollMachine.Event, Machine.Command == PollMachine.Command {
    self.init(
      word, version: version, summary, decides: "polls", defaults: defaults,
      parameters: parameters,
      make: { configuration in
        PackagedMachines<Machine>(configuration, at: .polls, name: "\(word) \(version)")
      },
      answers: { configuration in PollRehearsal.answers { Machine(configuration) } })
  }
}

/// A machine that says when a call of the world `calls` is of poor quality, as a kind of
/// `calls.protocol.quality` (docs/decisions/0051).
///
/// It is a ``MediaUnits/PolicyMachine`` with the events and commands of
/// ``CallSignalling/QualityMonitor``, one for each end of a call.
public typealias QualityPackage = RulePackage<any QualityDeciders>

extension RulePackage where Decider == any QualityDeciders {
  /// A kind of `calls.protocol.quality`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - machine: what decides.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  public init<Machine: PolicyMachine>(
    _ word: String, version: String, _ summary: String, machine: Machine.Type,
    defaults: Machine.Configuration, parameters: [PolicyParameter<Machine.Configuration>]
  ) where Machine.Event == QualityMonitor.Event, Machine.Command == QualityMonitor.Command {
    self.init(
      word, version: version, summary, decides: "quality of calls", defaults: defaults,
      parameters: parameters,
      make: { configuration in
        PackagedMachines<Machine>(configuration, at: .quality, name: "\(word) \(version)")
      },
      answers: { configuration in QualityRehearsal.answers { Machine(configuration) } })
  }
}

/// Makes a machine for each client, and notes the first command that cannot be done.
final class PackagedMachines<Machine: PolicyMachine>: Sendable {
  private let configuration: Machine.Configuration
  private let place: PolicyPackages.Place
  private let name: String
  private let isVoid = Atomic(false)

  /// - Parameters:
  ///   - place: whose key messages name.
  ///   - name: what they call it.
  init(_ configuration: Machine.Configuration, at place: PolicyPackages.Place, name: String) {
    self.configuration = configuration
    self.place = place
    self.name = name
  }

  var hasFailed: Bool { isVoid.load(ordering: .relaxed) }

  fileprivate func machine(of client: UInt32) -> ClientMachine<Machine> {
    ClientMachine(Machine(configuration), client, self)
  }

  fileprivate func fail(_ fault: MachineFault, client: UInt32, after event: Machine.Event) {
    ForeignFailure.note(
      "\(place.key): \(name): expected \(fault.expected), got \(fault.got) "
        + "(client \(client): \(event))")
    isVoid.store(true, ordering: .relaxed)
  }
}

/// A client's machine.
private final class ClientMachine<Machine: PolicyMachine> {
  private var machine: Machine
  private let client: UInt32
  private let owner: PackagedMachines<Machine>

  init(_ machine: Machine, _ client: UInt32, _ owner: PackagedMachines<Machine>) {
    self.machine = machine
    self.client = client
    self.owner = owner
  }

  func handle(
    _ event: Machine.Event, at now: Instant, into commands: inout [Machine.Command]
  ) {
    machine.handle(event, at: now, into: &commands)
  }

  func refuse(_ fault: MachineFault, after event: Machine.Event) {
    owner.fail(fault, client: client, after: event)
  }
}

extension PackagedMachines: PollDeciders
where Machine.Event == PollMachine.Event, Machine.Command == PollMachine.Command {
  func decider(client: UInt32) -> any PollDecider { machine(of: client) }
}

extension ClientMachine: PollDecider
where Machine.Event == PollMachine.Event, Machine.Command == PollMachine.Command {}

extension PackagedMachines: QualityDeciders
where Machine.Event == QualityMonitor.Event, Machine.Command == QualityMonitor.Command {
  func decider(client: UInt32) -> any QualityDecider { machine(of: client) }
}

extension ClientMachine: QualityDecider
where Machine.Event == QualityMonitor.Event, Machine.Command == QualityMonitor.Command {}

extension MachineFault {
  /// What had to be, and what was.
  var expected: String {
    switch self {
    case .many: "at most \(CommandPace.mostForEvent) commands for an event"
    case .fast: "at most \(CommandPace.mostInSecond) commands in a second"
    case .usedNumber: "a poll with a higher number than those before"
    }
  }

  var got: String {
    switch self {
    case .many(let count), .fast(let count): "\(count)"
    case .usedNumber(let number): "\(number)"
    }
  }
}
