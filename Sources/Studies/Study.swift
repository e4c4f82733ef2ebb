import MediaUnits
import Models
import Scenario
import SimulationKernel
import Statistics
import Synchronization

/// How to run a scenario.
public struct StudyOptions: Sendable {
  /// Worker threads; the result does not depend on it.
  public var threads: Int
  /// Exactly this many replications, judged once; nil for the decision rule.
  public var fixedReplications: Int?
  /// A seed other than the scenario's.
  public var seed: UInt64?
  /// Permutes simultaneous events with this seed.
  public var shuffleTies: UInt64?
  /// Where pilots come from; the result does not depend on it.
  public var pilots: Pilots
  /// Where finished replications lie, and where more are put; nil to keep none. The result does not
  /// depend on it.
  public var shards: ShardStore?
  /// Metrics beside those that every result holds.
  var also: [MetricReference] = []

  public init(
    threads: Int = 1, fixedReplications: Int? = nil, seed: UInt64? = nil,
    shuffleTies: UInt64? = nil, pilots: Pilots = Pilots(), shards: ShardStore? = nil
  ) {
    self.pilots = pilots
    self.shards = shards
    self.threads = threads
    self.fixedReplications = fixedReplications
    self.seed = seed
    self.shuffleTies = shuffleTies
  }
}

/// How far a study is; reported at its start, after every replication, and within long ones.
public struct StudyProgress: Sendable, Equatable {
  public var finished: Int
  /// The parts of replications under way that are done, added up; their views and events are
  /// counted below.
  public var underWay = 0.0
  public var cap: Int
  /// Replications that the next look waits for.
  public var nextLook: Int
  public var views: Int64
  public var events: UInt64
  public var simulated: TimeSpan
  /// Verdict so far of each budget, at the last look.
  public var verdicts: [Verdict]

  /// Seconds to the next look at the pace so far; nil before any work is done.
  ///
  /// - Parameter elapsed: seconds since the first replication began.
  public func remaining(after elapsed: Double) -> Double? {
    let done = Double(finished) + underWay
    guard done > 0 else { return nil }
    return elapsed / done * max(0, Double(nextLook) - done)
  }
}

/// A request to stop after the replications under way, or at once.
public final class StopRequest: Sendable {
  private let requested = Atomic<Bool>(false)
  private let abandoned = Atomic<Bool>(false)
  public init() {}
  public func stop() { requested.store(true, ordering: .relaxed) }
  public var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Stops at once: replications under way are given up.
  public func abandon() {
    abandoned.store(true, ordering: .relaxed)
    stop()
  }
  public var isAbandoned: Bool { abandoned.load(ordering: .relaxed) }
}

/// Runs replications until every hard budget is decided (contract.md section 2).
public enum Study {
  /// Metrics that every result holds.
  public static func standardMetrics(_ scenario: StudyScenario) -> [MetricReference] {
    scenario.plan.standardMetrics
  }

  /// Of a window: median and 95th percentile of the TTFF, views not started, hits at the edge.
  public static func windowMetrics(_ window: String) -> [String] {
    FeedMetrics.standard(window: window)
  }

  /// Runs a scenario.
  ///
  /// - Parameters:
  ///   - stop: when it is requested, the replications under way are finished and the result is
  ///     partial.
  ///   - progress: called as ``StudyProgress`` says, one call at a time.
  /// - Throws: ``SimulationError`` when a replication runs into a limit; ``ReplicationsMissing``
  ///   where nothing is to be simulated and not all are kept; an error of the file system.
  public static func run(
    _ scenario: StudyScenario, options: StudyOptions, stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (StudyProgress) -> Void = { _ in }
  ) async throws -> StudyResult {
    var none: ChangeJudge?
    return try await run(
      scenario, options: options, changes: &none, stop: stop, progress: progress)
  }

  /// The looks of a run and what they may decide.
  static func plan(
    _ scenario: StudyScenario, _ options: StudyOptions
  ) throws(StatisticsError) -> (looks: [Int], boundaries: GroupSequentialBoundaries) {
    let cap = options.fixedReplications ?? scenario.replications
    let looks = lookNumbers(cap: cap, isFixed: options.fixedReplications != nil)
    return (
      looks,
      try GroupSequentialBoundaries(
        fractions: looks.map { Double($0) / Double(cap) }, level: 0.05)
    )
  }

