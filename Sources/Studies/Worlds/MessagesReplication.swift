import MediaUnits
import Models
import Scenario
import SimulationKernel

extension MessagesPlan: SampledWorld {
  var hasFailed: Bool { configuration.polls?.hasFailed ?? false }

  var audited: AuditWorld { .messages }

  /// Events of one group beyond which a run is taken for endless.
  private static let eventLimit: UInt64 = 200_000_000

  func shown<Visitor: FuzzVisitor>(to visitor: Visitor) throws -> Visitor.Answer? {
    try visitor.visit(MessagingFuzz(self))
  }

  /// One replication: every group by itself, put together in their order.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let streams = RandomStreams(seed: seed, replication: replication)
    var sums = MessagingMeasures()
    var events: UInt64 = 0
    var end = Instant.zero
    var fingerprint = Fingerprint()
    for group in 0..<groups {
      let outcome = try MessagingWorld.measured(
        configuration, audience.schedule(group: UInt32(group), streams),
        shuffleTies: shuffleTies, eventLimit: MessagesPlan.eventLimit)
      sums.add(outcome.measures)
      events += outcome.events
      end = max(end, outcome.end)
      fingerprint.add(part: group, outcome.fingerprint)
    }
    return WorldRun(
      self, sums, MessagesPlan.metrics, events: events, end: end, fingerprint: fingerprint)
  }
}

extension MessagingMeasures {
  /// Adds what another group has come to.
  fileprivate mutating func add(_ other: MessagingMeasures) {
    for index in requests.indices { requests[index] += other.requests[index] }
    for path in MessagingMeasures.counts { self[keyPath: path] += other[keyPath: path] }
    for path in MessagingMeasures.spans { self[keyPath: path] += other[keyPath: path] }
    for path in MessagingMeasures.lists { self[keyPath: path] += other[keyPath: path] }
    largestPush = max(largestPush, other.largestPush)
  }

  private static var counts: [WritableKeyPath<MessagingMeasures, Int>] {
    [
      \.pushes, \.lostPushes, \.coalescedPushes, \.pushBytes, \.pollBytes, \.reads, \.writes,
      \.videos, \.falseViews, \.openings, \.wrongOpenings, \.known, \.undelivered, \.viewed,
      \.gone, \.repeatedDownloads, \.orphans,
    ]
  }

  private static var spans: [WritableKeyPath<MessagingMeasures, TimeSpan>] {
    [\.openTime, \.wrongTime, \.radioTime, \.storedTime, \.busyTime]
  }

  private static var lists: [WritableKeyPath<MessagingMeasures, [Int64]>] {
    [
      \.downloadLags, \.viewLags, \.uploadTimes, \.deliveryTimes, \.waits.ended, \.waits.cut,
      \.drains.ended, \.drains.cut,
      \.visibleDownloads.ended, \.visibleDownloads.cut, \.visibleViews.ended, \.visibleViews.cut,
    ]
  }
}
