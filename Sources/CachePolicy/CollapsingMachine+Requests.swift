import MediaUnits

/// What becomes of a request: on arrival, and when it looks again.
extension CollapsingMachine {
  /// How the key looks to a request.
  enum View: Sendable, Equatable {
    case fresh
    case negative
    case hitForMiss
    /// A copy that is used stale because a fetch has failed a short time ago.
    case heldStale
    case staleWhileRevalidate
    case stale
    case absent
  }

  func view(at now: Instant) -> View {
    let mark = currentMark(at: now)
    if case .negative = mark { return .negative }
    if let copy {
      let disposition = CacheFreshness.disposition(of: copy, at: now)
      if case .fresh = disposition { return .fresh }
      if case .retryAfter(_, let failure) = mark,
        CacheFreshness.mayServe(copy, after: failure, at: now, rule: configuration.staleOnFailure)
      {
        return .heldStale
      }
      if case .hitForMiss = mark { return .hitForMiss }
      return disposition == .staleWhileRevalidate ? .staleWhileRevalidate : .stale
    }
    if case .hitForMiss = mark { return .hitForMiss }
    return .absent
  }

  /// Serves a request, sends it forward or lets it wait.
  ///
  /// - Parameter woken: the request as it was waiting for the lock; nil on arrival.
  mutating func admit(
    _ request: RequestNumber, woken: Waiter?, at now: Instant, into commands: inout [Command]
  ) {
    switch view(at: now) {
    case .fresh: commands.append(.serve(request, woken == nil ? .fresh : .collapsed))
    case .negative: commands.append(.serve(request, .negative))
    case .heldStale: commands.append(.serve(request, .staleAfterFailure))
    case .hitForMiss: begin(for: request, leads: false, at: now, into: &commands)
    case .staleWhileRevalidate:
      if leader == nil && configuration.revalidation == .foreground {
        begin(for: request, leads: true, at: now, into: &commands)
      } else {
        commands.append(.serve(request, .stale))
        if leader == nil { begin(for: nil, leads: true, at: now, into: &commands) }
      }
    case .stale:
      if configuration.mode == .full && leader != nil {
        wait(request, at: now)
      } else {
        begin(for: request, leads: leader == nil, at: now, into: &commands)
      }
    case .absent: admitToAbsent(request, woken, at: now, into: &commands)
    }
  }

  private mutating func admitToAbsent(
    _ request: RequestNumber, _ woken: Waiter?, at now: Instant, into commands: inout [Command]
  ) {
    switch configuration.mode {
    case .none: begin(for: request, leads: false, at: now, into: &commands)
    case .full:
      if leader == nil {
        begin(for: request, leads: true, at: now, into: &commands)
      } else {
        wait(request, at: now)
      }
    case .absentOnly(let lock):
      if !isLocked(at: now) {
        begin(for: request, leads: true, at: now, into: &commands)
      } else if woken != nil || lock.timeout == .zero {
        begin(for: request, leads: false, isStored: false, at: now, into: &commands)
      } else {
        wait(request, lock, at: now, into: &commands)
      }
    }
  }

  /// Whether somebody holds the lock and has not held it for too long.
  func isLocked(at now: Instant) -> Bool { leader != nil && now < lockedUntil }

  /// Waits for the answer of the leader.
  private mutating func wait(_ request: RequestNumber, at now: Instant) {
    waiters.append(
      Waiter(request: request, nextPoll: .distantFuture, deadline: .distantFuture))
  }

  /// Waits for the lock.
  private mutating func wait(
    _ request: RequestNumber, _ lock: Lock, at now: Instant, into commands: inout [Command]
  ) {
    let deadline = now.advanced(saturatingBy: lock.timeout)
    let poll = min(now.advanced(saturatingBy: lock.poll), deadline)
    waiters.append(Waiter(request: request, nextPoll: poll, deadline: deadline))
    setTimer(poll, into: &commands)
  }

  private mutating func setTimer(_ time: Instant, into commands: inout [Command]) {
    if let timerAt, timerAt <= time { return }
    timerAt = time
    commands.append(.setTimer(at: time))
  }

  /// Lets the requests whose time has come look again, in order of arrival.
  ///
  /// - Complexity: O(waiters).
  mutating func poll(at now: Instant, into commands: inout [Command]) {
    guard case .absentOnly(let lock) = configuration.mode else { return }
    var kept = 0
    var next = Instant.distantFuture
    for index in waiters.indices {
      var waiter = waiters[index]
      if waiter.nextPoll <= now {
        if now >= waiter.deadline || !isLocked(at: now) {
          admit(waiter.request, woken: waiter, at: now, into: &commands)
          continue
        }
        let interval = now.advanced(saturatingBy: lock.poll)
        waiter.nextPoll = min(interval, min(waiter.deadline, lockedUntil))
      }
      next = min(next, waiter.nextPoll)
      waiters[kept] = waiter
      kept += 1
    }
    waiters.removeLast(waiters.count - kept)
    if kept > 0 { setTimer(next, into: &commands) }
  }
}
