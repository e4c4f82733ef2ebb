import CallSignalling
import MediaUnits
import MessageDelivery
import Models

/// A session made up at random, as far as the machine that it is played to lets it: what a host
/// tells next depends on what it was told to do.
///
/// In order, what happens is what can. In disorder some of what was told comes once more, later
/// than something else, or with a number that nobody knows.
protocol MachineRehearsal {
  associatedtype Event: Sendable
  associatedtype Command: Sendable, Equatable

  init(seed: UInt64)
  var now: Instant { get set }
  var draws: RehearsalDraws { get set }
  /// Something that can happen now; time may go on with it.
  mutating func happening() -> Event
  /// Something with a number that nobody knows.
  mutating func unknown() -> Event
  /// Does what was commanded.
  ///
  /// - Returns: what of it cannot be done; nil: all can.
  mutating func take(_ commands: [Command]) -> MachineFault?
  /// A command as bytes that no other has.
  static func bytes(_ command: Command) -> [UInt8]
}

/// What happens in a session, in order or not.
struct RehearsedSession<Rehearsal: MachineRehearsal> {
  private var rehearsal: Rehearsal
  private let isInOrder: Bool
  private var told: [Rehearsal.Event] = []
  private var postponed: Rehearsal.Event?

  init(seed: UInt64, isInOrder: Bool) {
    rehearsal = Rehearsal(seed: seed)
    self.isInOrder = isInOrder
  }

  /// What happens next, and when.
  mutating func next() -> (event: Rehearsal.Event, at: Instant) {
    let event = nextEvent()
    told.append(event)
    return (event, rehearsal.now)
  }

  private mutating func nextEvent() -> Rehearsal.Event {
    if isInOrder { return rehearsal.happening() }
    if let waiting = postponed, rehearsal.draws.below(3) == 0 {
      postponed = nil
      return waiting
    }
    if rehearsal.draws.below(5) == 0 {
      if told.isEmpty || rehearsal.draws.below(3) == 0 { return rehearsal.unknown() }
      return told[rehearsal.draws.below(told.count)]
    }
    let event = rehearsal.happening()
    if postponed != nil || rehearsal.draws.below(8) > 0 { return event }
    postponed = event
    return rehearsal.happening()
  }

  /// Does what was commanded.
  ///
  /// - Returns: what of it cannot be done; nil: all can.
  mutating func take(_ commands: [Rehearsal.Command]) -> MachineFault? { rehearsal.take(commands) }
}

extension MachineRehearsal {
  /// What a machine answers in some sessions, half of them in order, as bytes that are the same
  /// wherever it answers the same.
  static func answers<Machine: PolicyMachine>(of make: () -> Machine) -> [UInt8]
  where Machine.Event == Event, Machine.Command == Command {
    var bytes: [UInt8] = []
    for number in 0..<64 {
      var session = RehearsedSession<Self>(seed: UInt64(number), isInOrder: number % 2 == 0)
      var machine = make()
      for _ in 0..<100 {
        let one = session.next()
        var commands: [Command] = []
        machine.handle(one.event, at: one.at, into: &commands)
        _ = session.take(commands)
        bytes += Int64(commands.count).bytes + commands.flatMap(Self.bytes)
      }
    }
    return bytes
  }
}

/// A timer that runs.
private struct RunningTimer {
  var serial: UInt32
  var at: Instant
}

/// A client of messages: openings, connections, pushes, downloads, answers and timers.
struct PollRehearsal: MachineRehearsal {
  var now = Instant.zero
  var draws: RehearsalDraws
  private var held = PollCommands()
  private var isOpen = false
  private var isOnline = false
  private var tracks = false
  /// Polls that are out, and the last number.
  private var out: [UInt32] = []
  private var timer: RunningTimer?

  init(seed: UInt64) { draws = RehearsalDraws(seed: seed) }

  mutating func happening() -> PollMachine.Event {
    now += .milliseconds(Int64(draws.below(4_000)))
    switch draws.below(16) {
    case 0, 1:
      isOpen.toggle()
      return isOpen ? .opened : .left
    case 2: return connect(!isOnline)
    case 3, 4: return isOnline ? .pushed : connect(true)
    case 5: return .downloaded(isLast: draws.flag())
    case 6, 7:
      tracks.toggle()
      return .tracks(tracks)
    case 8...12:
      if out.isEmpty { return fire() ?? .pushed }
      let poll = out.remove(at: draws.below(out.count))
      if draws.below(4) == 0 { return .failed(poll: poll) }
      return .answered(poll: poll, remaining: draws.below(4) == 0 ? 1 + draws.below(30) : 0)
    default: return fire() ?? .tracks(tracks)
    }
  }

