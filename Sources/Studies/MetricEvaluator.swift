import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics

/// Computes the feed's metrics for one replication, as docs/reference/metrics.md defines them.
struct MetricEvaluator {
  /// Sorted times of the views of one clock and cohort, in nanoseconds.
  private struct Times {
    let sampled: SampledTimes
    var events: [Int64] { sampled.events }
    var censored: [Int64] { sampled.censored }
  }

  let measures: FeedMeasures
  let cohorts: [CohortSums]
  let scenario: FeedScenario
  /// What stands for the views where their records were not kept.
  let sums: ViewSums?
  /// Several stats share a clock and its cohort, and sorting is what a stat costs.
  private var sorted: [MetricReference: Times] = [:]
  private let windows: WindowTable
  /// By window, like `cohorts`.
  private var windowCohorts: [Int: [CohortSums]] = [:]

  init(
    _ measures: FeedMeasures, cohorts: [CohortSums], scenario: FeedScenario,
    sums: ViewSums? = nil
  ) {
    self.sums = sums
    self.measures = measures
    self.cohorts = cohorts
    self.scenario = scenario
    windows = WindowTable(scenario)
  }

  mutating func sample(_ reference: MetricReference) -> MetricSample {
    if let sample = client(reference) { return sample }
    switch reference.metric {
    case "hit_ratio", "hit_ratio_cloudfront", "hit_ratio_effective": return cacheRatio(reference)
    case "origin_offload":
      let traffic = traffic(reference)
      return ratio(
        Double(traffic.delivered - traffic.origin), over: Double(traffic.delivered),
        samples: traffic.requests)
    case "origin_request_ratio":
      let traffic = traffic(reference)
      return ratio(
        Double(traffic.originRequests), over: Double(traffic.requests),
        samples: traffic.requests)
    case MetricReference.oldVersionMetric:
      let seen = measures.republish
      return ratio(Double(seen.oldViews), over: Double(seen.views), samples: seen.views)
    case MetricReference.stalenessMetric: return staleness(reference.stat)
    case MetricReference.partMetric: return startupPart(reference)
    case _ where MetricReference.surfaceMetrics.contains(reference.metric):
      return MetricEvaluator.surface(reference.metric, measures.surface)
    case "wasted_ratio":
      var balance = ByteBalance()
      for cell in cells(reference) {
        balance.delivered += measures.balances[cell].delivered
        balance.wasted += measures.balances[cell].wasted
      }
      return ratio(
        Double(balance.wasted), over: Double(balance.delivered), samples: views(reference))
    case "shown_rate_ratio", "top_rung_ratio", "switched_ratio": return quality(reference)
    case "qoe_ratio", "score_ratio": return score(reference)
    case "ready_ratio", "not_started_ratio", "rebuffer_ratio", "stalled_time_ratio":
      return viewRatio(reference)
    default: return time(reference)
    }
  }

  /// Ratios of what was shown.
  private func quality(_ reference: MetricReference) -> MetricSample {
    var sum = ShownMedia()
    for cell in cells(reference) { sum.add(measures.shown[cell]) }
    switch reference.metric {
    case "top_rung_ratio":
      return ratio(Double(sum.topMedia), over: Double(sum.media), samples: sum.items)
    case "switched_ratio":
      return ratio(Double(sum.switchedItems), over: Double(sum.items), samples: sum.items)
    default:
      let ladder = scenario.configuration.catalogue.ladder
      let top = Double(ladder[ladder.top].bitsPerSecond)
      return ratio(Double(sum.bits), over: Double(sum.media) / 1e9 * top, samples: sum.items)
    }
  }

  /// What left the origin and what reached viewers, in the reference's window.
  private func traffic(
    _ reference: MetricReference
  ) -> (delivered: Int64, origin: Int64, requests: Int64, originRequests: Int64) {
    guard let place = windows.place(reference) else {
      return (
        measures.deliveredBytes, measures.originBytes, measures.requests, measures.originRequests
      )
    }
    let window = measures.windows[place]
    return (window.deliveredBytes, window.originBytes, window.requests, window.originRequests)
  }

  func cells(_ reference: MetricReference) -> [Int] {
    MetricEvaluator.cells(reference, scenario)
  }

