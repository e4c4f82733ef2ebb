import MediaUnits

/// One execution of the pipeline: Inspect, Moderate, Transcode, Storyboard, Publish (SIG-015 to
/// SIG-020, SIG-053, SIG-055, SIG-073).
///
/// A stage is started with a token that stays the same when it is started again after a time-out,
/// so that a service that had heard the first time does not do the work twice. A file that breaks a
/// rule is rejected before anything is transcoded. Moderation and transcoding may run side by side;
/// then a flagged file has been transcoded for nothing. What was published before stays: a new
/// version has its own path, and its manifest is the last thing that changes. Leaves out: the work.
public struct PipelineMachine: PolicyMachine {
  public enum Stage: UInt8, Sendable, Equatable, CaseIterable {
    case inspect = 0
    case moderate
    case transcode
    case storyboard
    case publish
  }

  public struct Configuration: Sendable, Equatable {
    public var rules: InspectionRules
    /// Whether Transcode begins with Moderate. Default false (SIG-055).
    public var isParallel: Bool
    public var order: PublishOrder
    /// Starts of a stage after the first one. Default 2 (assumed).
    public var retries: Int
    public var backoff: Backoff
    /// A stage that has not ended is started again after so long. Default 15 min (assumed: far
    /// beyond the longest transcode of a short video, parameters section 12).
    public var timeout: TimeSpan

    /// - Precondition: `retries` is 0 to 100, `timeout` positive.
    public init(
      rules: InspectionRules = InspectionRules(), isParallel: Bool = false,
      order: PublishOrder = .recommended, retries: Int = 2, backoff: Backoff = Backoff(),
      timeout: TimeSpan = .minutes(15)
    ) {
      precondition(retries >= 0 && retries <= 100 && timeout > .zero, "stages end")
      self.rules = rules
      self.isParallel = isParallel
      self.order = order
      self.retries = retries
      self.backoff = backoff
      self.timeout = timeout
    }
  }

  public enum Event: Sendable, Equatable {
    case started
    /// The probe's answer.
    case inspected(MediaFacts)
    case moderated(isFlagged: Bool)
    /// Transcode or Storyboard is done.
    case done(Stage)
    /// An attempt failed.
    case failed(Stage, attempt: UInt8)
    case written(PublishWrite)
    case timerFired(TimerID)
  }

  public enum TimerID: Sendable, Equatable {
    case timeout(Stage, attempt: UInt8)
    case retry(Stage, attempt: UInt8)
  }

  public enum Command: Sendable, Equatable {
    /// Start a stage; every attempt of one stage has the same token.
    case start(Stage, attempt: UInt8)
    case write(PublishWrite)
    case setTimer(TimerID, at: Instant, jitter: TimeSpan)
    case published
    case reject(RejectionCode)
    /// The execution ends without a result.
    case fail(Stage)
  }

  public enum State: Sendable, Equatable {
    /// Can transition to: inspecting.
    case idle
    /// Can transition to: moderating, both, rejected, failed.
    case inspecting
    /// Can transition to: transcoding, rejected, failed.
    case moderating
    /// Moderation and transcoding side by side. Can transition to: moderating (transcoded),
    /// transcoding, storyboarding, rejected, failed.
    case both
    /// Moderation is still out, transcoding done. Can transition to: storyboarding, rejected,
    /// failed.
    case awaitingModeration
    /// Can transition to: storyboarding, rejected, failed.
    case transcoding
    /// Can transition to: publishing, failed.
    case storyboarding
    /// So many writes are made, a bit each. Can transition to: published, failed.
    case publishing(UInt8)
    /// Final.
    case published
    /// Final.
    case rejected(RejectionCode)
    /// Final.
    case failed(Stage)
  }

