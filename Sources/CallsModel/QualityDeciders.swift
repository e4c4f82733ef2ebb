import CallSignalling
import MediaUnits
import MessagingModel
import SimulationKernel

/// Says when one end of a call is of poor quality, in the place of
/// ``CallSignalling/QualityMonitor``: code that the program does not ship (docs/decisions/0051).
public protocol QualityDecider: AnyObject {
  /// Appends what is to be done after an event, as the shipped machine does.
  func handle(
    _ event: QualityMonitor.Event, at now: Instant, into commands: inout [QualityMonitor.Command])
  /// What it commanded after an event cannot be done: the run is void, and
  /// ``QualityDeciders/hasFailed`` from now on.
  func refuse(_ fault: MachineFault, after event: QualityMonitor.Event)
}

/// Where ends of calls get their deciders from; shared by the worlds of all threads.
public protocol QualityDeciders: AnyObject, Sendable {
  /// Whether one of them was refused, and results are void.
  var hasFailed: Bool { get }
  /// The decider of a call that a client begins to see.
  func decider(client: UInt32) -> any QualityDecider
}

/// Deciders that the program does not ship; equal to themselves alone.
public struct ForeignQuality: Sendable, Equatable {
  let deciders: any QualityDeciders

  public init(_ deciders: any QualityDeciders) { self.deciders = deciders }

  /// Whether one of them was refused, and results are void.
  public var hasFailed: Bool { deciders.hasFailed }

  public static func == (a: Self, b: Self) -> Bool { a.deciders === b.deciders }
}

/// What somebody else's monitor of one call commands, held within what a host can do.
public struct QualityCommands: Sendable {
  private var pace = CommandPace()
  private var timer = MachineTimer()
  /// Whether the user is being warned.
  public private(set) var isPoor = false

  public init() {}

  /// Holds the commands for an event: a timer fires no sooner than
  /// ``MessagingModel/MachineTimer/shortestWait`` from now, and has a number of the host's from
  /// here on.
  ///
  /// - Returns: what cannot be done; no command is left then. Nil: all can.
  public mutating func hold(
    _ commands: inout [QualityMonitor.Command], at now: Instant
  ) -> MachineFault? {
    if let fault = pace.note(commands.count, at: now) {
      commands.removeAll(keepingCapacity: true)
      return fault
    }
    for index in 0..<commands.count {
      switch commands[index] {
      case .warn: isPoor = true
      case .clear: isPoor = false
      case .setTimer(let number, let at):
        commands[index] = .setTimer(timer.set(number), at: MachineTimer.held(at, at: now))
      case .severed: break
      }
    }
    return nil
  }

  /// The machine's number of a timer that is due; nil where another has replaced it.
  public func fired(_ timer: UInt32) -> UInt32? { self.timer.fired(timer) }
}

/// Somebody else's monitor of one end of a call.
struct ForeignMonitor {
  let decider: any QualityDecider
  var held = QualityCommands()
  /// Of the media session that it watches.
  let epoch: UInt32
}

/// Somebody else's monitors.
extension CallsWorld {
  /// A client begins to see the other.
  mutating func beginMonitor(_ client: UInt32) {
    guard let quality = configuration.quality.monitors else { return }
    while monitors.count <= Int(client) { monitors.append(nil) }
    monitors[Int(client)] = ForeignMonitor(
      decider: quality.deciders.decider(client: client), epoch: clients[Int(client)].media.epoch)
  }

  /// A timer of a client's monitor is due.
  ///
  /// - Returns: whether the call's media are lost, which the client has to be told.
  mutating func fireMonitor(
    _ client: UInt32, _ timer: UInt32, _ epoch: UInt32, _ context: inout Context<CallsEvent>
  ) -> Bool {
    guard clients[Int(client)].media.epoch == epoch,
      clients[Int(client)].machine.screen == .inCall, let monitor = monitors[Int(client)],
      monitor.epoch == epoch, let number = monitor.held.fired(timer)
    else { return false }
    return tellMonitor(client, .timerFired(number), &context)
  }

  /// Tells a client's monitor what happened, and does what that commands.
  ///
  /// - Returns: whether the call's media are lost, which the client has to be told.
  mutating func tellMonitor(
    _ client: UInt32, _ event: QualityMonitor.Event, _ context: inout Context<CallsEvent>
  ) -> Bool {
    guard let monitor = monitors[Int(client)] else { return false }
    var commands: [QualityMonitor.Command] = []
    monitor.decider.handle(event, at: context.now, into: &commands)
    let fault = monitors[Int(client)]?.held.hold(&commands, at: context.now)
    if let fault {
      monitor.decider.refuse(fault, after: event)
      context.stop()
    }
    var isSevered = false
    for command in commands {
      switch command {
      case .warn: meter.measures.warnings += 1
      case .clear: break
      case .setTimer(let timer, let at):
        context.schedule(
          .qualityTimer(client: client, timer: timer, epoch: monitor.epoch), at: at,
          for: CallsWorld.firstClient + client)
      case .severed: isSevered = true
      }
    }
    return isSevered
  }
}
