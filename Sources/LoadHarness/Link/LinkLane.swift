import Models
import SimulationKernel

/// One direction of one client's link: a FIFO whose packets' departures are known when they are
/// offered.
///
/// Times are nanoseconds of the host's monotonic clock and must not decrease from call to call. The
/// arithmetic is that of the transfer model's bottleneck: a packet starts when the one before it is
/// through, keeps the rate at which it starts, and a packet in transmission does not count for the
/// queue's limit.
struct LinkLane {
  /// A packet on its way.
  struct Packet {
    /// When its transmission begins and ends, and when it arrives; `.max` for never.
    var start: Int64
    var sent: Int64
    var arrival: Int64
    /// Bytes of the IP packet.
    var length: Int32
    /// Place of its bytes, or -1 when it will be lost.
    var slot: Int32
  }

  /// What became of an offered packet.
  enum Answer: Equatable {
    /// It will arrive.
    case queued
    /// It occupies the link and is lost; its bytes are not needed.
    case lost
    /// The queue was full.
    case full
  }

  private var rates: RateTrace
  private var delay: Int64
  private var limit: LinkQueue
  private var framing: Int64
  private var loss: LossGaps
  /// Clock time of the trace's time 0.
  private var epoch: Int64
  private var isEverOpen: Bool
  /// The rate that holds at ``freeAt`` or later, and until when on the clock.
  private var rate: Double
  private var rateUntil: Int64
  /// When the link is through with everything offered so far.
  private var freeAt: Int64 = .min
  private var lastArrival: Int64 = .min

  /// Ring of packets: `head ..< tail` are on their way, `waiting ..< tail` have not begun.
  private var ring: [Packet] = []
  private var head = 0
  private var waiting = 0
  private var tail = 0
  private var waitingBytes: Int64 = 0

  private(set) var counters = LaneCounters()

  init(
    _ profile: LinkLaneProfile, framing: Int, loss: LossGaps, at now: Int64
  ) {
    rates = profile.rate
    delay = profile.delay
    limit = profile.queue
    self.framing = Int64(framing)
    self.loss = loss
    epoch = now
    isEverOpen = profile.rate.rates.contains { $0 > 0 }
    (rate, rateUntil) = (0, .min)
    ring = [Packet](
      repeating: Packet(start: 0, sent: 0, arrival: 0, length: 0, slot: -1), count: 16)
  }

  /// Packets on their way, lost ones included.
  var count: Int { tail - head }
  /// When the next packet leaves the lane; `.max` for never or none.
  var nextArrival: Int64 { head == tail ? .max : ring[head & (ring.count - 1)].arrival }

  /// Offers a packet.
  ///
  /// - Parameters:
  ///   - length: bytes of the IP packet.
  ///   - slot: place of its bytes; the caller's again unless the answer is `queued`.
  mutating func offer(length: Int, slot: Int32, at now: Int64) -> Answer {
    counters.packetsIn += 1
    counters.bytesIn += Int64(length)
    leave(until: now)
    let begin = plan(at: now)
    if isFull(Int64(length) + framing, waitsFor: begin == .max ? .max : begin - now) {
      counters.full += 1
      return .full
    }
    let isLost = loss.clean == 0
    if isLost { loss.lose() } else { loss.pass(1) }
    let arrival = transmit(Int64(length), from: begin)
    push(
      Packet(
        start: begin, sent: freeAt, arrival: arrival, length: Int32(clamping: length),
        slot: isLost ? -1 : slot), at: now)
    if isLost { counters.lost += 1 }
    return isLost ? .lost : .queued
  }

  /// The next packet that is due at `now`, in the order in which they were offered; nil when none
  /// is. One with slot -1 was lost.
  mutating func take(at now: Int64) -> Packet? {
    guard head < tail else { return nil }
    let packet = ring[head & (ring.count - 1)]
    if packet.arrival > now { return nil }
    if waiting == head {
      waiting += 1
      waitingBytes -= Int64(packet.length) + framing
    }
    head += 1
    if packet.slot >= 0 {
      counters.packetsOut += 1
      counters.bytesOut += Int64(packet.length)
    }
    return packet
  }

