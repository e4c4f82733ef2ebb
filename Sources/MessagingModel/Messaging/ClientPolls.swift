import MediaUnits
import MessageDelivery

/// When one client asks the server: as the shipped machine says, or somebody else's.
struct ClientPolls {
  /// Somebody else's: apart, since clients are copied often and few have one.
  private final class Foreign {
    let decider: any PollDecider
    var held = PollCommands()

    init(_ decider: any PollDecider) { self.decider = decider }
  }

  private var machine: PollMachine
  private let foreign: Foreign?

  /// For a process that begins.
  init(_ configuration: MessagingConfiguration, client: UInt32) {
    machine = PollMachine(configuration.poll)
    foreign = configuration.polls.map { Foreign($0.deciders.decider(client: client)) }
  }

  /// - Returns: false where the run is void.
  mutating func handle(
    _ event: PollMachine.Event, at now: Instant, into commands: inout [PollMachine.Command]
  ) -> Bool {
    guard let foreign else {
      machine.handle(event, at: now, into: &commands)
      return true
    }
    foreign.decider.handle(event, at: now, into: &commands)
    guard let fault = foreign.held.hold(&commands, at: now) else { return true }
    foreign.decider.refuse(fault, after: event)
    return false
  }

  /// The number of a timer that is due; nil where nobody waits for it any more.
  func fired(_ timer: UInt32) -> UInt32? {
    guard let foreign else { return timer }
    return foreign.held.fired(timer)
  }
}
