import MediaUnits
import PolicyTesting
import ServicePolicy
import Testing

@Suite struct LimitTests {
  @Test func `a bucket gives its burst at once and its rate over a long time`() {
    var bucket = TokenBucket(rate: 10, burst: 5)
    var taken = 0
    for _ in 0..<20 where bucket.take(at: .zero) { taken += 1 }
    #expect(taken == 5)
    #expect(bucket.wait(at: .zero) == .milliseconds(100))
    for millisecond in 1...10_000 where bucket.take(at: at(Int64(millisecond))) { taken += 1 }
    #expect(taken == 5 + 100)
  }

  @Test func `a bucket that rests is full and no fuller`() {
    var bucket = TokenBucket(rate: 10, burst: 5)
    _ = bucket.take(5, at: .zero)
    var taken = 0
    for _ in 0..<20 where bucket.take(at: at(60_000)) { taken += 1 }
    #expect(taken == 5)
  }

  @Test func `in no span does a bucket give more than burst and rate allow`() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let burst = Int64(1 + random.below(20))
      var bucket = TokenBucket(rate: 100, burst: burst)
      var taken: [Int64] = []
      var time: Int64 = 0
      for _ in 0..<500 {
        time += Int64(random.below(20))
        if bucket.take(at: at(time)) { taken.append(time) }
      }
      for first in stride(from: 0, to: taken.count, by: 7) {
        for last in first..<taken.count {
          let allowed = burst + (taken[last] - taken[first]) / 10
          #expect(Int64(last - first + 1) <= allowed + 1)
        }
      }
    }
  }

  @Test func `SIG-076: the one who asks too often is refused, and nobody else`() {
    var limiter = RateLimiter(RateLimiter.Configuration(rate: 5, burst: 10, clients: 100))
    var refused = 0
    for millisecond in 0..<10_000 {
      if limiter.tell(.asked(client: 7, request: 1), at: at(Int64(millisecond)))
        != [.admit(request: 1)]
      {
        refused += 1
      }
      if millisecond % 500 == 0 {
        for client in 20..<60 as Range<UInt64> {
          #expect(
            limiter.tell(.asked(client: client, request: 2), at: at(Int64(millisecond)))
              == [.admit(request: 2)])
        }
      }
    }
    #expect(refused == 10_000 - 10 - 49)
  }

  @Test func `a refusal says when the next request passes`() {
    var limiter = RateLimiter(RateLimiter.Configuration(rate: 2, burst: 1, clients: 4))
    #expect(limiter.tell(.asked(client: 1, request: 1)) == [.admit(request: 1)])
    #expect(
      limiter.tell(.asked(client: 1, request: 2), at: at(100))
        == [.refuse(request: 2, after: .milliseconds(400))])
    #expect(limiter.tell(.asked(client: 1, request: 3), at: at(500)) == [.admit(request: 3)])
  }

  @Test func `a limiter that is full forgets the oldest client and stays right for the others`() {
    var limiter = RateLimiter(RateLimiter.Configuration(rate: 1, burst: 1, clients: 8))
    for client in 0..<100_000 as Range<UInt64> {
      #expect(limiter.tell(.asked(client: client, request: 0)) == [.admit(request: 0)])
    }
    for client in 99_992..<100_000 as Range<UInt64> {
      #expect(limiter.tell(.asked(client: client, request: 0)) != [.admit(request: 0)])
    }
    #expect(limiter.tell(.asked(client: 5, request: 0)) == [.admit(request: 0)])
  }

  @Test func `a class joins up to its limit, and not when its answer would be late`() {
    let shedder = LoadShedder(limits: [100, 10], mindsDeadline: true)
    func admits(_ priority: Int, _ waiting: Int, _ left: TimeSpan?) -> Bool {
      shedder.admits(
        priority: priority, waiting: waiting, servers: 4, service: .milliseconds(10), left: left)
    }
    #expect(admits(0, 99, nil) && !admits(0, 100, nil))
    #expect(admits(1, 9, nil) && !admits(1, 10, nil) && !admits(5, 10, nil))
    // 8 before it on 4 servers, 10 ms each, and its own: 30 ms.
    #expect(admits(0, 8, .milliseconds(30)) && !admits(0, 8, .milliseconds(29)))
    #expect(LoadShedder().admits(priority: 3, waiting: .max, servers: 1, service: .zero, left: nil))
  }

  @Test func `a page that was ranked before is shown while it is young enough`() {
    #expect(PageFallback().source(age: .zero) == .trending)
    let fallback = PageFallback(oldest: .minutes(5))
    #expect(fallback.source(age: nil) == .trending)
    #expect(fallback.source(age: .minutes(5)) == .earlier)
    #expect(fallback.source(age: .minutes(5) + .nanoseconds(1)) == .trending)
  }

  @Test func `SIG-046: a cursor by key stays where it is, one by offset counts`() {
    #expect(PageCut.key.next(lastKey: 17, given: 40) == 17)
    #expect(PageCut.offset.next(lastKey: 17, given: 40) == 40)
  }
}

@Suite struct IngestLedgerTests {
  @Test func `SIG-052: a repeat of a numbered batch counts once, one without a number each time`() {
    var ledger = IngestLedger()
    #expect(ledger.tell(.arrived(device: 1, number: 0, post: 1)) == [.count(post: 1)])
    #expect(ledger.tell(.arrived(device: 1, number: 0, post: 2)) == [.drop(post: 2)])
    #expect(ledger.tell(.arrived(device: 2, number: 0, post: 3)) == [.count(post: 3)])
    #expect(ledger.tell(.arrived(device: 1, number: 1, post: 4)) == [.count(post: 4)])
    #expect(ledger.tell(.arrived(device: 1, number: 0, post: 5)) == [.drop(post: 5)])
    #expect(ledger.tell(.arrived(device: 1, number: nil, post: 6)) == [.count(post: 6)])
    #expect(ledger.tell(.arrived(device: 1, number: nil, post: 6)) == [.count(post: 6)])
    #expect(ledger.counted == 5 && ledger.dropped == 2)
  }

  @Test func `each batch of each device is counted exactly once whatever comes twice`() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed)
      var ledger = IngestLedger(IngestLedger.Configuration(devices: 64))
      var next = [UInt32](repeating: 0, count: 64)
      var counted = 0
      var sent = 0
      for _ in 0..<2_000 {
        let device = random.below(64)
        let isRepeat = next[device] > 0 && random.below(3) == 0
        let number = isRepeat ? UInt32(random.below(Int(next[device]))) : next[device]
        if !isRepeat {
          next[device] += 1
          sent += 1
        }
        let commands = ledger.tell(.arrived(device: UInt64(device), number: number, post: 9))
        if commands == [.count(post: 9)] { counted += 1 }
      }
      #expect(counted == sent && ledger.dropped == 2_000 - sent)
    }
  }
}
