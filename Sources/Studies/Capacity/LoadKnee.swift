import MediaUnits
import Scenario
import SimulationKernel
import Statistics

/// The load at which each budget of a world gives way when everything else stays as it is.
///
/// Each replication is searched by itself, with the same random numbers at every load, so that its
/// knees are independent of those of the others and their mean has an interval. Loads are tried on
/// a lattice of ``steps`` to an octave: a knee lies between two neighbours, which are 1.1 % apart.
public struct LoadKnee: Sendable {
  /// A budget and where it breaks.
  public struct Finding: Sendable {
    public var budget: Budget
    /// Over the scenario's load: the mean over replications; nil unless every one has a knee.
    public var multiple: Estimate?
    /// Replications in which it breaks at every load tried, and in which at none.
    public var always: Int
    public var never: Int
    /// At the scenario's load, mean over the replications that have a value.
    public var nominal: Double?
  }

  public static let steps = 64
  /// The loads that are tried lie within a 16th and 16 times the scenario's.
  public static let octaves = 4

  public var scenario: StudyScenario
  /// The key of the load, and its value in the scenario.
  public var loadKey: String
  public var load: Double
  public var replications: Int
  /// The first to give way first; those without a knee last.
  public var findings: [Finding]

  /// Searches the first replications of a scenario side by side.
  ///
  /// - Returns: nil for a world without a load to multiply, such as the feed.
  /// - Throws: ``SimulationKernel/SimulationError`` at a limit of a run.
  public static func run(
    _ scenario: StudyScenario, replications: Int, threads: Int
  ) async throws -> LoadKnee? {
    guard let load = scenario.plan.load else { return nil }
    let request = ReplicationRequest(
      seed: scenario.seed, metrics: scenario.budgets.map(\.metric),
      lateLimit: Study.lateLimit(scenario.budgets))
    let found = try await SideBySide.map(replications, threads: threads) { number in
      var search = ReplicationSearch(
        load, budgets: scenario.budgets, request: request, replication: UInt16(number))
      return try search.run()
    }
    let findings = try scenario.budgets.indices.map { index in
      try finding(scenario.budgets[index], found.map { $0[index] })
    }
    return LoadKnee(
      scenario: scenario, loadKey: load.key, load: scenario.file.tree.real(load.key),
      replications: replications,
      findings: findings.enumerated().sorted {
        let (a, b) = (order($0.element), order($1.element))
        return a != b ? a < b : $0.offset < $1.offset
      }.map(\.element))
  }

  private static func order(_ finding: Finding) -> Double {
    finding.multiple?.value ?? (finding.always > 0 ? 0 : .infinity)
  }

  private static func finding(
    _ budget: Budget, _ knees: [ReplicationKnee]
  ) throws(StatisticsError) -> Finding {
    let nominal = knees.compactMap(\.nominal)
    let multiples = knees.compactMap(\.multiple)
    return Finding(
      budget: budget,
      multiple: multiples.count == knees.count && multiples.count >= 2
        ? try Estimates.mean(of: multiples) : nil,
      always: knees.count { $0.multiple == nil && $0.isBroken },
      never: knees.count { $0.multiple == nil && !$0.isBroken },
      nominal: nominal.isEmpty ? nil : nominal.reduce(0, +) / Double(nominal.count))
  }
}

/// Where a budget breaks in one replication.
struct ReplicationKnee: Sendable {
  var multiple: Double?
  /// Without a multiple: whether it is broken at every load.
  var isBroken = false
  /// Its value at the scenario's load.
  var nominal: Double?
}

/// The loads of one replication that were tried, by their place on the lattice.
private struct ReplicationSearch {
  let load: WorldLoad
  let budgets: [Budget]
  /// Of the budgets' metrics, in their order.
  let request: ReplicationRequest
  let replication: UInt16
  private var tried: [Int: [Double?]] = [:]

  init(
    _ load: WorldLoad, budgets: [Budget], request: ReplicationRequest, replication: UInt16
  ) {
    self.load = load
    self.budgets = budgets
    self.request = request
    self.replication = replication
  }

  private static func factor(_ place: Double) -> Double {
    PortableMath.exp(place / Double(LoadKnee.steps) * 0.693_147_180_559_945_3)
  }

  private mutating func values(_ place: Int) throws -> [Double?] {
    if let known = tried[place] { return known }
    let loaded = load.scaled(ReplicationSearch.factor(Double(place)))
    let runner = try ReplicationRunner(loaded, request)
    guard let digest = try runner.digest(Int(replication)) else {
      preconditionFailure("nobody asked replication \(replication) to stop")
    }
    let values = digest.samples.map(\.value)
    tried[place] = values
    return values
  }

  /// No data are no failure: at a low load there may be none.
  private mutating func holds(_ budget: Int, _ place: Int) throws -> Bool {
    let value = try values(place)[budget]
    return value.map { budgets[budget].limit.holds($0) } ?? true
  }

  mutating func run() throws -> [ReplicationKnee] {
    var knees: [ReplicationKnee] = []
    for budget in budgets.indices { knees.append(try knee(budget)) }
    return knees
  }

  private mutating func knee(_ budget: Int) throws -> ReplicationKnee {
    var knee = ReplicationKnee(nominal: try values(0)[budget])
    let most = LoadKnee.steps * LoadKnee.octaves
    var (low, high) = (0, 0)
    if try holds(budget, 0) {
      // Half an octave at a time: a budget that gives way high up has the others' loads on its way.
      while high < most {
        high = min(most, low + LoadKnee.steps / 2)
        if try !holds(budget, high) { break }
        low = high
      }
      if low == most { return knee }
    } else {
      while low > -most {
        low = max(-most, high - LoadKnee.steps)
        if try holds(budget, low) { break }
        high = low
      }
      if high == -most {
        knee.isBroken = true
        return knee
      }
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if try holds(budget, middle) { low = middle } else { high = middle }
    }
    knee.multiple = ReplicationSearch.factor((Double(low) + Double(high)) / 2)
    return knee
  }
}
