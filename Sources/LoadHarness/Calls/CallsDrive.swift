import CallSignalling
import MediaUnits
import NIOCore
import NIOPosix
import Statistics

/// Who takes part in a live run of call signalling, and what they do.
public struct CallsDriveSettings: Sendable {
  public var server = CallServer.Configuration()
  public var client = CallClient.Configuration()
  public var callers = 200
  public var interpreters = 20
  /// Further callers who are registered and do nothing but send heartbeats and hear of presence.
  public var idle = 0
  /// Times that all callers call at once.
  public var rounds = 10
  /// Interpreters that go offline and online again, one after the other, and the time between.
  public var changes = 100
  public var changeEvery = TimeSpan.milliseconds(50)
  /// How long to go on, at least: heartbeats need time.
  public var length = TimeSpan.seconds(10)
  /// How long a round waits for callers who hear nothing.
  public var patience = TimeSpan.seconds(10)

  public init() {}

  /// How long a run can take: everybody registers in twenty seconds or it ends; a round waits for
  /// who hears nothing, and until nobody has heard of presence for some time (two seconds are
  /// assumed); a change waits two seconds for whom it does not reach.
  public var longest: TimeSpan {
    let round = patience + .seconds(3)
    let change = changeEvery + .milliseconds(2_010)
    return .seconds(22) + round * Int64(rounds) + change * Int64(2 * changes) + length
  }
}

/// What a live run of call signalling has found. Times are in nanoseconds; nobody is named.
public struct CallsDriveResult: Sendable {
  public var settings: CallsDriveSettings
  public var seconds = 0.0
  public var registered = 0
  public var rounds = 0
  public var requests = 0
  public var winners = 0
  /// Requests for an interpreter that had been won already, which heard so.
  public var busy = 0
  /// Rounds in which an interpreter had more or fewer than one winner.
  public var badRounds = 0
  /// Requests that nothing was heard of.
  public var unanswered = 0
  public var registrations: [Int64] = []
  public var busyTimes: [Int64] = []
  public var setupTimes: [Int64] = []
  public var presenceTimes: [Int64] = []
  /// Presence messages that should have come and did not within the time to settle.
  public var missingPresence = 0
  public var drops = 0
  public var server = CallHubCounters()
  /// How late this program's own timers were.
  public var slips: [Int64] = []

  /// What did not hold, in words.
  public var faults: [String] {
    var faults: [String] = []
    let wanted = settings.callers + settings.interpreters + settings.idle
    if registered != wanted { faults.append("\(wanted - registered) clients have no name") }
    if badRounds > 0 { faults.append("\(badRounds) rounds without exactly one winner each") }
    if unanswered > 0 { faults.append("\(unanswered) requests without an answer") }
    if missingPresence > 0 { faults.append("\(missingPresence) presence messages did not come") }
    if server.doubleRings > 0 { faults.append("\(server.doubleRings) double rings") }
    if server.expiries > 0 { faults.append("\(server.expiries) live clients expired") }
    if server.malformed > 0 { faults.append("\(server.malformed) frames were no message") }
    if drops > 0 { faults.append("\(drops) clients lost their connection") }
    return faults
  }

  /// Whether the generator was on time: 99 of 100 timers within 50 ms.
  public var isFaithful: Bool { CallsDriveResult.quantile(slips, 0.99) < 50_000_000 }

  /// The quantile by the inverse of the step function; 0 without data.
  public static func quantile(_ times: [Int64], _ share: Double) -> Int64 {
    if times.isEmpty { return 0 }
    let sorted = times.sorted()
    return sorted[OrderStatistics.rank(share, of: sorted.count) - 1]
  }
}

/// Real clients against a signalling server: everybody registers, then all callers call at once,
/// time and again, then interpreters come and go.
public final class CallsDrive: LiveCallerOwner {
  private let settings: CallsDriveSettings
  private let loop: any EventLoop
  private let start = NIODeadline.now()
  private var callers: [LiveCaller] = []
  private var result: CallsDriveResult
  private var registeredAt: [NIODeadline?] = []
  private let done: EventLoopPromise<CallsDriveResult>

