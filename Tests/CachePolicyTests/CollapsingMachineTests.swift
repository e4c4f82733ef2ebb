import CachePolicy
import MediaUnits
import Testing

private typealias Machine = CollapsingMachine

private let half = TimeSpan.milliseconds(500)

private func host(
  _ configuration: Machine.Configuration, _ cacheControl: String, delay: TimeSpan = half
) -> CollapsingHost {
  CollapsingHost(configuration, delay: delay) { answer(cacheControl, at: $1) }
}

private func latencies(_ outcomes: [CollapsingHost.Outcome]) -> [TimeSpan] {
  outcomes.compactMap(\.latency).sorted()
}

private func count(
  _ outcomes: [CollapsingHost.Outcome], _ service: Machine.Service
) -> Int { outcomes.filter { $0.service == service }.count }

/// A content delivery network's edge: caches.md section 5, last column.
struct `Full collapsing` {
  @Test func `a burst for an absent or an expired key is one fetch that all wait for`() {
    var host = host(.cloudFront, "max-age=2")
    for time in [Instant.zero, .at(14)] {
      let outcomes = host.burst(20, at: time)
      #expect(count(outcomes, .fetched) == 1 && count(outcomes, .collapsed) == 19)
      #expect(latencies(outcomes).allSatisfy { $0 == half })
    }
    #expect(host.fetches == 2)
    #expect(host.machine.state(at: .at(15)) == .fresh)
    #expect(host.machine.state(at: .at(17)) == .stale)
  }

  @Test func `within stale-while-revalidate nobody waits and one fetch is made`() {
    var host = host(.cloudFront, "max-age=2, stale-while-revalidate=10")
    _ = host.burst(1, at: .zero)
    let outcomes = host.burst(20, at: .at(4))
    #expect(count(outcomes, .stale) == 20 && latencies(outcomes).allSatisfy { $0 == .zero })
    #expect(host.fetches == 2)
    #expect(count(host.burst(1, at: .at(5)), .fresh) == 1)
  }

  @Test func `after the window requests wait for the fetch that was begun within it`() {
    var host = host(.cloudFront, "max-age=2, stale-while-revalidate=10", delay: .seconds(5))
    _ = host.burst(1, at: .zero)
    // Stored at 5 s: stale from 7 s, not to be used from 17 s.
    host.request(at: .at(16))
    host.request(at: .at(18))
    host.run()
    #expect(host.outcomes[1].service == .stale)
    #expect(host.outcomes[2].service == .collapsed && host.outcomes[2].servedAt == .at(21))
    #expect(host.fetches == 2)
  }

  @Test func `after an uncacheable answer all go forward, later ones without waiting`() {
    var host = host(.cloudFront, "no-store")
    let first = host.burst(20, at: .zero)
    #expect(latencies(first) == [half] + Array(repeating: half * 2, count: 19))
    #expect(latencies(host.burst(20, at: .at(3))).allSatisfy { $0 == half })
    #expect(host.fetches == 40)
    #expect(host.machine.state(at: .at(4)) == .hitForMiss(until: .at(milliseconds: 123_500)))
    // The memory is over: collapsing is tried again.
    #expect(latencies(host.burst(2, at: .at(200))) == [half, half * 2])
  }

  @Test func `an answer without lifetime is kept for validation but does not collapse`() {
    var host = host(.cloudFront, "max-age=0")
    let outcomes = host.burst(3, at: .zero)
    #expect(count(outcomes, .fetched) == 3 && host.fetches == 3)
    let next = host.burst(1, at: .at(3))
    #expect(next[0].wasConditional && next[0].service == .fetched)
  }

  @Test func `Varnish wakes six waiters per answer, in rounds`() {
    var host = host(.varnish, "no-store")
    let outcomes = host.burst(60, at: .zero)
    let rounds = (1...4).map { n in outcomes.filter { $0.latency == half * Int64(n) }.count }
    #expect(rounds == [1, 6, 36, 17])
  }