  private mutating func connect(_ isOnline: Bool) -> PollMachine.Event {
    self.isOnline = isOnline
    // What is out has no answer any more.
    if !isOnline { out.removeAll() }
    return .connected(isOnline)
  }

  private mutating func fire() -> PollMachine.Event? {
    guard let timer, let number = held.fired(timer.serial) else { return nil }
    now = max(now, timer.at)
    self.timer = nil
    return .timerFired(number)
  }

  mutating func unknown() -> PollMachine.Event {
    let number: UInt32 = [0, 1, 4_000, .max][draws.below(4)]
    switch draws.below(4) {
    case 0: return .timerFired(number)
    case 1: return .failed(poll: number)
    case 2: return .answered(poll: number, remaining: [0, 1, .max][draws.below(3)])
    default: return .downloaded(isLast: true)
    }
  }

  mutating func take(_ commands: [PollMachine.Command]) -> MachineFault? {
    var commands = commands
    let fault = held.hold(&commands, at: now)
    for command in commands {
      switch command {
      case .poll(let number): if isOnline { out.append(number) }
      case .setTimer(let serial, let at, _): timer = RunningTimer(serial: serial, at: at)
      }
    }
    if out.count > 64 { out.removeFirst(out.count - 64) }
    return fault
  }

  static func bytes(_ command: PollMachine.Command) -> [UInt8] {
    switch command {
    case .poll(let number): [0] + Int64(number).bytes
    case .setTimer(let number, let at, let jitter):
      [1] + Int64(number).bytes + at.nanoseconds.bytes + jitter.nanoseconds.bytes
    }
  }
}

/// An end of a call: seconds that are good or bad, interruptions, timers and other calls.
struct QualityRehearsal: MachineRehearsal {
  var now = Instant.zero
  var draws: RehearsalDraws
  private var held = QualityCommands()
  private var isBad = false
  private var isCut = false
  private var timer: RunningTimer?

  init(seed: UInt64) { draws = RehearsalDraws(seed: seed) }

  mutating func happening() -> QualityMonitor.Event {
    switch draws.below(32) {
    case 0:
      (isBad, isCut) = (false, false)
      return .reset
    case 1, 2:
      isCut.toggle()
      return isCut ? .interrupted : .resumed
    case 3, 4, 5: return fire() ?? sample()
    default: return sample()
    }
  }

  private mutating func sample() -> QualityMonitor.Event {
    now += .seconds(1)
    if draws.below(7) == 0 { isBad.toggle() }
    let share = Double(1 + draws.below(100)) / 100
    // Between the two limits of the shipped monitor, too, now and then.
    let scale = isBad ? 1 + share : draws.below(4) == 0 ? share : share / 2
    var sample = QualityMonitor.Sample(
      loss: 0.08 * scale, roundTrip: TimeSpan.milliseconds(400).scaled(by: scale), frameRate: 25)
    if draws.below(3) == 0 { sample.loss = 0 }
    if isBad && draws.below(3) == 0 { sample.frameRate = Double(draws.below(15)) }
    return .sample(sample)
  }

  private mutating func fire() -> QualityMonitor.Event? {
    guard let timer, let number = held.fired(timer.serial) else { return nil }
    now = max(now, timer.at)
    self.timer = nil
    return .timerFired(number)
  }

  mutating func unknown() -> QualityMonitor.Event {
    switch draws.below(3) {
    case 0: return .timerFired([0, 1, 4_000, .max][draws.below(4)])
    case 1: return .sample(.init(loss: .nan, roundTrip: .max, frameRate: .infinity))
    default: return .sample(.init(loss: 1, roundTrip: .zero, frameRate: 0))
    }
  }

  mutating func take(_ commands: [QualityMonitor.Command]) -> MachineFault? {
    var commands = commands
    let fault = held.hold(&commands, at: now)
    for case .setTimer(let serial, let at) in commands {
      timer = RunningTimer(serial: serial, at: at)
    }
    return fault
  }

  static func bytes(_ command: QualityMonitor.Command) -> [UInt8] {
    switch command {
    case .warn: [0]
    case .clear: [1]
    case .setTimer(let number, let at): [2] + Int64(number).bytes + at.nanoseconds.bytes
    case .severed: [3]
    }
  }
}