  /// The cohorts that a metric's labels leave.
  static func cells(_ reference: MetricReference, _ scenario: FeedScenario) -> [Int] {
    let cohorts = scenario.networks.count * scenario.devices.count
    let network = reference.label("network").flatMap { scenario.networks.firstIndex(of: $0) }
    let device = reference.label("device").flatMap { scenario.devices.firstIndex(of: $0) }
    return (0..<cohorts).filter { cell in
      let isNetwork = network == nil || cell / scenario.devices.count == network
      return isNetwork && (device == nil || cell % scenario.devices.count == device)
    }
  }

  private func views(_ reference: MetricReference) -> Int64 {
    cells(reference).reduce(0) { $0 + cohorts[$1].views }
  }

  func ratio(_ part: Double, over whole: Double, samples: Int64) -> MetricSample {
    var sample = MetricSample()
    sample.numerator = part
    sample.denominator = whole
    sample.samples = samples
    sample.value = whole > 0 ? part / whole : nil
    return sample
  }

  /// Zero for manifests that name the present version.
  private func staleness(_ stat: String) -> MetricSample {
    let seen = measures.republish
    var sample = ratio(
      Double(seen.staleness) / 1e6, over: Double(seen.manifests), samples: seen.manifests)
    if stat == "max" && seen.manifests > 0 { sample.value = Double(seen.largestStaleness) / 1e6 }
    return sample
  }

  /// Sums by cohort over the views of a window, or over all of them.
  private mutating func cohorts(in window: Int?) -> [CohortSums] {
    guard let window else { return cohorts }
    if let sums { return sums.cohorts(in: window) }
    if let known = windowCohorts[window] { return known }
    var sums = [CohortSums](repeating: CohortSums(), count: cohorts.count)
    for view in measures.views where windows.contains(view, in: window) {
      let cell = Int(view.network) * scenario.devices.count + Int(view.device)
      ReplicationDigest.sum(view, into: &sums[cell])
    }
    windowCohorts[window] = sums
    return sums
  }

  private mutating func viewRatio(_ reference: MetricReference) -> MetricSample {
    let cohorts = cohorts(in: windows.place(reference))
    var sums = CohortSums()
    for cell in cells(reference) { sums.add(cohorts[cell]) }
    let (played, stalled) = (Double(sums.played) / 1e9, Double(sums.stalled) / 1e9)
    switch reference.metric {
    case "ready_ratio":
      return ratio(Double(sums.ready), over: Double(sums.views), samples: sums.views)
    case "not_started_ratio":
      return ratio(Double(sums.notStarted), over: Double(sums.views), samples: sums.views)
    case "rebuffer_ratio":
      return ratio(stalled, over: stalled + played, samples: sums.started)
    default:
      let startup = Double(sums.startup) / 1e9
      return ratio(stalled, over: startup + played + stalled, samples: sums.views)
    }
  }

  // MARK: Caches

  private func cacheRatio(_ reference: MetricReference) -> MetricSample {
    let part = windows.place(reference).map { measures.windows[$0] }
    let tier =
      switch reference.label("tier") {
      case "regional": part?.regional ?? measures.regional
      case "shield": part?.shield ?? measures.shield
      case "client": part?.client ?? measures.client
      default: part?.edge ?? measures.edge
      }
    let classes: [AssetClass]
    if let name = reference.label("class") {
      classes = AssetClass.allCases.filter { MetricEvaluator.name(of: $0) == name }
    } else {
      classes = [.segment, .initSegment, .sprite, .vtt, .poster]
    }
    let byBytes = reference.label("by") == "bytes"
    func sum(_ outcomes: [CacheOutcome], bytes: Bool) -> Int64 {
      var total: Int64 = 0
      for asset in classes {
        for outcome in outcomes {
          total += bytes ? tier.bytes(asset, outcome) : tier.requests(asset, outcome)
        }
      }
      return total
    }
    let good: [CacheOutcome]
    let all: [CacheOutcome]
    switch reference.metric {
    case "hit_ratio_cloudfront":
      good = [.hit, .collapsed]
      all = [.hit, .collapsed, .miss, .bypass]
    default:
      // Hits and stale hits are exactly what is answered without waiting on another tier.
      good = [.hit, .staleHit]
      all = [.hit, .staleHit, .revalidated, .collapsed, .miss, .bypass]
    }
    return ratio(
      Double(sum(good, bytes: byBytes)), over: Double(sum(all, bytes: byBytes)),
      samples: sum(all, bytes: false))
  }

