import CacheModel
import CachePolicy
import FeedModel
import FeedPolicy
import MediaUnits
import SimulationKernel

/// One session of a simulated viewer whose servers and players are a browser's.
///
/// The viewer, the policies and the draws are the simulator's own code, compiled to WebAssembly.
/// The page around it fetches, feeds `<video>` elements and tells what it sees; its clock is the
/// session's. Numbers cross the border as doubles: times are nanoseconds since the session's begin,
/// exact for a hundred days.
public struct FeedPage: ~Copyable {
  private var feed: LiveFeed
  /// Rows of ``columns`` numbers, one for each command.
  public private(set) var commands: [Double] = []
  /// What the machines were told and answered, in the order in which they first spoke.
  private var logs: [(machine: StaticString, lines: [UInt8])] = []
  private var hasBegun = false
  private var isLate = false

  /// Numbers of a row of ``commands``: what it is, and then what each ``Command`` says.
  public static let columns = 16

  /// What the first number of a row says the row is.
  public enum Command: Int, Sendable {
    /// Token (slot, index, generation), service, asset, item, title, rung, segment, whether the
    /// viewer holds a copy, bytes as the catalogue has them, bytes that the first frame needs or
    /// -1, items of the feed that are known, when it was due.
    case request = 1
    /// Token.
    case cancel
    /// All connections are lost.
    case close
    /// Player, item, generation, when it was due.
    case prepare
    /// Player, item, when it was due.
    case play
    /// Player.
    case pause, release
    /// The session is over.
    case end
  }

  /// - Parameters:
  ///   - text: of ``PageConfiguration``.
  ///   - logs: whether what the policies are told and answer is written down.
  /// - Returns: nil for another text, or a number that no session has.
  public init?(
    _ text: [UInt8], session: UInt32, seed: UInt64, replication: UInt16, logs: Bool
  ) {
    guard LiveFeed.isSession(session), let configuration = PageConfiguration.read(text)
    else { return nil }
    feed = LiveFeed(
      session: session, configuration, seed: seed, replication: replication, logsPolicies: logs)
  }

  /// Handles what is due.
  ///
  /// - Returns: when the next event is due; nil when none is.
  /// - Throws: ``SimulationError`` when an instant has no end of events.
  public mutating func advance(to now: Instant) throws(SimulationError) -> Instant? {
    _ = try feed.advance(to: now)
    isLate = now >= feed.end
    take()
    return feed.nextEvent
  }

  public mutating func hear(_ answer: OutsideAnswer, at time: Instant) {
    feed.hear(answer, at: time)
  }

  /// Whether the session has begun and ended, or its time is over and ``finish()`` will cut it.
  public var isOver: Bool { hasBegun && (isLate || feed.activeSessions == 0) }

  /// Forgets the ``commands``: they have been carried out.
  public mutating func clear() { commands.removeAll(keepingCapacity: true) }

  /// Ends a session that still runs, as cut; the text of what was measured (``PageMeasures``).
  public mutating func finish() -> [UInt8] {
    let measures = feed.finish()
    take()
    return PageMeasures.text(measures)
  }

  /// The logs so far: for each machine a line with its name and the bytes of its log, and these.
  public var logText: [UInt8] {
    var text: [UInt8] = []
    for log in logs {
      var head = PolicyLine()
      head.add(log.machine)
      head.add(log.lines.count)
      text += head.bytes
      text.append(0x0A)
      text += log.lines
    }
    return text
  }

  private mutating func take() {
    for command in feed.takeCommands() {
      switch command {
      case .begin: hasBegun = true
      case .request(let request): add(request)
      case .cancel(let token): add(.cancel, token)
      case .close: add(.close)
      case .told(_, let machine, let lines): keep(machine, lines)
      case .player(_, _, let time, let command): add(command, at: time)
      case .end: add(.end)
      }
    }
  }

  private mutating func keep(_ machine: StaticString, _ lines: [UInt8]) {
    for place in logs.indices
    where logs[place].machine.utf8Start == machine.utf8Start {
      logs[place].lines += lines
      return
    }
    logs.append((machine, lines))
  }

  // MARK: Rows

  private mutating func add(_ command: Command, _ numbers: [Double] = []) {
    commands.append(Double(command.rawValue))
    commands += numbers
    for _ in (numbers.count + 1)..<FeedPage.columns { commands.append(0) }
  }

  private mutating func add(_ command: Command, _ token: OutsideToken) {
    add(command, [Double(token.slot), Double(token.index), Double(token.generation)])
  }

  private mutating func add(_ command: OutsidePlayerCommand, at time: Instant) {
    let due = Double(time.nanoseconds)
    switch command {
    case .prepare(let player, let item, let generation):
      add(.prepare, [Double(player), Double(item), Double(generation), due])
    case .play(let player, let item): add(.play, [Double(player), Double(item), due])
    case .pause(let player): add(.pause, [Double(player)])
    case .release(let player): add(.release, [Double(player)])
    }
  }

  private mutating func add(_ request: OutsideRequest) {
    let token = request.token
    add(
      .request,
      [
        Double(token.slot), Double(token.index), Double(token.generation),
        Double(request.service.rawValue), Double(request.asset.rawValue), Double(request.item),
        Double(request.title),
        Double(request.rung), Double(request.segment), request.isConditional ? 1 : 0,
        Double(request.bytes), Double(request.startMark), Double(request.feedCount),
        Double(request.dueAt.nanoseconds),
      ])
  }
}