  public let configuration: Configuration
  public private(set) var state = State.idle
  /// Attempts by stage.
  var attempts: [UInt8]
  /// What was transcoded of a file that was rejected afterwards.
  public private(set) var isWasted = false
  public private(set) var ignored = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    attempts = [UInt8](repeating: 0, count: Stage.allCases.count)
  }

  public func attempts(of stage: Stage) -> Int { Int(attempts[Int(stage.rawValue)]) }

  public var isOver: Bool {
    switch state {
    case .published, .rejected, .failed: return true
    default: return false
    }
  }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch (event, state) {
    case (.started, .idle):
      state = .inspecting
      start(.inspect, at: now, into: &commands)
    case (.inspected(let facts), .inspecting):
      if let code = configuration.rules.rejection(of: facts) {
        reject(code, into: &commands)
        return
      }
      state = configuration.isParallel ? .both : .moderating
      start(.moderate, at: now, into: &commands)
      if configuration.isParallel { start(.transcode, at: now, into: &commands) }
    case (.moderated(let isFlagged), .moderating):
      if isFlagged {
        reject(.flagged, into: &commands)
      } else {
        state = .transcoding
        start(.transcode, at: now, into: &commands)
      }
    case (.moderated(let isFlagged), .both), (.moderated(let isFlagged), .awaitingModeration):
      if isFlagged {
        isWasted = true
        reject(.flagged, into: &commands)
      } else if state == .both {
        state = .transcoding
      } else {
        storyboard(at: now, into: &commands)
      }
    case (.done(.transcode), .both): state = .awaitingModeration
    case (.done(.transcode), .transcoding): storyboard(at: now, into: &commands)
    case (.done(.storyboard), .storyboarding): publish(at: now, into: &commands)
    case (.written(let write), .publishing(let done)):
      note(write, done, into: &commands)
    case (.failed(let stage, let attempt), _): retry(stage, attempt, at: now, into: &commands)
    case (.timerFired(.timeout(let stage, let attempt)), _):
      retry(stage, attempt, at: now, into: &commands)
    case (.timerFired(.retry(let stage, let attempt)), _):
      if isOut(stage), attempt == attempts[Int(stage.rawValue)] {
        start(stage, at: now, into: &commands)
      } else {
        ignored += 1
      }
    default: ignored += 1
    }
  }

  private mutating func start(_ stage: Stage, at now: Instant, into commands: inout [Command]) {
    let attempt = attempts[Int(stage.rawValue)] + 1
    attempts[Int(stage.rawValue)] = attempt
    commands.append(.start(stage, attempt: attempt))
    commands.append(
      .setTimer(
        .timeout(stage, attempt: attempt), at: now.advanced(saturatingBy: configuration.timeout),
        jitter: .zero))
  }

  private mutating func storyboard(at now: Instant, into commands: inout [Command]) {
    state = .storyboarding
    start(.storyboard, at: now, into: &commands)
  }

  private mutating func publish(at now: Instant, into commands: inout [Command]) {
    state = .publishing(0)
    start(.publish, at: now, into: &commands)
    for place in 0..<(configuration.order.isConcurrent ? 3 : 1) {
      commands.append(.write(configuration.order.write(place)))
    }
  }

  private mutating func note(
    _ write: PublishWrite, _ done: UInt8, into commands: inout [Command]
  ) {
    let bit: UInt8 = 1 << write.rawValue
    if done & bit != 0 {
      ignored += 1
      return
    }
    state = .publishing(done | bit)
    if done | bit == 7 {
      state = .published
      commands.append(.published)
      return
    }
    if configuration.order.isConcurrent { return }
    for place in 0..<3 where (done | bit) >> configuration.order.write(place).rawValue & 1 == 0 {
      commands.append(.write(configuration.order.write(place)))
      return
    }
  }

  private mutating func reject(_ code: RejectionCode, into commands: inout [Command]) {
    state = .rejected(code)
    commands.append(.reject(code))
  }

  /// Whether an answer of the stage is waited for.
  private func isOut(_ stage: Stage) -> Bool {
    switch (stage, state) {
    case (.inspect, .inspecting), (.moderate, .moderating), (.moderate, .both),
      (.moderate, .awaitingModeration), (.transcode, .both), (.transcode, .transcoding),
      (.storyboard, .storyboarding), (.publish, .publishing):
      return true
    default: return false
    }
  }

  private mutating func retry(
    _ stage: Stage, _ attempt: UInt8, at now: Instant, into commands: inout [Command]
  ) {
    if !isOut(stage) || attempt != attempts[Int(stage.rawValue)] {
      ignored += 1
      return
    }
    if Int(attempt) > configuration.retries {
      if stage == .transcode {
        reject(.transcodeFailed, into: &commands)
      } else {
        state = .failed(stage)
        commands.append(.fail(stage))
      }
      return
    }
    if case .publishing(let done) = state {
      attempts[Int(stage.rawValue)] += 1
      for write in PublishWrite.allCases where done >> write.rawValue & 1 == 0 {
        let isNext = configuration.order.isConcurrent || isNext(write, done)
        if isNext { commands.append(.write(write)) }
      }
      commands.append(
        .setTimer(
          .timeout(stage, attempt: attempt + 1),
          at: now.advanced(saturatingBy: configuration.timeout), jitter: .zero))
      return
    }
    commands.append(
      .setTimer(
        .retry(stage, attempt: attempt),
        at: now.advanced(saturatingBy: configuration.backoff.wait(failures: Int(attempt))),
        jitter: configuration.backoff.jitter(failures: Int(attempt))))
  }

  private func isNext(_ write: PublishWrite, _ done: UInt8) -> Bool {
    for place in 0..<3 where done >> configuration.order.write(place).rawValue & 1 == 0 {
      return configuration.order.write(place) == write
    }
    return false
  }
}
