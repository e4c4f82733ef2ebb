import CachePolicy
import FeedPolicy
import ForeignPolicies
import MediaUnits
import Models
import SimulationKernel
import Statistics
import Synchronization

/// Builds a world's configuration from a checked tree.
struct ScenarioBuilder {
  let tree: ResolvedTree
  let isShort: Bool
  var tables = LawTables()
  var own = Problems()
  /// Names and contents of the trace files read, for the scenario's digest.
  var inputs: [String] = []
  var inputFiles: [ScenarioInput] = []
  /// Policies that are processes, as they call themselves.
  var policies: [PolicyIdentity] = []

  init(_ tree: ResolvedTree, short: Bool) {
    self.tree = tree
    isShort = short
  }

  /// What could not be built.
  var problems: Problems {
    var all = own
    for problem in tables.problems.sorted { all.add(problem) }
    return all
  }

  mutating func configuration() -> FeedConfiguration {
    let accesses = tree.elements("network.access")
    let devices = tree.elements("devices")
    var made = FeedConfiguration(
      catalogue: catalogue(), networks: accesses.map { access($0) },
      networkChoice: choice(accesses.map { $0.real("weight") }),
      transport: ScenarioTable.network.filled(.init(), from: tree.at("network"), by: &self),
      devices: devices.map { device($0) },
      deviceChoice: choice(devices.map { $0.real("weight") }), cdn: cdn(),
      audience: audience(), policy: policy(), feedLatency: .unread, feedBytesPerItem: 0,
      normal: normal())
    made.transport.slowStartAfterIdle = tree.at("cdn.edge").boolean("slowStartAfterIdle")
    made.transport.detours = made.cdn.providers.map(\.detour)
    made.surface = surface()
    ScenarioTable.client.fill(&made.client, from: tree.at("client"), by: &self)
    ScenarioTable.feed.fill(&made, from: tree.at("feed"), by: &self)
    made.windows = ScenarioBuilder.windows(tree).map(\.window)
    scale(&made)
    checkNumbers(made)
    return made
  }

  private mutating func normal() -> QuantileTable {
    do {
      return try LawTables.build(.normal(mean: 0, sd: 1))
    } catch {
      preconditionFailure("the standard normal law exists: \(error)")
    }
  }

  func choice(_ weights: [Double]) -> SimulationKernel.AliasTable {
    do {
      let table = try Statistics.AliasTable(weights: weights)
      return SimulationKernel.AliasTable(thresholds: table.thresholds, aliases: table.aliases)
    } catch {
      preconditionFailure("weights were checked: \(error)")
    }
  }

  // Configurations are filled by the rows of their sections; what stands here is what they are
  // before.

  private mutating func catalogue() -> CatalogueConfiguration {
    ScenarioTable.catalogue.filled(
      CatalogueConfiguration(
        titles: 1, popularity: choice([1]), probabilities: [1], duration: .unread,
        minimumDuration: .zero, maximumDuration: .zero, ladder: Ladder([.kilobits(1)]),
        segmentDuration: .zero, titleScale: .unread, segmentVariation: .unread,
        firstSegmentRatio: .unread, peakRatio: 1, manifestBytes: 0, masterBytes: 0, initBytes: 0,
        posterBytes: 0, playlistBytes: 0, playlistBytesPerSegment: 0, cueBytes: 0, spriteBytes: 0,
        spriteSpan: .zero, cueSpan: .zero), from: tree.at("catalogue"), by: &self)
  }

  private mutating func audience() -> AudienceConfiguration {
    ScenarioTable.audience.filled(
      AudienceConfiguration(
        viewsPerDayPerEdge: 0, viewsPerSession: 0, window: .zero, drain: .zero,
        sessionLength: .unread, personas: [], personaChoice: choice([1]), backSwipe: 0,
        burstStart: 0, burstContinuation: 0, burstDwell: .unread, settle: .unread,
        patienceFloor: .zero, patience: .unread, loopBelow: .zero, maximumLoops: 0,
        scrubHold: .unread), from: tree.at("audience"), by: &self)
  }

  private mutating func policy() -> PolicyConfiguration {
    ScenarioTable.policy.filled(
      PolicyConfiguration(
        pool: .init(), prefetch: .init(), startupCap: .init(), bitrate: .fixed(RungIndex(0)),
        initialEstimate: .zero, startThreshold: .zero, resumeThreshold: .zero,
        forwardBuffer: .zero, pageSize: 1, pageTrigger: 0, fetchesPosters: false),
      from: tree.at("policy"), by: &self)
  }