  /// From `now` on the lane follows another profile. Packets that wait are planned anew; the one in
  /// transmission and those behind it keep their times, and no packet overtakes another.
  mutating func change(to profile: LinkLaneProfile, framing: Int, loss: LossGaps, at now: Int64) {
    leave(until: now)
    rates = profile.rate
    delay = profile.delay
    limit = profile.queue
    self.framing = Int64(framing)
    self.loss = loss
    epoch = now
    isEverOpen = profile.rate.rates.contains { $0 > 0 }
    rateUntil = .min
    let mask = ring.count - 1
    freeAt = waiting > head ? ring[(waiting - 1) & mask].sent : now
    lastArrival = waiting > head ? ring[(waiting - 1) & mask].arrival : .min
    waitingBytes = 0
    for place in waiting..<tail {
      let begin = plan(at: now)
      let length = Int64(ring[place & mask].length)
      ring[place & mask].start = begin
      ring[place & mask].arrival = transmit(length, from: begin)
      ring[place & mask].sent = freeAt
      waitingBytes += length + self.framing
    }
  }

  // MARK: Planning

  /// When a packet that comes at `now` begins to be sent; `.max` for never.
  private mutating func plan(at now: Int64) -> Int64 {
    var start = max(freeAt, now)
    if start == .max { return .max }
    if start >= rateUntil { readRate(at: start) }
    while rate <= 0 {
      if !isEverOpen || rateUntil == .max { return .max }
      start = rateUntil
      readRate(at: start)
    }
    return start
  }

  private mutating func readRate(at time: Int64) {
    let step = rates.step(at: time - epoch)
    rate = step.rate
    let (until, isBeyond) = step.until.addingReportingOverflow(epoch)
    rateUntil = isBeyond ? .max : until
  }

  /// When a packet that begins at `start` arrives; the link is busy until it is sent.
  private mutating func transmit(_ length: Int64, from start: Int64) -> Int64 {
    if start == .max {
      freeAt = .max
      return .max
    }
    let span = Double(length + framing) * 8e9 / rate + 0.5
    freeAt = span < 4e18 - Double(start) ? start + max(1, Int64(span)) : .max
    if freeAt == .max { return .max }
    let (arrival, isBeyond) = freeAt.addingReportingOverflow(delay)
    lastArrival = max(lastArrival, isBeyond ? .max : arrival)
    return lastArrival
  }

  private func isFull(_ wire: Int64, waitsFor span: Int64) -> Bool {
    if span <= 0 { return false }
    switch limit {
    case .unlimited: return false
    case .packets(let most): return tail - waiting >= most
    case .bytes(let most): return waitingBytes + wire > most
    case .time(let most, let least): return span > most && tail - waiting >= least
    }
  }

  // MARK: Ring

  /// Packets whose transmission has begun wait no longer.
  private mutating func leave(until now: Int64) {
    let mask = ring.count - 1
    while waiting < tail && ring[waiting & mask].start <= now {
      waitingBytes -= Int64(ring[waiting & mask].length) + framing
      waiting += 1
    }
  }

  private mutating func push(_ packet: Packet, at now: Int64) {
    if tail - head == ring.count { grow() }
    ring[tail & (ring.count - 1)] = packet
    tail += 1
    waitingBytes += Int64(packet.length) + framing
    leave(until: now)
  }

  private mutating func grow() {
    var larger: [Packet] = []
    larger.reserveCapacity(ring.count * 2)
    for place in head..<tail { larger.append(ring[place & (ring.count - 1)]) }
    waiting -= head
    tail -= head
    head = 0
    let empty = Packet(start: 0, sent: 0, arrival: 0, length: 0, slot: -1)
    for _ in larger.count..<(ring.count * 2) { larger.append(empty) }
    ring = larger
  }
}
