import MediaUnits

/// Collects telemetry events and says when to send them (SIG-048, SIG-049, SIG-052).
///
/// Models: when a batch is due, one batch on its way at a time, what becomes of a batch that was
/// not accepted, the flush when the app leaves the screen, a queue of bounded length. Leaves out:
/// the request itself and what a killed app loses, which is ``pendingCount`` at that moment.
///
/// A batch is a run of the queue from its front; the host reads it with ``event(_:)`` from the
/// sequence numbers that the command names. Its number stays the same when it is sent again, so
/// that an ingest that is told of it can drop a repeat.
///
/// Answers may be late or repeated: one whose batch is not on its way is counted. Every post of a
/// batch has the number of its attempt, which a failure carries: one of an earlier attempt is
/// counted, too, and costs no retry. An acceptance is one of the batch, whichever attempt it was.
public struct TelemetryBatcher: PolicyMachine {
  /// When a batch is due.
  public enum FlushRule: Sendable, Equatable {
    /// When nothing was recorded for this long. Starves under steady events (SIG-049).
    case trailing(quiet: TimeSpan)
    /// So long after the first event of the batch.
    case window(TimeSpan)
    /// As `trailing`, but at most `longest` after the batch's first event, and at once when it has
    /// `count` events.
    case bounded(quiet: TimeSpan, longest: TimeSpan, count: Int)

    /// Whether every event sets the timer anew.
    var isRestarted: Bool {
      if case .window = self { return false }
      return true
    }
  }

  /// What becomes of a batch that was not accepted (SIG-052).
  public enum Delivery: Sendable, Equatable {
    /// It is thrown away.
    case drop
    /// It is sent again; the ingest may count it twice.
    case retry
    /// It is sent again with its number, by which the ingest drops a repeat.
    case retryWithNumbers
  }

  public struct Configuration: Sendable, Equatable {
    /// Default: debounced by 200 ms (SIG-048), but after at most 2 s and at 50 events (SIG-049).
    public var rule: FlushRule
    /// Default: sent again with numbers (assumed; SIG-052 compares).
    public var delivery: Delivery
    /// Events that wait at most; the newest is dropped when there is no room. Default 500 (assumed:
    /// about ten minutes of use by `parameters.md` section 13).
    public var queueLimit: Int
    /// Events of one batch at most. Default 50 (SIG-049).
    public var batchLimit: Int
    /// Waits before a batch is sent again. Default 1, 2, 4 s (REEL-021, `parameters.md` section 8),
    /// then it is dropped.
    public var retry: RetryPolicy

    public init(
      rule: FlushRule = .bounded(quiet: .milliseconds(200), longest: .seconds(2), count: 50),
      delivery: Delivery = .retryWithNumbers, queueLimit: Int = 500, batchLimit: Int = 50,
      retry: RetryPolicy = RetryPolicy()
    ) {
      self.rule = rule
      self.delivery = delivery
      self.queueLimit = queueLimit
      self.batchLimit = batchLimit
      self.retry = retry
    }
  }

  /// The timers of the batcher; setting one replaces it.
  public enum TimerID: UInt8, Sendable, Equatable {
    case flush = 0
    case retry
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    case recorded(TelemetryEvent)
    case timerFired(TimerID)
    /// The ingest accepted the batch.
    case accepted(batch: UInt32)
    /// It did not take this post of the batch, or nobody knows.
    case failed(batch: UInt32, attempt: Int)
    /// The app leaves the screen: everything that is in no batch is due. A batch that waits to be
    /// sent again keeps its wait.
    case movedToBackground
    /// The app is back.
    case movedToForeground
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Send the events with these sequence numbers; `number` is to be sent with them when it is not
    /// nil. `attempt` counts the posts of the batch from 0.
    case post(batch: UInt32, first: UInt64, count: Int, number: UInt32?, attempt: Int)
    /// Report ``Event/timerFired(_:)`` then, or up to `jitter` later (the host draws).
    case setTimer(TimerID, at: Instant, jitter: TimeSpan)
    case cancelTimer(TimerID)
  }

