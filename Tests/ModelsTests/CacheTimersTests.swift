import CacheModel
import MediaUnits
import SimulationKernel
import Testing

@testable import FeedModel

/// The pending events of what caches have set.
@Suite struct CacheTimersTests {
  private struct Idle: SimulatedWorld {
    typealias Event = UInt32
    static func tag(of event: UInt32) -> UInt32 { event }
    static func name(ofTag tag: UInt32) -> StaticString { "event" }
    mutating func handle(_ event: UInt32, target: UInt32, in context: inout Context<UInt32>) {}
  }

  @Test func `each timer has an event of its own, and one that was never set has none`() {
    var simulation = Simulation(Idle())
    let handles = (0..<4).map {
      simulation.schedule(UInt32($0), at: Instant.zero + .seconds(1), for: 0, source: 0)
    }
    let named: [CacheTimer] = [
      .fetchExpired(node: 0, fetch: 5), .machine(node: 0, machine: 5),
      .fetchExpired(node: 1, fetch: 5), .fetchExpired(node: 0, fetch: 0),
    ]
    var timers = CacheTimers(nodes: 2)
    for timer in named { #expect(timers[timer] == .none) }
    for (timer, handle) in zip(named, handles) { timers[timer] = handle }
    for (timer, handle) in zip(named, handles) { #expect(timers[timer] == handle) }
    timers[named[0]] = .none
    #expect(timers[named[0]] == .none && timers[named[3]] == handles[3])
    #expect(timers[.machine(node: 1, machine: 9)] == .none)
    timers[.machine(node: 1, machine: 9)] = .none
    #expect(timers[.machine(node: 1, machine: 0)] == .none)
  }
}
