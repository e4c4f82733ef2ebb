import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Studies

/// What a live run asks and how.
public struct LiveOptions: Sendable {
  /// The edge, and the feed's host when that is another one.
  public var edge: LiveTarget
  public var service: LiveTarget?
  /// Whether links are the world's model or real ones.
  public var servers: FeedServers
  public var transport: LiveClientConfiguration.Transport
  public var trust: LiveClientConfiguration.Trust
  public var seed: UInt64
  /// Parts of equal length into which the measured time is cut; the intervals come from them.
  public var parts = 8
  /// A session that begins later than this after it was due began late (assumed: a tenth of the
  /// shortest latency that players notice).
  public var lateAfter: TimeSpan = .milliseconds(10)
  /// What `Cache-Status` and its like are read as when an answer says nothing: an origin without a
  /// cache in front.
  public var silentOutcome = CacheOutcome.miss
  /// What the target was found to have; nil: it has the scenario's catalogue at the stand-in's
  /// paths.
  public var found: FoundCatalogue?
  /// Whether anybody answers pages and events; without, they are answered at once and not sent.
  public var hasService = true
  /// What requests tell of their players.
  public var clientData = ClientDataOptions()
  /// Whether the report has a word of what servers say of their answers even if they say nothing.
  public var wantsServerData = false
  /// Whether each request for media is kept (``LiveOutcome/requests``).
  public var keepsRequests = false
  /// What media bodies have to be; nil: they are not looked at.
  public var contents: CatalogueContents?
  /// What segments have to be, where the stand-in serves real ones.
  public var media: MediaLibrary?

  public init(
    edge: LiveTarget, service: LiveTarget? = nil, servers: FeedServers,
    transport: LiveClientConfiguration.Transport = .http1,
    trust: LiveClientConfiguration.Trust = .system, seed: UInt64
  ) {
    self.edge = edge
    self.service = service
    self.servers = servers
    self.transport = transport
    self.trust = trust
    self.seed = seed
  }
}

/// How far a live run is.
public struct LiveProgress: Sendable {
  public var elapsed, length: TimeSpan
  public var sessions: Int
  public var views: Int64
  public var requests, bytes, failures: Int64
}

/// What a live run has seen beside the viewers' measures.
public struct LiveCounts: Sendable {
  public var requests: Int64 = 0
  public var answered: Int64 = 0
  public var bytes: Int64 = 0
  /// By ``LiveFailure/name``, in the order of first occurrence.
  public private(set) var failures: [(name: String, count: Int64)] = []
  /// Requests for objects that nothing named, and answers that said nothing usable.
  public var unnamed: Int64 = 0
  public var malformed: Int64 = 0
  /// The first malformed answers, in words.
  public var examples: [String] = []
  public var starts: Int64 = 0
  public var lateStarts: Int64 = 0
  /// Failures that are the generator's own.
  public var ours: Int64 = 0
  public var connections: Int64 = 0
  /// Answers whose head said nothing of a cache.
  public var silent: Int64 = 0
  /// Bodies that were compared with the stand-in's and right; others failed as wrong content.
  public var checked: Int64 = 0
  /// URIs of other hosts that documents named; they were not followed.
  public var elsewhere: Int64 = 0
  /// Items of the feed that are no title found before the run; they were left out.
  public var unknownItems: Int64 = 0

  public init() {}

  mutating func add(_ failure: LiveFailure) {
    if failure.isOurs { ours += 1 }
    add(failures: 1, named: failure.name)
  }

  mutating func add(failures count: Int64, named name: String) {
    if let index = failures.firstIndex(where: { $0.name == name }) {
      failures[index].count += count
    } else {
      failures.append((name, count))
    }
  }
}

/// The result of a live run.
public struct LiveOutcome: Sendable {
  public var parts: [FeedRunResult]
  public var counts: LiveCounts
  public var health: HealthReport
  public var latencies: [AssetClass: LiveLatency]
  public var length: TimeSpan
  public var isPartial: Bool
  /// Requests for media that were answered in the measured time; empty unless they were to be kept.
  public var requests: [MediaRequest] = []
  /// When the run's clock was at zero, nanoseconds since 1970.
  public var epoch: Int64 = 0
  /// What players told servers and servers players; nil where nobody did.
  public var clientData: LiveFacts.ClientData?
  public var serverData: LiveFacts.ServerData?
  /// What its generator is judged by.
  public var limits = HealthLimits()
  /// What real players did; nil for players that are models.
  public var players: PlayerLog?
  /// Read back from what an earlier run has kept: how healthy its generator was stands there.
  public var isReadBack = false

  /// All parts together.
  public var measures: FeedMeasures {
    var sum = parts[0].measures
    for part in parts.dropFirst() {
      sum.add(part.measures)
      sum.views += part.measures.views
    }
    return sum
  }
}
