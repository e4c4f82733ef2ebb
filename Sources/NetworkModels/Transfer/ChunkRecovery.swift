/// What an acknowledgement brought.
struct ChunkProgress: BitwiseCopyable {
  /// Packets that are known to have arrived now, and those that are held lost now.
  var delivered: Int64 = 0
  var lost: Int64 = 0
  /// A packet that was held lost has arrived; and one of which a loss probe was the repetition.
  var isRepair = false
  var isProbeRepair = false
  /// When the latest of what arrived was released.
  var sentAt: Int64 = 0
}

/// Which of a sender's transmissions are missing, when they are held lost (RACK, RFC 8985), and how
/// long the sender is in recovery for them.
///
/// It moves packets from the flight to those that are to be sent again and knows nothing of windows
/// and timers.
struct ChunkRecovery: BitwiseCopyable {
  /// What the sender makes of the last acknowledgements (Linux: tcp_ca_state).
  enum Phase: UInt8 { case open, recovery, loss }

  /// Packets that must arrive after a hole before it counts as a loss (RFC 6675, RFC 8985).
  private static let duplicateThreshold: Int64 = 3

  private(set) var phase = Phase.open
  /// Packets to be sent again.
  private var lost = ChunkList()
  /// Transmissions at the head of the flight that are missing but not yet held lost, arrivals after
  /// them, and when the first of them is held lost.
  private var suspects: Int64 = 0
  private var arrivedAfter: Int64 = 0
  private var suspectsDueAt = Int64.max
  /// Packets held lost and not delivered since: of the present recovery, and sent after it began.
  private var unrepaired: Int64 = 0
  private var unrepairedLater: Int64 = 0
  /// The first sequence number, and the last transmission, at the beginning of the recovery.
  private var sequence: Int64 = 0
  private var number: Int64 = 0

  /// Whether a packet waits to be sent again.
  var hasLost: Bool { !lost.isEmpty }
  /// Whether everything that was held lost has arrived.
  var isRepaired: Bool { unrepaired == 0 && unrepairedLater == 0 }
  var hasSuspects: Bool { suspects > 0 }
  /// When packets that may be lost are held so without another acknowledgement; nil where none are.
  var dueAt: Int64? { suspects > 0 && phase == .open ? suspectsDueAt : nil }

  // MARK: What arrived and what did not

  /// Takes everything up to a transmission that arrived off the flight; what did not arrive stays
  /// at its head.
  mutating func collect(
    upTo last: Int64, from flight: inout ChunkFlight, _ pool: inout ChunkPool
  ) -> ChunkProgress {
    var progress = ChunkProgress()
    var place = flight.head
    suspects = 0
    while place >= 0 && pool[place].number <= last {
      if pool[place].isDropped {
        suspects += 1
        place = pool[place].next
        continue
      }
      forgetCopies(of: place, &progress, &flight, &pool)
      let next = pool[place].next
      flight.remove(place, &pool)
      take(place, &progress, &pool)
      if suspects > 0 { arrivedAfter += 1 }
      place = next
    }
    if suspects == 0 { arrivedAfter = 0 }
    return progress
  }

  private mutating func take(
    _ place: Int32, _ progress: inout ChunkProgress, _ pool: inout ChunkPool
  ) {
    progress.sentAt = pool[place].sentAt
    if !pool[place].isDuplicate {
      progress.delivered += 1
      if pool[place].isProbe && pool[place].isRetransmission { progress.isProbeRepair = true }
    }
    settle(place, &progress, &pool)
    pool.give(place)
  }

  /// A packet that was held lost is known to have arrived.
  private mutating func settle(
    _ place: Int32, _ progress: inout ChunkProgress, _ pool: inout ChunkPool
  ) {
    if !pool[place].isCounted { return }
    progress.isRepair = true
    if pool[place].sequence < sequence { unrepaired -= 1 } else { unrepairedLater -= 1 }
  }

