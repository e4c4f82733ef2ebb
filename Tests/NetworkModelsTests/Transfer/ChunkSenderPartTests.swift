import Testing

@testable import NetworkModels

/// The parts of a sender of the chunk tier, each without the others.
@Suite struct ChunkSenderPartTests {
  private let ms = ChunkParts.millisecond

  /// So many packets of one flow, put out a millisecond apart from time zero on.
  private func launched(
    _ count: Int, _ pool: inout ChunkPool
  ) -> (flight: ChunkFlight, places: [Int32]) {
    var flight = ChunkFlight()
    var places: [Int32] = []
    for number in 0..<count {
      let place = pool.take()
      pool[place].flow = 0
      pool[place].payload = 1448
      pool[place].sequence = Int64(number)
      flight.launch(place, at: Int64(number) * ms, &pool)
      places.append(place)
    }
    return (flight, places)
  }

  @Test func `a flight numbers its transmissions and finds the one that is acknowledged next`() {
    var pool = ChunkPool(capacity: 8)
    var (flight, places) = launched(4, &pool)
    #expect(flight.count == 4 && flight.sent == 4)
    #expect(places.map { pool[$0].number } == [1, 2, 3, 4])
    flight.findAcknowledgement(pool)
    #expect(flight.nextAcknowledgement(pool) == .max)
    pool[places[2]].ackAt = 90 * ms
    flight.findAcknowledgement(pool)
    #expect(flight.ackPlace == places[2])
    #expect(flight.nextAcknowledgement(pool) == 90 * ms)
    flight.remove(places[1], &pool)
    #expect(flight.count == 3 && flight.head == places[0] && flight.tail == places[3])
    flight.resolve(3)
    #expect(flight.ackPlace == -1 && flight.resolved == 3)
    flight.giveAll(&pool)
    #expect(flight.isEmpty && flight.count == 0 && flight.sent == 4)
  }

  @Test func `a rate is told by the longer of the spans of sending and of delivery`() {
    var pool = ChunkPool(capacity: 8)
    let (_, places) = launched(2, &pool)
    var delivery = ChunkDelivery()
    delivery.start(at: 0)
    delivery.stamp(places[0], isFirst: true, at: 0, &pool)
    delivery.take(1, sentAt: 10 * ms, at: 60 * ms)
    delivery.stamp(places[1], isFirst: false, at: 70 * ms, &pool)
    pool[places[1]].sentAt = 70 * ms
    #expect(pool[places[1]].delivered == 1)
    // Sent within 60 ms; delivered within what is longer or shorter than that.
    #expect(ChunkDelivery.span(of: pool[places[1]], at: 110 * ms) == 60 * ms)
    #expect(ChunkDelivery.span(of: pool[places[1]], at: 130 * ms) == 70 * ms)
  }

  @Test func `samples count again when what was out at a pause is delivered`() {
    var delivery = ChunkDelivery()
    delivery.take(1, sentAt: 0, at: 0)
    delivery.limit(inFlight: 3)
    delivery.take(3, sentAt: 0, at: 0)
    #expect(delivery.isLimited)
    delivery.take(1, sentAt: 0, at: 0)
    #expect(!delivery.isLimited && delivery.delivered == 5)
  }

  @Test func `a missing packet is held lost after three arrivals and repaired by its repetition`() {
    var pool = ChunkPool(capacity: 8)
    var (flight, places) = launched(6, &pool)
    pool[places[0]].isDropped = true
    var recovery = ChunkRecovery()
    let first = recovery.collect(upTo: 3, from: &flight, &pool)
    #expect(first.delivered == 2 && !first.isRepair && first.sentAt == 2 * ms)
    let early = recovery.judge(
      &flight, at: 62 * ms, latest: 60 * ms, leastRoundTrip: 60 * ms, &pool)
    #expect(early == 0 && recovery.hasSuspects)
    // Its own round trip and a quarter of the least one.
    #expect(recovery.dueAt == 75 * ms)
    _ = recovery.collect(upTo: 4, from: &flight, &pool)
    let found = recovery.judge(
      &flight, at: 63 * ms, latest: 60 * ms, leastRoundTrip: 60 * ms, &pool)
    #expect(found == 1 && recovery.hasLost && !recovery.isRepaired && recovery.dueAt == nil)
    recovery.begin(next: 6, sent: 6)
    let again = recovery.takeLost(&pool)
    #expect(again == places[0] && pool[again].isRetransmission && !recovery.hasLost)
    flight.launch(again, at: 64 * ms, &pool)
    #expect(!recovery.isOver(flight, pool))
    let last = recovery.collect(upTo: 7, from: &flight, &pool)
    #expect(last.delivered == 3 && last.isRepair && recovery.isRepaired)
    #expect(recovery.isOver(flight, pool))
    #expect(recovery.end() == 0)
    #expect(recovery.phase == .open)
  }

