import Models
import Scenario

/// Replays recorded requests through the caches of a plan, side by side. Equal traces and plans
/// give equal results, whatever the number of threads.
public struct ReplayStudy: Sendable {
  /// Told how many replays are finished, and of how many.
  public typealias Progress = @Sendable (_ finished: Int, _ jobs: Int) -> Void

  /// One piece of work.
  private enum Job: Sendable {
    /// One cache over all requests.
    case whole(EvictionKind, Int64)
    /// One cache over the sample; the capacity is that of the whole.
    case part(EvictionKind, Int64)
    case tiers(edge: CacheReplay.Tier, shield: CacheReplay.Tier, age: CacheReplay.Age)
    /// LRU at all capacities.
    case lru([Int64])
    /// LRU at all capacities from at most so many objects.
    case shards([Int64], limit: Int)
  }

  private enum Outcome: Sendable {
    case counts(CacheReplayCounts)
    case tiers(CacheReplay.TierCounts)
    case points([MissRatioPoint])

    var counts: CacheReplayCounts {
      if case .counts(let counts) = self { counts } else { CacheReplayCounts() }
    }
  }

  let trace: CacheTrace
  let plan: ReplayPlan
  private let threads: Int
  private let summary: CacheTraceSummary
  private let sampled: SampledTrace?
  private let curveRate: Double

  /// - Parameter threads: how many replays run at a time.
  public init(_ trace: CacheTrace, plan: ReplayPlan, threads: Int) {
    self.trace = trace
    self.plan = plan
    self.threads = threads
    summary = CacheTraceSummary(trace, unitSizes: plan.unitSizes)
    let needsSample =
      plan.hasCurves && plan.kinds.contains { $0 != .lru || !plan.hasPlainLRU }
    let fitting = min(1, ReplayPlan.curveObjects / Double(max(1, summary.objects)))
    curveRate = plan.rate ?? (needsSample ? fitting : 1)
    sampled =
      curveRate < 1
      ? SampledTrace(
        trace, sample: ObjectSample(rate: curveRate), unitSizes: plan.unitSizes) : nil
  }

  /// Whether the sample that was asked for has no object.
  public var hasEmptySample: Bool { sampled?.trace.count == 0 }

  private func value(_ capacity: ReplayPlan.Capacity) -> Int64 {
    capacity.value.value(workingSet: summary.workingSet)
  }

  /// The capacity that a cache is replayed at.
  func replayed(_ capacity: ReplayPlan.Capacity) -> Int64 {
    let whole = value(capacity)
    return plan.rate == nil ? whole : sampled?.scaled(whole) ?? whole
  }

  /// Does everything that is asked for.
  ///
  /// - Parameter progress: told after each replay.
  public func run(_ progress: Progress = { _, _ in }) async -> ReplayResult {
    var result = ReplayResult(summary: summary, plan: plan)
    if let tiers = plan.tiers {
      result.rows = await rows(of: tiers, progress)
      return result
    }
    let isSampled = plan.rate != nil && sampled != nil
    var jobs: [Job] = []
    for kind in plan.kinds {
      for capacity in plan.capacities {
        jobs.append(isSampled ? .part(kind, value(capacity)) : .whole(kind, value(capacity)))
      }
    }
    let rowCount = jobs.count
    if isSampled {
      jobs += plan.capacities.map { .whole(.lru, value($0)) }
      jobs += plan.capacities.map { .part(.lru, value($0)) }
    }
    let checkEnd = jobs.count
    let grid = ReplayPlan.curveCapacities(workingSet: summary.workingSet)
    if plan.hasCurves { jobs += curveJobs(grid, isSampled: isSampled) }
    let outcomes = await outcomes(of: jobs, progress)
    for (index, outcome) in outcomes[..<rowCount].enumerated() {
      let (kind, capacity) = index.quotientAndRemainder(dividingBy: plan.capacities.count)
      result.rows.append(
        ReplayResult.Row(
          policy: CacheWords.text(plan.kinds[kind]),
          capacityText: plan.capacities[capacity].text, capacity: value(plan.capacities[capacity]),
          tier: "cache", counts: outcome.counts))
    }
    if isSampled {
      let pairs = outcomes[rowCount..<checkEnd].map { point(0, $0.counts) }
      let half = pairs.count / 2
      result.sample = check(Array(pairs[..<half]), Array(pairs[half...]))
    }
    if plan.hasCurves {
      curves(grid, outcomes[checkEnd...], isSampled: isSampled, into: &result)
    }
    return result
  }