  /// The batch at the front of the queue.
  enum State: Sendable, Equatable {
    /// None. Can transition to: sending.
    case idle
    /// On its way. Can transition to: idle, waiting, sending (the next one).
    case sending(batch: UInt32, count: Int, failures: Int)
    /// To be sent again when the timer fires. Can transition to: sending.
    case waiting(batch: UInt32, count: Int, failures: Int, until: Instant)
  }

  public let configuration: Configuration
  var state = State.idle
  var queue: [TelemetryEvent] = []
  /// Place in `queue` of the first event, and its sequence number.
  var head = 0
  public private(set) var firstSequence: UInt64 = 0
  /// When the oldest event that is in no batch yet was recorded; nil without one.
  var openSince: Instant?
  /// What is not in a batch is sent as soon as the batch that is on its way is gone.
  var isDue = false
  /// When the flush timer fires; nil when none is set.
  var flushAt: Instant?
  var isInBackground = false
  var nextBatch: UInt32 = 0

  /// Events recorded, and those of them that found the queue full.
  public private(set) var recorded = 0
  public private(set) var overflowed = 0
  /// Events of accepted batches, and of batches that were given up.
  public private(set) var delivered = 0
  public private(set) var givenUp = 0
  /// Posts, repeats included.
  public private(set) var posts = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  /// - Precondition: the limits are at least 1.
  public init(_ configuration: Configuration = Configuration()) {
    precondition(
      configuration.queueLimit >= 1, "queueLimit is at least 1, got \(configuration.queueLimit)")
    precondition(
      configuration.batchLimit >= 1, "batchLimit is at least 1, got \(configuration.batchLimit)")
    self.configuration = configuration
  }

  /// Events that are neither accepted nor given up: what a killed app loses.
  public var pendingCount: Int { queue.count - head }

  /// Events of the batch at the front; zero without one.
  var frontCount: Int {
    switch state {
    case .idle: 0
    case .sending(_, let count, _), .waiting(_, let count, _, _): count
    }
  }

