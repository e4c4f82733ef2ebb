import Foundation
import MediaUnits
import Models
import SimulationKernel
import Synchronization

/// Why a policy of somebody else's cannot be used.
public struct PolicyRejected: Error, Sendable, Equatable {
  public var expected: String
  public var got: String
  /// Whether there is no such program.
  public var isMissing = false
}

/// A policy that is a process of somebody else's (docs/decisions/0043): for prefetch, and by
/// ``ExternalRule`` for what is decided question by question.
///
/// It is asked over its standard input and output (docs/reference/policy-protocol.md), in one
/// process for each thread that simulates; a session stays with the process that it began with. A
/// share of the sessions is played to another process a second time, after they are over: a policy
/// that answers otherwise then is none of which the same result comes twice.
///
/// The first thing that goes wrong stands in ``failure``, and nobody is asked any more.
public final class ExternalPolicy: PrefetchDeciders {
  /// What a scenario says of it.
  public struct Command: Sendable, Hashable {
    /// The program and its arguments.
    public var words: [String]
    /// Where it runs, and where a relative path among the words begins; empty: where we do.
    public var folder: String
    /// How long it may take for an answer.
    public var timeout: TimeSpan
    /// The part of the sessions that is played twice.
    public var share: Double
    /// What it decides.
    public var task: Task
    /// The key of the scenario that names it, in front of messages.
    public var key: String

    public init(
      words: [String], folder: String, timeout: TimeSpan, share: Double, task: Task, key: String
    ) {
      precondition(!words.isEmpty, "a command has a program")
      self.words = words
      self.folder = folder
      self.timeout = timeout
      self.share = share
      self.task = task
      self.key = key
    }
  }

  /// What a process decides.
  public enum Task: Sendable, Hashable {
    /// What is fetched ahead, so many items at most.
    case prefetch(itemsAhead: Int)
    /// One question at a time, each by itself.
    case rule(Rule)
  }

  /// What a process decides question by question.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// Which player of the pool gives way (`policy.pool.victim`).
    case victim
    /// The rung of a segment (`policy.abr`).
    case rung
    /// Whether the cap of the start is lifted (`policy.startupCap.release`).
    case release
    /// Whether a swipe is let through (`client.gate`).
    case gate
    /// What follows a failure (`client.retry`).
    case retry
    /// What enters a cache (`admission` of a tier).
    case admission
    /// How long an answer is kept (`ttl` of a tier).
    case lifetime

