import MediaUnits
import MessageDelivery
import Models
import Scenario
import SimulationKernel

extension MessagesPlan {
  /// Events of one group beyond which a run is taken for endless.
  private static let eventLimit: UInt64 = 200_000_000

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
      fingerprint.add(
        time: Int64(bitPattern: outcome.fingerprint.value), phase: 0, target: UInt32(group),
        source: 0, tag: 0)
    }
    return WorldRun(samples: samples(sums), events: events, end: end, fingerprint: fingerprint)
  }

  /// In the order of the world's metrics.
  private func samples(_ sums: MessagingMeasures) -> [MetricSample] {
    MetricSample.times(sums.uploadTimes) + MetricSample.times(sums.deliveryTimes)
      + MetricSample.times(sums.waits.ended, censored: sums.waits.cut)
      + MetricSample.times(sums.drains.ended, censored: sums.drains.cut)
      + MetricSample.times(sums.visibleDownloads.ended, censored: sums.visibleDownloads.cut)
      + MetricSample.times(sums.visibleViews.ended, censored: sums.visibleViews.cut)
      + MetricSample.times(sums.viewLags) + truth(sums) + cost(sums)
  }

  private func truth(_ sums: MessagingMeasures) -> [MetricSample] {
    [
      .share(sums.wrongOpenings, of: sums.openings),
      .quotient(
        sums.wrongTime.seconds, over: sums.openTime.seconds / 3_600, samples: Int64(sums.videos)),
      .share(sums.falseViews, of: sums.videos),
      .number(Double(sums.falseViews), samples: Int64(sums.videos)),
      .share(sums.undelivered, of: sums.known),
      .share(sums.repeatedDownloads, of: sums.videos), .share(sums.gone, of: sums.videos),
      .share(sums.viewed, of: sums.videos), .share(sums.orphans, of: sums.videos),
      .share(sums.lostPushes, of: sums.pushes), .share(sums.coalescedPushes, of: sums.pushes),
    ]
  }

  private func cost(_ sums: MessagingMeasures) -> [MetricSample] {
    let hours =
      Double(groups) * Double(audience.clients) * audience.duration.seconds / 3_600
    func perVideo(_ value: Double) -> MetricSample {
      .quotient(value, over: Double(sums.videos), samples: Int64(sums.videos))
    }
    func perClient(_ value: Double, _ hoursEach: Double) -> MetricSample {
      .quotient(value, over: hours / hoursEach, samples: Int64(groups) * Int64(audience.clients))
    }
    return [
      perVideo(Double(sums.requestCount)),
      perVideo(Double(sums.requests[Int(RequestKind.poll.rawValue)])),
      perClient(Double(sums.requestCount), 24), perVideo(Double(sums.pushes)),
      perVideo(Double(sums.pushBytes + sums.pollBytes)),
      .number(Double(sums.largestPush), samples: Int64(sums.pushes)),
      perVideo(Double(sums.reads)), perVideo(Double(sums.writes)),
      perVideo(sums.busyTime.seconds), perVideo(sums.storedTime.seconds / 3_600),
      perClient(sums.radioTime.seconds, 1),
    ]
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