  @Test func `what is lost of a recovery's own packets is left to the next one`() {
    var pool = ChunkPool(capacity: 8)
    var (flight, places) = launched(3, &pool)
    var recovery = ChunkRecovery()
    recovery.beginLoss(next: 1, sent: 1)
    pool[places[1]].isDropped = true
    _ = recovery.collect(upTo: 3, from: &flight, &pool)
    // In recovery a hole is a loss at once.
    let found = recovery.judge(
      &flight, at: 0, latest: 60 * ms, leastRoundTrip: .max, &pool)
    #expect(found == 1 && recovery.isOver(flight, pool))
    #expect(recovery.end() == 1)
    #expect(recovery.phase == .open && !recovery.isRepaired)
  }

  @Test func `the reduction sends one packet for two that arrive, down to the threshold`() {
    var reduction = ChunkReduction()
    reduction.begin(window: 20)
    var progress = ChunkProgress()
    progress.delivered = 1
    #expect(reduction.window(after: progress, inFlight: 19, threshold: 10) == 20)
    reduction.noteSent()
    #expect(reduction.window(after: progress, inFlight: 19, threshold: 10) == 19)
    // Below the threshold as in slow start: what arrived, and one more for a repair.
    var other = ChunkReduction()
    other.begin(window: 20)
    progress.isRepair = true
    #expect(other.window(after: progress, inFlight: 5, threshold: 10) == 7)
    #expect(other.window(after: progress, inFlight: 9, threshold: 10) == 10)
  }

  @Test func `a timer doubles its wait fifteen times, probes once and gives up`() {
    var timer = ChunkTimer()
    #expect(timer.mayProbe && timer.doublings == 0)
    timer.beginProbe()
    #expect(!timer.mayProbe)
    timer.awaitProbe(until: 3, at: 5 * ms)
    #expect(timer.kind == .timeout && timer.at == 6 * ms)
    for count in 1...15 {
      timer.expire()
      #expect(timer.doublings == Int64(count) && timer.isFirstTimeout == (count == 1))
    }
    #expect(!timer.isGivenUp && timer.at == 6 * ms)
    timer.expire()
    #expect(timer.isGivenUp && timer.at == .max && timer.doublings == 15)
    timer.revive()
    #expect(timer.mayProbe && !timer.isGivenUp)
  }

  @Test func `a pacer lets bursts go at its rate, with credit for at most half a burst`() {
    let unit: Int64 = 1 << 20
    let rate = 1 / Double(unit)
    var pacer = ChunkPacer()
    #expect(pacer.holds(at: 0) == false)
    pacer.spend(10, rate: rate, at: 0)
    #expect(pacer.holds(at: 9 * unit) && pacer.wakesAt == 10 * unit)
    #expect(pacer.holds(at: 10 * unit) == false && pacer.wakesAt == .max)
    pacer.spend(10, rate: rate, at: 14 * unit)
    #expect(pacer.holds(at: 19 * unit) && pacer.wakesAt == 20 * unit)
    pacer.spend(10, rate: rate, at: 28 * unit)
    #expect(pacer.holds(at: 28 * unit) && pacer.wakesAt == 33 * unit)
    pacer.spend(10, rate: 0, at: 40 * unit)
    #expect(pacer.holds(at: 40 * unit) == false)
  }

  @Test func `a window grows only while it is the limit`() {
    var usage = ChunkUsage()
    usage.note(inFlight: 10, isLimited: false, resolved: 0, sent: 10)
    #expect(usage.allowsGrowth(of: 19, isSlowStart: true))
    #expect(!usage.allowsGrowth(of: 20, isSlowStart: true))
    #expect(!usage.allowsGrowth(of: 10, isSlowStart: false))
    usage.note(inFlight: 5, isLimited: true, resolved: 3, sent: 12)
    #expect(usage.allowsGrowth(of: 100, isSlowStart: false))
    // Kept until all that was out then has arrived.
    usage.note(inFlight: 2, isLimited: false, resolved: 11, sent: 14)
    #expect(usage.allowsGrowth(of: 100, isSlowStart: false))
    usage.note(inFlight: 2, isLimited: false, resolved: 12, sent: 14)
    #expect(!usage.allowsGrowth(of: 100, isSlowStart: false))

    var window = ChunkWindow(ChunkParts.settings())
    window.grow(by: 4, at: 0)
    #expect(window.size == 10)
    window.noteUsage(inFlight: 10, isLimited: true, resolved: 0, sent: 10)
    window.grow(by: 4, at: 0)
    #expect(window.size == 14 && window.phase == .slowStart)
    window.enterRecovery()
    window.leaveRecovery()
    #expect(window.size == Double(14 * 717 / 1024) && window.phase == .avoidance)
  }

  @Test func `the latest repetition of a packet stands for it`() {
    var pool = ChunkPool(capacity: 8)
    let (_, places) = launched(1, &pool)
    let once = pool.repeated(places[0])
    pool[once].number = 2
    let twice = pool.repeated(places[0])
    pool[twice].number = 3
    #expect(pool.copy(of: places[0]) == once && pool.copy(of: once) == twice)
    #expect(pool.copy(of: twice) == -1)
    #expect(pool[once].isReplaced && pool[twice].isProbe && !pool[twice].isReplaced)
    // A place that was given back holds no repetition any more.
    pool.give(twice)
    #expect(pool.copy(of: once) == -1)
  }
}
