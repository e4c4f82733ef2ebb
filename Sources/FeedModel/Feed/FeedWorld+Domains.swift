import CacheModel
import MediaUnits
import SimulationKernel

/// What leaves one part of a run for another.
extension FeedWorld {
  /// Writes a message instead of scheduling an event.
  mutating func post(
    _ kind: DomainMessage.Kind, _ node: Int, _ edge: Int, _ fetch: Int, at arrival: Instant,
    _ context: inout Context<FeedEvent>
  ) {
    outbox.append(
      DomainMessage(
        kind: kind, node: UInt16(node), edge: UInt16(edge), fetch: UInt32(fetch),
        arrivesAt: arrival, source: context.source, sequence: context.takeSequence()))
  }

  /// An edge's fetch has come, or the answer to one of ours.
  mutating func accept(_ message: DomainMessage) {
    let (edge, fetch) = (Int(message.edge), Int(message.fetch))
    switch message.kind {
    case .request(let record): nodes[edge].mirror(record, at: fetch)
    case .answer(let answer):
      nodes[edge].fetches[fetch].answer = answer
      nodes[edge].fetches[fetch].state = .down
    }
  }

  /// Notes that a session has begun or ended, for the peak over all parts.
  @inline(__always)
  mutating func noteSessions(_ change: Int64, at now: Instant) {
    if domain != .whole { sessionChanges.append(AttendanceChange(at: now, change: change)) }
  }

  /// Counts an event that is one in the whole run and happens in every part of it.
  mutating func noteShared(_ event: FeedEvent, at now: Instant) {
    sharedEventCount += 1
    sharedEvents.add(
      time: now.nanoseconds, phase: UInt64(Phase.observe.rawValue),
      target: FeedWorld.audienceEntity, source: FeedWorld.audienceEntity, tag: event.tag)
  }

  /// Fetches of a node that have not ended. What an edge takes for being on its way may wait behind
  /// it already; the part behind the edges knows, and has the difference.
  func underWay(_ node: Int) -> FetchCounters.UnderWay {
    var sum = nodes[node].underWay
    if domain == .behind && node < edges {
      sum.up = -sum.waiting
      sum.down = 0
      sum.downBytes = 0
    }
    return sum
  }
}

/// The number of sessions changes.
struct AttendanceChange: Sendable {
  var at: Instant
  var change: Int64
}
