extension RoundFlight {
  /// Whether nothing is left of an earlier loss and no timer is due, so that the next train's fate
  /// is up to itself.
  @inline(__always)
  private var isUndisturbed: Bool {
    !isRecovering && holes == 0 && unseen == 0 && alarm == .none && timeouts == 0
  }

  /// A step of which nothing is lost: ``send(state:loss:observer:)`` and
  /// ``acknowledge(state:)`` for a train that meets neither loss nor a full queue, by the same
  /// arithmetic, without what the others need. Nine rounds in ten are like this.
  ///
  /// BBR's rounds are not taken: they are paced and sampled; nor those of a QUIC sender with ways
  /// of its own.
  ///
  /// - Returns: whether the link ever gets it through; nil when the step was not made, and nothing
  ///   has changed.
  @inline(__always)
  mutating func stepClean<Observer: RoundObserver>(
    state: inout CongestionState, loss: inout LossGaps, observer: inout Observer
  ) -> Bool? {
    guard isUndisturbed, state.control != .bbr, isPlain else { return nil }
    let count = left < allowed ? left : allowed
    if count <= 0 || loss.clean < count || !hasRoom(count) { return nil }
    let start = releaseStart
    var lastRelease = start
    if count > 1 {
      let span = Double(releaseEnd - start)
      let share = count < allowed ? Double(count - 1) / Double(allowed - 1) : 1
      lastRelease += TransferClock.span(span * share)
    }
    loss.pass(count)
    left -= count
    if count == allowed { isWindowLimited = true }
    let idleBefore = idle
    let served = serve(
      carried: count, until: lastRelease, isFresh: true, isWhole: true)
    if served.last >= TransferClock.never { return false }
    observer.sent(
      RoundReport(
        start: start, first: served.first, last: served.last, packets: count, retransmitsAt: 0,
        retransmitted: 0, lost: 0, window: state.window,
        phase: state.isSlowStart ? .slowStart : .avoidance, idle: idle - idleBefore))
    state.lastSend = lastRelease
    backoff = 1
    isFirst = false
    clockClean(
      count, first: served.first, last: served.last, isDelayed: state.delaysFirstAcknowledgement)
    let span = Double(releaseEnd - releaseStart)
    let first = Double(served.first + roundTrip - start)
    let last = Double(served.last + roundTrip - lastRelease)
    state.acknowledge(
      count, inFlight: usage(of: count, state), now: releaseStart + TransferClock.span(span),
      span: span,
      first: first, last: first + (last - first))
    allowed = state.allowance
    repairsAt = 0
    return true
  }

  /// Whether the queue holds the next train even if the link served none of it meanwhile.
  @inline(__always)
  private func hasRoom(_ count: Int64) -> Bool {
    let backlog = free > releaseStart ? link.served(from: releaseStart, to: free) : 0
    return backlog + Double(count) <= queueLimit + 1
  }

  /// When the acknowledgements of a train come in that was delivered as a whole.
  @inline(__always)
  private mutating func clockClean(_ count: Int64, first: Int64, last: Int64, isDelayed: Bool) {
    var acknowledged = first
    if isDelayed && count > 1 { acknowledged += Int64(Double(last - first) / Double(count - 1)) }
    releaseStart = acknowledged + roundTrip
    releaseEnd = last + roundTrip
    if releaseEnd < releaseStart { releaseEnd = releaseStart }
  }
}
