import AudienceModel
import CachePolicy
import MediaUnits
import SimulationKernel

@testable import CacheModel

/// Performs what caches command, without a feed.
struct HierarchyDriver: ~Copyable {
  private enum Happening: Equatable {
    case event(CacheEvent)
    case timer(CacheTimer)
  }

  private struct Planned {
    var at: Instant
    var phase: Phase
    var number: Int
    var happening: Happening

    var key: (Int64, UInt8, Int) { (at.nanoseconds, UInt8(phase.rawValue), number) }
  }

  private var caches: CacheHierarchy
  private var agenda: [Planned] = []
  private var planned = 0
  private(set) var now = Instant.zero
  /// What viewers were answered, and when.
  private(set) var answers: [(at: Instant, answer: EdgeAnswer)] = []
  /// What left for another part of the run.
  private(set) var messages: [CacheMessage] = []

  init(_ caches: consuming CacheHierarchy) { self.caches = caches }

  mutating func ask(
    _ object: UInt32, edge: Int = 0, viewer: UInt32 = 0, bytes: Int64 = 1000,
    asset: AssetClass = .segment
  ) -> EdgeReply {
    var commands: [CacheCommand] = []
    let reply = caches.ask(
      EdgeRequest(at: now, key: UInt64(object), asset: asset, bytes: bytes, edge: UInt32(edge)),
      by: EdgeAsker(slot: viewer, request: 7),
      service: caches.serviceTime(atEdge: edge, u: 0.5), into: &commands)
    perform(commands)
    return reply
  }

  mutating func cancel(_ number: UInt32, object: UInt32, edge: Int = 0) {
    caches.cancel(number, atEdge: edge, key: UInt64(object), at: now)
  }

  /// Takes a message in, as the part does that has the node it goes to.
  mutating func deliver(_ message: CacheMessage) {
    caches.accept(message)
    plan(.event(message.event), at: message.arrivesAt, .arrival)
  }

  /// Lets everything happen up to a time: by time, then by phase, then in the order of saying.
  mutating func run(until end: Instant = .distantFuture) {
    while let next = agenda.indices.min(by: { agenda[$0].key < agenda[$1].key }),
      agenda[next].at <= end
    {
      let due = agenda.remove(at: next)
      now = due.at
      var commands: [CacheCommand] = []
      switch due.happening {
      case .event(let event): caches.handle(event, at: now, into: &commands)
      case .timer(let timer): caches.handle(timer, at: now, into: &commands)
      }
      perform(commands)
    }
    if end < .distantFuture { now = end }
  }

  private mutating func plan(_ happening: Happening, at time: Instant, _ phase: Phase) {
    agenda.append(Planned(at: time, phase: phase, number: planned, happening: happening))
    planned += 1
  }

  private mutating func perform(_ commands: [CacheCommand]) {
    for command in commands {
      switch command {
      case .schedule(let event, let time, _, let phase): plan(.event(event), at: time, phase)
      case .set(let timer, let time, _):
        agenda.removeAll { $0.happening == .timer(timer) }
        plan(.timer(timer), at: time, .normal)
      case .cancel(let timer): agenda.removeAll { $0.happening == .timer(timer) }
      case .answer(let answer): answers.append((now + answer.delay, answer))
      case .send(let message): messages.append(message)
      }
    }
  }

  /// What the nodes of a tier have answered and fetched.
  mutating func counts(_ tier: CacheTier) -> (answered: TierCounters, fetched: FetchCounters) {
    var sum = (TierCounters(), FetchCounters())
    caches.forEachNode {
      if $0 == tier {
        sum.0.add($1)
        sum.1.add($2)
      }
    }
    return sum
  }

  mutating func resetCounters() { caches.resetCounters() }

  var origin: OriginCounters { caches.originCounters }
}
