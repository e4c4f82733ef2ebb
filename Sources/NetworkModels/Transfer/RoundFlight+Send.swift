extension RoundFlight {
  /// Releases the next train: its retransmissions and losses, and its times on the link.
  @inline(__always)
  mutating func send<Observer: RoundObserver>(
    state: borrowing CongestionState, loss: inout LossGaps, observer: inout Observer
  ) {
    train = Train()
    train.start = releaseStart
    // Until the loss is known new packets go out, as far as there are any; then the repairs.
    let early = repairsAt < allowed ? repairsAt : allowed
    let before = left < early ? left : early
    let late = allowed - early
    train.repairs = holes < late ? holes : late
    let after = left - before < late - train.repairs ? left - before : late - train.repairs
    let fresh = before + after
    let count = fresh + train.repairs
    train.packets = count
    train.repairsAt = train.repairs > 0 ? before : 0
    holes -= train.repairs
    left -= fresh
    if count == allowed { isWindowLimited = true }
    // New packets may be too few to fill that time: the repairs wait for its end.
    let gap = train.repairs > 0 ? early - before : 0
    train.lastRelease = release(count + gap, of: state)
    let fill = gap > 0 ? fresh : count
    let fillEnd = gap > 0 ? release(fresh, of: state) : train.lastRelease
    let (firstDrop, drops) = overflow(fill, until: fillEnd)
    lose(firstDrop: firstDrop, drops: drops, fill: fill, loss: &loss, observer: &observer)
    (train.first, train.last) = serve(
      carried: count - drops, until: train.lastRelease,
      isFresh: fresh > 0 && train.repairsAt > 0 || train.repairs == 0,
      isWhole: train.lastDelivered == train.packets - 1)
  }

  /// When the last of `count` packets is released: evenly as acknowledgements come in, or paced.
  @inline(__always)
  private func release(_ count: Int64, of state: borrowing CongestionState) -> Int64 {
    if count <= 1 { return releaseStart }
    let span = releaseEnd - releaseStart
    let share = count < allowed ? Double(count - 1) / Double(allowed - 1) : 1
    let clocked = TransferClock.span(Double(span) * share)
    let paced =
      isQUIC && quic.pacing != .none
      ? spread(count, span: Double(span), of: state)
      : state.pacedTime(Double(count - 1), span: Double(span))
    return releaseStart + (paced > clocked ? paced : clocked)
  }

  /// When a paced QUIC sender releases the last of `count` packets after the first one: a burst,
  /// then as its window goes round. The rate goes evenly from the one before the last
  /// acknowledgements to the one after them during their `span`.
  private func spread(_ count: Int64, span: Double, of state: borrowing CongestionState) -> Int64 {
    let roundTrip = state.smoothedRoundTrip
    // There is no rate before the first sample.
    if roundTrip <= 0 { return 0 }
    let burst = quic.pacing.burst(window: state.window, initialWindow: state.initialWindow)
    let rest = Double(count) - burst
    if rest <= 0 { return 0 }
    let before = quic.pacing.gain * (windowBefore > 0 ? windowBefore : state.window) / roundTrip
    let after = quic.pacing.gain * state.window / roundTrip
    let during = (before + after) / 2 * span
    if rest >= during { return TransferClock.span(span + (rest - during) / after) }
    let root = (before * before + 2 * (after - before) / span * rest).squareRoot()
    return TransferClock.span(2 * rest / (before + root))
  }

  /// The first of `count` packets, released until `end`, that finds the queue full, and how many
  /// do.
  private func overflow(_ count: Int64, until end: Int64) -> (first: Int64, count: Int64) {
    let room = queueLimit + 1
    if Double(count) <= room && free <= releaseStart { return (.max, 0) }
    let backlog = free > releaseStart ? link.served(from: releaseStart, to: free) : 0
    if backlog + Double(count) <= room { return (.max, 0) }
    let served = link.served(from: releaseStart, to: end)
    let growth = (Double(count) - served) / Double(count)
    if growth <= 0 { return (.max, 0) }
    let space = room - backlog
    let first = space > 0 ? TransferClock.packets(space / growth) : 0
    if first >= count { return (.max, 0) }
    let excess = backlog + Double(count) - served - room
    let drops = excess < 1 ? 1 : TransferClock.packets(excess + 0.5)
    return (first, drops < count - first ? drops : count - first)
  }

  /// Marks the packets that the full queue drops, evenly from the first one on, and those that are
  /// lost behind the link.
  ///
  /// A growing window lets out two packets per acknowledgement, of which the second one is dropped.
  private mutating func lose<Observer: RoundObserver>(
    firstDrop: Int64, drops: Int64, fill: Int64, loss: inout LossGaps, observer: inout Observer
  ) {
    let stride = drops > 0 ? Double(fill - firstDrop) / Double(drops) : 0
    let second = stride < 2 ? stride - 1 : 1
    let carried = train.packets - drops
    var dropped: Int64 = 0
    var passed: Int64 = 0
    var end = LossRun()
    // Position among those that the queue lets through of the next one lost behind the link.
    var index = loss.clean < carried ? loss.clean : carried
    while dropped < drops || index < carried {
      let drop = firstDrop + Int64(stride * Double(dropped) + second)
      if dropped < drops && drop <= index + dropped {
        mark(drop, run: &end, observer: &observer)
        dropped += 1
        continue
      }
      if index >= carried { break }
      loss.pass(loss.clean)
      loss.lose()
      mark(index + dropped, run: &end, observer: &observer)
      passed = index + 1
      index = loss.clean < carried - index - 1 ? index + 1 + loss.clean : carried
    }
    loss.pass(carried - passed)
    let isTail = end.last == train.packets - 1
    train.lastDelivered = train.packets - 1 - (isTail ? end.length : 0)
  }

  /// The last run of lost packets.
  private struct LossRun {
    var last: Int64 = -2
    var length: Int64 = 0
  }

  @inline(__always)
  private mutating func mark<Observer: RoundObserver>(
    _ position: Int64, run: inout LossRun, observer: inout Observer
  ) {
    observer.lost(at: position)
    run.length = position == run.last + 1 ? run.length + 1 : 1
    run.last = position
    if isRecovering && position < train.repairsAt {
      train.lostBefore += 1
    } else if isRecovering && position < train.repairsAt + train.repairs {
      train.lostRepairs += 1
    } else {
      train.lostBehind += 1
      if position < train.firstBehind { train.firstBehind = position }
    }
  }

  /// When the first and the last packet of a train are through the link.
  ///
  /// - Parameters:
  ///   - carried: its packets that the link serves.
  ///   - lastRelease: when the last one was released.
  ///   - isFresh: the train begins with new packets.
  ///   - isWhole: its last packet is delivered.
  @inline(__always)
  mutating func serve(
    carried: Int64, until lastRelease: Int64, isFresh: Bool, isWhole: Bool
  ) -> (first: Int64, last: Int64) {
    let start = releaseStart > free ? releaseStart : free
    if releaseStart > free { idle += releaseStart - free }
    if carried <= 0 {
      // The link was idle until here once, not once more before the next train.
      free = start
      return (start, start)
    }
    let lacking = isFresh ? short.next : 0
    var units = Double(carried) - lacking
    if isFresh { short.next = 0 }
    if left == 0 && holes == 0 && isWhole {
      units -= short.last
      short.last = 0
    }
    // The short packets may be among those that the queue dropped.
    let least = 1 - lacking / short.count
    var last = link.finish(units > 0 ? units : least, from: start)
    var first = link.finish(least, from: start)
    if first > last { first = last }
    let latest = link.finish(1, from: lastRelease)
    if latest > last && carried > 1 {
      if latest < .max { idle += latest - last }
      last = latest
    }
    free = last
    return (first, last)
  }
}
