import CacheModel
import FeedImage
import FeedModel
import MediaUnits
import Metering
import SimulationKernel

/// What a page keeps of one replication of a configuration.
struct WhatIfSample: Sendable {
  var replication: Int
  var fingerprint: UInt64
  var events, views: UInt64
  var sessions: SessionSpread
  /// In the order of the plan's metrics, without times.
  var samples: [MetricSample]
  /// Times behind the plan's percentiles, in the order of ``WhatIfPlan/clocks``.
  var times: [SampledTimes]
  /// Of all started views.
  var started: TimeHistogram
  /// What a month of its traffic costs, and for how many views a day; nil where the plan has no
  /// prices, and without views.
  var bill: CDNBill?
  var viewsPerDay = 0.0

  /// Runs a replication and evaluates a plan's metrics.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when it runs into a limit.
  init(
    _ configuration: FeedConfiguration, _ plan: WhatIfPlan, seed: UInt64, replication: UInt16
  ) throws(SimulationError) {
    let result = try FeedReplica.run(configuration, seed: seed, replication: replication)
    self.replication = Int(replication)
    fingerprint = result.fingerprint.value
    events = result.summary.events
    views = UInt64(result.measures.views.count)
    sessions = SessionSpread(result.measures.views)
    started = TimeHistogram()
    for view in result.measures.views where view.hasStarted {
      started.add(nanoseconds: view.ttff.nanoseconds)
    }
    let feed = MeteredFeed(configuration)
    let cohorts = feed.sums(over: result.measures.views)
    if let cost = plan.cost {
      viewsPerDay = cost.terms.viewsPerDay(of: configuration)
      let traffic = ReplicationTraffic(
        views: cohorts.reduce(0) { $0 + $1.views }, measures: result.measures,
        providers: configuration.cdn.providers)
      bill = traffic.bill(cost.terms, viewsPerDay: viewsPerDay)
    }
    var meter = FeedMeter(result.measures, cohorts: cohorts, feed: feed)
    var found: [MetricSample] = []
    for metric in plan.metrics {
      found.append(meter.sample(FeedMetrics.all[metric.row], metric.cut, metric.traits.stat))
    }
    times = plan.clocks.map { clock in
      found[clock.first].times ?? SampledTimes(events: [], censored: [])
    }
    for place in found.indices { found[place].times = nil }
    samples = found
  }

  private init(
    replication: Int, fingerprint: UInt64, events: UInt64, views: UInt64,
    sessions: SessionSpread, samples: [MetricSample], times: [SampledTimes],
    started: TimeHistogram, bill: CDNBill?, viewsPerDay: Double
  ) {
    self.replication = replication
    self.fingerprint = fingerprint
    self.events = events
    self.views = views
    self.sessions = sessions
    self.samples = samples
    self.times = times
    self.started = started
    self.bill = bill
    self.viewsPerDay = viewsPerDay
  }

  /// How many bytes stand in front, for who has no reader: fingerprint, events, views and the
  /// replication, eight bytes each, the least significant first.
  static let headCount = 40

  /// The sample as bytes.
  var bytes: [UInt8] {
    var head: [UInt8] = []
    for number in [fingerprint, events, views, UInt64(replication), 0] {
      for shift in 0..<8 { head.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift))) }
    }
    var coder = ImageCoder()
    _ = coder(self)
    return head + coder.bytes
  }

  /// Reads ``bytes``; nil when they are of no sample.
  init?(_ bytes: [UInt8]) {
    if bytes.count <= WhatIfSample.headCount { return nil }
    var coder = ImageCoder(reading: [UInt8](bytes[WhatIfSample.headCount...]))
    let sample = WhatIfSample.image(nil, &coder)
    if coder.isBroken || !coder.isAtEnd { return nil }
    self = sample
  }
}

extension WhatIfSample: Imaged {
  static func image(_ value: WhatIfSample?, _ coder: inout ImageCoder) -> WhatIfSample {
    func number(_ value: UInt64?) -> UInt64 {
      UInt64(bitPattern: coder(value.map { Int64(bitPattern: $0) }))
    }
    return WhatIfSample(
      replication: coder(value?.replication), fingerprint: number(value?.fingerprint),
      events: number(value?.events), views: number(value?.views),
      sessions: coder(value?.sessions), samples: coder.list(value?.samples),
      times: coder.list(value?.times), started: coder(value?.started),
      bill: coder.optional(value?.bill), viewsPerDay: coder(value?.viewsPerDay))
  }
}

extension TimeHistogram: Imaged {
  public static func image(_ value: TimeHistogram?, _ coder: inout ImageCoder) -> TimeHistogram {
    let (counts, coarse) = (coder.list(value?.counts), coder.list(value?.coarse))
    if let found = TimeHistogram(counts: counts, coarse: coarse) { return found }
    coder.fail()
    return TimeHistogram()
  }
}

/// Each time as what it is more than the one before: small numbers.
extension SampledTimes: Imaged {
  public static func image(_ value: SampledTimes?, _ coder: inout ImageCoder) -> SampledTimes {
    let events = ascending(value?.events, &coder)
    let censored = ascending(value?.censored, &coder)
    return SampledTimes(events: events, censored: censored)
  }

  private static func ascending(_ times: [Int64]?, _ coder: inout ImageCoder) -> [Int64] {
    var steps: [Int64]?
    if let times {
      var last: Int64 = 0
      steps = times.map { time in
        defer { last = time }
        return time &- last
      }
    }
    let read = coder.list(steps)
    var last: Int64 = 0
    var result: [Int64] = []
    result.reserveCapacity(read.count)
    for step in read {
      if step < 0 { coder.fail() }
      last &+= step
      result.append(last)
    }
    return result
  }
}
