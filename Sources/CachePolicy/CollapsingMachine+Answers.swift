import MediaUnits

/// What becomes of an answer, and of those who waited for it.
extension CollapsingMachine {
  /// A fetch has ended.
  mutating func finish(
    _ number: FetchNumber, _ answer: Answer, at now: Instant, into commands: inout [Command]
  ) {
    guard let fetch = end(number) else {
      ignored += 1
      return
    }
    switch answer {
    case .stored(let response):
      if fetch.isStored {
        keep(response, at: now)
        commands.append(.store(number))
      }
      serve(fetch.requester, .fetched, into: &commands)
      settle(at: now, into: &commands)
    case .uncacheable:
      if fetch.isStored { noteUncacheable(at: now) }
      serve(fetch.requester, .fetched, into: &commands)
      settle(at: now, into: &commands)
    case .negative(let span):
      if fetch.isStored {
        if copy != nil { commands.append(.discardCopy) }
        copy = nil
        mark = span > .zero ? .negative(now.advanced(saturatingBy: span)) : .none
        if span <= .zero { noteUncacheable(at: now) }
      }
      serve(fetch.requester, .failed, into: &commands)
      settle(at: now, into: &commands)
    case .failed(let failure, let span):
      fail(fetch, failure, span, at: now, into: &commands)
    }
  }

  private func serve(
    _ request: RequestNumber?, _ service: Service, into commands: inout [Command]
  ) {
    if let request { commands.append(.serve(request, service)) }
  }

  /// Takes a new copy. One that cannot be used again, because it has no lifetime left, makes the
  /// key uncacheable, but can still be validated.
  private mutating func keep(_ response: StoredResponse, at now: Instant) {
    copy = response
    mark = .none
    if !isUsable(response, at: now) { markHitForMiss(at: now) }
  }

  /// A failure does not take away a copy that may be served stale while it is revalidated.
  private func isCopyUsable(at now: Instant) -> Bool {
    copy.map { isUsable($0, at: now) } ?? false
  }

  private func isUsable(_ response: StoredResponse, at now: Instant) -> Bool {
    switch CacheFreshness.disposition(of: response, at: now) {
    case .fresh, .staleWhileRevalidate: return true
    case .staleIfErrorOnly, .mustRevalidate: return false
    }
  }

  /// An uncacheable answer leaves the copy as it is: RFC 9111 section 4.4 has no such invalidation.
  /// It says nothing as long as that copy can be used.
  private mutating func noteUncacheable(at now: Instant) {
    if let copy, case .fresh = CacheFreshness.disposition(of: copy, at: now) { return }
    markHitForMiss(at: now)
  }

  private mutating func markHitForMiss(at now: Instant) {
    if configuration.mode == .full && configuration.hitForMiss > .zero {
      mark = .hitForMiss(now.advanced(saturatingBy: configuration.hitForMiss))
    }
  }

  /// A fetch has failed: the stale copy answers where it may, else the error. Those who wait get
  /// the same, unless another fetch is under way for them. An error status that is not to be
  /// repeated is treated as an uncacheable answer, so that each of them tries by itself.
  private mutating func fail(
    _ fetch: Fetch, _ failure: OriginFailure, _ span: TimeSpan, at now: Instant,
    into commands: inout [Command]
  ) {
    let end = now.advanced(saturatingBy: max(.zero, span))
    var isShared = true
    let service: Service
    if let copy,
      CacheFreshness.mayServe(copy, after: failure, at: now, rule: configuration.staleOnFailure)
    {
      service = .staleAfterFailure
      if fetch.isStored && end > now { mark = .retryAfter(end, failure) }
    } else {
      service = .failed
      if end > now {
        if fetch.isStored { mark = .negative(end) }
      } else if failure == .serverError {
        isShared = false
        if fetch.isStored && !isCopyUsable(at: now) { noteUncacheable(at: now) }
      }
    }
    serve(fetch.requester, service, into: &commands)
    if configuration.mode != .full || leader != nil { return }
    if isShared {
      for waiter in waiters { commands.append(.serve(waiter.request, service)) }
      waiters.removeAll(keepingCapacity: true)
    } else {
      settle(at: now, into: &commands)
    }
  }

  /// Serves all who wait if the key can serve them now, else sends some of them forward. Those who
  /// wait for a lock find out by themselves.
  private mutating func settle(at now: Instant, into commands: inout [Command]) {
    if configuration.mode != .full || waiters.isEmpty { return }
    let service: Service
    switch view(at: now) {
    case .fresh, .staleWhileRevalidate: service = .collapsed
    case .heldStale: service = .staleAfterFailure
    case .negative: service = .negative
    case .hitForMiss, .stale, .absent:
      release(at: now, into: &commands)
      return
    }
    for waiter in waiters { commands.append(.serve(waiter.request, service)) }
    waiters.removeAll(keepingCapacity: true)
  }

  private mutating func release(at now: Instant, into commands: inout [Command]) {
    let count = min(configuration.releasedPerAnswer, waiters.count)
    for index in 0..<count {
      begin(for: waiters[index].request, leads: false, at: now, into: &commands)
    }
    waiters.removeFirst(count)
  }
}