    /// What it decides, in the words of a result.
    var words: String {
      switch self {
      case .victim: "victim of the pool"
      case .rung: "bit rate"
      case .release: "release of the cap"
      case .gate: "gate"
      case .retry: "retries"
      case .admission: "admission"
      case .lifetime: "lifetimes"
      }
    }
  }

  private struct State {
    var processes: [PolicyProcess] = []
    /// By thread, the place of its process.
    var places: [UInt: Int] = [:]
    /// The one to which sessions are played again.
    var witness: PolicyProcess?
  }

  let command: Command
  /// What it says of itself; nil where it was not asked.
  public let identity: PolicyIdentity?
  private let state = Mutex(State())
  private let witnessing = Mutex(())
  private let isVoid: Atomic<Bool>
  private let message: Mutex<String?>

  // MARK: Who may begin it

  /// Whether the program simulates. Reading, checking and explaining a scenario start nothing.
  private static let admitted = Atomic<Bool>(false)
  /// Those that were begun last, so that variants of a study have one.
  private static let known = Mutex<[ExternalPolicy]>([])
  private static let mostKnown = 16

  /// From now on the commands of scenarios are run.
  public static func admit() {
    if admitted.exchange(true, ordering: .relaxed) { return }
    atexit { PolicyProcess.endAll() }
  }

  /// The policy of a command: one that is under way already, or a new one, which is greeted.
  ///
  /// Without ``admit()`` one that has failed: whoever simulates with it is told so.
  ///
  /// - Throws: ``PolicyRejected`` when it does not start or does not answer as a policy.
  public static func open(_ command: Command) throws(PolicyRejected) -> ExternalPolicy {
    if !admitted.load(ordering: .relaxed) { return ExternalPolicy(unasked: command) }
    return try known.withLock { known throws(PolicyRejected) in
      if let place = known.firstIndex(where: { $0.command == command && !$0.hasFailed }) {
        let found = known.remove(at: place)
        known.append(found)
        return found
      }
      let made = try ExternalPolicy(command)
      if known.count == mostKnown { known.removeFirst() }
      known.append(made)
      return made
    }
  }

  private init(unasked command: Command) {
    self.command = command
    identity = nil
    isVoid = Atomic(true)
    message = Mutex("\(command.key): expected a policy of the program for this, got a process")
  }

  private init(_ command: Command) throws(PolicyRejected) {
    self.command = command
    isVoid = Atomic(false)
    message = Mutex(nil)
    do throws(PolicyNonsense) {
      let first = try PolicyProcess(command)
      identity = first.identity
      state.withLock { $0.processes = [first] }
    } catch {
      throw PolicyRejected(
        expected: error.expected, got: error.got,
        isMissing: error.expected == PolicyProcess.startExpected
          && error.got == PolicyProcess.noSuchFile)
    }
  }

  // MARK: What the models ask

  public var readsHazard: Bool { identity?.readsHazard ?? false }
  public var readsStalls: Bool { identity?.readsStalls ?? false }
  public var hasFailed: Bool { isVoid.load(ordering: .relaxed) }

  public func decider(replication: UInt16, session: UInt32) -> any PrefetchDecider {
    let who = ExternalDecider.Session(replication: replication, number: session)
    if hasFailed { return ExternalDecider(self, nil, who, isPlayedTwice: false) }
    do throws(PolicyNonsense) {
      return ExternalDecider(self, try process(), who, isPlayedTwice: isPlayedTwice(who))
    } catch {
      fail(error, who.text)
      return ExternalDecider(self, nil, who, isPlayedTwice: false)
    }
  }

  /// The process of the present thread.
  func process() throws(PolicyNonsense) -> PolicyProcess {
    let thread = ExternalPolicy.currentThread
    return try state.withLock { state throws(PolicyNonsense) in
      let most = max(1, ProcessInfo.processInfo.activeProcessorCount)
      let place = state.places[thread] ?? state.places.count % most
      state.places[thread] = place
      while state.processes.count <= place { state.processes.append(try another()) }
      return state.processes[place]
    }
  }

  private static var currentThread: UInt { UInt(pthread_self()) }

  /// One more process of the same policy.
  private func another() throws(PolicyNonsense) -> PolicyProcess {
    let process = try PolicyProcess(command)
    guard process.identity == identity else {
      process.end()
      throw PolicyNonsense(
        expected: "\(identity?.text ?? "") again", got: process.identity.text)
    }
    return process
  }

  // MARK: Played twice

  /// The first session of a replication always, of the others a share.
  private func isPlayedTwice(_ who: ExternalDecider.Session) -> Bool {
    if command.share <= 0 { return false }
    if who.number == 0 { return true }
    let mixed = SplitMix.hash(UInt64(who.replication) << 32 | UInt64(who.number))
    return Double(mixed >> 11) * 0x1p-53 < command.share
  }

  /// Does something with the process to which things are said a second time; one at a time.
  func withWitness(_ body: (PolicyProcess) throws(PolicyNonsense) -> Void) throws(PolicyNonsense) {
    try witnessing.withLock { _ throws(PolicyNonsense) in
      let process = try state.withLock { state throws(PolicyNonsense) in
        if let known = state.witness { return known }
        let made = try another()
        state.witness = made
        return made
      }
      try body(process)
    }
  }

  /// Plays a session that is over to another process, and compares the answers.
  func play(_ transcript: [ExternalDecider.Exchange], of who: ExternalDecider.Session) {
    do throws(PolicyNonsense) {
      try withWitness { process throws(PolicyNonsense) in
        let viewer = process.newViewer()
        for (sequence, exchange) in transcript.enumerated() {
          let message = PolicyText.message(viewer: viewer, exchange.rest)
          guard let expected = exchange.answer else {
            try process.tell(message)
            continue
          }
          let text = try process.ask(message)
          let answer = try PolicyAnswer(
            text, viewer: viewer, sequence: sequence, events: expected.ends.count, silent: 0)
          if answer != expected {
            fail(
              PolicyNonsense(
                expected: "the same answer when the session is played again",
                got: "\(PolicyText.text(of: answer.commands)) after "
                  + "\(PolicyText.text(of: expected.commands))"),
              who.text + ": " + PolicyText.text(of: exchange.told))
            return
          }
        }
      }
    } catch {
      fail(error, who.text + ", played again")
    }
  }

  // MARK: Failing

  /// Notes what went wrong; the first one stays.
  ///
  /// - Parameter event: when it did.
  func fail(_ nonsense: PolicyNonsense, _ event: String) {
    let name = identity.map { "\($0.name) \($0.version)" } ?? command.words[0]
    let text =
      "\(command.key): \(name): expected \(nonsense.expected), got \(nonsense.got) (\(event))"
    message.withLock { message in
      if message != nil { return }
      message = text
      ForeignFailure.note(text)
    }
    isVoid.store(true, ordering: .relaxed)
  }

  /// What went wrong; nil: nothing.
  public var failure: String? { message.withLock { $0 } }
}
