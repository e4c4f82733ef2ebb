import MediaUnits
import Models
import Scenario
import SimulationKernel
import Synchronization

/// The memory that a study is expected to need at its peak, before anything is run.
///
/// The sizes of what is counted were measured (results/answers/scale.md has the estimates beside
/// the peaks of real runs); how many there are follows from the arrivals, the sessions' lengths and
/// the popularity of titles.
public struct MemoryEstimate: Sendable {
  /// One thing that takes memory.
  public struct Term: Sendable {
    public var meaning: String
    public var bytes: Int64
  }

  public private(set) var terms: [Term] = []

  public var total: Int64 { terms.reduce(0) { $0 + $1.bytes } }

  /// The program, its libraries and the results.
  private static let programSize = 60.0 * 1_048_576
  /// A viewer in a session: what every one has, and what a view adds for as long as it lasts.
  static let viewer = 8_300.0
  static let viewOfSession = 70.0
  /// An object that a cache node was asked for: its entry, its key and its place in the eviction's
  /// order, with the room that arrays keep for their growth.
  static let object = 220.0
  /// A title in the tables of the catalogue and of the demand.
  private static let title = 120.0
  /// A session's number in every part of a replication, and its beginning and end in its own.
  private static let sessionNumber = 8.0
  private static let session = 64.0
  /// Sums of views of one thread.
  private static let sums = 16.0 * 1_048_576
  /// A time that percentiles are read from, kept until all replications are put together: of each
  /// view by the clocks `all`, `play` and one of `cold` and `swipe`.
  private static let times = 3.0 * 8
  /// A view's record with the room that arrays keep for their growth, and what reads them.
  private static let record = 224.0 * 2.5

  /// Of a scenario, whatever its world.
  ///
  /// - Parameters:
  ///   - replications: that run at the same time at most.
  ///   - threads: of them all.
  public init(_ scenario: StudyScenario, replications: Int, threads: Int) {
    self = scenario.plan.studied.memory(replications: replications, threads: threads)
  }

  private init() { add("the program", MemoryEstimate.programSize) }

  /// Of a world that is small beside the program.
  static let program = MemoryEstimate()

  /// Of a feed.
  init(_ feed: FeedWorldPlan, _ kind: FeedKind, replications: Int, threads: Int) {
    self = .program
    let configuration = feed.configuration
    let load = LoadCurve(configuration)
    let plan = FeedPlan(viewsPerSession: configuration.audience.viewsPerSession)
    let views = load.views(plan)
    let copies = Double(max(1, min(replications, threads)))
    let folds = kind.foldsViews && views > Double(ReplicationRunner.mostRows)
    // Of a session under way half is over, on average.
    let perSession = load.meanShare * plan.viewsPerSession / 2
    add(
      "\(Int64(copies)) x \(Int64(load.peak)) viewers at one time",
      copies * load.peak * (MemoryEstimate.viewer + MemoryEstimate.viewOfSession * perSession))
    let parts =
      FeedPart.lookahead(configuration) > .zero ? FeedPart.domains(configuration).count : 1
    add(
      "\(Int64(copies)) x \(Int64(load.sessions)) sessions in \(parts) parts",
      copies * load.sessions
        * (MemoryEstimate.session + Double(parts) * MemoryEstimate.sessionNumber))
    if folds {
      add("sums of views of \(threads) threads", Double(threads) * MemoryEstimate.sums)
    } else {
      add("\(Int64(copies)) x \(Int64(views)) views", copies * views * MemoryEstimate.record)
      let cuts = [configuration.networks.count, configuration.devices.count].count { $0 > 1 }
      let times = MemoryEstimate.times + 8 * Double(cuts + configuration.windows.count)
      add(
        "times of \(replications) x \(Int64(views)) views",
        Double(replications) * views * times)
    }
    if kind.hasCaches {
      let objects = MemoryEstimate.objects(
        configuration, views: views / max(load.measuredShare, 1e-9))
      add(
        "\(Int64(copies)) x \(Int64(objects)) objects in caches",
        copies * objects * MemoryEstimate.object)
    }
    add(
      "\(configuration.catalogue.probabilities.count) titles",
      Double(configuration.catalogue.probabilities.count) * MemoryEstimate.title)
  }

  private mutating func add(_ meaning: String, _ bytes: Double) {
    terms.append(Term(meaning: meaning, bytes: Int64(min(max(0, bytes), 1e18))))
  }

  /// Objects that the caches are asked for: of every title that is watched at an edge the manifest,
  /// the playlists, images and the segments of the rungs in use.
  private static func objects(_ configuration: FeedConfiguration, views: Double) -> Double {
    // Each provider has edges and tiers of its own, for its part of the views.
    let providers = Double(configuration.cdn.providerCount)
    let edges = Double(configuration.cdn.edges) * providers
    // Prefetched items count: nearly all of them are viewed.
    let atEdge = titles(configuration.catalogue.probabilities, views: views / edges)
    let atNext =
      providers * titles(configuration.catalogue.probabilities, views: views / providers)
    let hasRegional = configuration.cdn.regional != nil
    let tiers = (hasRegional ? 1.0 : 0) + (configuration.cdn.shield != nil ? 1 : 0)
    let step = max(configuration.catalogue.segmentDuration.seconds, 0.1)
    let length = configuration.catalogue.duration.mean
    let segments = (length.isFinite ? min(length, 180) : 25) / step
    // Images, and what a single file has none of: manifest, playlists and init segments.
    let others = configuration.catalogue.packaging == .progressive ? 1.5 : 6.0
    return (atEdge * edges + atNext * tiers) * (others + 1.3 * segments)
  }

  /// Those of this process, the latest last: scenarios of a sweep share their catalogue.
  private static let counted = Mutex<[(probabilities: [Double], views: Double, titles: Double)]>([])
  private static let mostCounted = 8

  /// Different titles among so many views.
  private static func titles(_ probabilities: [Double], views: Double) -> Double {
    let known = counted.withLock { counted in
      counted.first { $0.views == views && $0.probabilities == probabilities }?.titles
    }
    if let known { return known }
    var sum = 0.0
    for probability in probabilities { sum += 1 - PortableMath.exp(-views * probability) }
    counted.withLock { counted in
      if counted.count >= mostCounted { counted.removeFirst() }
      counted.append((probabilities, views, sum))
    }
    return sum
  }
}