  // One round.
  private var round = 0
  private var askedAt: [NIODeadline?] = []
  private var isCalling: [Bool] = []
  private var winnersOf: [Int] = []
  private var waiting = 0
  private var isRound = false

  // One change of presence.
  private var change = 0
  private var changed: (peer: UInt32, isAvailable: Bool, at: NIODeadline)?
  private var missing = 0
  /// When the latest presence message came.
  private var heardAt = NIODeadline.now()

  private var wanted: Int { settings.callers + settings.interpreters + settings.idle }

  /// Clients by their number: callers, then interpreters, then idle callers.
  private init(_ settings: CallsDriveSettings, port: Int, loop: any EventLoop) {
    self.settings = settings
    self.loop = loop
    result = CallsDriveResult(settings: settings)
    done = loop.makePromise()
    for number in 0..<(settings.callers + settings.interpreters + settings.idle) {
      let isInterpreter =
        number >= settings.callers && number < settings.callers + settings.interpreters
      callers.append(
        LiveCaller(
          number, isInterpreter ? .interpreter : .caller, settings.client, loop: loop, port: port,
          start: start, owner: self))
    }
    registeredAt = callers.map { _ in nil }
    askedAt = callers.map { _ in nil }
    isCalling = callers.map { _ in false }
    winnersOf = callers.map { _ in 0 }
  }

