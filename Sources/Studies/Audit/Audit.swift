import MediaUnits
import Models
import Scenario
import SimulationKernel

/// Mutation testing of budgets: runs a scenario and spoilt forms of it with the same random numbers
/// and sees which of them the scenario's budgets notice.
///
/// Every run is judged by the gate's rule at a fixed number of replications
/// (``Study/run(_:options:stop:progress:)``). Only budgets count, not the baseline.
public struct Audit: Sendable {
  /// Replications when nobody says otherwise: the gate's first look.
  public static let replications = 8

  public let scenario: StudyScenario
  public let plans: [MutantPlan]
  public let threads: Int
  /// Where pilots come from: a mutant that has the scenario's shares it.
  public let pilots: Pilots
  /// Where finished replications lie; nil to keep none.
  public let shards: ShardStore?
  private let fixedReplications: Int?

  /// Derives the mutants of a scenario; nothing is run.
  ///
  /// - Parameters:
  ///   - mutants: names of those to try, all of the scenario's world when empty.
  ///   - replications: of the base and of each mutant; nil for ``replications``, fewer when the
  ///     scenario has fewer, more when the base cannot be judged with so few.
  public init(
    _ scenario: StudyScenario, mutants: [String] = [], replications: Int?, threads: Int,
    pilots: Pilots = Pilots(), shards: ShardStore? = nil
  ) {
    self.scenario = scenario
    self.pilots = pilots
    self.shards = shards
    plans = AuditWorld(scenario).mutants.filter { mutants.isEmpty || mutants.contains($0.name) }
      .map { MutantPlan($0, of: scenario) }
    self.threads = max(1, threads)
    fixedReplications = replications
  }

  /// Runs the base and, when that passes its hard budgets, the mutants.
  ///
  /// - Throws: ``StudyStopped`` when `stop` was requested first; ``SimulationError`` of the base;
  ///   ``ReplicationsMissing`` where nothing is to be simulated and not all are kept. A mutant that
  ///   runs into a limit of the simulation is listed with that.
  public func run(
    stop: StopRequest = StopRequest(),
    progress: @escaping @Sendable (VariantProgress) -> Void = { _ in }
  ) async throws -> AuditResult {
    let base = try await judgedBase(stop: stop, progress: progress)
    if base.exitCode != 0 { return AuditResult(base: base, rows: []) }
    let open = plans.indices.filter { plans[$0].isApplicable }
    let counter = AuditProgress(
      base: base, mutants: open.count, count: base.replications, report: progress)
    var rows = plans.map { AuditRow($0, notApplicable: $0.notApplicable ?? "it was not run") }
    // Side by side, because each has a pilot run that is on one thread. What is only looked up is
    // asked for in order, so that whoever asks twice is told the same.
    let lanes = shards?.isClosed == true ? 1 : min(threads, max(1, open.count))
    let options = StudyOptions(
      threads: max(1, threads / max(1, open.count)), fixedReplications: base.replications,
      pilots: pilots, shards: shards)
    try await withThrowingTaskGroup(of: (Int, AuditRow).self) { group in
      var next = 0
      func begin() {
        guard next < open.count, !stop.isRequested else { return }
        let index = open[next]
        next += 1
        group.addTask {
          (index, try await row(plans[index], base: base, options, stop, counter))
        }
      }
      for _ in 0..<lanes { begin() }
      while let (index, row) = try await group.next() {
        rows[index] = row
        begin()
      }
    }
    if stop.isRequested { throw counter.stopped }
    try shards?.checkNothingIsMissing()
    return AuditResult(base: base, rows: rows)
  }

  private func row(
    _ plan: MutantPlan, base: StudyResult, _ options: StudyOptions, _ stop: StopRequest,
    _ counter: AuditProgress
  ) async throws -> AuditRow {
    guard let variant = plan.scenario else {
      return AuditRow(plan, notApplicable: plan.notApplicable)
    }
    do {
      let run = try await Study.run(variant, options: options, stop: stop) {
        counter.update(plan.name, $0)
      }
      return AuditRow(plan, base: base, run: run)
    } catch let error as SimulationError where error.code != .policyFailed {
      return AuditRow(plan, notApplicable: "the simulation stopped: \(error.code)")
    } catch let error as KeptStop {
      return AuditRow(plan, notApplicable: "the simulation stopped: \(error.code)")
    } catch is ReplicationsMissing {
      // It is told once all mutants have asked.
      return AuditRow(plan, notApplicable: "it is not there")
    }
  }

  /// The base with as many replications as it takes to judge it, at most the scenario's, unless
  /// their number is fixed.
  private func judgedBase(
    stop: StopRequest, progress: @escaping @Sendable (VariantProgress) -> Void
  ) async throws -> StudyResult {
    let cap = max(2, scenario.replications)
    var count = fixedReplications ?? min(Audit.replications, cap)
    while true {
      let all = count
      let mutants = plans.count { $0.isApplicable }
      let base = try await Study.run(
        scenario.onlyJudged,
        options: StudyOptions(
          threads: threads, fixedReplications: count, pilots: pilots, shards: shards),
        stop: stop
      ) { now in
        progress(
          VariantProgress(
            finished: now.finished, restored: 0, total: all * (mutants + 1), views: now.views))
      }
      if base.isPartial || stop.isRequested {
        throw StudyStopped(finished: base.replications, total: count)
      }
      let isOpen = base.verdict == .inconclusive || base.verdict == .invalid
      if fixedReplications != nil || !isOpen || count >= cap { return base }
      count = min(cap, count * 2)
    }
  }
}