  /// The value of the label `class`.
  static func name(of asset: AssetClass) -> String {
    MetricReference.classes[Int(asset.rawValue)]
  }

  // MARK: Times

  /// Mean over the started views, those that did not wait included.
  private func startupPart(_ reference: MetricReference) -> MetricSample {
    guard let name = reference.label("part"),
      let place = MetricReference.parts.firstIndex(of: name)
    else { return MetricSample() }
    let part = StartupPart.allCases[place]
    let included = Set(cells(reference))
    let window = windows.place(reference)
    var (sum, started) = (Int64(0), Int64(0))
    if let sums {
      let cells = sums.cells(in: window)
      for cell in included {
        started += cells[cell].sums.started
        sum += cells[cell].parts[part.rawValue]
      }
      return ratio(Double(sum) / 1e6, over: Double(started), samples: started)
    }
    for view in measures.views where view.hasStarted && windows.contains(view, in: window) {
      guard included.contains(Int(view.network) * scenario.devices.count + Int(view.device))
      else { continue }
      started += 1
      sum += view.part(part).nanoseconds
    }
    return ratio(Double(sum) / 1e6, over: Double(started), samples: started)
  }

  private mutating func time(_ reference: MetricReference) -> MetricSample {
    if let sums { return time(reference, sums.times(reference)) }
    let times = times(reference)
    var sample = MetricSample()
    sample.samples = Int64(times.events.count + times.censored.count)
    if times.events.isEmpty { return sample }
    MetricEvaluator.fill(&sample, reference.stat, times.events, times.censored)
    if reference.isQuantile { sample.times = times.sampled }
    return sample
  }

  /// Stats of times in ascending order.
  static func times(events: [Int64], censored: [Int64], stats: [String]) -> [MetricSample] {
    let sampled = SampledTimes(events: events, censored: censored)
    return stats.map { stat in
      var sample = MetricSample()
      sample.samples = Int64(events.count + censored.count)
      if !events.isEmpty { fill(&sample, stat, events, censored) }
      if MetricReference.isQuantile(stat) { sample.times = sampled }
      return sample
    }
  }

  private mutating func times(_ reference: MetricReference) -> Times {
    var key = reference
    key.stat = ""
    if let known = sorted[key] { return known }
    let included = Set(cells(reference))
    let window = windows.place(reference)
    var (events, censored): ([Int64], [Int64]) = ([], [])
    for view in measures.views {
      let cell = Int(view.network) * scenario.devices.count + Int(view.device)
      guard included.contains(cell), windows.contains(view, in: window),
        let time = MetricEvaluator.clock(reference.metric, view)
      else { continue }
      if view.hasStarted { events.append(time) } else { censored.append(time) }
    }
    let times = Times(
      sampled: SampledTimes(events: events.sorted(), censored: censored.sorted()))
    sorted[key] = times
    return times
  }

  /// The time of a view by a metric's clock; nil when it has none.
  static func clock(_ metric: String, _ view: ViewRecord) -> Int64? {
    let isCold = view.flags.contains(.cold)
    switch metric {
    case "ttff_cold_ms": return isCold ? view.ttff.nanoseconds : nil
    case "ttff_swipe_ms": return isCold ? nil : view.ttff.nanoseconds
    case "ttff_play_ms": return view.ttffPlay.nanoseconds
    case "ttff_waited_ms":
      return view.flags.contains(.ready) ? nil : view.ttff.nanoseconds
    default: return view.ttff.nanoseconds
    }
  }

  private static func fill(
    _ sample: inout MetricSample, _ stat: String, _ events: [Int64], _ censored: [Int64]
  ) {
    switch stat {
    case "mean":
      sample.numerator = Double(events.reduce(0, +)) / 1e6
      sample.denominator = Double(events.count)
      sample.value = sample.numerator / sample.denominator
    case "max": sample.value = Double(events[events.count - 1]) / 1e6
    default:
      let found = SampledTimes.quantile(stat, events: events, censored: censored)
      sample.isLowerBound = found.isLowerBound
      sample.value = Double(found.nanoseconds) / 1e6
    }
  }
}
