import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// Plays made-up sessions to a prefetch policy and says what it must not do: what would void a run,
/// or give another result the next time.
///
/// Half of the sessions are told in order, as a feed has them; in the other half events come late,
/// twice, in another order or of items that nobody knows. A policy that traps ends the test.
public struct PrefetchConformance: Sendable {
  /// What a policy must not do.
  public enum Rule: String, Sendable, CaseIterable {
    /// Commands that cannot be done (``Models/PrefetchFault``).
    case possible = "commands can be done"
    /// At most ``mostCommands`` for an event.
    case few = "an event has few commands"
    /// A fetch in progress is not begun again with the same depth and priority.
    case new = "what is begun is new"
    /// Nothing begins while the network is gone.
    case offline = "nothing begins offline"
    /// Nothing begins while the host holds new starts.
    case held = "nothing begins while the host holds"
    /// The same session has the same commands: no clock, no random numbers.
    case same = "the same session is answered the same"
    /// Nothing comes from another viewer's policy.
    case apart = "viewers do not know of each other"
    /// A copy of the policy goes its own way.
    case copied = "a copy goes its own way"
  }

  /// A rule that a policy breaks, and where.
  public typealias Finding = SessionFinding<Rule>

  /// Commands of one event at most.
  public static let mostCommands = 64

  private let sessions: Int
  private let events: Int
  private let reach: Int

  /// - Parameters:
  ///   - itemsAhead: how many items ahead the policy may fetch.
  ///   - sessions: how many are played.
  ///   - events: of each.
  public init(itemsAhead: Int, sessions: Int = 10_000, events: Int = 60) {
    precondition(sessions > 0 && events > 0, "sessions and events are positive")
    reach = itemsAhead
    self.sessions = sessions
    self.events = events
  }

  private typealias Commands = [PrefetchPolicy.Command]

  /// Plays all sessions.
  ///
  /// - Returns: the first finding of each rule that is broken; none where all hold.
  public func findings<Machine: PolicyMachine>(
    of machine: Machine.Type, _ configuration: Machine.Configuration
  ) -> [Finding]
  where Machine.Event == PrefetchPolicy.Event, Machine.Command == PrefetchPolicy.Command {
    var found: [Finding] = []
    // Of the session before, told again between the events of the next one.
    var other: [PrefetchTold] = []
    for session in 0..<sessions {
      let isInOrder = session % 2 == 0
      func add(_ rule: Rule, _ event: Int, _ text: String) {
        if found.contains(where: { $0.rule == rule }) { return }
        found.append(
          Finding(
            rule: rule, session: session, isInOrder: isInOrder, events: event + 1, text: text))
      }
      var rehearsal = PrefetchRehearsal(seed: UInt64(session), isInOrder: isInOrder)
      var policy = Machine(configuration)
      var judge = Judge(reach: reach)
      var told: [PrefetchTold] = []
      var answers: [Commands] = []
      var copy: (policy: Machine, after: Int)?
      for place in 0..<events {
        if place == events / 2 { copy = (policy, place) }
        let one = rehearsal.next()
        var commands: Commands = []
        policy.handle(one.event, at: one.at, into: &commands)
        rehearsal.take(commands.prefix(PrefetchConformance.mostCommands))
        for (rule, text) in judge.judge(commands, after: one) { add(rule, place, text) }
        told.append(one)
        answers.append(commands)
      }
      func expect(_ commands: Commands, _ rule: Rule, at place: Int) {
        if commands == answers[place] { return }
        add(
          rule, place,
          "expected \(PolicyText.text(of: answers[place])), got \(PolicyText.text(of: commands)) "
            + "after \(PolicyText.text(of: [told[place]]))")
      }
      var again = Machine(configuration)
      for (place, one) in told.enumerated() {
        var commands: Commands = []
        again.handle(one.event, at: one.at, into: &commands)
        expect(commands, .same, at: place)
      }
      var (mine, theirs) = (Machine(configuration), Machine(configuration))
      for (place, one) in told.enumerated() {
        var commands: Commands = []
        if place < other.count {
          theirs.handle(other[place].event, at: other[place].at, into: &commands)
          commands.removeAll()
        }
        mine.handle(one.event, at: one.at, into: &commands)
        expect(commands, .apart, at: place)
      }
      if let copy {
        // The original has gone on to the end since.
        var copied = copy.policy
        for place in copy.after..<told.count {
          var commands: Commands = []
          copied.handle(told[place].event, at: told[place].at, into: &commands)
          expect(commands, .copied, at: place)
        }
      }
      other = told
    }
    return found.sorted {
      (Rule.allCases.firstIndex(of: $0.rule) ?? 0) < (Rule.allCases.firstIndex(of: $1.rule) ?? 0)
    }
  }

  /// What is known of a session, and what its policy must not command then.
  private struct Judge {
    private var fetches: ForeignFetches
    private var isOnline = true
    private var isHeld = false
    /// The last start of each item in progress.
    private var begun: [(item: ItemID, command: PrefetchPolicy.Command)] = []

    init(reach: Int) { fetches = ForeignFetches(reach: reach) }

    mutating func judge(_ commands: Commands, after told: PrefetchTold) -> [(Rule, String)] {
      var found: [(Rule, String)] = []
      switch told.event {
      case .connectivityChanged(let isOnline): self.isOnline = isOnline
      case .hostHeld(let isHeld): self.isHeld = isHeld
      default: break
      }
      fetches.note(told.event)
      begun.removeAll { !fetches.isActive($0.item.index) }
      func add(_ rule: Rule, _ expected: String, _ got: Commands) {
        found.append(
          (
            rule,
            "expected \(expected), got \(PolicyText.text(of: got)) after "
              + PolicyText.text(of: [told])
          ))
      }
      if commands.count > mostCommands {
        found.append(
          (
            .few,
            "expected at most \(mostCommands) commands, got \(commands.count) after "
              + PolicyText.text(of: [told])
          ))
      }
      for command in commands.prefix(mostCommands) {
        let item: ItemID? =
          switch command {
          case .start(let item, _, _), .warm(let item, _, _): item
          default: nil
          }
        if let item {
          if !isOnline { add(.offline, "no start while the network is gone", [command]) }
          if isHeld { add(.held, "no start while the host holds them", [command]) }
          if begun.contains(where: { $0.item == item && $0.command == command }) {
            add(.new, "another depth or priority than what is in progress has", [command])
          }
        }
        if let fault = fetches.note(command) {
          add(.possible, fault.expected, [command])
          continue
        }
        begun.removeAll { !fetches.isActive($0.item.index) || $0.item == item }
        if let item { begun.append((item, command)) }
      }
      return found
    }
  }
}
