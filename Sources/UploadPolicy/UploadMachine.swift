import MediaUnits

/// Brings one file into the object store in parts, and goes on where it was after a loss of the
/// network or of the process (SIG-012, SIG-013, SIG-014).
///
/// The order is authorise, create, parts, complete. Parts that the store has confirmed are never
/// sent again; those on their way when the network goes are, so that an outage costs at most
/// `parallelism` parts. The machine is a value: a copy kept on disk and told
/// ``Event/connected(_:)`` goes on after a restart. Every request has a number; an answer to
/// another one is counted and changes nothing. Leaves out: the bytes, and the presigned addresses,
/// which come with the answers.
public struct UploadMachine: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Bytes of a part but the last. Default 5 MiB, the least that S3 takes (parameters section 8).
    public var partSize: ByteCount
    /// Parts on their way at once. Default 4 (parameters section 8: 3 to 4).
    public var parallelism: Int
    /// Waits after a failure. Default 1, 2, 4 s (parameters section 8).
    public var backoff: Backoff
    /// Failures in a row after which the upload is given up. Default 8 (assumed).
    public var patience: Int
    /// A request without media has failed after so long. Default 10 s (assumed).
    public var answerTimeout: TimeSpan
    /// A part has failed after so long. Default 10 min (assumed: four parts of 5 MiB side by side
    /// at 280 kbit/s; a shorter one never ends on a slow link).
    public var partTimeout: TimeSpan
    /// Whether a part that was confirmed is kept. Default true; false begins anew after every
    /// failure, a negative control.
    public var resumes: Bool

    /// - Precondition: `partSize`, `parallelism`, `patience` and the time-outs are positive.
    public init(
      partSize: ByteCount = .mebibytes(5), parallelism: Int = 4, backoff: Backoff = Backoff(),
      patience: Int = 8, answerTimeout: TimeSpan = .seconds(10),
      partTimeout: TimeSpan = .minutes(10), resumes: Bool = true
    ) {
      precondition(partSize > .zero && parallelism >= 1 && patience >= 1, "an upload goes on")
      precondition(answerTimeout > .zero && partTimeout > .zero, "a request may take some time")
      self.partSize = partSize
      self.parallelism = parallelism
      self.backoff = backoff
      self.patience = patience
      self.answerTimeout = answerTimeout
      self.partTimeout = partTimeout
      self.resumes = resumes
    }
  }

  /// What is asked for. `part` counts from 0.
  public enum Request: Sendable, Equatable {
    case authorise
    case create
    case part(UInt32, from: ByteCount, length: ByteCount)
    case complete
  }

  public enum Event: Sendable, Equatable {
    case started(ByteCount)
    case connected(Bool)
    /// The request was done. What it gave stays with the host.
    case done(request: UInt32)
    /// A broken connection or 5xx.
    case failed(request: UInt32)
    /// 401 or 403: the token or the address has expired.
    case expired(request: UInt32)
    case timerFired(TimerID)
    /// The user does not want it any more.
    case cancelled
  }

  public enum TimerID: Sendable, Equatable {
    /// A request has not been answered.
    case answer(request: UInt32)
    /// A wait is over.
    case retry(UInt32)
  }

  public enum Command: Sendable, Equatable {
    case send(request: UInt32, Request)
    /// The answer is of no use any more.
    case stop(request: UInt32)
    /// Report ``Event/timerFired(_:)`` then, or up to `jitter` later.
    case setTimer(TimerID, at: Instant, jitter: TimeSpan)
    /// Keep a copy of the machine.
    case save
    case finish
    case giveUp
  }

  public enum Stage: UInt8, Sendable, Equatable {
    /// Can transition to: authorising.
    case idle = 0
    /// Can transition to: creating, failed.
    case authorising
    /// Can transition to: sending, authorising (expired), failed.
    case creating
    /// Can transition to: completing, authorising, failed.
    case sending
    /// Can transition to: finished, authorising, failed.
    case completing
    /// Final.
    case finished
    /// Final.
    case failed
  }

  enum Part: UInt8, Sendable, Equatable {
    case waiting
    case flying
    case done
  }

  struct Flight: Sendable, Equatable {
    var number: UInt32
    var request: Request
  }

  public let configuration: Configuration
  public private(set) var stage = Stage.idle
  var size = ByteCount.zero
  var parts: [Part] = []
  var flights: [Flight] = []
  var isOnline = true
  var isWaiting = false
  var isCreated = false
  var failures = 0
  var lastRequest: UInt32 = 0
  var lastWait: UInt32 = 0

  /// Bytes of parts that were sent, those that were sent again included.
  public private(set) var sentBytes = ByteCount.zero
  public private(set) var ignored = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  public var partCount: Int { parts.count }
  public var doneParts: Int {
    var count = 0
    for part in parts where part == .done { count += 1 }
    return count
  }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .started(let bytes): start(bytes, at: now, into: &commands)
    case .connected(let isOnline): connect(isOnline, at: now, into: &commands)
    case .done(let request): finish(request, at: now, into: &commands)
    case .failed(let request): fail(request, at: now, into: &commands)
    case .expired(let request):
      guard let kind = take(request) else { return }
      giveBack(kind)
      release(into: &commands)
      stage = .authorising
      countFailure(at: now, into: &commands)
    case .timerFired(.answer(let request)):
      if !flights.contains(where: { $0.number == request }) {
        ignored += 1
        return
      }
      commands.append(.stop(request: request))
      fail(request, at: now, into: &commands)
    case .timerFired(.retry(let wait)):
      if wait != lastWait || !isWaiting {
        ignored += 1
        return
      }
      isWaiting = false
      pump(at: now, into: &commands)
    case .cancelled:
      if isOver {
        ignored += 1
        return
      }
      release(into: &commands)
      stage = .failed
    }
  }

  public var isOver: Bool { stage == .finished || stage == .failed }

  private mutating func start(
    _ bytes: ByteCount, at now: Instant, into commands: inout [Command]
  ) {
    if stage != .idle || bytes <= .zero {
      ignored += 1
      return
    }
    size = bytes
    let whole = (bytes.bytes - 1) / configuration.partSize.bytes + 1
    // S3 takes 10,000 parts (parameters section 8).
    precondition(whole <= 10_000, "a file has at most 10,000 parts")
    parts = [Part](repeating: .waiting, count: Int(whole))
    stage = .authorising
    pump(at: now, into: &commands)
  }

  private mutating func connect(
    _ isOnline: Bool, at now: Instant, into commands: inout [Command]
  ) {
    self.isOnline = isOnline
    if isOver || stage == .idle {
      ignored += 1
      return
    }
    release(into: &commands)
    isWaiting = false
    lastWait &+= 1
    if isOnline { pump(at: now, into: &commands) }
  }

  /// Sends what may be sent now.
  private mutating func pump(at now: Instant, into commands: inout [Command]) {
    if !isOnline || isWaiting { return }
    switch stage {
    case .authorising: if flights.isEmpty { send(.authorise, at: now, into: &commands) }
    case .creating: if flights.isEmpty { send(.create, at: now, into: &commands) }
    case .completing: if flights.isEmpty { send(.complete, at: now, into: &commands) }
    case .sending:
      for index in 0..<parts.count where parts[index] == .waiting {
        if flights.count >= configuration.parallelism { return }
        parts[index] = .flying
        let from = configuration.partSize * Int64(index)
        let length = min(configuration.partSize, size - from)
        sentBytes += length
        send(.part(UInt32(index), from: from, length: length), at: now, into: &commands)
      }
    case .idle, .finished, .failed: return
    }
  }

  private mutating func send(
    _ request: Request, at now: Instant, into commands: inout [Command]
  ) {
    lastRequest &+= 1
    flights.append(Flight(number: lastRequest, request: request))
    commands.append(.send(request: lastRequest, request))
    var timeout = configuration.answerTimeout
    if case .part = request { timeout = configuration.partTimeout }
    commands.append(
      .setTimer(
        .answer(request: lastRequest), at: now.advanced(saturatingBy: timeout), jitter: .zero))
  }

  private mutating func take(_ number: UInt32) -> Request? {
    for index in 0..<flights.count where flights[index].number == number {
      return flights.remove(at: index).request
    }
    ignored += 1
    return nil
  }

  private mutating func giveBack(_ request: Request) {
    if case .part(let index, _, _) = request { parts[Int(index)] = .waiting }
  }

  /// Forgets what is on its way; its parts wait again.
  private mutating func release(into commands: inout [Command]) {
    for flight in flights {
      giveBack(flight.request)
      commands.append(.stop(request: flight.number))
    }
    flights.removeAll(keepingCapacity: true)
    if !configuration.resumes {
      for index in 0..<parts.count { parts[index] = .waiting }
      if stage == .completing { stage = .sending }
    }
  }

  private mutating func finish(
    _ number: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    guard let request = take(number) else { return }
    failures = 0
    switch request {
    case .authorise: stage = !isCreated ? .creating : hasAllParts ? .completing : .sending
    case .create:
      isCreated = true
      stage = .sending
    case .part(let index, _, _):
      parts[Int(index)] = .done
      if hasAllParts { stage = .completing }
    case .complete:
      stage = .finished
      commands.append(.save)
      commands.append(.finish)
      return
    }
    commands.append(.save)
    pump(at: now, into: &commands)
  }

  private var hasAllParts: Bool { doneParts == parts.count }

  private mutating func fail(
    _ number: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    guard let request = take(number) else { return }
    giveBack(request)
    if !configuration.resumes { release(into: &commands) }
    countFailure(at: now, into: &commands)
  }

  private mutating func countFailure(at now: Instant, into commands: inout [Command]) {
    failures += 1
    if failures >= configuration.patience {
      release(into: &commands)
      stage = .failed
      commands.append(.giveUp)
      return
    }
    isWaiting = true
    lastWait &+= 1
    commands.append(
      .setTimer(
        .retry(lastWait),
        at: now.advanced(saturatingBy: configuration.backoff.wait(failures: failures)),
        jitter: configuration.backoff.jitter(failures: failures)))
  }
}