  /// Data that have arrived are no longer out: the sender keeps no account of its repetitions of
  /// them, though they still occupy the link. What their acknowledgements say is old.
  private mutating func forgetCopies(
    of place: Int32, _ progress: inout ChunkProgress, _ flight: inout ChunkFlight,
    _ pool: inout ChunkPool
  ) {
    var copy = pool.copy(of: place)
    while copy >= 0 {
      let next = pool.copy(of: copy)
      settle(copy, &progress, &pool)
      flight.remove(copy, &pool)
      pool.give(copy)
      copy = next
    }
  }

  // MARK: What is held lost

  /// Holds suspects lost that RACK (RFC 8985) would: with three arrivals after them, in recovery,
  /// or when a quarter of the least round trip has passed.
  ///
  /// - Parameters:
  ///   - latest: round trip of the packet that was acknowledged, nanoseconds.
  ///   - leastRoundTrip: of the path; `.max` when it is not known.
  /// - Returns: how many.
  mutating func judge(
    _ flight: inout ChunkFlight, at now: Int64, latest: Int64, leastRoundTrip: Int64,
    _ pool: inout ChunkPool
  ) -> Int64 {
    let isCertain = phase != .open || arrivedAfter >= ChunkRecovery.duplicateThreshold
    let patience = isCertain || leastRoundTrip == .max ? 0 : leastRoundTrip / 4
    var found: Int64 = 0
    while suspects > 0 {
      let due = pool[flight.head].sentAt + latest + patience
      if !isCertain && due > now {
        suspectsDueAt = due
        break
      }
      suspects -= 1
      found += loseFirst(of: &flight, &pool)
    }
    return found
  }

  /// Holds everything at the head of the flight lost that did not arrive.
  mutating func loseDropped(of flight: inout ChunkFlight, _ pool: inout ChunkPool) {
    while !flight.isEmpty && pool[flight.head].isDropped { _ = loseFirst(of: &flight, &pool) }
    suspects = 0
  }

  /// Moves the head of the flight to the lost packets; 0 when a probe stands for it already.
  private mutating func loseFirst(
    of flight: inout ChunkFlight, _ pool: inout ChunkPool
  ) -> Int64 {
    let place = flight.head
    flight.remove(place, &pool)
    if pool[place].isReplaced {
      pool.give(place)
      return 0
    }
    let isAgain = pool[place].isCounted
    pool[place].isProbe = false
    pool[place].isCounted = true
    if isAgain {
      lost.prepend(place, &pool)
      return 1
    }
    lost.append(place, &pool)
    if phase != .open && pool[place].sequence >= sequence {
      unrepairedLater += 1
    } else {
      unrepaired += 1
    }
    return 1
  }

  /// Takes the packet out that is to be sent again first; there must be one.
  mutating func takeLost(_ pool: inout ChunkPool) -> Int32 {
    let place = lost.head
    lost.unlink(place, &pool)
    pool[place].isRetransmission = true
    return place
  }

  // MARK: Phases

  /// Recovery begins.
  ///
  /// - Parameters:
  ///   - next: sequence number of the next new packet.
  ///   - sent: transmissions so far.
  mutating func begin(next: Int64, sent: Int64) {
    phase = .recovery
    sequence = next
    number = sent
  }

  /// A retransmission timeout: the loss state begins, or goes on.
  mutating func beginLoss(next: Int64, sent: Int64) {
    if phase == .open {
      sequence = next
      number = sent
    }
    phase = .loss
  }

  /// Whether everything that was sent before the recovery began has arrived.
  func isOver(_ flight: borrowing ChunkFlight, _ pool: borrowing ChunkPool) -> Bool {
    if phase == .open || unrepaired > 0 { return false }
    if flight.isEmpty { return true }
    return pool[flight.head].number > number
  }

  /// The recovery is over.
  ///
  /// - Returns: losses that it left to the next one.
  mutating func end() -> Int64 {
    phase = .open
    if unrepairedLater <= 0 { return 0 }
    unrepaired = unrepairedLater
    unrepairedLater = 0
    return unrepaired
  }

  /// Gives up what has not arrived.
  mutating func abandon(_ pool: inout ChunkPool) {
    lost.giveAll(&pool)
    phase = .open
    suspects = 0
    arrivedAfter = 0
    unrepaired = 0
    unrepairedLater = 0
  }
}