  private mutating func device(_ part: ResolvedTree) -> DeviceClass {
    ScenarioTable.devices.value(part).keys.filled(
      DeviceClass(
        playerCreation: .unread, decoderSetup: .unread, decoderReuse: .unread,
        firstDecode: .unread, decoderLimit: 1, diskCache: .zero, diskRead: .zero),
      from: part, by: &self)
  }

  /// How views spread over ranks.
  struct Popularity: Sendable {
    let titles: UInt32
    let exponent: Double
    let probabilities: [Double]
    let choice: SimulationKernel.AliasTable
  }

  /// Those of this process, the latest last: they take milliseconds and a megabyte each, and the
  /// scenarios of a sweep share theirs.
  private static let popularities = Mutex<[Popularity]>([])
  private static let (mostPopularities, mostTitles) = (4, 500_000)

  /// Zipf's law over so many titles.
  func zipf(_ titles: UInt32, exponent: Double) -> Popularity {
    let known = ScenarioBuilder.popularities.withLock { made in
      made.first { $0.titles == titles && $0.exponent == exponent }
    }
    if let known { return known }
    let probabilities: [Double]
    do {
      probabilities = try ZipfLaw(count: Int(titles), exponent: exponent).probabilities
    } catch {
      preconditionFailure("the popularity was checked: \(error)")
    }
    let found = Popularity(
      titles: titles, exponent: exponent, probabilities: probabilities,
      choice: choice(probabilities))
    if Int(titles) > ScenarioBuilder.mostTitles { return found }
    ScenarioBuilder.popularities.withLock { made in
      if made.count >= ScenarioBuilder.mostPopularities { made.removeFirst() }
      made.append(found)
    }
    return found
  }

  // Watch times by duration bucket: below, P(complete), Weibull shape and scale (parameters.md
  // 6.2).
  typealias DwellRow = (below: Int64, completion: Double, shape: Double, scale: Double)
  static let lab: [DwellRow] = [
    (10, 0.39, 2.24, 4.0), (20, 0.28, 1.89, 6.5), (40, 0.08, 1.35, 9.8), (80, 0.06, 1.07, 14.7),
    (.max, 0.02, 0.77, 19.9),
  ]
  static let crowd: [DwellRow] = [
    (10, 0.57, 1.87, 3.7), (20, 0.44, 1.51, 5.9), (40, 0.30, 1.30, 9.3), (80, 0.21, 1.12, 14.7),
    (.max, 0.16, 0.97, 26.4),
  ]

  // Titles of 20 to 40 s and from 80 s on: fits to the challenge's retention curves (parameters.md
  // 6.2); the others are assumed between its bounds: S(1 s) 0.82 to 0.98, S(3 s) 0.33 to 0.86,
  // completion 0.01 to 0.43.
  static let challenge: [DwellRow] = [
    (10, 0.43, 0.90, 6.0), (20, 0.40, 0.85, 6.1), (40, 0.34, 0.81, 6.1), (80, 0.15, 0.75, 7.0),
    (.max, 0.04, 0.71, 3.2),
  ]

  /// How long the viewers of a persona stay, by length of the item.
  mutating func dwell(_ persona: ResolvedTree) -> [DwellLaw] {
    ScenarioTable.bases.value(persona, "basis").map { row in
      var law = DwellLaw(
        below: .seconds(row.below),
        completion: min(1, row.completion * persona.real("completionScale")), watchTime: .unread)
      do throws(LawTables.Fault) {
        law.watchTime = try LawTables.build(
          .weibull(shape: row.shape, scale: row.scale * persona.real("watchScale")))
      } catch {
        own.add(persona.problem(expected: error.expected, got: error.got))
      }
      return law
    }
  }

  /// The same of a persona that was measured.
  mutating func measuredDwell(_ persona: ResolvedTree) -> [DwellLaw] {
    var laws: [DwellLaw] = []
    for bucket in persona.elements("shorter") {
      let below = bucket.span("below")
      if let last = laws.last, below <= last.below {
        own.add(bucket.problem(at: "below", expected: "more than that of the bucket before"))
      }
      laws.append(
        DwellLaw(
          below: below, completion: bucket.ratio("completion"),
          watchTime: tables.table(bucket, "watchTime")))
    }
    laws.append(
      DwellLaw(
        below: .max, completion: persona.ratio("completion"),
        watchTime: tables.table(persona, "watchTime")))
    return laws
  }
}
