import MediaUnits

/// What a client asks of the server or of the object store.
public enum RequestKind: UInt8, Sendable, Equatable, CaseIterable {
  /// Announce an upload to the server and learn where it goes.
  case intent
  /// Put the video into the object store.
  case store
  /// Tell the server of a video in the store.
  case register
  /// Give the video to the server, which stores and registers it.
  case submit
  /// Get a video from the object store.
  case download
  /// Tell the server how far the recipient has come with a video.
  case report
  /// Tell the server that the sender has learnt that a video was viewed.
  case acknowledge
  /// Have a video and its status deleted.
  case delete
  /// Ask the server for an ``InfoPacket``.
  case poll
}

/// What came of a request.
public enum RequestOutcome: Sendable, Equatable {
  /// 200. `version` counts the changes of the server's table; `status` is what the server has.
  case done(version: UInt64, status: DeliveryStatus)
  /// 429 or 5xx, with what `Retry-After` says.
  case busy(after: TimeSpan)
  /// No answer: a broken connection or a time-out.
  case lost
  /// 404 or 410: there is no such video.
  case gone
  /// Another 4xx: it makes no sense to ask again.
  case refused
}

/// How requests are repeated.
public struct RepeatRule: Sendable, Equatable {
  /// The first wait after a failure; each next one is twice as long. Default 1 s (parameters
  /// section 10: socket.io).
  public var firstWait: TimeSpan
  /// The longest wait without jitter. Default 60 s (assumed).
  public var longestWait: TimeSpan
  /// Up to so many parts of a wait are added; the host draws. Default 0.5 (parameters section 10).
  public var jitter: Double
  /// A request without an answer has failed after so long. Default 10 s (assumed).
  public var answerTimeout: TimeSpan
  /// The same for what carries a video. Default 60 s (assumed).
  public var transferTimeout: TimeSpan

  /// - Precondition: no wait and no jitter is negative; the time-outs are positive.
  public init(
    firstWait: TimeSpan = .seconds(1), longestWait: TimeSpan = .seconds(60), jitter: Double = 0.5,
    answerTimeout: TimeSpan = .seconds(10), transferTimeout: TimeSpan = .seconds(60)
  ) {
    precondition(firstWait >= .zero && longestWait >= .zero, "waits are not negative")
    precondition(jitter >= 0, "jitter is not negative")
    precondition(answerTimeout > .zero && transferTimeout > .zero, "time-outs are positive")
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.jitter = jitter
    self.answerTimeout = answerTimeout
    self.transferTimeout = transferTimeout
  }

  /// The wait after so many failures in a row, from 1 on, without jitter.
  public func wait(failures: Int) -> TimeSpan {
    Backoff(firstWait: firstWait, longestWait: longestWait, jitter: jitter).wait(failures: failures)
  }

  func timeout(of kind: RequestKind) -> TimeSpan {
    switch kind {
    case .store, .submit, .download: return transferTimeout
    case .intent, .register, .report, .acknowledge, .delete, .poll: return answerTimeout
    }
  }
}

/// One thing that a client has to get done, however often it must ask.
public struct Errand: Hashable, Sendable {
  public var kind: RequestKind
  public var video: VideoID

  public init(_ kind: RequestKind, _ video: VideoID) {
    self.kind = kind
    self.video = video
  }
}