  /// The same, and goes on until the changes are decided, too.
  static func run(
    _ scenario: StudyScenario, options: StudyOptions, changes: inout ChangeJudge?,
    stop: StopRequest, progress: @escaping @Sendable (StudyProgress) -> Void
  ) async throws -> StudyResult {
    let seed = options.seed ?? scenario.seed
    let budgetMetrics = scenario.budgets.map(\.metric)
    let compared = scenario.comparedNetworks.isEmpty ? [] : NetworkComparison.metrics(scenario)
    let metrics =
      budgetMetrics + standardMetrics(scenario) + options.also + compared.map(\.0)
    let cap = options.fixedReplications ?? scenario.replications
    let (looks, boundaries) = try plan(scenario, options)
    let request = ReplicationRequest(
      seed: seed, metrics: metrics, lateLimit: lateLimit(scenario.budgets),
      shuffleTies: options.shuffleTies, pilots: options.pilots)
    let kept = options.shards?.series(
      scenario, seed: seed, metrics: metrics, kind: .digest, shuffleTies: options.shuffleTies)
    let runner = try ReplicationRunner(scenario.plan, request, kept: kept)
    var digests: [ReplicationDigest] = []
    var judge = Judge(
      scenario.budgets, boundaries: boundaries, looks: looks,
      thresholds: ChangeThresholds(scenario))
    var hasLooked = false
    for (index, look) in looks.enumerated() {
      let reported = ProgressCounter(cap: cap, nextLook: look, verdicts: judge.verdicts)
      digests += try await runner.run(
        digests.count..<look, earlier: digests, threads: options.threads, stop: stop,
        counter: reported, progress: progress)
      if digests.count < look { try options.shards?.checkNothingIsMissing() }
      judge.look(index, digests)
      if digests.count >= look { changes?.look(index, digests.map { ReplicationRecord($0) }) }
      hasLooked = hasLooked || digests.count >= look
      if stop.isRequested || (judge.isDecided && changes?.isDecided ?? true) { break }
    }
    judge.finish(digests)
    var result = assemble(
      scenario, options, seed: seed, cap: cap, looks: looks,
      metrics: Array(metrics.dropLast(compared.count)), digests, judge,
      isPartial: stop.isRequested && digests.count < cap
        && !(hasLooked && judge.isDecided && changes?.isDecided ?? true))
    let count = min(looks[0], digests.count)
    for network in scenario.comparedNetworks {
      var peer: [ReplicationDigest] = []
      if !stop.isRequested {
        var same = request
        same.metrics = compared.map(\.0)
        let kept = options.shards?.series(
          scenario, seed: seed, metrics: same.metrics, kind: .digest,
          shuffleTies: options.shuffleTies, network: network.model)
        peer = try await ReplicationRunner(network.plan, same, kept: kept).run(
          0..<count, earlier: [], threads: options.threads, stop: stop,
          counter: ProgressCounter(cap: count, nextLook: count, verdicts: []), progress: { _ in })
        try options.shards?.checkNothingIsMissing()
      }
      // A comparison that was cut short is not there, and the run says that it is partial.
      if peer.count < count {
        result.isPartial = true
        break
      }
      result.comparisons.append(
        try NetworkComparison(
          network.model, metrics: compared, ours: Array(digests.prefix(peer.count)), peer: peer))
    }
    return result
  }

  /// After how many replications the rule looks: a fixed number is looked at once.
  public static func lookNumbers(cap: Int, isFixed: Bool) -> [Int] {
    if isFixed { return [cap] }
    return ScenarioTable.looks.map { Int($0) }.filter { $0 < cap } + [cap]
  }

  /// A start later than the strictest hard TTFF budget is late; one second without such a budget.
  static func lateLimit(_ budgets: [Budget]) -> TimeSpan {
    let limits = budgets.filter {
      $0.level == .hard && MetricReference.timeMetrics.contains($0.metric.metric)
        && $0.limit.isUpper
    }.map(\.limit.value)
    return TimeSpan(seconds: (limits.min() ?? 1000) / 1000)
  }

  static func assemble(
    _ scenario: StudyScenario, _ options: StudyOptions, seed: UInt64, cap: Int, looks: [Int],
    metrics: [MetricReference], _ digests: [ReplicationDigest], _ judge: Judge, isPartial: Bool
  ) -> StudyResult {
    let (networks, devices) = (scenario.networks.count, scenario.devices.count)
    var result = StudyResult(
      scenario: scenario, seed: seed, cap: cap, replications: digests.count, looks: looks,
      isPartial: isPartial, shuffleTies: options.shuffleTies, budgets: judge.results,
      metrics: [], fingerprint: Fingerprint(), events: 0, simulated: .zero,
      measures: FeedMeasures(networks: networks, devices: devices),
      cohorts: [CohortSums](repeating: CohortSums(), count: networks * devices),
      histograms: [[ClockHistogram]](
        repeating: [ClockHistogram](
          repeating: ClockHistogram(), count: ReplicationDigest.Clock.allCases.count),
        count: networks),
      medianBand: BreakdownBand(), p95Band: BreakdownBand(), lateLimit: lateLimit(scenario.budgets),
      late: LateStarts())
    let budgetCount = scenario.budgets.count
    let effect = SessionSpread.designEffect(digests.compactMap(\.sessions))
    for (index, reference) in metrics.enumerated() where index >= budgetCount {
      result.metrics.append(
        MetricResult(reference, digests.map { $0.samples[index] }, designEffect: effect))
    }
    for digest in digests { result.add(digest) }
    result.series = RunSeries(digests.map(\.series), designEffect: effect)
    if let plan = scenario.cost {
      let providers = scenario.feed?.configuration.cdn.providers ?? []
      result.cost = CDNCost(
        digests.map { digest in
          ReplicationTraffic(
            views: digest.cohorts.reduce(0) { $0 + $1.views }, measures: digest.measures,
            providers: providers)
        }, plan: plan)
    }
    result.load = scenario.plan.studied.audienceLoad(digests)
    result.recordMetrics = metrics
    result.records = digests.map { digest in
      var record = ReplicationRecord(digest)
      record.samples = Array(record.samples.prefix(metrics.count))
      return record
    }
    return result
  }
}

extension StudyResult {
  mutating func add(_ digest: ReplicationDigest) {
    // Replications are told apart, so that exchanging two of them would show.
    isFolded = isFolded || digest.isFolded
    if let load = digest.peakLoad {
      peakLoad = peakLoad ?? PeakLoad()
      peakLoad?.add(load)
    }
    fingerprint.add(part: Int(digest.replication), digest.fingerprint)
    events += digest.events
    simulated += digest.end - .zero
    measures.add(digest.measures)
    for index in 0..<cohorts.count { cohorts[index].add(digest.cohorts[index]) }
    for network in 0..<histograms.count {
      for clock in 0..<histograms[network].count {
        histograms[network][clock].add(digest.histograms[network][clock])
      }
    }
    medianBand.add(digest.medianBand)
    p95Band.add(digest.p95Band)
    waitedBand.add(digest.waitedBand)
    late.add(digest.late)
  }
}
