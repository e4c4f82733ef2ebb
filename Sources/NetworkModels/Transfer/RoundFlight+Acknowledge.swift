extension RoundFlight {
  /// Lets the train's acknowledgements act: window, recovery, timers, and what comes next.
  mutating func acknowledge(state: inout CongestionState) {
    state.lastSend = train.lastRelease
    windowBefore = state.window
    let previousEnd = releaseEnd
    let delivered = train.delivered
    if delivered == 0 {
      unseen += train.lost
      let last = previousEnd > train.lastRelease ? previousEnd : train.lastRelease
      expire(state: &state, lastAcknowledgement: last)
      return
    }
    let answered = alarm
    alarm = .none
    backoff = 1
    timeouts = 0
    // Packets at the end of the train that were lost: nothing tells of them yet.
    let tail = train.packets - 1 - train.lastDelivered
    clock(state: state)
    if state.control == .bbr { sampleBBR(state: &state) }
    isFirst = false
    var from: Int64 = 0
    if isRecovering {
      let isRepaired =
        holes == 0 && unseen == 0 && train.lostBefore == 0 && train.lostRepairs == 0
      if !isRepaired {
        holes += unseen + train.lost - tail
        unseen = tail
        let repaired = train.repairs - train.lostRepairs
        prolong(repaired > 0 ? 2 * delivered : delivered, state: state)
        if allowed == 0 || holes + left == 0 {
          expire(state: &state, lastAcknowledgement: releaseEnd)
        }
        return
      }
      state.leaveRecovery()
      isRecovering = false
      from = train.repairsAt + train.repairs
    }
    open(from: from, tail: tail, state: &state, after: answered)
  }

  /// When the acknowledgements come in. A receiver past its first packets acknowledges every second
  /// one, so the first acknowledgement waits for the second packet.
  @inline(__always)
  private mutating func clock(state: borrowing CongestionState) {
    var first = train.first
    let isTimed = isQUIC && quic.acknowledgementDelay > 0
    if state.delaysFirstAcknowledgement && !isTimed && train.packets > 1 {
      let span = Double(train.last - train.first)
      first += Int64(span / Double(train.packets - 1))
    }
    releaseStart = first + roundTrip
    var last = train.last
    if train.lastDelivered < train.packets - 1 && train.packets > 1 {
      let share = Double(train.lastDelivered) / Double(train.packets - 1)
      last = train.first + Int64(Double(train.last - train.first) * share)
    }
    releaseEnd = last + roundTrip
    if releaseEnd < releaseStart { releaseEnd = releaseStart }
  }

  /// Acknowledgements outside recovery, from position `from` on.
  private mutating func open(
    from: Int64, tail: Int64, state: inout CongestionState, after answered: Alarm
  ) {
    let isLossless = train.lostBehind == 0 && unseen == 0
    let first = unseen > 0 ? from : isLossless ? train.packets : train.firstBehind
    let behind = train.packets - first - train.lostBehind
    // QUIC's window also grows by what is acknowledged behind a packet that is not held lost yet
    // (RFC 9002 section 7.3.1): the third such acknowledgement tells of the loss.
    let told: Int64 = !isQUIC || isLossless ? 0 : behind < 3 ? behind : 3
    grow(by: first - from + told, state: &state)
    if isLossless {
      if answered == .probe && train.repairs > 0 {
        // The probe repaired a loss; the window pays for it all the same (RFC 8985 section 7.4).
        state.reduce()
        state.leaveRecovery()
      }
      allowed = allowance(of: state)
      repairsAt = 0
      return
    }
    // What the acknowledgements before the loss let out.
    let out = train.packets - first - told
    let window = allowance(of: state)
    let early = window > out ? window - out : 0
    if behind <= 0 {
      unseen += train.lostBehind
      allowed = early
      // After a timeout what it gave up goes first.
      repairsAt = holes > 0 ? 0 : early
      if early == 0 || left + holes == 0 {
        expire(state: &state, lastAcknowledgement: first > 0 ? releaseEnd : releaseStart)
      }
      return
    }
    let known = unseen + train.lostBehind - tail
    holes += known
    unseen = tail
    let prior = state.window
    state.reduce()
    isRecovering = true
    // The first two duplicates let out new packets (RFC 3042), the others what the rate gives.
    // QUIC's are among the early ones.
    let limited: Int64 = isQUIC ? 0 : behind > 2 ? 2 : behind - 1
    // QUIC repairs as soon as there is nothing new to send; TCP's rate counts what was let out.
    let sent = isQUIC && left < early ? left : early
    let share =
      isQUIC
      ? halved(after: sent, state: state)
      : reduced(behind - limited, prior: prior, known: known, state: state)
    allowed = sent + share + (left > early ? limited : 0)
    repairsAt = sent
    if behind < 3 && answered == .none {
      // Fewer than three: RACK's reordering window passes first, with QUIC an eighth of a round
      // trip (RFC 9002 section 6.1.2).
      // Without a sample it is none, as in Linux.
      let least = state.leastRoundTrip
      let margin = isQUIC ? state.smoothedRoundTrip / 8 : least / 4
      let wait = least < .infinity ? TransferClock.span(margin) : 0
      releaseEnd += wait
      if first == 0 { releaseStart = releaseEnd }
    }
  }

  /// Packets that `count` acknowledgements let out in recovery (RFC 6937): proportionally while
  /// more is in flight than the threshold, one for one below it.
  @inline(__always)
  private func reduced(
    _ count: Int64, prior: Double, known: Int64, state: borrowing CongestionState
  ) -> Int64 {
    if state.control == .bbr { return count }
    let ratio = state.threshold / prior
    if ratio >= 1 { return count }
    let proportional = prior - Double(known) / (1 - ratio)
    let acknowledged = Double(count)
    let sum =
      proportional <= 0
      ? acknowledged
      : acknowledged <= proportional
        ? ratio * acknowledged : ratio * proportional + acknowledged - proportional
    // The packets before the loss was known were let out at the full window.
    return sum < 1 ? 1 : TransferClock.packets(sum + 0.5)
  }

  /// Packets that QUIC lets out once a loss is known, after `sent` before: the window falls at
  /// once, and there is silence until less is in flight (RFC 9002 section 7.3.2).
  @inline(__always)
  private func halved(after sent: Int64, state: borrowing CongestionState) -> Int64 {
    // BBR has no threshold: its window is what the model of the path allows.
    let window =
      state.control == .bbr ? allowance(of: state) : TransferClock.packets(state.threshold)
    return window > sent ? window - sent : 0
  }

  /// Recovery goes on: what was lost again, or seen late, goes first.
  @inline(__always)
  private mutating func prolong(_ count: Int64, state: borrowing CongestionState) {
    var limit = state.allowance
    let threshold = state.threshold
    if state.control != .bbr && threshold < .infinity {
      limit = TransferClock.packets(threshold)
    }
    allowed = count < limit && !isQUIC ? count : limit
    if allowed < 1 { allowed = 1 }
    repairsAt = 0
  }

  private mutating func grow(by count: Int64, state: inout CongestionState) {
    if state.control == .bbr || count <= 0 { return }
    let share =
      train.packets > 1 ? Double(count) / Double(train.packets) : 1
    let span = Double(releaseEnd - releaseStart) * share
    state.acknowledge(
      count,
      inFlight: isQUIC && quic.growsUnused ? Self.unlimited : usage(of: train.packets, state),
      now: releaseStart + TransferClock.span(span), span: span,
      first: firstSample, last: firstSample + (lastSample - firstSample) * share)
  }

  @inline(__always)
  private func allowance(of state: borrowing CongestionState) -> Int64 {
    state.control == .bbr ? state.bbrAllowance : state.allowance
  }

  /// Round trips that the first and the last packet saw.
  private var firstSample: Double { Double(train.first + roundTrip - train.start) }
  private var lastSample: Double { Double(train.last + roundTrip - train.lastRelease) }

  private mutating func sampleBBR(state: inout CongestionState) {
    let since = isFirst ? train.start : train.lastRelease
    let isLossless = train.lost == 0 && unseen == 0
    let growth = isRecovering ? 0 : isLossless ? train.packets : unseen > 0 ? 0 : train.firstBehind
    let low = firstSample < lastSample ? firstSample : lastSample
    state.sample(first: firstSample, last: lastSample, count: train.packets)
    state.acknowledgeBBR(
      train.delivered, sent: train.packets, growth: growth,
      interval: Double(train.last + roundTrip - since), roundTrip: low,
      isLimited: left == 0, now: releaseEnd)
  }

  /// Nothing comes back that would clock the sender: a loss probe after the probe timeout, then
  /// retransmission timeouts with doubling (RFC 8985 section 7, RFC 6298).
  private mutating func expire(state: inout CongestionState, lastAcknowledgement: Int64) {
    if isQUIC {
      probe(state: state, lastAcknowledgement: lastAcknowledgement)
      return
    }
    // There is no probe while packets are held lost.
    let isTimeout = isRecovering || alarm != .none || holes > 0
    let outstanding = unseen + holes
    let wait: Double
    if isTimeout {
      timeouts += 1
      wait = state.timeout(doubled: backoff)
      if backoff < RoundFlight.mostBackoff { backoff *= 2 }
    } else {
      wait = state.probeTimeout(isSingle: outstanding == 1)
    }
    let time = lastAcknowledgement + TransferClock.span(wait)
    releaseStart = time
    releaseEnd = time
    allowed = 1
    repairsAt = 0
    alarm = isTimeout ? .timeout : .probe
    if isTimeout {
      if isRecovering || backoff <= 2 { state.expire() }
      isRecovering = false
      holes += unseen
      unseen = 0
    } else if left == 0 {
      // The probe repeats the last packet; its acknowledgement tells of the others.
      holes = 1
      unseen -= 1
    }
  }

  /// QUIC's probe timeout (RFC 9002 section 6.2), counted from the last packet sent: a packet goes
  /// once more, nothing is held lost for it and the window stays. It doubles while nothing comes
  /// back.
  private mutating func probe(state: borrowing CongestionState, lastAcknowledgement: Int64) {
    let known = state.smoothedRoundTrip >= 0
    let wait = known ? state.quicProbeTimeout : Double(quic.firstProbe)
    let due = TransferClock.sum(state.lastSend, TransferClock.span(wait * backoff))
    let time = due > lastAcknowledgement ? due : lastAcknowledgement
    if alarm != .none { timeouts += 1 }
    if backoff < RoundFlight.mostBackoff { backoff *= 2 }
    releaseStart = time
    releaseEnd = time
    allowed = 1
    repairsAt = 0
    alarm = .probe
    if holes == 0 && unseen > 0 {
      holes = 1
      unseen -= 1
    }
  }
}
