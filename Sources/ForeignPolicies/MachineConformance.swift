import CallSignalling
import MediaUnits
import MessageDelivery
import Models

/// Plays made-up sessions to a machine of messages or calls and says what it must not do: what
/// would void a run, or give another result the next time.
///
/// Half of the sessions are told in order; in the other half events come late, twice, in another
/// order or with numbers that nobody knows. A machine that traps ends the test.
public struct MachineConformance: Sendable {
  /// What a machine must not do.
  public enum Rule: String, Sendable, CaseIterable {
    /// At most ``Models/CommandPace/mostForEvent``.
    case few = "an event has few commands"
    /// A poll has a higher number than those before; at most ``Models/CommandPace/mostInSecond``
    /// commands in a second.
    case possible = "commands can be done"
    /// The same session has the same commands: no clock, no random numbers.
    case same = "the same session is answered the same"
    /// Nothing comes from another client's machine.
    case apart = "clients do not know of each other"
    /// A copy of the machine goes its own way.
    case copied = "a copy goes its own way"
  }

  /// A rule that a machine breaks, and where.
  public typealias Finding = SessionFinding<Rule>

  private let sessions: Int
  private let events: Int

  /// - Parameters:
  ///   - sessions: how many are played.
  ///   - events: of each.
  public init(sessions: Int = 10_000, events: Int = 60) {
    precondition(sessions > 0 && events > 0, "sessions and events are positive")
    self.sessions = sessions
    self.events = events
  }

  /// Of a machine that decides when a client asks the server (``PollPackage``).
  ///
  /// - Returns: the first finding of each rule that is broken; none where all hold.
  public func findings<Machine: PolicyMachine>(
    ofPolls machine: Machine.Type, _ configuration: Machine.Configuration
  ) -> [Finding]
  where Machine.Event == PollMachine.Event, Machine.Command == PollMachine.Command {
    findings(machine, configuration, in: PollRehearsal.self)
  }

  /// Of a machine that says when a call is of poor quality (``QualityPackage``).
  ///
  /// - Returns: the first finding of each rule that is broken; none where all hold.
  public func findings<Machine: PolicyMachine>(
    ofQuality machine: Machine.Type, _ configuration: Machine.Configuration
  ) -> [Finding]
  where Machine.Event == QualityMonitor.Event, Machine.Command == QualityMonitor.Command {
    findings(machine, configuration, in: QualityRehearsal.self)
  }

  private func findings<Machine: PolicyMachine, Rehearsal: MachineRehearsal>(
    _ machine: Machine.Type, _ configuration: Machine.Configuration, in rehearsal: Rehearsal.Type
  ) -> [Finding]
  where Machine.Event == Rehearsal.Event, Machine.Command == Rehearsal.Command {
    var found: [Finding] = []
    // Of the session before, told again between the events of the next one.
    var other: [PlayedEvent<Machine>] = []
    for number in 0..<sessions {
      let played = PlayedSession<Machine, Rehearsal>(configuration, number, events: events)
      for (rule, place, text) in played.broken(beside: other) {
        if found.contains(where: { $0.rule == rule }) { continue }
        found.append(
          Finding(
            rule: rule, session: number,
            isInOrder: PlayedSession<Machine, Rehearsal>.isInOrder(number),
            events: place + 1, text: text))
      }
      other = played.told
    }
    return Rule.allCases.compactMap { rule in found.first { $0.rule == rule } }
  }
}

/// What a machine was told, and what it answered.
private struct PlayedEvent<Machine: PolicyMachine> {
  let event: Machine.Event
  let at: Instant
  let commands: [Machine.Command]
}

/// One session as it was played to a machine.
private struct PlayedSession<Machine: PolicyMachine, Rehearsal: MachineRehearsal>
where Machine.Event == Rehearsal.Event, Machine.Command == Rehearsal.Command {
  typealias Broken = (rule: MachineConformance.Rule, place: Int, text: String)

  private let configuration: Machine.Configuration
  private(set) var told: [PlayedEvent<Machine>] = []
  /// What could not be done.
  private var faults: [Broken] = []
  /// A copy from the middle of the session, whose original went on.
  private var copy: (machine: Machine, after: Int)?

  static func isInOrder(_ number: Int) -> Bool { number % 2 == 0 }

  init(_ configuration: Machine.Configuration, _ number: Int, events: Int) {
    self.configuration = configuration
    var session = RehearsedSession<Rehearsal>(
      seed: UInt64(number), isInOrder: Self.isInOrder(number))
    var machine = Machine(configuration)
    for place in 0..<events {
      if place == events / 2 { copy = (machine, place) }
      let one = session.next()
      var commands: [Machine.Command] = []
      machine.handle(one.event, at: one.at, into: &commands)
      told.append(PlayedEvent(event: one.event, at: one.at, commands: commands))
      guard let fault = session.take(commands) else { continue }
      let rule: MachineConformance.Rule = if case .many = fault { .few } else { .possible }
      faults.append(
        (rule, place, "expected \(fault.expected), got \(fault.got) after \(one.event)"))
    }
  }

  /// What the machine must not have done.
  ///
  /// - Parameter other: what another client's machine is told between the events of this one.
  func broken(beside other: [PlayedEvent<Machine>]) -> [Broken] {
    var found = faults
    var again = Machine(configuration)
    compare(&again, from: 0, .same, &found)
    var (mine, theirs) = (Machine(configuration), Machine(configuration))
    compare(&mine, from: 0, .apart, &found) { place in
      if place >= other.count { return }
      var ignored: [Machine.Command] = []
      theirs.handle(other[place].event, at: other[place].at, into: &ignored)
    }
    if var copied = copy?.machine, let after = copy?.after {
      compare(&copied, from: after, .copied, &found)
    }
    return found
  }

  /// Tells a machine the events from a place on once more.
  private func compare(
    _ machine: inout Machine, from first: Int, _ rule: MachineConformance.Rule,
    _ found: inout [Broken], before: (Int) -> Void = { _ in }
  ) {
    for place in first..<told.count {
      before(place)
      var commands: [Machine.Command] = []
      machine.handle(told[place].event, at: told[place].at, into: &commands)
      if commands == told[place].commands { continue }
      found.append(
        (
          rule, place,
          "expected \(told[place].commands), got \(commands) after \(told[place].event)"
        ))
      return
    }
  }
}
