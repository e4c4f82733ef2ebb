import CachePolicy
import Foundation
import MediaUnits
import Testing

/// Random time lines: requests, cancellations, evictions, late and doubled events, answers of every
/// kind after random delays.
struct `Random time lines of a key` {
  private static let configurations: [CollapsingMachine.Configuration] = [
    .cloudFront, .varnish, .nginx(), .nginx(lock: CollapsingMachine.Lock()),
    .nginx(
      lock: CollapsingMachine.Lock(
        timeout: .seconds(1), age: .milliseconds(400), poll: .milliseconds(100)),
      revalidation: .background, staleOnFailure: .withinWindow),
    CollapsingMachine.Configuration(
      revalidation: .foreground, hitForMiss: .zero, releasedPerAnswer: 1),
  ]

  private static let directives = [
    "max-age=1", "max-age=0", "max-age=1, stale-while-revalidate=2", "no-store", "no-cache",
    "max-age=1, stale-if-error=2", "max-age=2, stale-while-revalidate=1, stale-if-error=9",
    "max-age=1, must-revalidate",
  ]

  private static func answer(
    _ random: inout TestRandom, at now: Instant
  ) -> CollapsingMachine.Answer {
    let failures: [OriginFailure] = [.serverError, .unreachable, .timeout]
    let span = TimeSpan.milliseconds(Int64(random.below(3)) * 400)
    switch random.below(8) {
    case 0: return .uncacheable
    case 1: return .negative(span)
    case 2, 3: return .failed(failures[random.below(3)], repeatFor: span)
    default:
      return CachePolicyTests.answer(directives[random.below(directives.count)], at: now)
    }
  }

  /// Checks what must hold after every event.
  private func holds(_ machine: CollapsingMachine, _ host: CollapsingHost) -> Bool {
    if machine.waiterCount == 0 { return true }
    switch machine.configuration.mode {
    case .none: return false
    case .full: return machine.activeFetches > 0
    case .absentOnly: return true
    }
  }

  private func run(
    _ configuration: CollapsingMachine.Configuration, seed: UInt64
  ) -> (host: CollapsingHost, cancelled: [Int], isSound: Bool) {
    var random = TestRandom(seed: seed)
    var answers = TestRandom(seed: seed ^ 0xFF)
    var host = CollapsingHost(configuration, delay: .milliseconds(300)) {
      Self.answer(&answers, at: $1)
    }
    var cancelled: [Int] = []
    var isSound = true
    var time: Int64 = 0
    for _ in 0..<60 {
      time += Int64(random.below(400))
      host.delay = .milliseconds(Int64(random.below(1_500)))
      for _ in 0..<random.below(4) { host.request(at: .at(milliseconds: time)) }
      host.run(until: .at(milliseconds: time))
      switch random.below(8) {
      case 0:
        if !host.outcomes.isEmpty {
          let place = random.below(host.outcomes.count)
          if host.outcomes[place].servedAt == nil { cancelled.append(place) }
          host.report(.cancelled(RequestNumber(UInt32(place))), at: host.now)
        }
      case 1: host.report(.evicted, at: host.now)
      case 2: host.report(.timerFired, at: host.now)
      case 3:
        let fetch = FetchNumber(slot: UInt32(random.below(4)), generation: 0)
        // Only late ones: an early one would be a real answer.
        if host.machine.fetchCount > 40 && host.machine.activeFetches == 0 {
          host.report(.answered(fetch, .uncacheable), at: host.now)
        }
      default: break
      }
      isSound = isSound && holds(host.machine, host)
    }
    host.run()
    return (host, cancelled, isSound)
  }

  /// Runs many time lines and checks each.
  /// - Returns: the events that the machines got, and how often each way of service came out.
  fileprivate func runAll(
    seeds: Range<Int>
  ) -> (events: Int, services: [CollapsingMachine.Service: Int]) {
    var services: [CollapsingMachine.Service: Int] = [:]
    var events = 0
    for (index, configuration) in Self.configurations.enumerated() {
      for seed in seeds {
        let (host, cancelled, isSound) = run(configuration, seed: UInt64(seed * 8 + index))
        #expect(isSound, "configuration \(index), seed \(seed)")
        // The host stops on a request that is served twice.
        let unserved = host.outcomes.indices.filter { host.outcomes[$0].servedAt == nil }
        #expect(unserved.allSatisfy(cancelled.contains), "configuration \(index), seed \(seed)")
        #expect(host.machine.activeFetches == 0 && host.machine.waiterCount == 0)
        #expect(host.replays(), "configuration \(index), seed \(seed)")
        events += host.log.count
        for outcome in host.outcomes {
          if let service = outcome.service { services[service, default: 0] += 1 }
        }
      }
    }
    return (events, services)
  }

  @Test func `every request is served exactly once, and a log replays to equal commands`() {
    let (_, services) = runAll(seeds: 0..<150)
    // The time lines reach every way of being served.
    #expect(services.count == 7 && services.values.allSatisfy { $0 > 100 }, "\(services)")
  }

  @Test func `a key whose answers are fresh is never fetched twice at a time when collapsed`() {
    var random = TestRandom(seed: 5)
    var host = CollapsingHost(.cloudFront, delay: .milliseconds(700)) {
      CachePolicyTests.answer("max-age=1, stale-while-revalidate=1", at: $1)
    }
    var time: Int64 = 0
    for _ in 0..<2_000 {
      time += Int64(random.below(900))
      host.request(at: .at(milliseconds: time))
      host.run(until: .at(milliseconds: time))
      #expect(host.machine.activeFetches <= 1)
    }
    #expect(host.fetches > 100 && host.fetches < 1_500)
  }
}

@Suite(.enabled(if: ProcessInfo.processInfo.environment["FIRSTFRAME_SLOW"] != nil))
struct CollapsingSlowTests {
  @Test(arguments: 0..<10)
  func `ten times a million events leave every request served exactly once`(_ part: Int) {
    let first = 1_000 + part * 10_000
    let (events, services) = `Random time lines of a key`().runAll(seeds: first..<first + 1_100)
    #expect(events > 1_000_000)
    #expect(services.count == 7)
  }
}