  @Test func `a cacheable answer ends the memory and serves who is left`() {
    var host = CollapsingHost(.varnish, delay: half) { asked, answered in
      asked == .zero ? .uncacheable : answer("max-age=60", at: answered)
    }
    let outcomes = host.burst(20, at: .zero)
    #expect(host.fetches == 7)
    #expect(count(outcomes, .collapsed) == 13 && count(outcomes, .fetched) == 7)
    #expect(count(host.burst(3, at: .at(2)), .fresh) == 3)
  }

  @Test func `the first may wait in front while the others are served stale`() {
    let configuration = Machine.Configuration(revalidation: .foreground)
    var host = host(configuration, "max-age=2, stale-while-revalidate=10")
    _ = host.burst(1, at: .zero)
    let outcomes = host.burst(20, at: .at(4))
    #expect(count(outcomes, .stale) == 19 && outcomes[0].service == .fetched)
    #expect(outcomes[0].latency == half)
  }
}

struct `Failures behind a cache node` {
  /// Answers until 10 s, then fails.
  private func failing(
    _ configuration: Machine.Configuration, _ cacheControl: String, _ failure: OriginFailure,
    repeatFor: TimeSpan, delay: TimeSpan = half
  ) -> CollapsingHost {
    CollapsingHost(configuration, delay: delay) { asked, answered in
      asked < .at(10)
        ? answer(cacheControl, at: answered) : .failed(failure, repeatFor: repeatFor)
    }
  }

  @Test func `stale-if-error answers the whole burst after one failed fetch`() {
    var host = failing(
      Machine.Configuration(), "max-age=2, stale-if-error=60", .serverError, repeatFor: .zero)
    _ = host.burst(1, at: .zero)
    let outcomes = host.burst(20, at: .at(14))
    #expect(count(outcomes, .staleAfterFailure) == 20)
    #expect(latencies(outcomes).allSatisfy { $0 == half })
    #expect(host.fetches == 2)
    // Past 62.5 s the window is over: an error that is not repeated sends everybody forward.
    let late = host.burst(4, at: .at(70))
    #expect(count(late, .failed) == 4 && host.fetches == 6)
  }

  @Test func `a timeout is answered with the stale copy only after the full wait`() {
    var host = failing(
      .cloudFront, "max-age=2, stale-if-error=60", .timeout, repeatFor: .seconds(10),
      delay: .seconds(30))
    _ = host.burst(1, at: .zero)
    // Stored at 30 s by the first; the origin is asked again at 40 s.
    let outcomes = host.burst(3, at: .at(40))
    #expect(count(outcomes, .staleAfterFailure) == 3)
    #expect(latencies(outcomes).allSatisfy { $0 == .seconds(30) })
  }

  @Test func `the window is judged when the wait is over`() {
    var host = failing(
      .cloudFront, "max-age=2, stale-if-error=30", .timeout, repeatFor: .zero, delay: .seconds(30))
    _ = host.burst(1, at: .zero)
    #expect(count(host.burst(3, at: .at(40)), .failed) == 3)
  }

  @Test func `CloudFront serves the expired copy for ten seconds and then asks again`() {
    var host = failing(.cloudFront, "max-age=2", .serverError, repeatFor: .seconds(10))
    _ = host.burst(1, at: .zero)
    #expect(count(host.burst(5, at: .at(14)), .staleAfterFailure) == 5)
    let held = host.burst(5, at: .at(24))
    #expect(count(held, .staleAfterFailure) == 5)
    #expect(latencies(held).allSatisfy { $0 == .zero } && host.fetches == 2)
    #expect(count(host.burst(1, at: .at(milliseconds: 24_500)), .staleAfterFailure) == 1)
    #expect(host.fetches == 3)
  }