  // MARK: Two tiers

  private func rows(
    of tiers: ReplayPlan.Tiers, _ progress: Progress
  ) async -> [ReplayResult.Row] {
    let edge = CacheReplay.Tier(kind: tiers.edge.kind, capacity: value(tiers.edge.capacity))
    let shield = CacheReplay.Tier(kind: tiers.shield.kind, capacity: value(tiers.shield.capacity))
    let outcome = await outcomes(
      of: [.tiers(edge: edge, shield: shield, age: tiers.age)], progress)
    guard case .tiers(let counts)? = outcome.first else { return [] }
    return [("edge", tiers.edge, counts.edge), ("shield", tiers.shield, counts.shield)].map {
      name, tier, counts in
      ReplayResult.Row(
        policy: CacheWords.text(tier.kind), capacityText: tier.capacity.text,
        capacity: value(tier.capacity), tier: name, counts: counts)
    }
  }

  // MARK: Curves

  /// Whether LRU's curve comes from one pass over all requests.
  private func hasOnePass(isSampled: Bool) -> Bool {
    plan.hasPlainLRU && !isSampled && (plan.kinds.contains(.lru) || sampled != nil)
  }

  /// The work behind the curves, in the order that ``curves`` takes it.
  private func curveJobs(_ grid: [Int64], isSampled: Bool) -> [Job] {
    let hasOnePass = hasOnePass(isSampled: isSampled)
    var jobs: [Job] = []
    if hasOnePass {
      jobs.append(.lru(grid))
      // One distance does not say what caches do that refuse the largest objects.
      jobs += small(grid).map { .whole(.lru, grid[$0]) }
      if sampled != nil { jobs += grid.map { .part(.lru, $0) } }
    }
    for kind in plan.kinds where kind != .lru || !hasOnePass {
      if kind == .lru && plan.hasPlainLRU && isSampled {
        jobs.append(.shards(grid, limit: limit(plan.rate ?? 1)))
      } else {
        jobs += grid.map { sampled == nil ? .whole(kind, $0) : .part(kind, $0) }
      }
    }
    if let share = plan.shards { jobs.append(.shards(grid, limit: limit(share))) }
    return jobs
  }

  /// How many objects SHARDS has room for.
  private func limit(_ share: Double) -> Int {
    max(ReplayPlan.leastShards, Int((Double(summary.objects) * share).rounded()))
  }

  /// The capacities that the largest object does not fit into.
  private func small(_ grid: [Int64]) -> Range<Int> {
    0..<(grid.firstIndex { $0 >= summary.largest } ?? grid.count)
  }

  private func curves(
    _ grid: [Int64], _ outcomes: ArraySlice<Outcome>, isSampled: Bool,
    into result: inout ReplayResult
  ) {
    var rest = outcomes
    var onePass: [ReplayCurve.Point] = []
    if hasOnePass(isSampled: isSampled) {
      onePass = lruPoints(&rest)
      for index in small(grid) { onePass[index] = point(grid[index], rest.removeFirst().counts) }
      if sampled != nil {
        result.curveSample = check(onePass, grid.map { point($0, rest.removeFirst().counts) })
      }
    } else if !isSampled {
      result.curveSample = sample(nil, nil)
    }
    for kind in plan.kinds {
      var curve = ReplayCurve(policy: CacheWords.text(kind), method: .replayed, points: onePass)
      if kind == .lru && !onePass.isEmpty {
        curve.method = summary.resized == 0 ? .exact : .firstSizes
      } else if kind == .lru && plan.hasPlainLRU && isSampled {
        curve.method = .shards
        curve.points = lruPoints(&rest)
      } else {
        if sampled != nil { curve.method = .sampled }
        curve.points = grid.map { point($0, rest.removeFirst().counts) }
      }
      result.curves.append(curve)
    }
    if plan.shards != nil {
      result.curves.append(
        ReplayCurve(policy: CacheWords.text(.lru), method: .shards, points: lruPoints(&rest)))
    }
  }

