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
  /// What its sessions' logs are called and begin with; nil: they have none.
  private let log: PackageLog?
  public let readsHazard, readsStalls: Bool
  private let fault = Mutex<String?>(nil)
  /// Takes the lines of logs; nil: none are wanted.
  private let recorder = Mutex<(@Sendable (UInt32, [UInt8]) -> Void)?>(nil)

  /// - Parameters:
  ///   - name: what messages call it; nil: the machine's type.
  ///   - log: what its sessions' logs are called and begin with.
  public init(
    _ configuration: Machine.Configuration, name: String? = nil, log: PackageLog? = nil,
    readsHazard: Bool = false, readsStalls: Bool = false
  ) {
    self.configuration = configuration
    self.name = name ?? "\(Machine.self)"
    self.log = log
    self.readsHazard = readsHazard
    self.readsStalls = readsStalls
  }

  public var hasFailed: Bool { failure != nil }

  /// What its first command was that cannot be done; nil: there was none.
  public var failure: String? { fault.withLock { $0 } }

  public func decider(replication: UInt16, session: UInt32) -> any PrefetchDecider {
    Decider(self, Machine(configuration), session, recorder.withLock { $0 })
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
    private let record: (@Sendable (UInt32, [UInt8]) -> Void)?

    init(
      _ owner: MachineDeciders, _ machine: Machine, _ session: UInt32,
      _ record: (@Sendable (UInt32, [UInt8]) -> Void)?
    ) {
      self.owner = owner
      self.machine = machine
      self.session = session
      self.record = record
      if let record, let log = owner.log { record(session, log.head) }
    }

    func decide(
      _ told: [PrefetchTold], into commands: inout [PrefetchPolicy.Command], ends: inout [Int]
    ) {
      var lines: [UInt8] = []
      for one in told {
        let first = commands.count
        machine.handle(one.event, at: one.at, into: &commands)
        ends.append(commands.count)
        if record == nil { continue }
        PolicyLog.add(
          PrefetchPolicy.self, one.event, at: one.at, commands, from: first, into: &lines)
      }
      record?(session, lines)
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

extension MachineDeciders: RecordedDeciders {
  public var logName: String? { log?.name }

  public func record(_ take: @escaping @Sendable (_ session: UInt32, _ lines: [UInt8]) -> Void) {
    recorder.withLock { $0 = log == nil ? nil : take }
  }
}
