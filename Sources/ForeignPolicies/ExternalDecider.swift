import FeedPolicy
import MediaUnits
import Models

/// One session's part of a policy that is a process.
final class ExternalDecider: PrefetchDecider {
  /// Whose session it is.
  struct Session: Sendable {
    let replication: UInt16
    let number: UInt32

    /// `session 3 of replication 0`
    var text: String {
      let isPilot = replication >= FeedRun.mostReplications
      let own = isPilot ? UInt16.max - replication : replication
      return "session \(number) of \(isPilot ? "the pilot of " : "")replication \(own)"
    }
  }

  /// A message that was sent, and its answer; nil: it has none.
  struct Exchange: Sendable {
    /// What followed the viewer's number.
    var rest: [UInt8]
    var told: [PrefetchTold]
    var answer: PolicyAnswer?
  }

  private let policy: ExternalPolicy
  /// Nil where nobody can be asked.
  private let process: PolicyProcess?
  private let session: Session
  private let viewer: Int64
  private var sequence = 0
  /// Told and not sent yet, because the last answer had put it on hold.
  private var waiting: [PrefetchTold] = []
  private var held: UInt32 = 0
  private var transcript: [Exchange] = []
  private let isPlayedTwice: Bool

  /// Events that wait at most.
  private static let mostWaiting = 256

  init(
    _ policy: ExternalPolicy, _ process: PolicyProcess?, _ session: Session, isPlayedTwice: Bool
  ) {
    self.policy = policy
    self.process = process
    self.session = session
    self.isPlayedTwice = isPlayedTwice
    viewer = process?.newViewer() ?? 0
  }

  func decide(
    _ told: [PrefetchTold], into commands: inout [PrefetchPolicy.Command], ends: inout [Int]
  ) {
    guard let process, !policy.hasFailed else {
      for _ in told { ends.append(commands.count) }
      return
    }
    let isHeld = told.allSatisfy { held & PolicyEventKind($0.event).bit != 0 }
    if isHeld && waiting.count + told.count <= ExternalDecider.mostWaiting {
      waiting += told
      for _ in told { ends.append(commands.count) }
      return
    }
    let silent = waiting.count
    let all = waiting + told
    let rest = PolicyText.rest(sequence: sequence, all[...])
    do throws(PolicyNonsense) {
      let answer = try PolicyAnswer(
        process.ask(PolicyText.message(viewer: viewer, rest)), viewer: viewer, sequence: sequence,
        events: all.count, silent: silent)
      let before = commands.count
      commands += answer.commands
      for index in silent..<all.count { ends.append(before + answer.ends[index]) }
      held = answer.held
      if isPlayedTwice { transcript.append(Exchange(rest: rest, told: all, answer: answer)) }
    } catch {
      policy.fail(error, "\(session.text): \(PolicyText.text(of: all))")
      for _ in told { ends.append(commands.count) }
    }
    sequence += 1
    waiting.removeAll(keepingCapacity: true)
  }

  func refuse(
    _ command: PrefetchPolicy.Command, _ fault: PrefetchFault, after told: PrefetchTold
  ) {
    policy.fail(
      PolicyNonsense(
        expected: fault.expected, got: PolicyText.text(of: [command])),
      "\(session.text): \(PolicyText.text(of: [told]))")
  }

  func close(_ told: [PrefetchTold]) {
    guard let process, !policy.hasFailed else { return }
    let all = waiting + told
    let rest = PolicyText.rest(sequence: sequence, all[...], closes: true)
    do throws(PolicyNonsense) {
      try process.tell(PolicyText.message(viewer: viewer, rest))
    } catch {
      policy.fail(error, "\(session.text): its end")
      return
    }
    if !isPlayedTwice { return }
    transcript.append(Exchange(rest: rest, told: all, answer: nil))
    policy.play(transcript, of: session)
  }
}

extension PrefetchFault {
  /// What was expected in the place of the command.
  public var expected: String {
    switch self {
    case .noCurrent: "nothing to be fetched before an item is the current one"
    case .current: "no fetch of the current item, which its player loads"
    case .outOfReach:
      "an item of the feed, at most itemsAhead after the current one and two before it"
    case .length: "a length above 0 and of at most a day"
    case .stage: "connection, playlists or init as the stage"
    case .notInProgress: "only fetches in progress to be ended"
    }
  }
}

extension PolicyText {
  /// Events as a message has them, the last of many.
  static func text(of told: [PrefetchTold]) -> String {
    var text = PolicyText()
    for (index, one) in told.suffix(2).enumerated() {
      if index > 0 { text.add(" ") }
      text.add(one)
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Commands as a message has them.
  static func text(of commands: [PrefetchPolicy.Command]) -> String {
    var line = ""
    for command in commands {
      if !line.isEmpty { line += " " }
      switch command {
      case .start(let item, let length, let priority):
        line += "start \(item.index) \(length.nanoseconds) \(priority.rawValue)"
      case .warm(let item, let stage, let priority):
        line += "warm \(item.index) \(PolicyStage.word(of: stage)) \(priority.rawValue)"
      case .cancel(let item): line += "cancel \(item.index)"
      case .suspend(let item): line += "suspend \(item.index)"
      case .limitBuffer(let length): line += "limit \(length.map { "\($0.nanoseconds)" } ?? "none")"
      }
    }
    return line.isEmpty ? "no command" : "\"\(line)\""
  }
}
