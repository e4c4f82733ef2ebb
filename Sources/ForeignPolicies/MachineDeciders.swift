import FeedPolicy
import MediaUnits
import Models
import Synchronization

/// A machine of somebody else's, in Swift, that decides in the place of
/// ``FeedPolicy/PrefetchPolicy``: its events and commands are that one's.
///
/// Asking it costs a call through an existential, where the shipped policy is called directly.
public final class MachineDeciders<Machine: PolicyMachine>: PrefetchDeciders
where Machine.Event == PrefetchPolicy.Event, Machine.Command == PrefetchPolicy.Command {
  private let configuration: Machine.Configuration
  private let name: String
  public let readsHazard, readsStalls: Bool
  private let fault = Mutex<String?>(nil)

  /// - Parameter name: what messages call it; nil: the machine's type.
  public init(
    _ configuration: Machine.Configuration, name: String? = nil, readsHazard: Bool = false,
    readsStalls: Bool = false
  ) {
    self.configuration = configuration
    self.name = name ?? "\(Machine.self)"
    self.readsHazard = readsHazard
    self.readsStalls = readsStalls
  }

  public var hasFailed: Bool { failure != nil }

  /// What its first command was that cannot be done; nil: there was none.
  public var failure: String? { fault.withLock { $0 } }

  public func decider(replication: UInt16, session: UInt32) -> any PrefetchDecider {
    Decider(self, Machine(configuration), session)
  }

  private func fail(_ text: String) {
    fault.withLock { fault in
      if fault != nil { return }
      fault = text
      ForeignFailure.note(text)
    }
  }

  private final class Decider: PrefetchDecider {
    private let owner: MachineDeciders
    private var machine: Machine
    private let session: UInt32

    init(_ owner: MachineDeciders, _ machine: Machine, _ session: UInt32) {
      self.owner = owner
      self.machine = machine
      self.session = session
    }

    func decide(
      _ told: [PrefetchTold], into commands: inout [PrefetchPolicy.Command], ends: inout [Int]
    ) {
      for one in told {
        machine.handle(one.event, at: one.at, into: &commands)
        ends.append(commands.count)
      }
    }

    func refuse(
      _ command: PrefetchPolicy.Command, _ fault: PrefetchFault, after told: PrefetchTold
    ) {
      owner.fail(
        "policy.prefetch: \(owner.name): expected \(fault.expected), got "
          + "\(PolicyText.text(of: [command])) (session \(session): "
          + "\(PolicyText.text(of: [told])))")
    }

    func close(_ told: [PrefetchTold]) {}
  }
}