/// The requests that a client repeats until they are answered, as a value that can be kept over a
/// restart (TBM-048, TBM-050, TBM-051).
///
/// An answer of any attempt counts if it is a success: what was done is done. A failure counts only
/// for the last attempt.
public struct Outbox: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// There is no connection. Can transition to: flying.
    case held
    /// Asked; a timer runs. Can transition to: held, waiting, gone from the list.
    case flying
    /// A timer runs until the next attempt. Can transition to: held, flying, gone from the list.
    case waiting
  }

  struct Entry: Sendable, Equatable {
    var errand: Errand
    var phase: Phase
    var attempt: UInt32
    var failures: Int
  }

  /// What the host has to do for one errand.
  enum Step: Sendable, Equatable {
    case none
    case send(attempt: UInt32, timeout: Instant)
    case wait(attempt: UInt32, until: Instant, jitter: TimeSpan)
  }

  /// What an answer or a timer came to.
  enum Verdict: Sendable, Equatable {
    /// Unknown or too late.
    case stale
    /// The errand is over.
    case over(RequestOutcome)
    /// It will be tried again.
    case again(Step)
  }

  let rule: RepeatRule
  var entries: [Entry] = []
  var lastAttempt: UInt32 = 0
  var isOnline = false

  init(_ rule: RepeatRule) { self.rule = rule }

  /// Errands that are not done.
  public var count: Int { entries.count }

  func place(of errand: Errand) -> Int? {
    for index in 0..<entries.count where entries[index].errand == errand { return index }
    return nil
  }

  func contains(_ errand: Errand) -> Bool { place(of: errand) != nil }

  /// Adds an errand that is not there yet.
  mutating func add(_ errand: Errand, at now: Instant) -> Step {
    if contains(errand) { return .none }
    entries.append(Entry(errand: errand, phase: .held, attempt: 0, failures: 0))
    return isOnline ? send(entries.count - 1, at: now) : .none
  }

  mutating func remove(_ errand: Errand) {
    if let place = place(of: errand) { entries.remove(at: place) }
  }

  mutating func remove(video: VideoID) { entries.removeAll { $0.errand.video == video } }

  private mutating func send(_ place: Int, at now: Instant) -> Step {
    lastAttempt &+= 1
    entries[place].phase = .flying
    entries[place].attempt = lastAttempt
    return .send(
      attempt: lastAttempt,
      timeout: now.advanced(saturatingBy: rule.timeout(of: entries[place].errand.kind)))
  }

  /// The first errand that waits for a connection, sent; nil when there is none.
  mutating func sendHeld(at now: Instant) -> (errand: Errand, step: Step)? {
    guard isOnline else { return nil }
    for index in 0..<entries.count where entries[index].phase == .held {
      let step = send(index, at: now)
      return (entries[index].errand, step)
    }
    return nil
  }

  /// The connection went: nothing that is out can be counted on, and timers are void.
  mutating func hold() {
    isOnline = false
    for index in 0..<entries.count { entries[index].phase = .held }
  }

  mutating func answered(
    _ errand: Errand, _ attempt: UInt32, _ outcome: RequestOutcome, at now: Instant
  ) -> Verdict {
    guard let place = place(of: errand) else { return .stale }
    switch outcome {
    case .done:
      if attempt == 0 || attempt > lastAttempt { return .stale }
      entries.remove(at: place)
      return .over(outcome)
    case .gone, .refused:
      guard entries[place].attempt == attempt, entries[place].phase != .held else { return .stale }
      entries.remove(at: place)
      return .over(outcome)
    case .busy(let after):
      guard entries[place].attempt == attempt, entries[place].phase == .flying else {
        return .stale
      }
      return .again(fail(place, after: after, at: now))
    case .lost:
      guard entries[place].attempt == attempt, entries[place].phase == .flying else {
        return .stale
      }
      return .again(fail(place, after: .zero, at: now))
    }
  }

  mutating func timerFired(_ errand: Errand, _ attempt: UInt32, at now: Instant) -> Verdict {
    guard let place = place(of: errand), entries[place].attempt == attempt else { return .stale }
    switch entries[place].phase {
    case .held: return .stale
    case .flying: return .again(fail(place, after: .zero, at: now))
    case .waiting: return .again(send(place, at: now))
    }
  }

  private mutating func fail(_ place: Int, after: TimeSpan, at now: Instant) -> Step {
    if entries[place].failures < 1_000 { entries[place].failures += 1 }
    entries[place].phase = .waiting
    lastAttempt &+= 1
    entries[place].attempt = lastAttempt
    let wait = max(rule.wait(failures: entries[place].failures), after)
    return .wait(
      attempt: lastAttempt, until: now.advanced(saturatingBy: wait),
      jitter: wait.scaled(by: rule.jitter))
  }

  /// The outbox as it begins after a restart: everything waits for a connection.
  var restored: Outbox {
    var copy = self
    copy.hold()
    return copy
  }
}