  @Test func `the hold ends with the window that allowed it`() {
    var host = failing(
      .cloudFront, "max-age=2, stale-if-error=15", .serverError, repeatFor: .seconds(10))
    _ = host.burst(1, at: .zero)
    // Stored at 0.5 s: usable until 17.5 s.
    #expect(count(host.burst(1, at: .at(14)), .staleAfterFailure) == 1)
    #expect(count(host.burst(1, at: .at(17)), .staleAfterFailure) == 1)
    #expect(host.fetches == 2)
    #expect(count(host.burst(1, at: .at(18)), .failed) == 1)
    #expect(host.fetches == 3)
  }

  @Test func `without a usable copy the error is repeated and then the origin asked again`() {
    var host = failing(
      .cloudFront, "max-age=2, stale-if-error=0", .serverError, repeatFor: .seconds(10))
    _ = host.burst(1, at: .zero)
    #expect(count(host.burst(5, at: .at(14)), .failed) == 5)
    #expect(host.machine.state(at: .at(20)) == .negative(until: .at(milliseconds: 24_500)))
    #expect(count(host.burst(5, at: .at(20)), .negative) == 5)
    #expect(host.fetches == 2)
    let later = host.burst(1, at: .at(25))
    #expect(later[0].wasConditional && later[0].service == .failed)
  }

  @Test func `a definite error replaces the copy and is repeated`() {
    var host = CollapsingHost(.cloudFront, delay: half) { asked, answered in
      asked < .at(10) ? answer("max-age=2", at: answered) : .negative(.seconds(10))
    }
    _ = host.burst(1, at: .zero)
    let outcomes = host.burst(3, at: .at(14))
    #expect(count(outcomes, .failed) == 1 && count(outcomes, .negative) == 2)
    #expect(host.commands.contains { $0.contains(.discardCopy) })
    #expect(host.machine.stored == nil)
    #expect(count(host.burst(3, at: .at(20)), .negative) == 3)
    #expect(!host.burst(1, at: .at(30))[0].wasConditional)
  }

  @Test func `a failed background fetch does not disturb stale use, and is tried again`() {
    var host = failing(
      Machine.Configuration(), "max-age=2, stale-while-revalidate=60", .serverError,
      repeatFor: .zero)
    _ = host.burst(1, at: .zero)
    for (index, time) in [Int64(14), 16, 18].enumerated() {
      #expect(count(host.burst(4, at: .at(time)), .stale) == 4)
      #expect(host.fetches == index + 2)
    }
  }

  @Test func `nginx uses stale-if-error when the origin is unreachable, not on a status`() {
    for (failure, service) in [
      (OriginFailure.unreachable, Machine.Service.staleAfterFailure), (.serverError, .failed),
    ] {
      var host = failing(
        .nginx(), "max-age=2, stale-if-error=60", failure, repeatFor: .zero)
      _ = host.burst(1, at: .zero)
      #expect(count(host.burst(3, at: .at(14)), service) == 3)
    }
  }
}

struct `Collapsing with a lock` {
  private let locked = Machine.Configuration.nginx(lock: Machine.Lock())

  @Test func `who waits finds the copy at the next look`() {
    var host = host(locked, "max-age=60", delay: .milliseconds(700))
    let outcomes = host.burst(5, at: .zero)
    #expect(latencies(outcomes) == [.milliseconds(700)] + Array(repeating: .seconds(1), count: 4))
    #expect(host.fetches == 1)
  }

  @Test func `after the timeout all go forward, and only one of them stores`() {
    var host = host(locked, "max-age=60", delay: .seconds(7))
    let outcomes = host.burst(5, at: .zero)
    #expect(host.fetches == 5)
    #expect(latencies(outcomes) == [.seconds(7)] + Array(repeating: .seconds(12), count: 4))
    let stores = host.commands.joined().filter {
      if case .store = $0 { return true }
      return false
    }
    // The first, and the one that took the lock when its age was over.
    #expect(stores.count == 2)
  }

