/// The bottleneck of the chunk tier: one drop-tail FIFO in front of a downlink that follows a
/// ``RateTrace``.
///
/// Packets are offered in the order of time, so the moment at which each one leaves is known when
/// it is offered; no event is needed for it. A packet keeps the rate at which its transmission
/// began, and one in transmission does not count for the limit.
struct ChunkLink {
  private let trace: RateTrace
  private let limit: QueueLimit
  /// When the link is through with everything offered so far, nanoseconds; `.max` for never.
  private(set) var freeAt: Int64 = 0
  /// Whether any step of the trace has a rate.
  private let isEverOpen: Bool
  /// The step of the trace that holds at ``freeAt`` or later.
  private var rate: Double
  private var rateUntil: Int64
  /// Serialisation of ``timedBytes`` at ``rate``.
  private var timedBytes: Int64 = -1
  private var timedSpan: Int64 = 0
  /// Ring of the packets that wait: start of transmission and wire bytes.
  private var waiting: [Waiting] = []
  private var head = 0
  private var count = 0
  private var waitingBytes: Int64 = 0
  /// Packets turned away so far.
  private(set) var drops: Int64 = 0

  private struct Waiting {
    var start: Int64
    var bytes: Int64
  }

  init(_ trace: RateTrace, limit: QueueLimit) {
    self.trace = trace
    self.limit = limit
    isEverOpen = trace.rates.contains { $0 > 0 }
    (rate, rateUntil) = trace.step(at: 0)
    if limit != .unlimited {
      waiting = [Waiting](repeating: Waiting(start: 0, bytes: 0), count: 1024)
    }
  }

  /// Offers a packet to the queue at `now`, which must not decrease from call to call.
  ///
  /// - Returns: when its last bit is sent, `.max` when the link never sends it, -1 when the queue
  ///   is full.
  mutating func offer(_ bytes: Int64, at now: Int64) -> Int64 {
    var start = freeAt > now ? freeAt : now
    if limit != .unlimited {
      leave(until: now)
      if start > now && isFull(bytes) {
        drops += 1
        return -1
      }
    }
    if start >= rateUntil { advance(to: start) }
    while rate <= 0 {
      if rateUntil >= TransferClock.never || !isEverOpen {
        enqueue(bytes, start: .max, now: now)
        freeAt = .max
        return .max
      }
      start = rateUntil
      advance(to: start)
    }
    if start == .max { return .max }
    enqueue(bytes, start: start, now: now)
    if bytes != timedBytes {
      timedBytes = bytes
      // A packet leaves after it was released: by a nanosecond at least.
      let span = TransferClock.span(Double(bytes) * 8e9 / rate + 0.5)
      timedSpan = span > 1 ? span : 1
    }
    freeAt = TransferClock.sum(start, timedSpan)
    return freeAt
  }

  /// Forgets the queue: the link is free from `time` on.
  mutating func clear(at time: Int64) {
    freeAt = time
    head = 0
    count = 0
    waitingBytes = 0
    advance(to: time)
  }

  /// Packets that have not begun to be sent at `now`; counted for limited queues only.
  mutating func backlog(at now: Int64) -> Int {
    leave(until: now)
    return count
  }

  private mutating func advance(to time: Int64) {
    (rate, rateUntil) = trace.step(at: time)
    timedBytes = -1
  }

  private func isFull(_ bytes: Int64) -> Bool {
    switch limit {
    case .unlimited: false
    case .packets(let most): count >= most
    case .bytes(let most): waitingBytes + bytes > most
    }
  }

  private mutating func leave(until now: Int64) {
    while count > 0 && waiting[head].start <= now {
      waitingBytes -= waiting[head].bytes
      head = (head + 1) & (waiting.count - 1)
      count -= 1
    }
  }

  private mutating func enqueue(_ bytes: Int64, start: Int64, now: Int64) {
    if limit == .unlimited || start <= now { return }
    if count == waiting.count { grow() }
    waiting[(head + count) & (waiting.count - 1)] = Waiting(start: start, bytes: bytes)
    count += 1
    waitingBytes += bytes
  }

  private mutating func grow() {
    var larger: [Waiting] = []
    larger.reserveCapacity(waiting.count * 2)
    for place in 0..<count { larger.append(waiting[(head + place) & (waiting.count - 1)]) }
    for _ in count..<(waiting.count * 2) { larger.append(Waiting(start: 0, bytes: 0)) }
    waiting = larger
    head = 0
  }
}