  private func lruPoints(_ rest: inout ArraySlice<Outcome>) -> [ReplayCurve.Point] {
    guard case .points(let points)? = rest.popFirst() else { return [] }
    return points.map {
      var counts = CacheReplayCounts()
      counts.requests = summary.requests
      counts.bytes = summary.bytes
      counts.misses = $0.misses
      counts.missedBytes = $0.missedBytes
      return point($0.capacity, counts)
    }
  }

  private func point(_ capacity: Int64, _ counts: CacheReplayCounts) -> ReplayCurve.Point {
    ReplayCurve.Point(
      capacity: capacity, missRatio: counts.missRatio, byteMissRatio: counts.byteMissRatio)
  }

  // MARK: Samples

  /// The largest differences between LRU over the whole and over the sample.
  private func check(
    _ whole: [ReplayCurve.Point], _ part: [ReplayCurve.Point]
  ) -> ReplayResult.Sample? {
    var (error, byteError) = (0.0, 0.0)
    for (whole, part) in zip(whole, part) {
      error = max(error, (whole.missRatio - part.missRatio).magnitude)
      byteError = max(byteError, (whole.byteMissRatio - part.byteMissRatio).magnitude)
    }
    return sample(error, byteError)
  }

  private func sample(_ error: Double?, _ byteError: Double?) -> ReplayResult.Sample? {
    guard let sampled else { return nil }
    return ReplayResult.Sample(
      rate: curveRate, requests: sampled.trace.count, objectShare: sampled.objectShare,
      byteShare: sampled.byteShare, lruError: error, lruByteError: byteError)
  }

  // MARK: Work

  private func outcomes(of jobs: [Job], _ progress: Progress) async -> [Outcome] {
    await withTaskGroup(of: (Int, Outcome).self) { group in
      var next = 0
      var found = [Outcome?](repeating: nil, count: jobs.count)
      func begin() {
        if next == jobs.count { return }
        let index = next
        next += 1
        group.addTask { (index, outcome(of: jobs[index])) }
      }
      for _ in 0..<threads { begin() }
      var finished = 0
      while let (index, outcome) = await group.next() {
        found[index] = outcome
        finished += 1
        progress(finished, jobs.count)
        begin()
      }
      return found.compactMap { $0 }
    }
  }

  private func outcome(of job: Job) -> Outcome {
    switch job {
    case .whole(let kind, let capacity):
      return .counts(counts(trace, kind, capacity))
    case .part(let kind, let capacity):
      guard let sampled else { return .counts(counts(trace, kind, capacity)) }
      return .counts(
        sampled.estimate(counts(sampled.trace, kind, sampled.scaled(capacity))))
    case .tiers(let edge, let shield, let age):
      let counts = CacheReplay.runTiers(
        trace, edge: edge, shield: shield, age: age, admission: plan.admission,
        expiry: plan.expiry, unitSizes: plan.unitSizes)
      return counts.map { .tiers($0) } ?? .counts(CacheReplayCounts())
    case .lru(let capacities):
      return .points(
        LRUMissRatioCurve.exact(trace, capacities: capacities, unitSizes: plan.unitSizes) ?? [])
    case .shards(let capacities, let limit):
      return .points(
        SHARDS.curve(
          trace, capacities: capacities, limit: limit, unitSizes: plan.unitSizes) ?? [])
    }
  }

  /// Nothing cancels a replay, so that there always are counts.
  private func counts(
    _ trace: CacheTrace, _ kind: EvictionKind, _ capacity: Int64
  ) -> CacheReplayCounts {
    CacheReplay.run(
      trace, kind: kind, capacity: capacity, admission: plan.admission, expiry: plan.expiry,
      unitSizes: plan.unitSizes) ?? CacheReplayCounts()
  }
}
