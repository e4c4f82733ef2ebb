import CacheModel
import MediaUnits
import SimulationKernel

/// What leaves one part of a run for another.
extension FeedWorld {
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
}

/// A request between cache nodes of two parts, or its answer.
public struct DomainMessage: Sendable {
  var message: CacheMessage
  /// Who sends it, and which of the sender's events it is.
  var source, sequence: UInt32

  /// The part that it goes to.
  public var domain: FeedDomain { message.domain }
}

/// The number of sessions changes.
struct AttendanceChange: Sendable {
  var at: Instant
  var change: Int64
}