  /// An event that is still pending, by its sequence number.
  public func event(_ sequence: UInt64) -> TelemetryEvent? {
    if sequence < firstSequence { return nil }
    let offset = sequence - firstSequence
    return offset < UInt64(pendingCount) ? queue[head + Int(offset)] : nil
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .recorded(let event): record(event, at: now, into: &commands)
    case .timerFired(.flush):
      guard let due = flushAt else {
        ignored += 1
        return
      }
      // The timer that this one replaced, perhaps.
      if now < due {
        ignored += 1
        commands.append(.setTimer(.flush, at: due, jitter: .zero))
        return
      }
      flushAt = nil
      isDue = true
      sendIfDue(into: &commands)
    case .timerFired(.retry): fireRetry(at: now, into: &commands)
    case .accepted(let batch):
      guard frontCount > 0, frontBatch == batch else {
        ignored += 1
        return
      }
      if case .waiting = state { commands.append(.cancelTimer(.retry)) }
      delivered += frontCount
      dropFront()
      sendIfDue(into: &commands)
    case .failed(let batch, let attempt): fail(batch, attempt, at: now, into: &commands)
    case .movedToBackground:
      if isInBackground { ignored += 1 }
      isInBackground = true
      flush(into: &commands)
    case .movedToForeground:
      if !isInBackground { ignored += 1 }
      isInBackground = false
    }
  }

  /// The batch whose answer is awaited; nil without one.
  public var batchOnItsWay: UInt32? {
    if case .sending(let batch, _, _) = state { return batch }
    return nil
  }

  private var frontBatch: UInt32? {
    switch state {
    case .idle: nil
    case .sending(let batch, _, _), .waiting(let batch, _, _, _): batch
    }
  }

  // MARK: Recording

  private mutating func record(
    _ event: TelemetryEvent, at now: Instant, into commands: inout [Command]
  ) {
    recorded += 1
    if pendingCount >= configuration.queueLimit {
      overflowed += 1
      return
    }
    queue.append(event)
    let began = openSince ?? now
    openSince = began
    // What is due already goes with the batch that follows the one on its way.
    if isDue { return }
    let due = dueTime(lastAt: now, since: began)
    if isInBackground || due <= now {
      flush(into: &commands)
    } else if flushAt == nil || configuration.rule.isRestarted {
      flushAt = due
      commands.append(.setTimer(.flush, at: due, jitter: .zero))
    }
  }

  /// When the events that are in no batch are due.
  private func dueTime(lastAt now: Instant, since began: Instant) -> Instant {
    switch configuration.rule {
    case .trailing(let quiet): return now.advanced(saturatingBy: quiet)
    case .window(let length): return began.advanced(saturatingBy: length)
    case .bounded(let quiet, let longest, let count):
      if pendingCount - frontCount >= count { return now }
      return min(now.advanced(saturatingBy: quiet), began.advanced(saturatingBy: longest))
    }
  }

  // MARK: Sending

  private mutating func flush(into commands: inout [Command]) {
    cancelFlush(into: &commands)
    if openSince != nil { isDue = true }
    sendIfDue(into: &commands)
  }

  private mutating func cancelFlush(into commands: inout [Command]) {
    if flushAt == nil { return }
    flushAt = nil
    commands.append(.cancelTimer(.flush))
  }

  private mutating func sendIfDue(into commands: inout [Command]) {
    guard isDue, case .idle = state else { return }
    let count = min(pendingCount, configuration.batchLimit)
    if count == 0 {
      isDue = false
      openSince = nil
      return
    }
    if count == pendingCount {
      isDue = false
      openSince = nil
      cancelFlush(into: &commands)
    }
    nextBatch &+= 1
    send(nextBatch, count, 0, into: &commands)
  }

  private mutating func send(
    _ batch: UInt32, _ count: Int, _ failures: Int, into commands: inout [Command]
  ) {
    posts += 1
    state = .sending(batch: batch, count: count, failures: failures)
    commands.append(
      .post(
        batch: batch, first: firstSequence, count: count,
        number: configuration.delivery == .retryWithNumbers ? batch : nil, attempt: failures))
  }

  private mutating func fireRetry(at now: Instant, into commands: inout [Command]) {
    guard case .waiting(let batch, let count, let failures, let until) = state else {
      ignored += 1
      return
    }
    if now >= until { return send(batch, count, failures, into: &commands) }
    ignored += 1
    if case .retry(_, let jitter) = configuration.retry.answer(failures: failures) {
      commands.append(.setTimer(.retry, at: until, jitter: jitter))
    }
  }

  private mutating func fail(
    _ failed: UInt32, _ attempt: Int, at now: Instant, into commands: inout [Command]
  ) {
    guard case .sending(let batch, let count, let failures) = state, batch == failed,
      attempt == failures
    else {
      ignored += 1
      return
    }
    let answer =
      configuration.delivery == .drop ? .giveUp : configuration.retry.answer(failures: failures + 1)
    switch answer {
    case .retry(let wait, let jitter):
      let until = now.advanced(saturatingBy: wait)
      state = .waiting(batch: batch, count: count, failures: failures + 1, until: until)
      commands.append(.setTimer(.retry, at: until, jitter: jitter))
    case .giveUp, .askViewer:
      givenUp += count
      dropFront()
      sendIfDue(into: &commands)
    }
  }

  private mutating func dropFront() {
    let count = frontCount
    head += count
    firstSequence += UInt64(count)
    state = .idle
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= pendingCount {
      // What is moved is no more than what was taken since: constant on average.
      queue.removeFirst(head)
      head = 0
    }
  }
}
