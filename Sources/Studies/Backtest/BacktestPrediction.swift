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
  ///   - shards: where finished replications lie; nil to keep none.
  /// - Throws: ``SimulationError`` when a replication runs into a limit, ``Rejected``;
  ///   ``ReplicationsMissing`` where nothing is to be simulated and not all are kept.
  /// - Precondition: ``groups(_:)`` knows the parts, and ``predicts(_:)`` the feed.
  public static func views(
    _ study: FeedStudy, replications: Int, parts: [String] = [], beginsWithPlay: Bool = false,
    threads: Int = 1, pilots: Pilots = Pilots(), shards: ShardStore? = nil
  ) async throws -> ObservedViews {
    precondition(predicts(study), "a mixed feed has no requests by tier")
    guard let groups = groups(parts) else { preconditionFailure("the parts \(parts) are known") }
    let configuration = study.configuration
    let plan = try pilots.plan(configuration, seed: study.seed)
    let expected = LoadCurve(configuration).views(plan) * Double(replications)
    if expected > mostViews { throw Rejected(views: expected, replications: replications) }
    let found: [PredictedReplication]
    if let shards {
      found = kept(study, replications: replications, shards)
      try shards.checkNothingIsMissing()
    } else {
      found = try await SideBySide.map(replications, threads: threads) { number in
        try replication(number, of: study, pilots)
      }
    }
    var cohorts: [ObservedViews.Cohort] = []
    for network in study.networks {
      for device in study.devices { cohorts.append(.init(device: device, network: network)) }
    }
    var predicted = ObservedViews(cohorts: cohorts, parts: parts, digest: study.digest)
    predicted.beginsWithPlay = beginsWithPlay
    var sessions: UInt32 = 0
    for (number, one) in found.enumerated() {
      predicted.add(one, replication: Int64(number), groups, sessions: &sessions)
    }
    return predicted
  }

  /// Asks for replications of a scenario that are not there, so that several predictions can be
  /// made at one time.
  public static func ask(for study: FeedStudy, replications: Int, _ shards: ShardStore) {
    _ = kept(study, replications: replications, shards)
  }

  /// Those of the replications that are there; the others are asked for.
  private static func kept(
    _ study: FeedStudy, replications: Int, _ shards: ShardStore
  ) -> [PredictedReplication] {
    let series = shards.series(study.scenario, seed: study.seed, metrics: [], kind: .views)
    return (0..<replications).compactMap { number in
      let words = series.content(number).flatMap { PackedWords.words(of: $0) }
      if let found = words.flatMap({ PredictedReplication(words: $0) }) { return found }
      series.want(number)
      return nil
    }
  }

  /// Runs one replication.
  ///
  /// - Throws: ``SimulationError`` when it runs into a limit.
  static func replication(
    _ number: Int, of study: FeedStudy, _ pilots: Pilots
  ) throws -> PredictedReplication {
    let replication = UInt16(number)
    let plan = try pilots.plan(study.configuration, seed: study.seed, replication: replication)
    return PredictedReplication(
      try measures(study.configuration, plan, seed: study.seed, replication: replication))
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
    _ one: PredictedReplication, replication: Int64, _ groups: [[StartupPart]],
    sessions: inout UInt32
  ) {
    var numbers: [UInt32: UInt32] = [:]
    for found in one.views {
      let number = numbers[found.session] ?? sessions
      if number == sessions {
        numbers[found.session] = number
        sessions += 1
      }
      var view = View(
        session: number, at: (found.settledAt - Instant.zero).seconds, cohort: found.cohort,
        isCold: found.flags.contains(.cold), hasStarted: found.flags.contains(.started),
        wait: (beginsWithPlay ? found.ttffPlay : found.ttff).milliseconds)
      view.block = replication
      view.isCut = found.flags.contains(.cut)
      view.watched = found.played.seconds
      view.stalled = found.stalled.seconds
      view.stalls = Double(found.stalls)
      add(
        view, parts: groups.map { group in group.reduce(0) { $0 + found.part($1).milliseconds } })
    }
    for sum in one.sums {
      totals.append(
        Total(
          .watchOfTitle, block: replication, cohort: sum.cohort, part: Double(sum.played) / 1e9,
          whole: Double(sum.lengths) / 1e9, count: sum.views))
      totals.append(
        Total(
          .bytesPerView, block: replication, cohort: sum.cohort, part: Double(sum.delivered),
          whole: Double(sum.views), count: sum.views))
    }
    for asset in one.traffic {
      var row = Traffic(block: replication, asset: asset.asset.word)
      row.requests = Double(asset.requests)
      row.bytes = Double(asset.bytes)
      row.hits = Double(asset.hits)
      row.hitBytes = Double(asset.hitBytes)
      traffic.append(row)
    }
  }
}
