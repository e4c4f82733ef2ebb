import AudienceModel
import CachePolicy
import MediaUnits
import SimulationKernel

@testable import CacheModel

/// Performs what caches command, without a feed: events in order of time, then of saying.
struct HierarchyDriver: ~Copyable {
  private enum Happening {
    case event(CacheEvent)
    case timer(CacheTimer, number: Int)
  }

  private var caches: CacheHierarchy
  private var agenda: [(at: Instant, happening: Happening)] = []
  private var timers: [(timer: CacheTimer, number: Int)] = []
  private var timersSet = 0
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
    agenda.append((message.arrivesAt, .event(message.event)))
  }

  /// Lets everything happen up to a time.
  mutating func run(until end: Instant = .distantFuture) {
    while let next = agenda.indices.min(by: { agenda[$0].at < agenda[$1].at }),
      agenda[next].at <= end
    {
      let (time, happening) = agenda.remove(at: next)
      now = time
      var commands: [CacheCommand] = []
      switch happening {
      case .event(let event): caches.handle(event, at: now, into: &commands)
      case .timer(let timer, let number):
        guard let place = timers.firstIndex(where: { $0 == (timer, number) }) else { continue }
        timers.remove(at: place)
        caches.handle(timer, at: now, into: &commands)
      }
      perform(commands)
    }
    if end < .distantFuture { now = end }
  }

  private mutating func perform(_ commands: [CacheCommand]) {
    for command in commands {
      switch command {
      case .schedule(let event, let time, _, _): agenda.append((time, .event(event)))
      case .set(let timer, let time, _):
        timers.removeAll { $0.timer == timer }
        timers.append((timer, timersSet))
        agenda.append((time, .timer(timer, number: timersSet)))
        timersSet += 1
      case .cancel(let timer): timers.removeAll { $0.timer == timer }
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

  var origin: OriginCounters { caches.atOrigin }
  var totals: CacheHierarchy.Counts { caches.counts }
}
