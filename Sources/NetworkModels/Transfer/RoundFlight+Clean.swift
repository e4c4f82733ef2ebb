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
  /// BBR's rounds are not taken: they are paced and sampled.
  ///
  /// - Returns: whether the step was made; if not, nothing has changed.
  @inline(__always)
  mutating func stepClean<Observer: RoundObserver>(
    state: inout CongestionState, loss: inout LossGaps, observer: inout Observer
  ) -> Bool {
    guard isUndisturbed, state.control != .bbr else { return false }
    let count = left < allowed ? left : allowed
    if count <= 0 || loss.clean < count || !hasRoom(count) { return false }
    var sent = Train()
    sent.packets = count
    sent.lastDelivered = count - 1
    sent.start = releaseStart
    sent.lastRelease = releaseStart
    if count > 1 {
      let span = Double(releaseEnd - releaseStart)
      let share = count < allowed ? Double(count - 1) / Double(allowed - 1) : 1
      sent.lastRelease += TransferClock.span(span * share)
    }
    loss.pass(count)
    left -= count
    let idleBefore = idle
    serve(&sent, carried: count, isFresh: true)
    train = sent
    if sent.last >= TransferClock.never { return true }
    observer.sent(
      RoundReport(
        start: sent.start, first: sent.first, last: sent.last, packets: count, retransmitsAt: 0,
        retransmitted: 0, lost: 0, window: state.window,
        phase: state.isSlowStart ? .slowStart : .avoidance, idle: idle - idleBefore))
    state.lastSend = sent.lastRelease
    backoff = 1
    isFirst = false
    clockClean(sent, isDelayed: state.delaysFirstAcknowledgement)
    let span = Double(releaseEnd - releaseStart)
    let first = Double(sent.first + roundTrip - sent.start)
    let last = Double(sent.last + roundTrip - sent.lastRelease)
    state.acknowledge(
      count, inFlight: count, now: releaseStart + TransferClock.span(span), span: span,
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
  private mutating func clockClean(_ sent: Train, isDelayed: Bool) {
    var first = sent.first
    if isDelayed && sent.packets > 1 {
      first += Int64(Double(sent.last - sent.first) / Double(sent.packets - 1))
    }
    releaseStart = first + roundTrip
    releaseEnd = sent.last + roundTrip
    if releaseEnd < releaseStart { releaseEnd = releaseStart }
  }
}
