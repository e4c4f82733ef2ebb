import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What a scenario predicts, in the form of what is observed: the views and requests of several
/// replications.
public enum BacktestPrediction {
  /// The most views that are predicted, some 340 bytes each while a replication becomes them.
  public static let mostViews = 4e6

  /// A scenario that would have more.
  public struct Rejected: Error, Sendable, CustomStringConvertible {
    /// About so many.
    public var views: Double
    public var replications: Int
    public var description: String {
      "expected at most \(Int(mostViews)) predicted views, got about \(Int(views.rounded())) in "
        + "\(replications) replications: take fewer, --short or a shorter audience.window"
    }
  }

  /// Whether a feed's requests are known by tier: those of a mixed feed are not.
  public static func predicts(_ study: FeedStudy) -> Bool { study.kind.hasCaches }

  /// Runs replications of a scenario.
  ///
  /// - Parameters:
  ///   - parts: of a start, as the source tells them apart (``ObservedViews/parts``).
  ///   - beginsWithPlay: waits begin with play(), as those of the source do.
  ///   - threads: the answer does not depend on it.
  /// - Throws: ``SimulationError`` when a replication runs into a limit, ``Rejected``.
  /// - Precondition: ``groups(_:)`` knows the parts, and ``predicts(_:)`` the feed.
  public static func views(
    _ study: FeedStudy, replications: Int, parts: [String] = [], beginsWithPlay: Bool = false,
    threads: Int = 1, pilots: Pilots = Pilots()
  ) async throws -> ObservedViews {
    precondition(predicts(study), "a mixed feed has no requests by tier")
    guard let groups = groups(parts) else { preconditionFailure("the parts \(parts) are known") }
    let configuration = study.configuration
    let plan = try pilots.plan(configuration, seed: study.seed)
    let expected = LoadCurve(configuration).views(plan) * Double(replications)
    if expected > mostViews { throw Rejected(views: expected, replications: replications) }
    let measured = try await SideBySide.map(replications, threads: threads) { number in
      let replication = UInt16(number)
      let plan = try pilots.plan(configuration, seed: study.seed, replication: replication)
      return try measures(configuration, plan, seed: study.seed, replication: replication)
    }
    var cohorts: [ObservedViews.Cohort] = []
    for network in study.networks {
      for device in study.devices { cohorts.append(.init(device: device, network: network)) }
    }
    var predicted = ObservedViews(cohorts: cohorts, parts: parts, digest: study.digest)
    predicted.beginsWithPlay = beginsWithPlay
    var sessions: UInt32 = 0
    for (number, measures) in measured.enumerated() {
      predicted.add(measures, replication: Int64(number), groups, sessions: &sessions)
    }
    return predicted
  }

  /// What `run` measures in a replication: in its parts where it can be cut.
  private static func measures(
    _ configuration: FeedConfiguration, _ plan: FeedPlan, seed: UInt64, replication: UInt16
  ) throws(SimulationError) -> FeedMeasures {
    let parts = PartedReplication(
      configuration, plan: plan, seed: seed, replication: replication, shuffleTies: nil,
      threads: 1)
    if let found = try parts?.runFolding() { return found.result.measures }
    return try FeedRun.run(configuration, plan: plan, seed: seed, replication: replication)
      .measures
  }

  /// The parts of a start that names stand for, several joined by `+`; nil where one is none.
  public static func groups(_ names: [String]) -> [[StartupPart]]? {
    var groups: [[StartupPart]] = []
    for name in names {
      var group: [StartupPart] = []
      for word in name.split(separator: "+") {
        guard let place = MetricReference.parts.firstIndex(of: String(word)) else { return nil }
        group.append(StartupPart.allCases[place])
      }
      if group.isEmpty { return nil }
      groups.append(group)
    }
    return groups
  }
}

extension ObservedViews {
  /// Adds a replication.
  ///
  /// - Parameter sessions: numbers that are taken; those of the replication follow them.
  fileprivate mutating func add(
    _ measures: FeedMeasures, replication: Int64, _ groups: [[StartupPart]],
    sessions: inout UInt32
  ) {
    var numbers: [UInt32: UInt32] = [:]
    for record in measures.views {
      let number = numbers[record.session] ?? sessions
      if number == sessions {
        numbers[record.session] = number
        sessions += 1
      }
      var view = View(
        session: number, at: (record.settledAt - Instant.zero).seconds,
        cohort: UInt16(Int(record.network) * measures.deviceCount + Int(record.device)),
        isCold: record.flags.contains(.cold), hasStarted: record.hasStarted,
        wait: (beginsWithPlay ? record.ttffPlay : record.ttff).milliseconds)
      view.block = replication
      view.isCut = record.flags.contains(.cut)
      view.watched = record.played.seconds
      view.stalled = record.stalled.seconds
      view.stalls = Double(record.stalls)
      add(
        view,
        parts: groups.map { group in group.reduce(0) { $0 + record.part($1).milliseconds } })
    }
    var views = [Int](repeating: 0, count: measures.shown.count)
    for record in measures.views {
      views[Int(record.network) * measures.deviceCount + Int(record.device)] += 1
    }
    for cell in measures.shown.indices where views[cell] > 0 {
      let (shown, bytes) = (measures.shown[cell], measures.balances[cell])
      totals.append(
        Total(
          .watchOfTitle, block: replication, cohort: UInt16(cell),
          part: Double(shown.played) / 1e9, whole: Double(shown.lengths) / 1e9,
          count: views[cell]))
      totals.append(
        Total(
          .bytesPerView, block: replication, cohort: UInt16(cell),
          part: Double(bytes.delivered), whole: Double(views[cell]), count: views[cell]))
    }
    for asset in AssetClass.allCases where asset != .feed {
      add(measures.edge, asset, replication: replication)
    }
  }

  /// What the edges answered of one class. Real caches tell a request that waited for another's
  /// fetch as a hit, so collapsed ones are hits on both sides; what goes past a cache is on
  /// neither.
  private mutating func add(_ edge: TierCounters, _ asset: AssetClass, replication: Int64) {
    var row = Traffic(block: replication, asset: asset.label)
    for outcome in CacheOutcome.allCases where outcome != .error && outcome != .bypass {
      let requests = Double(edge.requests(asset, outcome))
      let bytes = Double(edge.bytes(asset, outcome))
      row.requests += requests
      row.bytes += bytes
      if outcome == .hit || outcome == .staleHit || outcome == .collapsed {
        row.hits += requests
        row.hitBytes += bytes
      }
    }
    if row.requests > 0 { traffic.append(row) }
  }
}
