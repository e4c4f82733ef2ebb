import LoadHarness
import MediaUnits
import Testing

struct LiveLatencyTests {
  @Test func `an outage shows in the corrected latencies of all requests that were due`() {
    // One request every 10 ms that takes 1 ms; the generator stands still from 1 s to 4 s.
    var latency = LiveLatency()
    for index in 0..<1_000 {
      let due = Instant(nanoseconds: Int64(index) * 10_000_000)
      let isStuck = due.nanoseconds >= 1_000_000_000 && due.nanoseconds < 4_000_000_000
      let start = isStuck ? Instant(nanoseconds: 4_000_000_000) : due
      latency.record(
        startedAt: start, intendedAt: due, endedAt: start + .milliseconds(1))
    }
    #expect(latency.count == 1_000)
    let raw = LiveLatency.quantile(latency.raw, 0.99)
    let corrected = LiveLatency.quantile(latency.corrected, 0.9)
    #expect(raw.map { $0 < .milliseconds(2) } == true)
    // 300 of 1000 requests waited up to 3 s; the 90th percentile is 2 s into the outage.
    #expect(corrected.map { abs($0.seconds - 2.0) < 0.05 } == true)
  }

  @Test func `merging adds, and odd spans are held at the ends`() {
    var (a, b) = (LiveLatency(), LiveLatency())
    #expect(LiveLatency.quantile(a.raw, 0.5) == nil)
    let zero = Instant.zero
    a.record(startedAt: zero + .seconds(1), intendedAt: zero, endedAt: zero)
    b.record(startedAt: zero, intendedAt: zero, endedAt: .distantFuture)
    a.merge(b)
    #expect(a.count == 2)
    #expect(LiveLatency.quantile(a.raw, 0) == .zero)
    #expect(LiveLatency.quantile(a.raw, 1).map { $0 >= .hours(1) } == true)
  }
}