  /// Runs all of it against a server on this machine.
  public static func run(_ settings: CallsDriveSettings, port: Int) async throws
    -> CallsDriveResult
  {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let found: CallsDriveResult
    do {
      found = try await loop.flatSubmit {
        let drive = CallsDrive(settings, port: port, loop: loop)
        drive.begin()
        let bound = NIOLoopBound(drive, eventLoop: loop)
        return drive.done.futureResult.map { result in
          bound.value.callers.forEach { $0.stop() }
          return result
        }
      }.get()
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try? await group.shutdownGracefully()
    return found
  }

  private func after(_ span: TimeSpan, _ act: @escaping (CallsDrive) -> Void) {
    let bound = NIOLoopBound((self, act), eventLoop: loop)
    loop.scheduleTask(in: .nanoseconds(span.nanoseconds)) { bound.value.1(bound.value.0) }
  }

  // MARK: Phases

  private func begin() {
    watch(NIODeadline.now())
    // A hundred new connections every ten milliseconds: no more than a listener's queue holds.
    for (number, _) in callers.enumerated() {
      after(.milliseconds(Int64(number / 100) * 10)) { drive in
        drive.registeredAt[number] = NIODeadline.now()
        drive.callers[number].tell(.register(UserID(UInt32(number)), drive.callers[number].role))
        if drive.callers[number].role == .interpreter { drive.callers[number].tell(.goOnline) }
      }
    }
    after(.seconds(20)) { drive in
      if drive.round == 0 && !drive.isRound { drive.finish() }
    }
  }

  /// The lateness of a timer every ten milliseconds.
  private func watch(_ due: NIODeadline) {
    let next = due + .milliseconds(10)
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(deadline: next) {
      bound.value.result.slips.append((NIODeadline.now() - next).nanoseconds)
      bound.value.watch(NIODeadline.now())
    }
  }

  private func beginRound() {
    if round == settings.rounds || settings.interpreters == 0 { return beginChanges() }
    round += 1
    isRound = true
    result.rounds += 1
    waiting = settings.callers
    for index in 0..<winnersOf.count { winnersOf[index] = 0 }
    for number in 0..<settings.callers {
      let peer = settings.callers + number % settings.interpreters
      askedAt[number] = NIODeadline.now()
      isCalling[number] = true
      result.requests += 1
      callers[number].tell(.call(UserID(UInt32(peer))))
    }
    let own = round
    after(settings.patience) { drive in
      if drive.isRound && drive.round == own { drive.endRound() }
    }
  }

  private func endRound() {
    isRound = false
    result.unanswered += waiting
    let asked = min(settings.callers, settings.interpreters)
    let first = settings.callers
    for peer in first..<(first + settings.interpreters) {
      let expected = peer - first < asked ? 1 : 0
      if winnersOf[peer] != expected {
        result.badRounds += 1
        break
      }
    }
    for number in 0..<settings.callers {
      isCalling[number] = false
      callers[number].tell(.hangUp)
    }
    after(.milliseconds(200)) { $0.settle() }
  }

  /// Goes on when everybody has heard of everything.
  private func settle() {
    if NIODeadline.now() - heardAt < .milliseconds(200) {
      after(.milliseconds(50)) { $0.settle() }
    } else {
      beginRound()
    }
  }

  private func beginChanges() {
    if change == settings.changes * 2 || settings.interpreters == 0 {
      after(.seconds(1)) { $0.endChanges() }
      return
    }
    if missing > 0, let changed, NIODeadline.now() - changed.at < .seconds(2) {
      after(.milliseconds(10)) { $0.beginChanges() }
      return
    }
    result.missingPresence += missing
    let peer = settings.callers + (change / 2) % settings.interpreters
    let isAvailable = change % 2 == 1
    change += 1
    missing = settings.callers + settings.idle
    changed = (UInt32(peer), isAvailable, NIODeadline.now())
    callers[peer].tell(isAvailable ? .goOnline : .goOffline)
    after(settings.changeEvery) { $0.beginChanges() }
  }

  private func endChanges() {
    result.missingPresence += missing
    missing = 0
    let gone = NIODeadline.now() - start
    let left = settings.length.nanoseconds - gone.nanoseconds
    after(.nanoseconds(max(left, 0))) { $0.finish() }
  }

  private func finish() {
    result.seconds = Double((NIODeadline.now() - start).nanoseconds) / 1e9
    result.registered = callers.count { $0.machine.screen == .registered }
    done.succeed(result)
  }

  // MARK: What clients tell

  func caller(_ number: Int, shows screen: CallClient.Screen, at now: NIODeadline) {
    switch screen {
    case .registered:
      guard let since = registeredAt[number] else { return }
      registeredAt[number] = nil
      result.registrations.append((now - since).nanoseconds)
      result.registered += 1
      // Interpreters are online one message later.
      if result.registered == wanted { after(.milliseconds(200)) { $0.settle() } }
    case .incoming: callers[number].tell(.accept)
    case .inCall where callers[number].role == .caller && isCalling[number]:
      guard let since = askedAt[number] else { return }
      result.setupTimes.append((now - since).nanoseconds)
      result.winners += 1
      if let peer = callers[number].machine.talk?.peer { winnersOf[Int(peer.index)] += 1 }
      answer(number)
    default: break
    }
  }

  func caller(_ number: Int, isBusyAt now: NIODeadline) {
    guard isCalling[number], let since = askedAt[number] else { return }
    result.busy += 1
    result.busyTimes.append((now - since).nanoseconds)
    answer(number)
  }

  private func answer(_ number: Int) {
    isCalling[number] = false
    waiting -= 1
    if waiting == 0 && isRound { after(.milliseconds(20)) { if $0.isRound { $0.endRound() } } }
  }

  func caller(_ number: Int, sees peer: UInt32, isAvailable: Bool, at now: NIODeadline) {
    heardAt = now
    guard let changed, changed.peer == peer, changed.isAvailable == isAvailable, missing > 0 else {
      return
    }
    missing -= 1
    result.presenceTimes.append((now - changed.at).nanoseconds)
  }

  func caller(_ number: Int, heardEnd reason: EndReason) {
    if reason == .disconnected || reason == .lostByServer { result.drops += 1 }
  }
}