  @Test func `a lock that is too old is taken over by one waiter`() {
    let lock = Machine.Lock(timeout: .seconds(60), age: .seconds(2))
    var host = host(.nginx(lock: lock), "max-age=60", delay: .seconds(3))
    let outcomes = host.burst(5, at: .zero)
    #expect(host.fetches == 2)
    #expect(count(outcomes, .fetched) == 2 && count(outcomes, .collapsed) == 3)
  }

  @Test func `uncacheable answers are fetched one after the other until the timeout`() {
    var host = host(locked, "no-store")
    let outcomes = host.burst(20, at: .zero)
    #expect(host.fetches == 20)
    // Ten in a row, the last of them and ten more at 5 s.
    let spans = latencies(outcomes)
    #expect(Array(spans[..<10]) == (1...10).map { half * $0 })
    #expect(spans[10...].allSatisfy { $0 == .milliseconds(5_500) })
  }

  @Test func `a timeout of zero does not wait`() {
    var host = host(.nginx(lock: Machine.Lock(timeout: .zero)), "max-age=60")
    #expect(latencies(host.burst(5, at: .zero)).allSatisfy { $0 == half })
    #expect(host.fetches == 5)
  }
}

struct `Late and doubled events` {
  @Test func `an answer counts once, and not for the fetch that has its slot now`() {
    var machine = Machine(.cloudFront)
    var list: [Machine.Command] = []
    machine.handle(.requested(RequestNumber(0)), at: .zero, into: &list)
    let old = FetchNumber(slot: 0, generation: 0)
    #expect(list == [.fetch(old, waiting: RequestNumber(0), isConditional: false)])
    machine.handle(.answered(old, .uncacheable), at: .at(1), into: &list)
    machine.handle(.requested(RequestNumber(1)), at: .at(1), into: &list)
    let new = FetchNumber(slot: 0, generation: 1)
    #expect(list.last == .fetch(new, waiting: RequestNumber(1), isConditional: false))
    let count = list.count
    machine.handle(.answered(old, answer("max-age=9", at: .at(2))), at: .at(2), into: &list)
    machine.handle(
      .answered(FetchNumber(slot: 9, generation: 0), .uncacheable), at: .at(2), into: &list)
    machine.handle(.timerFired, at: .at(2), into: &list)
    machine.handle(.cancelled(RequestNumber(7)), at: .at(2), into: &list)
    #expect(list.count == count && machine.ignored == 4 && machine.stored == nil)
  }

  @Test func `a cancelled request is not answered, and its fetch serves the others`() {
    var host = host(.cloudFront, "max-age=60")
    for _ in 0..<4 { host.request(at: .zero) }
    host.run(until: .zero)
    #expect(host.machine.state(at: .zero) == .fetching(waiters: 3))
    host.report(.cancelled(RequestNumber(0)), at: .zero)
    host.report(.cancelled(RequestNumber(2)), at: .zero)
    host.run()
    let services = host.outcomes.map(\.service)
    #expect(services == [nil, .collapsed, nil, .collapsed] && host.fetches == 1)
  }

  @Test func `an evicted copy is fetched anew without a condition`() {
    var host = host(.cloudFront, "max-age=60")
    _ = host.burst(1, at: .zero)
    host.report(.evicted, at: .at(1))
    #expect(host.machine.state(at: .at(1)) == .absent && host.machine.isIdle(at: .at(1)))
    #expect(!host.burst(1, at: .at(2))[0].wasConditional && host.fetches == 2)
  }

  @Test func `an idle machine can be given another key`() {
    var host = host(.varnish, "no-store")
    _ = host.burst(2, at: .zero)
    #expect(!host.machine.isIdle(at: .at(60)) && host.machine.isIdle(at: .at(121)))
    var machine = host.machine
    let copy = StoredResponse(storedAt: .at(121), lifetime: .seconds(5))
    machine.reset(copy: copy)
    #expect(machine.state(at: .at(122)) == .fresh && machine.stored == copy)
    machine.reset(copy: nil)
    #expect(machine.state(at: .at(122)) == .absent)
  }
}
