import MediaUnits
import MessageDelivery

/// Decides when one client asks the server, in the place of ``MessageDelivery/PollMachine``: code
/// that the program does not ship (docs/decisions/0051).
public protocol PollDecider: AnyObject {
  /// Appends what is to be done after an event, as the shipped machine does.
  func handle(
    _ event: PollMachine.Event, at now: Instant, into commands: inout [PollMachine.Command])
  /// What it commanded after an event cannot be done: the run is void, and
  /// ``PollDeciders/hasFailed`` from now on.
  func refuse(_ fault: MachineFault, after event: PollMachine.Event)
}

/// Where clients get their deciders from; shared by the worlds of all threads.
public protocol PollDeciders: AnyObject, Sendable {
  /// Whether one of them was refused, and results are void.
  var hasFailed: Bool { get }
  /// The decider of a client's process that begins.
  func decider(client: UInt32) -> any PollDecider
}

/// Deciders that the program does not ship; equal to themselves alone.
public struct ForeignPolls: Sendable, Equatable {
  let deciders: any PollDeciders

  public init(_ deciders: any PollDeciders) { self.deciders = deciders }

  /// Whether one of them was refused, and results are void.
  public var hasFailed: Bool { deciders.hasFailed }

  public static func == (a: Self, b: Self) -> Bool { a.deciders === b.deciders }
}

/// What somebody else's machine of one client commands, held within what a host can do.
public struct PollCommands: Sendable {
  private var pace = CommandPace()
  private var timer = MachineTimer()
  /// The number of the last poll.
  private var last: UInt32?

  public init() {}

  /// Holds the commands for an event: a timer fires no sooner than ``MachineTimer/shortestWait``
  /// from now, and has a number of the host's from here on.
  ///
  /// - Returns: what cannot be done; no command is left then. Nil: all can.
  public mutating func hold(
    _ commands: inout [PollMachine.Command], at now: Instant
  ) -> MachineFault? {
    var fault = pace.note(commands.count, at: now)
    for index in 0..<commands.count where fault == nil {
      switch commands[index] {
      case .poll(let number):
        if let last, number <= last { fault = .usedNumber(number) }
        last = number
      case .setTimer(let number, let at, let jitter):
        commands[index] = .setTimer(
          timer.set(number), at: MachineTimer.held(at, at: now), jitter: MachineTimer.held(jitter))
      }
    }
    if fault != nil { commands.removeAll(keepingCapacity: true) }
    return fault
  }

  /// The machine's number of a timer that is due; nil where another has replaced it.
  public func fired(_ timer: UInt32) -> UInt32? { self.timer.fired(timer) }
}
