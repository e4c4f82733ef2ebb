import MediaUnits

/// What a machine tells its host to do for its ``Outbox``.
protocol OutboxCommand {
  static func setTimer(
    _ errand: Errand, attempt: UInt32, at: Instant, jitter: TimeSpan
  ) -> Self
  static var save: Self { get }
}

/// A machine whose requests go through an ``Outbox``.
protocol OutboxHost: PolicyMachine where Command: OutboxCommand {
  var outbox: Outbox { get set }
  /// Events that changed nothing.
  var ignored: Int { get set }
  /// The command that makes a request.
  func send(_ errand: Errand, attempt: UInt32) -> Command
  /// A request is over.
  mutating func finish(
    _ errand: Errand, _ outcome: RequestOutcome, at now: Instant, into commands: inout [Command])
}

extension OutboxHost {
  /// There is a connection now, or none any more.
  mutating func connect(
    _ isOnline: Bool, at now: Instant, into commands: inout [Command]
  ) {
    if outbox.isOnline == isOnline {
      ignored += 1
      return
    }
    if !isOnline {
      outbox.hold()
      return
    }
    outbox.isOnline = true
    while let (errand, step) = outbox.sendHeld(at: now) {
      perform(step, of: errand, into: &commands)
    }
  }

  /// Puts an errand into the outbox and sends it if there is a connection.
  mutating func run(_ errand: Errand, at now: Instant, into commands: inout [Command]) {
    perform(outbox.add(errand, at: now), of: errand, into: &commands)
  }

  func perform(_ step: Outbox.Step, of errand: Errand, into commands: inout [Command]) {
    switch step {
    case .none: break
    case .send(let attempt, let timeout):
      commands.append(send(errand, attempt: attempt))
      commands.append(.setTimer(errand, attempt: attempt, at: timeout, jitter: .zero))
    case .wait(let attempt, let until, let jitter):
      commands.append(.setTimer(errand, attempt: attempt, at: until, jitter: jitter))
    }
  }

  mutating func answer(
    _ errand: Errand, _ attempt: UInt32, _ outcome: RequestOutcome, at now: Instant,
    into commands: inout [Command]
  ) {
    take(outbox.answered(errand, attempt, outcome, at: now), of: errand, at: now, into: &commands)
  }

  mutating func fire(
    _ errand: Errand, _ attempt: UInt32, at now: Instant, into commands: inout [Command]
  ) {
    take(outbox.timerFired(errand, attempt, at: now), of: errand, at: now, into: &commands)
  }

  private mutating func take(
    _ verdict: Outbox.Verdict, of errand: Errand, at now: Instant, into commands: inout [Command]
  ) {
    switch verdict {
    case .stale: ignored += 1
    case .again(let step): perform(step, of: errand, into: &commands)
    case .over(let outcome):
      finish(errand, outcome, at: now, into: &commands)
      commands.append(.save)
    }
  }
}
